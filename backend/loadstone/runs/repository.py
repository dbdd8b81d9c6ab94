"""SQL of runs, points, trials and events. Every read is bound by the team; writes are on locked runs."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session, defer

from loadstone.models import Agent, Hold, Lease, Point, Run, RunEvent, Trial, TrialDecision, User
from loadstone.models.run import SECOND_KINDS
from loadstone.runs.states import ACTIVE, LIVE, Status

EVENT_PAGE = 500


def lock_run(session: Session, run_id: uuid.UUID) -> Run | None:
    """The run as it is now, held until the commit. Its lock guards its trials, its counts and its events."""
    statement = select(Run).where(Run.id == run_id).with_for_update().execution_options(populate_existing=True)
    return session.scalars(statement).one_or_none()


def find_run(session: Session, team_id: uuid.UUID, run_id: uuid.UUID) -> Run | None:
    return session.scalars(select(Run).where(Run.team_id == team_id, Run.id == run_id)).one_or_none()


def list_runs(
    session: Session,
    team_id: uuid.UUID,
    *,
    statuses: Sequence[Status],
    text: str | None,
    created_by: uuid.UUID | None,
    recipe: str | None,
    before: uuid.UUID | None,
    limit: int,
) -> Sequence[Run]:
    """Newest first, without their definitions."""
    statement = select(Run).where(Run.team_id == team_id).options(defer(Run.definition, raiseload=True))
    if statuses:
        statement = statement.where(Run.status.in_(statuses))
    if text:
        statement = statement.where(Run.name.icontains(text, autoescape=True))
    if created_by:
        statement = statement.where(Run.created_by == created_by)
    if recipe:
        statement = statement.where(Run.recipe_slug == recipe)
    if before:
        statement = statement.where(Run.id < before)
    return session.scalars(statement.order_by(Run.id.desc()).limit(limit)).all()


def insert_run(session: Session, run: Run, points: list[dict[str, Any]], trials: list[dict[str, Any]]) -> None:
    """All of it in three statements, however many trials there are."""
    session.add(run)
    session.flush()
    session.execute(insert(Point), points)
    session.execute(insert(Trial), trials)


def names(session: Session, user_ids: Iterable[uuid.UUID], agent_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Of people and agents, by id."""
    people = select(User.id, User.name).where(User.id.in_(set(user_ids)))
    agents = select(Agent.id, Agent.name).where(Agent.id.in_(set(agent_ids)))
    return {row.id: row.name for row in session.execute(people.union_all(agents))}


def last_finished(session: Session, run_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, datetime | None]:
    """When each run's newest trial ended."""
    statement = (
        select(Trial.run_id, func.max(Trial.finished_at))
        .where(Trial.run_id.in_(run_ids), Trial.finished_at.is_not(None))
        .group_by(Trial.run_id)
    )
    return {row[0]: row[1] for row in session.execute(statement)}


def next_targets(session: Session, run_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Mapping[str, Any]]:
    """The target snapshot of each run's first live trial."""
    first = (
        select(Trial.run_id, Trial.point_id)
        .where(Trial.run_id.in_(run_ids), Trial.status.in_(LIVE))
        .ext(distinct_on(Trial.run_id))
        .order_by(Trial.run_id, Trial.ordinal)
        .subquery()
    )
    statement = (
        select(first.c.run_id, Run.definition["targets"][Point.target_index])
        .join(Point, Point.id == first.c.point_id)
        .join(Run, Run.id == first.c.run_id)
    )
    return {row[0]: row[1] for row in session.execute(statement)}


class RunNeeds(NamedTuple):
    """What an agent must be able to serve: all target snapshots of a run, and its plan's engines."""

    targets: list[dict[str, Any]]
    engines: list[dict[str, Any]] | None


def run_needs(session: Session, run_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, RunNeeds]:
    statement = select(Run.id, Run.definition["targets"], Run.definition["engines"]).where(Run.id.in_(run_ids))
    return {row[0]: RunNeeds(row[1], row[2]) for row in session.execute(statement)}


def busy_agents(session: Session, team_id: uuid.UUID) -> dict[uuid.UUID, uuid.UUID]:
    """The run that each busy agent works for, by agent."""
    statement = (
        select(Lease.agent_id, Trial.run_id)
        .join(Trial, Trial.id == Lease.trial_id)
        .where(Lease.status == "active", Trial.team_id == team_id)
    )
    return {row[0]: row[1] for row in session.execute(statement)}


def held_resources(session: Session) -> frozenset[str]:
    """Of all teams: hosts are shared."""
    return frozenset(session.scalars(select(Hold.resource)))


def first_waiting(session: Session, team_id: uuid.UUID) -> Run | None:
    """Of the runs that no agent has begun, the one that goes first."""
    statement = (
        select(Run)
        .where(Run.team_id == team_id, Run.status == Status.QUEUED, Run.paused_at.is_(None))
        .options(defer(Run.definition, raiseload=True))
        .order_by(Run.priority.desc(), Run.position, Run.id)
        .limit(1)
    )
    return session.scalars(statement).one_or_none()


