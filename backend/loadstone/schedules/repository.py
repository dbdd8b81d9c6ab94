"""SQL of schedules and firings. Reads by people are bound by the team; the control worker reads all."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Select, func, select
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session

from loadstone.models import Plan, Run, Schedule, ScheduleFiring
from loadstone.runs.states import LIVE

FRESH = {"populate_existing": True}


class ScheduleRow(NamedTuple):
    schedule: Schedule
    plan_name: str


class FiringRow(NamedTuple):
    firing: ScheduleFiring
    run_name: str | None
    run_status: str | None


def _of_team(team_id: uuid.UUID) -> Select[Schedule, str]:
    return select(Schedule, Plan.name).join(Plan, Plan.id == Schedule.plan_id).where(Schedule.team_id == team_id)


def list_schedules(
    session: Session,
    team_id: uuid.UUID,
    *,
    text: str | None,
    plan_id: uuid.UUID | None,
    states: Sequence[str],
    before: uuid.UUID | None,
    limit: int,
) -> list[ScheduleRow]:
    """Newest first."""
    statement = _of_team(team_id).order_by(Schedule.id.desc()).limit(limit)
    if text:
        statement = statement.where(Schedule.name.icontains(text, autoescape=True))
    if plan_id:
        statement = statement.where(Schedule.plan_id == plan_id)
    if states:
        statement = statement.where(Schedule.state.in_(states))
    if before:
        statement = statement.where(Schedule.id < before)
    return [ScheduleRow(*row) for row in session.execute(statement)]


def find_schedule(session: Session, team_id: uuid.UUID, schedule_id: uuid.UUID) -> ScheduleRow | None:
    row = session.execute(_of_team(team_id).where(Schedule.id == schedule_id)).one_or_none()
    return ScheduleRow(*row) if row else None


def lock_schedule(session: Session, team_id: uuid.UUID, schedule_id: uuid.UUID) -> Schedule | None:
    """As it is now; nobody else fires or changes it until the commit."""
    statement = select(Schedule).where(Schedule.team_id == team_id, Schedule.id == schedule_id).with_for_update()
    return session.scalars(statement.execution_options(**FRESH)).one_or_none()


def due_schedules(session: Session, now: datetime, limit: int) -> Sequence[uuid.UUID]:
    """The longest overdue first."""
    statement = select(Schedule.id).where(Schedule.state == "active", Schedule.next_fire_at <= now)
    return session.scalars(statement.order_by(Schedule.next_fire_at, Schedule.id).limit(limit)).all()


def take_due(session: Session, schedule_id: uuid.UUID, now: datetime) -> Schedule | None:
    """Locked and still due; None when another worker has it or was faster."""
    statement = (
        select(Schedule)
        .where(Schedule.id == schedule_id, Schedule.state == "active", Schedule.next_fire_at <= now)
        .with_for_update(skip_locked=True)
    )
    return session.scalars(statement.execution_options(**FRESH)).one_or_none()


def insert_missed(session: Session, schedule: Schedule, due: Sequence[datetime]) -> None:
    """One row each; a due time that has one keeps it."""
    if not due:
        return
    rows = [{"team_id": schedule.team_id, "schedule_id": schedule.id, "due_at": at, "outcome": "missed"} for at in due]
    session.execute(insert(ScheduleFiring).on_conflict_do_nothing(), rows)


def live_runs(session: Session, schedule_id: uuid.UUID) -> Sequence[Run]:
    """Of this schedule, oldest first."""
    statement = select(Run).where(Run.schedule_id == schedule_id, Run.status.in_(LIVE)).order_by(Run.id)
    return session.scalars(statement).all()


def _firings() -> Select[ScheduleFiring, str | None, str | None]:
    return select(ScheduleFiring, Run.name, Run.status).outerjoin(Run, Run.id == ScheduleFiring.run_id)


def list_firings(session: Session, schedule_id: uuid.UUID, before: datetime | None, limit: int) -> list[FiringRow]:
    """The latest due time first."""
    statement = _firings().where(ScheduleFiring.schedule_id == schedule_id)
    if before is not None:
        statement = statement.where(ScheduleFiring.due_at < before)
    statement = statement.order_by(ScheduleFiring.due_at.desc()).limit(limit)
    return [FiringRow(*row) for row in session.execute(statement)]


def last_firings(session: Session, schedule_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, FiringRow]:
    """The newest of each."""
    statement = (
        _firings()
        .where(ScheduleFiring.schedule_id.in_(schedule_ids))
        .ext(distinct_on(ScheduleFiring.schedule_id))
        .order_by(ScheduleFiring.schedule_id, ScheduleFiring.due_at.desc())
    )
    return {row[0].schedule_id: FiringRow(*row) for row in session.execute(statement)}


def now(session: Session) -> datetime:
    """The database's clock: workers' own may differ, and each due time is everybody's."""
    instant: datetime = session.scalars(select(func.clock_timestamp())).one()
    return instant
