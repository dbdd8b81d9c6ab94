"""SQL of the queue: light columns of all live runs, whole rows of the few that are shown."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import case, func, or_, select
from sqlalchemy.orm import Session, defer

from loadstone.models import Lease, Point, Run, Trial
from loadstone.runs.states import ACTIVE, LIVE, Status

PAST_RUNS = 5
RECENT_SLOTS = 100


class LiveRun(NamedTuple):
    """A live run as the forecast needs it, in the dispatcher's order."""

    id: uuid.UUID
    name: str
    status: str
    agent_id: uuid.UUID | None
    agent_selector: dict[str, Any]
    targets: list[dict[str, Any]]
    engines: list[dict[str, Any]] | None
    status_counts: dict[str, int]
    trial_count: int
    estimated_s: float
    started_at: datetime | None
    plan_id: uuid.UUID | None
    definition_hash: str
    paused_at: datetime | None
    waits_for_run_id: uuid.UUID | None


def live_runs(session: Session, team_id: uuid.UUID) -> list[LiveRun]:
    """As the dispatcher orders them: what has begun first, then by priority and position."""
    active: Any = sum(Run.status_counts[status].as_integer() for status in sorted(ACTIVE))
    statement = (
        select(
            Run.id,
            Run.name,
            Run.status,
            Run.agent_id,
            Run.agent_selector,
            Run.definition["targets"],
            Run.definition["engines"],
            Run.status_counts,
            Run.trial_count,
            Run.estimated_s,
            Run.started_at,
            Run.plan_id,
            Run.definition_hash,
            Run.paused_at,
            Run.waits_for_run_id,
        )
        .where(Run.team_id == team_id, Run.status.in_(LIVE))
        .order_by(active == 0, Run.agent_id.is_(None), Run.priority.desc(), Run.position, Run.id)
    )
    return [LiveRun(*row) for row in session.execute(statement)]


def rows_of(session: Session, run_ids: Sequence[uuid.UUID]) -> list[Run]:
    """In the order asked for, without their definitions."""
    statement = select(Run).where(Run.id.in_(run_ids)).options(defer(Run.definition, raiseload=True))
    found = {run.id: run for run in session.scalars(statement)}
    return [found[run_id] for run_id in run_ids if run_id in found]


def past_ratios(
    session: Session, team_id: uuid.UUID, plan_ids: set[uuid.UUID], definition_hashes: set[str]
) -> tuple[dict[uuid.UUID, float], dict[str, float]]:
    """How much longer than estimated the last runs took, by plan and by definition."""
    return (
        _ratios(session, team_id, Run.plan_id, plan_ids),
        _ratios(session, team_id, Run.definition_hash, definition_hashes),
    )


def _ratios(session: Session, team_id: uuid.UUID, column: Any, keys: set[Any]) -> dict[Any, float]:
    took_s = func.extract("epoch", Run.finished_at - Run.started_at)
    newest = func.row_number().over(partition_by=column, order_by=Run.finished_at.desc())
    past = (
        select(column.label("key"), (took_s / Run.estimated_s).label("ratio"), newest.label("place"))
        .where(column.in_(keys), Run.team_id == team_id, Run.status == Status.SUCCEEDED)
        .where(Run.estimated_s > 0, Run.started_at.is_not(None), Run.origin == "local")
        .subquery()
    )
    statement = select(past.c.key, func.avg(past.c.ratio)).where(past.c.place <= PAST_RUNS).group_by(past.c.key)
    return {row[0]: float(row[1]) for row in session.execute(statement)} if keys else {}


def last_finished(session: Session, run_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, datetime]:
    statement = (
        select(Trial.run_id, func.max(Trial.finished_at))
        .where(Trial.run_id.in_(run_ids), Trial.finished_at.is_not(None))
        .group_by(Trial.run_id)
    )
    return {row[0]: row[1] for row in session.execute(statement) if row[1]}


def recent_runs(session: Session, team_id: uuid.UUID, agent_ids: Sequence[uuid.UUID], since: datetime) -> Sequence[Run]:
    """That ended on these agents, newest first."""
    statement = (
        select(Run)
        .where(Run.agent_id.in_(agent_ids), Run.team_id == team_id, Run.finished_at >= since)
        .options(defer(Run.definition, raiseload=True))
        .order_by(Run.finished_at.desc())
        .limit(RECENT_SLOTS)
    )
    return session.scalars(statement).all()


class WaitingTrial(NamedTuple):
    trial: Trial
    parameters: dict[str, Any]


def waiting_trials(
    session: Session, run_ids: Sequence[uuid.UUID], after: tuple[uuid.UUID, int] | None, limit: int
) -> list[WaitingTrial]:
    """Queued trials of these runs, run after run; `after` is a run among them and the last ordinal seen of it."""
    rank: Mapping[uuid.UUID, int] = {run_id: place for place, run_id in enumerate(run_ids)}
    statement = (
        select(Trial, Point.parameters)
        .join(Point, Point.id == Trial.point_id)
        .where(Trial.run_id.in_(run_ids), Trial.status == Status.QUEUED)
        .order_by(case(rank, value=Trial.run_id), Trial.ordinal)
        .limit(limit)
    )
    if after is not None:
        statement = statement.where(or_(Trial.run_id != after[0], Trial.ordinal > after[1]))
    return [WaitingTrial(row[0], row[1]) for row in session.execute(statement)]


def waiting_before(session: Session, run_id: uuid.UUID, ordinal: int) -> int:
    """How many queued trials of a run go before this place in it."""
    statement = select(func.count()).where(
        Trial.run_id == run_id, Trial.status == Status.QUEUED, Trial.ordinal < ordinal
    )
    return session.scalar(statement) or 0


def lease_states(session: Session, agent_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """What the busy ones of these agents are doing."""
    statement = select(Lease.agent_id, Lease.state).where(Lease.agent_id.in_(agent_ids), Lease.status == "active")
    return {row[0]: row[1] for row in session.execute(statement)}
