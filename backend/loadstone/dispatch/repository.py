"""SQL of claims, leases and holds."""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, delete, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased

from loadstone.models import Agent, Hold, Lease, Point, Run, Trial
from loadstone.runs.states import ACTIVE, LIVE, TERMINAL, Status

FRESH = {"populate_existing": True}
CLAIMABLE_RUNS = LIVE - {Status.CANCELLING}


def lock_agent(session: Session, agent_id: uuid.UUID) -> Agent:
    """One claim at a time: two doorbells of one agent wait for each other here."""
    statement = select(Agent).where(Agent.id == agent_id).with_for_update().execution_options(**FRESH)
    return session.scalars(statement).one()


def active_lease(session: Session, agent_id: uuid.UUID) -> Lease | None:
    statement = select(Lease).where(Lease.agent_id == agent_id, Lease.status == "active")
    return session.scalars(statement.execution_options(**FRESH)).one_or_none()


def trial_lease(session: Session, trial_id: uuid.UUID) -> Lease | None:
    """The active lease on a trial, locked."""
    statement = select(Lease).where(Lease.trial_id == trial_id, Lease.status == "active").with_for_update()
    return session.scalars(statement.execution_options(**FRESH)).one_or_none()


def lease_run(session: Session, lease_id: uuid.UUID, agent_id: uuid.UUID) -> uuid.UUID | None:
    """The run that an agent's lease belongs to."""
    statement = (select(Trial.run_id).join(Lease, Lease.trial_id == Trial.id).where(Lease.id == lease_id)).where(
        Lease.agent_id == agent_id
    )
    return session.scalars(statement).one_or_none()


def get_lease(session: Session, lease_id: uuid.UUID) -> Lease:
    return session.scalars(select(Lease).where(Lease.id == lease_id).execution_options(**FRESH)).one()


def find_trial(session: Session, team_id: uuid.UUID, trial_id: uuid.UUID) -> Trial | None:
    return session.scalars(select(Trial).where(Trial.team_id == team_id, Trial.id == trial_id)).one_or_none()


def get_trial(session: Session, trial_id: uuid.UUID) -> Trial:
    return session.scalars(select(Trial).where(Trial.id == trial_id).execution_options(**FRESH)).one()


def get_point(session: Session, point_id: uuid.UUID) -> Point:
    return session.scalars(select(Point).where(Point.id == point_id)).one()


def first_live_trial(session: Session, run_id: uuid.UUID) -> Trial | None:
    """Trials of a run are executed in their order, one at a time: only this one may be claimed."""
    statement = select(Trial).where(Trial.run_id == run_id, Trial.status.in_(LIVE)).order_by(Trial.ordinal).limit(1)
    return session.scalars(statement.execution_options(**FRESH)).one_or_none()


def has_later_trial(session: Session, trial: Trial, target_index: int) -> bool:
    """Is there a live trial of the same target after this one in the run?"""
    statement = (
        select(Trial.id)
        .join(Point, Point.id == Trial.point_id)
        .where(Trial.run_id == trial.run_id, Trial.ordinal > trial.ordinal, Trial.status.in_(LIVE))
        .where(Point.target_index == target_index)
        .limit(1)
    )
    return session.scalar(statement) is not None


def last_finished_at(session: Session, run_id: uuid.UUID) -> datetime | None:
    return session.scalar(select(func.max(Trial.finished_at)).where(Trial.run_id == run_id))


def insert_lease(session: Session, lease: Lease) -> Lease:
    """Reads back the fence, which the database gives."""
    session.add(lease)
    session.flush()
    session.refresh(lease)
    return lease


def take_holds(session: Session, lease_id: uuid.UUID, resources: Iterable[str]) -> bool:
    """All or, once the caller rolls back, none. Sorted, so that two claims never wait for each other in a ring."""
    wanted = [{"resource": resource, "lease_id": lease_id} for resource in sorted(resources)]
    statement = insert(Hold).on_conflict_do_nothing().returning(Hold.resource)
    return len(session.scalars(statement, wanted).all()) == len(wanted)


def release_holds(session: Session, lease_id: uuid.UUID) -> None:
    session.execute(delete(Hold).where(Hold.lease_id == lease_id))


def held_resources(session: Session) -> set[str]:
    return set(session.scalars(select(Hold.resource)))


def ready_leases(session: Session, trial: Trial) -> int:
    """How many agents of the trial's group are ready or past it."""
    statement = select(func.count()).where(
        Lease.trial_id == trial.id,
        Lease.attempt == trial.attempt,
        Lease.status == "active",
        Lease.state.in_(["ready", "running", "finishing"]),
    )
    return session.scalar(statement) or 0


