"""Checks that a target can be reached: a row, a doorbell, and what the agent answered."""

import uuid
from datetime import UTC, datetime, timedelta

from loadstone_contracts.agent_calls import CheckFinishRequest, TrialError
from loadstone_contracts.redaction import redact_message

from loadstone import models
from loadstone.agents import service as agents
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.doorbell import doorbell
from loadstone.errors import Conflict
from loadstone.principal import AgentPrincipal, Principal
from loadstone.targets import repository
from loadstone.targets.schemas import TargetCheck

CHECK_TIMEOUT = timedelta(seconds=60)


class NoAgentOnline(Conflict):
    code = "no_agent_online"
    title = "No agent is online"


def create_check(
    unit: UnitOfWork, principal: Principal, target: models.Target, agent_id: uuid.UUID | None
) -> TargetCheck:
    """Asks an agent once the commit stands; raises NotFound, NoAgentOnline."""
    agent = _choose_agent(unit, principal, agent_id)
    check = models.TargetCheck(
        team_id=principal.team_id, target_id=target.id, agent_id=agent.id, status="queued", result=None
    )
    unit.session.add(check)
    unit.session.flush()
    audit.record(unit, principal, "target_checked", "target", target.id, {"name": target.name, "agent": agent.name})
    unit.after_commit(lambda: doorbell().ring_check(str(agent.id), str(check.id)))
    return render_check((check, agent.name))


def _choose_agent(unit: UnitOfWork, principal: Principal, agent_id: uuid.UUID | None) -> models.Agent:
    if agent_id is not None:
        agent = agents.find_agent(unit, principal, agent_id)
        if not agents.is_online(agent):
            raise NoAgentOnline(f"{agent.name} is offline. Start it, or choose another agent.")
        return agent
    online = [agent for agent in agents.team_agents(unit, principal.team_id) if agents.is_online(agent)]
    if not online:
        raise NoAgentOnline("Start an agent first: a target is checked from the host that will measure it.")
    return online[0]


def claim_check(unit: UnitOfWork, agent: AgentPrincipal, check_id: uuid.UUID) -> models.TargetCheck | None:
    """None when it is not this agent's to do, or somebody's already."""
    return repository.claim_check(unit.session, agent.agent_id, check_id)


def finish_check(unit: UnitOfWork, agent: AgentPrincipal, check_id: uuid.UUID, result: CheckFinishRequest) -> None:
    status = "succeeded" if result.reachable else "failed"
    answer = redact_message(result.model_dump(mode="json"))
    repository.finish_check(unit.session, agent.agent_id, check_id, status, answer, datetime.now(UTC))


def fail_stale_checks(unit: UnitOfWork) -> int:
    """Ends checks that no agent finished in time; returns how many."""
    now = datetime.now(UTC)
    message = "The agent did not answer in time. It may be busy with a trial or offline: look at the page Agents."
    result = CheckFinishRequest(reachable=False, error=TrialError(code="check_timed_out", message=message))
    return repository.fail_checks(unit.session, now - CHECK_TIMEOUT, result.model_dump(mode="json"), now)


def render_check(found: repository.CheckRow) -> TargetCheck:
    check, agent_name = found
    return TargetCheck.model_validate(
        {
            "id": check.id,
            "status": check.status,
            "agent": {"id": check.agent_id, "name": agent_name},
            "result": check.result,
            "created_at": check.created_at,
            "finished_at": check.finished_at,
        }
    )
