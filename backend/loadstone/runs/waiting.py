"""What people change about a run that waits: its name, priority, agents, place, and whether it may begin."""

import uuid
from datetime import UTC, datetime

from loadstone.agents import service as agents
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import Conflict
from loadstone.models import Run
from loadstone.principal import Principal
from loadstone.runs import repository, schemas, service, views
from loadstone.runs.states import TERMINAL, Status

FIRST_GAP = 1.0
"""Seconds, as positions are: how far before the first (behind the last) run a moved one is put."""


class RunNotWaiting(Conflict):
    """Only runs that no agent has begun stand in the queue's order."""

    code = "run_not_waiting"
    title = "The run does not wait any more"


class RunEnded(Conflict):
    code = "run_ended"
    title = "The run has ended"


def change_run(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID, change: schemas.ChangeRun) -> schemas.Run:
    """Raises NotFound (also for the agent), RunEnded for a priority, RunNotWaiting for agents."""
    run = _lock(unit, principal, run_id)
    if change.priority is not None and change.priority != run.priority:
        if run.status in TERMINAL:
            raise RunEnded("Its priority means nothing any more. Clone it to run it again.", path="priority")
        run.priority = change.priority
    if "agent_selector" in change.model_fields_set:
        _choose_agents(unit, principal, run, change)
    run.name = change.name or run.name
    audit.record(unit, principal, "run_changed", "run", run.id, change.model_dump(mode="json", exclude_unset=True))
    return _tell(unit, run)


def _choose_agents(unit: UnitOfWork, principal: Principal, run: Run, change: schemas.ChangeRun) -> None:
    selector = change.agent_selector
    if run.agent_id is not None or run.status != Status.QUEUED:
        message = "An agent has begun it, and one run is one session on one machine. Cancel it and clone it instead."
        raise RunNotWaiting(message, path="agent_selector")
    if selector is not None and selector.agent_id is not None:
        agents.find_agent(unit, principal, selector.agent_id)
    run.agent_selector = selector.as_json() if selector else {}


def move_run(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID, move: schemas.MoveRun) -> schemas.Run:
    """Raises NotFound for either run, RunNotWaiting if either does not wait."""
    repository.lock_queue(unit.session, principal.team_id)
    other_id = move.before or move.after
    assert other_id is not None, "the schema asks for one of the two"
    other = service.find_run(unit, principal, other_id)
    run = _lock_waiting(unit, principal, run_id)
    if other.status != Status.QUEUED:
        raise RunNotWaiting(f"{other.name} has begun or ended; look at the queue again.", path="before")
    if other.id != run.id:
        run.priority = other.priority
        run.position = _place_beside(unit, run, other, is_before=move.before is not None)
        audit.record(unit, principal, "run_moved", "run", run.id, move.model_dump(mode="json", exclude_none=True))
    return _tell(unit, run)


def _place_beside(unit: UnitOfWork, run: Run, other: Run, *, is_before: bool) -> float:
    """Halfway to the neighbour; where halves have run out, all runs of this priority are spread anew first."""
    for _ in range(2):
        beyond = repository.neighbour_position(unit.session, other, run.id, is_before=is_before)
        if beyond is None:
            return other.position - FIRST_GAP if is_before else other.position + FIRST_GAP
        middle = (beyond + other.position) / 2
        if middle not in (beyond, other.position):
            return middle
        repository.spread_positions(unit.session, run.team_id, other.priority)
        unit.session.refresh(other)
    raise AssertionError("positions one second apart have a middle")


def pause_run(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> schemas.Run:
    """It keeps its place and does not begin. May be repeated. Raises NotFound, RunNotWaiting."""
    run = _lock_waiting(unit, principal, run_id)
    run.paused_at = run.paused_at or datetime.now(UTC)
    audit.record(unit, principal, "run_paused", "run", run.id, {"name": run.name})
    return _tell(unit, run)


def resume_run(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> schemas.Run:
    """May be repeated. Raises NotFound."""
    run = _lock(unit, principal, run_id)
    run.paused_at = None
    audit.record(unit, principal, "run_resumed", "run", run.id, {"name": run.name})
    return _tell(unit, run)


def _lock(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> Run:
    service.find_run(unit, principal, run_id)
    run = service.lock_run(unit, run_id)
    assert run is not None, "runs are never deleted"
    return run


def _lock_waiting(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> Run:
    run = _lock(unit, principal, run_id)
    if run.status != Status.QUEUED:
        raise RunNotWaiting(f"It is {run.status}. Cancel it, or drain its agent to stop after the trial under way.")
    return run


def _tell(unit: UnitOfWork, run: Run) -> schemas.Run:
    unit.session.flush()
    service.record_event(unit, run, "run", views.run_items(unit, run.team_id, [run])[0])
    service.ring_dispatch(unit)
    return views.run_detail(unit, run)
