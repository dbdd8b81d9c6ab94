"""The agent's calls on trials: claim, renew, samples, finish. Each is one transaction and may be repeated.

Locks are taken in one order everywhere: agent, run, lease, holds. The run's lock guards its trials and leases, so a
stale attempt finds its lease gone before it can write anything.
"""

import time
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from loadstone_contracts.agent_calls import (
    Assignment,
    ClaimResponse,
    FinishRequest,
    FinishResponse,
    RenewRequest,
    RenewResponse,
    SamplesRequest,
    SamplesResponse,
    TrialError,
)
from loadstone_contracts.engine_plan import EngineWork
from loadstone_contracts.redaction import redact_message
from loadstone_contracts.telemetry import TelemetryRequest, TelemetryResponse

from loadstone.agents import service as agents
from loadstone.db import UnitOfWork
from loadstone.dispatch import repository
from loadstone.dispatch.ending import end_attempt
from loadstone.dispatch.outcomes import ended_as
from loadstone.errors import Conflict, NotFound
from loadstone.models import Agent, Lease, Point, Run, Trial
from loadstone.plans import service as plans
from loadstone.results import service as results
from loadstone.results import telemetry
from loadstone.runs import service as runs
from loadstone.runs.holds import trial_resources
from loadstone.runs.states import TERMINAL, Status
from loadstone.settings import get_settings
from loadstone.targets import service as targets
from loadstone.traces import service as traces
from loadstone.vault import SecretUnreadable


class LeaseLost(Conflict):
    """The attempt is over for this agent: it stops, wipes and drops what it holds of it."""

    code = "lease_lost"
    title = "The lease is lost"


def claim_trial(unit: UnitOfWork, agent_id: uuid.UUID, heard_id: str) -> ClaimResponse:
    """The assignment, or why there is none. A message that came late, twice or forged ends here."""
    try:
        trial_id = uuid.UUID(heard_id)
    except ValueError:
        return _refused("not_queued")
    agent = repository.lock_agent(unit.session, agent_id)
    lease = repository.active_lease(unit.session, agent.id)
    if lease is not None:
        return _answer_again(unit, lease, trial_id)
    wanted = repository.find_trial(unit.session, agent.team_id, trial_id)
    run = runs.lock_run(unit, wanted.run_id) if wanted else None
    if run is None:
        return _refused("not_queued")
    trial = repository.get_trial(unit.session, trial_id)
    reason = _refusal(unit, run, trial, agent)
    if reason is not None:
        return _refused(reason)
    point = repository.get_point(unit.session, trial.point_id)
    lease = _take(unit, run, trial, agent, point)
    if lease is None:
        return _refused("host_held")
    run.agent_id = agent.id
    runs.change_trial(unit, run, trial, Status.CLAIMED, **_fresh_attempt(trial))
    try:
        assignment = _assignment(unit, run, trial, point, lease)
    except SecretUnreadable as error:
        # It would be as unreadable for every other claim: the trial fails instead of being rung for for ever.
        lease.status = "finished"
        fault = {"error_code": error.code, "error_message": error.detail}
        end_attempt(unit, run, trial, lease, Status.FAILED, fault)
        return _refused("secret_unreadable")
    runs.settle(unit, run)
    return ClaimResponse(assignment=assignment)


def _refused(reason: str) -> ClaimResponse:
    return ClaimResponse(assignment=None, reason=reason)


def _answer_again(unit: UnitOfWork, lease: Lease, trial_id: uuid.UUID) -> ClaimResponse:
    """The same assignment if its first answer was lost on the way.

    Once the agent has renewed, it knows its lease: a second message then is only that, and must not start it twice.
    """
    if lease.trial_id != trial_id or lease.renewed_at != lease.claimed_at:
        return _refused("agent_busy")
    trial = repository.get_trial(unit.session, trial_id)
    run = runs.lock_run(unit, trial.run_id)
    assert run is not None, "runs are never deleted"
    point = repository.get_point(unit.session, trial.point_id)
    return ClaimResponse(assignment=_assignment(unit, run, trial, point, lease))


def _refusal(unit: UnitOfWork, run: Run, trial: Trial, agent: Agent) -> str | None:
    if run.status in TERMINAL or run.status == Status.CANCELLING:
        return "run_ended"
    if trial.status != Status.QUEUED:
        return "not_queued"
    first = repository.first_live_trial(unit.session, run.id)
    if first is None or first.id != trial.id:
        return "not_next"
    if agent.is_draining:
        return "draining"
    if run.agent_id is None and not repository.may_begin(unit.session, run):
        return "held_back"
    if run.agent_id not in (None, agent.id):
        return "not_suitable"
    # All targets, not this trial's alone: the run stays on the agent that begins it.
    engines = agents.foreign_engines(run.definition.get("engines"))
    if agents.can_take(agent, run.agent_selector, run.definition["targets"], engines) is not None:
        return "not_suitable"
    return None