def lock_queue(session: Session, team_id: uuid.UUID) -> None:
    """Of two that reorder a team's queue at once, the second sees what the first did."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"queue {team_id}", 0))))


def neighbour_position(session: Session, run: Run, moved_id: uuid.UUID, *, is_before: bool) -> float | None:
    """Of the waiting run of this priority right before (or after) `run`, the moved one left out; None at the end."""
    statement = select(Run.position).where(
        Run.team_id == run.team_id,
        Run.status == Status.QUEUED,
        Run.priority == run.priority,
        Run.id.not_in([run.id, moved_id]),
    )
    if is_before:
        statement = statement.where(Run.position <= run.position).order_by(Run.position.desc())
    else:
        statement = statement.where(Run.position >= run.position).order_by(Run.position)
    return session.scalar(statement.limit(1))


def spread_positions(session: Session, team_id: uuid.UUID, priority: int) -> None:
    """One second apart, in the order they have."""
    waiting = (Run.team_id == team_id, Run.status == Status.QUEUED, Run.priority == priority)
    place = func.row_number().over(order_by=(Run.position, Run.id))
    places = (
        select(Run.id, place.label("place"), func.min(Run.position).over().label("start")).where(*waiting).subquery()
    )
    statement = update(Run).where(Run.id == places.c.id).values(position=places.c.start + places.c.place)
    session.execute(statement, execution_options={"synchronize_session": False})


def still_live(session: Session, run_ids: Sequence[uuid.UUID]) -> frozenset[uuid.UUID]:
    """Which of these runs have not ended."""
    return frozenset(session.scalars(select(Run.id).where(Run.id.in_(run_ids), Run.status.in_(LIVE))))


def active_trial(session: Session, run_id: uuid.UUID) -> tuple[Trial, dict[str, Any]] | None:
    """The trial that an agent holds now, and its point's parameters."""
    statement = (
        select(Trial, Point.parameters)
        .join(Point, Point.id == Trial.point_id)
        .where(Trial.run_id == run_id, Trial.status.in_(ACTIVE))
        .order_by(Trial.ordinal)
        .limit(1)
    )
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None


def list_trials(
    session: Session, run_id: uuid.UUID, statuses: Sequence[Status], after_ordinal: int, limit: int
) -> Sequence[tuple[Trial, dict[str, Any]]]:
    """In execution order, each with its point's parameters."""
    statement = (
        select(Trial, Point.parameters)
        .join(Point, Point.id == Trial.point_id)
        # Of the points too: one look into their index by run instead of one for each trial.
        .where(Trial.run_id == run_id, Point.run_id == run_id, Trial.ordinal > after_ordinal)
    )
    if statuses:
        statement = statement.where(Trial.status.in_(statuses))
    return [(row[0], row[1]) for row in session.execute(statement.order_by(Trial.ordinal).limit(limit))]


def decisions_on(session: Session, trial_ids: Iterable[uuid.UUID]) -> Sequence[TrialDecision]:
    """Oldest first."""
    statement = select(TrialDecision).where(TrialDecision.trial_id.in_(trial_ids)).order_by(TrialDecision.id)
    return session.scalars(statement).all()


def first_failure(session: Session, run_id: uuid.UUID) -> Trial | None:
    statement = (
        select(Trial)
        .where(Trial.run_id == run_id, Trial.status.in_([Status.FAILED, Status.CRASHED]))
        .order_by(Trial.ordinal)
        .limit(1)
    )
    return session.scalars(statement).one_or_none()


def move_trial(session: Session, trial: Trial, status: Status, values: dict[str, Any]) -> bool:
    """Changes the trial only if it still is what the caller saw."""
    statement = update(Trial).where(Trial.id == trial.id, Trial.status == trial.status).values(status=status, **values)
    return session.scalar(statement.returning(Trial.id)) is not None


def end_queued(
    session: Session, run_id: uuid.UUID, status: Status, target_index: int | None, values: dict[str, Any]
) -> int:
    """Ends the run's queued trials at once (of one target, if given); returns how many there were."""
    statement = update(Trial).where(Trial.run_id == run_id, Trial.status == Status.QUEUED)
    if target_index is not None:
        points = select(Point.id).where(Point.run_id == run_id, Point.target_index == target_index)
        statement = statement.where(Trial.point_id.in_(points))
    return len(session.scalars(statement.values(status=status, **values).returning(Trial.id)).all())


def insert_event(session: Session, run_id: uuid.UUID, seq: int, kind: str, payload: dict[str, Any]) -> None:
    session.execute(insert(RunEvent).values(run_id=run_id, seq=seq, kind=kind, payload=payload))


def events_after(session: Session, run_id: uuid.UUID, after: int) -> Sequence[RunEvent]:
    """The next page of the run's events."""
    statement = select(RunEvent).where(RunEvent.run_id == run_id, RunEvent.seq > after)
    return session.scalars(statement.order_by(RunEvent.seq).limit(EVENT_PAGE)).all()


def delete_sample_events(session: Session, created_before: datetime) -> int:
    """Of runs that have ended; what was measured stays in its own tables."""
    live = select(Run.id).where(Run.status.in_(LIVE))
    statement = delete(RunEvent).where(
        RunEvent.kind.in_(SECOND_KINDS), RunEvent.created_at < created_before, RunEvent.run_id.not_in(live)
    )
    return len(session.scalars(statement.returning(RunEvent.seq)).all())
