"""Rows of plans and their versions."""

import uuid

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from loadstone.models import Plan, PlanVersion

PlanRow = tuple[Plan, PlanVersion]


def _current(team_id: uuid.UUID) -> Select[Plan, PlanVersion]:
    return (
        select(Plan, PlanVersion)
        .join(PlanVersion, (PlanVersion.plan_id == Plan.id) & (PlanVersion.version == Plan.current_version))
        .where(Plan.team_id == team_id, Plan.archived_at.is_(None))
    )


def list_plans(session: Session, team_id: uuid.UUID, before: uuid.UUID | None, limit: int) -> list[PlanRow]:
    statement = _current(team_id).order_by(Plan.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(Plan.id < before)
    return [(plan, version) for plan, version in session.execute(statement)]


def find_plan(session: Session, team_id: uuid.UUID, plan_id: uuid.UUID) -> PlanRow | None:
    row = session.execute(_current(team_id).where(Plan.id == plan_id)).one_or_none()
    return (row[0], row[1]) if row else None


def lock_plan(session: Session, plan: Plan) -> None:
    """Of two edits at once, the second makes the version after the first one's."""
    session.refresh(plan, with_for_update=True)