def _take(unit: UnitOfWork, run: Run, trial: Trial, agent: Agent, point: Point) -> Lease | None:
    """The lease with all its holds, or neither."""
    now = datetime.now(UTC)
    target = run.definition["targets"][point.target_index]
    with unit.session.begin_nested() as savepoint:
        lease = repository.insert_lease(
            unit.session,
            Lease(
                trial_id=trial.id,
                agent_id=agent.id,
                attempt=trial.attempt + 1,
                claimed_at=now,
                renewed_at=now,
                expires_at=now + _lease_ttl(),
            ),
        )
        if repository.take_holds(
            unit.session, lease.id, trial_resources(agent.team_id, agent.id, agent.host_key, target)
        ):
            return lease
        savepoint.rollback()
    return None


def _lease_ttl() -> timedelta:
    return timedelta(seconds=get_settings().lease_ttl_s)


def _fresh_attempt(trial: Trial) -> dict[str, Any]:
    """Nothing of an earlier attempt shows as this one's."""
    return {
        "attempt": trial.attempt + 1,
        "claimed_at": datetime.now(UTC),
        "started_at": None,
        "finished_at": None,
        "error_code": None,
        "error_message": None,
        "error_detail": None,
    }


def _assignment(unit: UnitOfWork, run: Run, trial: Trial, point: Point, lease: Lease) -> Assignment:
    settings = get_settings()
    reset = run.definition["reset"]
    keep_store = reset != "restart" and repository.has_later_trial(unit.session, trial, point.target_index)
    return Assignment(
        lease_id=str(lease.id),
        fence=lease.fence,
        trial_id=str(trial.id),
        run_id=str(run.id),
        attempt=lease.attempt,
        lease_ttl_s=settings.lease_ttl_s,
        renew_every_s=settings.renew_every_s,
        not_before_unix_ns=_rest_ends_at_unix_ns(unit, run),
        reset=reset,
        keep_store=keep_store,
        target=targets.assigned_target(
            unit,
            plans.placed_target(run.definition, point.target_index, point.parameters),
            instance_key=f"{run.id}:{point.target_index}",
        ),
        engine=plans.engine_of(run.definition, point.parameters),
        work=EngineWork.model_validate({**point.work, "seed": trial.seed}),
        kill=plans.kill_of(run.definition, point.parameters),
    )


def _rest_ends_at_unix_ns(unit: UnitOfWork, run: Run) -> int | None:
    """The plan's rest counts from the end of the trial before."""
    rest_s = run.definition["rest_s"]
    finished_at = repository.last_finished_at(unit.session, run.id) if rest_s else None
    return int((finished_at.timestamp() + rest_s) * 1e9) if finished_at else None


def renew_lease(unit: UnitOfWork, agent_id: uuid.UUID, lease_id: uuid.UUID, body: RenewRequest) -> RenewResponse:
    """Keeps the lease, says what the agent is doing, and hears whether to stop. Raises LeaseLost."""
    run, trial, lease = _hold(unit, agent_id, lease_id)
    _check_fence(lease, body.fence)
    now = datetime.now(UTC)
    # Later than `claimed_at` even on a clock that stands still: it says that the agent knows its lease.
    lease.renewed_at = max(now, lease.claimed_at + timedelta(microseconds=1))
    lease.expires_at = now + _lease_ttl()
    lease.state = body.state
    unit.session.flush()
    if body.state in ("running", "finishing"):
        _note_running(unit, run, trial)
    return RenewResponse(cancel=trial.status == Status.CANCELLING, start_at_unix_ns=_start_at(unit, trial, lease))


def _hold(unit: UnitOfWork, agent_id: uuid.UUID, lease_id: uuid.UUID) -> tuple[Run, Trial, Lease]:
    """The lease with its trial and run, as they are under the run's lock. Raises LeaseLost."""
    run_id = repository.lease_run(unit.session, lease_id, agent_id)
    run = runs.lock_run(unit, run_id) if run_id else None
    if run is None:
        raise LeaseLost("There is no such lease of this agent. Drop what you hold of it.")
    lease = repository.get_lease(unit.session, lease_id)
    return run, repository.get_trial(unit.session, lease.trial_id), lease


def _check_fence(lease: Lease, fence: int) -> None:
    if lease.status != "active" or lease.fence != fence:
        raise LeaseLost("The lease ran out, or is another attempt's. Drop what you hold of it.")


