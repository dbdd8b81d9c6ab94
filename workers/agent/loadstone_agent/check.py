"""Is an external target reachable from this host: one connection, one round trip."""

import time

import structlog
from loadstone_contracts.agent_calls import AssignedTarget, CheckFinishRequest

from loadstone_agent.agent import Agent
from loadstone_agent.api import ApiRefused, ApiUnreachable
from loadstone_agent.errors import AgentError
from loadstone_agent.networks import pinned
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.redaction import redact_check, told_version, unechoed
from loadstone_agent.trial.target import external_endpoint

log = structlog.get_logger()


def run_check(agent: Agent, check_id: str) -> None:
    try:
        target = agent.api.claim_check(check_id).target
        if target is not None:
            agent.api.finish_check(
                check_id, redact_check(_check_allowed(agent, target), filter(None, [target.password]))
            )
    except (ApiRefused, ApiUnreachable) as fault:
        log.warning("check_not_reported", check_id=check_id, error=str(fault))


def _check_allowed(agent: Agent, target: AssignedTarget) -> CheckFinishRequest:
    """Within the networks that this agent may measure."""
    try:
        allowed = pinned(target, agent.settings.agent_target_networks, agent.identity)
    except AgentError as error:
        return CheckFinishRequest(reachable=False, error=error.as_trial_error())
    return check_target(allowed)


def check_target(target: AssignedTarget) -> CheckFinishRequest:
    try:
        with KINDS[target.kind].control(external_endpoint(target)) as control:
            # The first one also connects, makes TLS and signs in.
            control.ping()
            started_at = time.perf_counter()
            control.ping()
            round_trip_ms = (time.perf_counter() - started_at) * 1000
            return CheckFinishRequest(
                reachable=True, round_trip_ms=round_trip_ms, version=told_version(control.version())
            )
    except AgentError as error:
        return CheckFinishRequest(reachable=False, error=unechoed(error.as_trial_error()))
