"""Rows of plans and their versions."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, defer

from loadstone.models import Plan, PlanVersion

PlanRow = tuple[Plan, PlanVersion]
MAX_VERSIONS = 500


def _versions(team_id: uuid.UUID, *, is_archived: bool = False) -> Select[Plan, PlanVersion]:
    return (
        select(Plan, PlanVersion)
        .join(PlanVersion, PlanVersion.plan_id == Plan.id)
        .where(Plan.team_id == team_id, Plan.archived_at.is_not(None) if is_archived else Plan.archived_at.is_(None))
    )


def _current(team_id: uuid.UUID, *, is_archived: bool = False) -> Select[Plan, PlanVersion]:
    return _versions(team_id, is_archived=is_archived).where(PlanVersion.version == Plan.current_version)


def list_plans(
    session: Session,
    team_id: uuid.UUID,
    *,
    text: str | None,
    is_archived: bool,
    before: uuid.UUID | None,
    limit: int,
) -> list[PlanRow]:
    """Newest first."""
    statement = _current(team_id, is_archived=is_archived).order_by(Plan.id.desc()).limit(limit)
    if text:
        statement = statement.where(Plan.name.icontains(text, autoescape=True))
    if before is not None:
        statement = statement.where(Plan.id < before)
    return [(plan, version) for plan, version in session.execute(statement)]


def find_plan(session: Session, team_id: uuid.UUID, plan_id: uuid.UUID, version: int | None = None) -> PlanRow | None:
    """The newest version, or the one asked for."""
    statement = _current(team_id) if version is None else _versions(team_id).where(PlanVersion.version == version)
    row = session.execute(statement.where(Plan.id == plan_id)).one_or_none()
    return (row[0], row[1]) if row else None


def find_archived(session: Session, team_id: uuid.UUID, plan_id: uuid.UUID) -> Plan | None:
    """The plan, archived or not."""
    return session.scalars(select(Plan).where(Plan.team_id == team_id, Plan.id == plan_id)).one_or_none()


def list_versions(session: Session, plan_id: uuid.UUID) -> Sequence[PlanVersion]:
    """Newest first, without their definitions."""
    statement = select(PlanVersion).where(PlanVersion.plan_id == plan_id).order_by(PlanVersion.version.desc())
    return session.scalars(statement.options(defer(PlanVersion.definition, raiseload=True)).limit(MAX_VERSIONS)).all()


def lock_plan(session: Session, plan: Plan) -> None:
    """Of two edits at once, the second makes the version after the first one's."""
    session.refresh(plan, with_for_update=True)