def _note_running(unit: UnitOfWork, run: Run, trial: Trial) -> None:
    if trial.status == Status.CLAIMED:
        runs.change_trial(unit, run, trial, Status.RUNNING, started_at=datetime.now(UTC))
        runs.settle(unit, run)


def _start_at(unit: UnitOfWork, trial: Trial, lease: Lease) -> int | None:
    """One start for the group, once every agent of it is ready; a group of one starts at once."""
    if lease.start_at_unix_ns is None and repository.ready_leases(unit.session, trial) >= trial.group_size:
        lease.start_at_unix_ns = repository.start_at(unit.session, trial) or time.time_ns()
        unit.session.flush()
    return lease.start_at_unix_ns


def store_samples(unit: UnitOfWork, agent_id: uuid.UUID, lease_id: uuid.UUID, body: SamplesRequest) -> SamplesResponse:
    """Stores what is new; sending twice stores once. Raises LeaseLost, UnusableHistogram."""
    run, trial, lease = _hold(unit, agent_id, lease_id)
    _check_fence(lease, body.fence)
    results.store_samples(unit, run, trial, agent_id, body.samples)
    return SamplesResponse(acknowledged=len(body.samples))


def store_telemetry(
    unit: UnitOfWork, agent_id: uuid.UUID, lease_id: uuid.UUID, body: TelemetryRequest
) -> TelemetryResponse:
    """Stores what is new; sending twice stores once. Raises LeaseLost."""
    run, trial, lease = _hold(unit, agent_id, lease_id)
    _check_fence(lease, body.fence)
    telemetry.store_telemetry(unit, run, trial, agent_id, body.records)
    return TelemetryResponse(acknowledged=len(body.records))


def leased_trace(unit: UnitOfWork, agent_id: uuid.UUID, lease_id: uuid.UUID, fence: int) -> bytes:
    """The trace that the trial replays, compressed by gzip. Raises LeaseLost, NotFound."""
    run, trial, lease = _hold(unit, agent_id, lease_id)
    _check_fence(lease, fence)
    trace = repository.get_point(unit.session, trial.point_id).work.get("trace")
    if trace is None:
        raise NotFound("This trial replays no trace.")
    return traces.content_gzip(unit, run.team_id, trace["file"])


def finish_trial(unit: UnitOfWork, agent_id: uuid.UUID, lease_id: uuid.UUID, body: FinishRequest) -> FinishResponse:
    """Ends the attempt; a repeat changes nothing and is answered alike. Raises LeaseLost, UnusableHistogram."""
    run, trial, lease = _hold(unit, agent_id, lease_id)
    if lease.status == "finished" and lease.fence == body.fence:
        return _next(unit, run, agent_id)
    _check_fence(lease, body.fence)
    if body.outcome == "succeeded":
        _note_running(unit, run, trial)
    body = _without_secrets(body)
    code = body.error.code if body.error else None
    status = ended_as(body.outcome, code, is_cancelling=trial.status == Status.CANCELLING)
    values = results.store_result(unit, trial, agent_id, body) | _error(body)
    values["warnings"] = [*trial.warnings, *(warning.model_dump() for warning in body.warnings)]
    lease.status = "finished"
    end_attempt(unit, run, trial, lease, status, values)
    return _next(unit, run, agent_id)


def _without_secrets(body: FinishRequest) -> FinishRequest:
    """An agent sends none; an older one, or one that is not ours, might."""
    return body.model_copy(
        update={
            "error": _redacted(body.error) if body.error else None,
            "warnings": [_redacted(warning) for warning in body.warnings],
            "command_lines": redact_message(body.command_lines),
        }
    )


def _redacted(error: TrialError) -> TrialError:
    return TrialError.model_validate(redact_message(error.model_dump()))


def _error(body: FinishRequest) -> dict[str, Any]:
    if body.error is None:
        return {}
    return {
        "error_code": body.error.code,
        "error_message": body.error.message,
        "error_detail": body.error.detail or None,
    }


def _next(unit: UnitOfWork, run: Run, agent_id: uuid.UUID) -> FinishResponse:
    """The run goes on with this agent at once, or the doorbell finds what is next for it."""
    agent = agents.get_agent(unit, agent_id)
    trial = None
    if run.status not in TERMINAL and run.status != Status.CANCELLING and not agent.is_draining:
        trial = repository.first_live_trial(unit.session, run.id)
    if trial is not None and trial.status == Status.QUEUED:
        return FinishResponse(next_trial_id=str(trial.id))
    runs.ring_dispatch(unit)
    return FinishResponse(next_trial_id=None)