def start_at(session: Session, trial: Trial) -> int | None:
    """The start that the group was given, if any."""
    statement = select(func.max(Lease.start_at_unix_ns)).where(
        Lease.trial_id == trial.id, Lease.attempt == trial.attempt
    )
    return session.scalar(statement)


def first_outcomes(session: Session, run_id: uuid.UUID, target_index: int, count: int) -> list[tuple[str, str | None]]:
    """`(status, error_code)` of a target's first trials that ended, in execution order."""
    statement = (
        select(Trial.status, Trial.error_code)
        .join(Point, Point.id == Trial.point_id)
        .where(Trial.run_id == run_id, Point.target_index == target_index, Trial.status.in_(TERMINAL))
        .order_by(Trial.ordinal)
        .limit(count)
    )
    return [(row[0], row[1]) for row in session.execute(statement)]


def try_lock_run(session: Session, run_id: uuid.UUID) -> Run | None:
    """None while someone else changes the run: the next sweep comes soon."""
    statement = select(Run).where(Run.id == run_id).with_for_update(skip_locked=True)
    return session.scalars(statement.execution_options(**FRESH)).one_or_none()


def unheld_trials(session: Session, now: datetime) -> Sequence[tuple[uuid.UUID, uuid.UUID]]:
    """`(run_id, trial_id)` of trials under way that no agent holds any more."""
    held = exists().where(Lease.trial_id == Trial.id, Lease.status == "active", Lease.expires_at >= now)
    statement = select(Trial.run_id, Trial.id).where(Trial.status.in_(ACTIVE), ~held).order_by(Trial.run_id)
    return [(row[0], row[1]) for row in session.execute(statement)]


def abandoned_runs(session: Session, seen_before: datetime) -> Sequence[uuid.UUID]:
    """Live runs bound to an agent that is revoked or was not seen for long, with no trial under way."""
    under_way = exists().where(Trial.run_id == Run.id, Trial.status.in_(ACTIVE))
    statement = (
        select(Run.id)
        .join(Agent, Agent.id == Run.agent_id)
        .where(Run.status.in_(LIVE), ~under_way)
        .where(or_(Agent.revoked_at.is_not(None), Agent.last_heartbeat_at < seen_before))
        .order_by(Run.id)
    )
    return session.scalars(statement).all()


class WaitingRun(NamedTuple):
    id: uuid.UUID
    team_id: uuid.UUID
    agent_id: uuid.UUID | None
    agent_selector: dict[str, Any]
    targets: list[dict[str, Any]]
    engines: list[dict[str, Any]] | None


def _waits_for_another() -> ColumnElement[bool]:
    earlier = aliased(Run)
    return exists().where(earlier.id == Run.waits_for_run_id, earlier.status.in_(LIVE))


def may_begin(session: Session, run: Run) -> bool:
    """Neither paused nor behind an earlier firing of its schedule."""
    statement = select(Run.id).where(Run.id == run.id, Run.paused_at.is_(None), ~_waits_for_another())
    return session.scalar(statement) is not None


def waiting_runs(session: Session, team_ids: Iterable[uuid.UUID]) -> Sequence[WaitingRun]:
    """Runs whose next trial may be claimed, best first.

    A run that has begun goes on before another begins: its stores may still hold its data, and one run is one session.
    """
    under_way = exists().where(Trial.run_id == Run.id, Trial.status.in_(ACTIVE))
    statement: Select[Any] = (
        select(
            *(Run.id, Run.team_id, Run.agent_id, Run.agent_selector),
            *(Run.definition["targets"], Run.definition["engines"]),
        )
        .where(Run.team_id.in_(set(team_ids)), Run.status.in_(CLAIMABLE_RUNS), ~under_way)
        .where(Run.paused_at.is_(None), ~_waits_for_another())
        .order_by(Run.agent_id.is_(None), Run.priority.desc(), Run.position, Run.id)
    )
    return [WaitingRun(*row) for row in session.execute(statement)]


def idle_agents(session: Session, seen_after: datetime) -> Sequence[Agent]:
    """Online, not draining, without a lease."""
    leased = exists().where(Lease.agent_id == Agent.id, Lease.status == "active")
    statement = (
        select(Agent)
        .where(Agent.revoked_at.is_(None), Agent.is_draining.is_(False), Agent.last_heartbeat_at >= seen_after)
        .where(~leased)
        .order_by(Agent.id)
    )
    return session.scalars(statement).all()


def point_target(session: Session, trial: Trial) -> int:
    """Index of the trial's target in the run's definition."""
    return session.scalars(select(Point.target_index).where(Point.id == trial.point_id)).one()
