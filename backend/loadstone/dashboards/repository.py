"""Rows of dashboards and their versions."""

import uuid

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from loadstone.models import Dashboard, DashboardVersion

DashboardRow = tuple[Dashboard, DashboardVersion]
MAX_VERSIONS = 100


def _at_version(team_id: uuid.UUID, version: int | None = None) -> Select[Dashboard, DashboardVersion]:
    wanted = Dashboard.current_version if version is None else version
    return (
        select(Dashboard, DashboardVersion)
        .join(DashboardVersion, (DashboardVersion.dashboard_id == Dashboard.id) & (DashboardVersion.version == wanted))
        .where(Dashboard.team_id == team_id, Dashboard.archived_at.is_(None))
    )


def list_dashboards(
    session: Session, team_id: uuid.UUID, before: uuid.UUID | None, limit: int, *, is_pinned: bool | None
) -> list[DashboardRow]:
    statement = _at_version(team_id).order_by(Dashboard.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(Dashboard.id < before)
    if is_pinned is not None:
        statement = statement.where(Dashboard.is_pinned.is_(is_pinned))
    return [(dashboard, version) for dashboard, version in session.execute(statement)]


def find_dashboard(
    session: Session, team_id: uuid.UUID, dashboard_id: uuid.UUID, version: int | None = None
) -> DashboardRow | None:
    """At its newest version unless another is asked for."""
    row = session.execute(_at_version(team_id, version).where(Dashboard.id == dashboard_id)).one_or_none()
    return (row[0], row[1]) if row else None


def lock_dashboard(session: Session, team_id: uuid.UUID, dashboard_id: uuid.UUID) -> Dashboard | None:
    """Of two saves at once, the second sees the first one's version."""
    statement = select(Dashboard).where(
        Dashboard.team_id == team_id, Dashboard.id == dashboard_id, Dashboard.archived_at.is_(None)
    )
    return session.scalars(statement.with_for_update()).one_or_none()


def list_versions(session: Session, team_id: uuid.UUID, dashboard_id: uuid.UUID) -> list[DashboardVersion]:
    statement = (
        select(DashboardVersion)
        .where(DashboardVersion.team_id == team_id, DashboardVersion.dashboard_id == dashboard_id)
        .order_by(DashboardVersion.version.desc())
        .limit(MAX_VERSIONS)
    )
    return list(session.scalars(statement))
