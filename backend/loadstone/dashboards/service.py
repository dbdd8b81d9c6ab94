"""Dashboards: saved, versioned, pinned. What a panel shows is read by the page from the other domains' routes."""

import uuid
from datetime import UTC, datetime

from loadstone import models
from loadstone.accounts import service as accounts
from loadstone.accounts.schemas import UserRef
from loadstone.audit import service as audit
from loadstone.dashboards import repository
from loadstone.dashboards.schemas import (
    ChangeDashboard,
    CreateDashboard,
    Dashboard,
    DashboardContent,
    DashboardItem,
    DashboardVersionItem,
    DashboardVersions,
)
from loadstone.db import UnitOfWork
from loadstone.errors import Conflict, NotFound
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal

Names = dict[uuid.UUID, UserRef]


class DashboardChanged(Conflict):
    code = "dashboard_changed"
    title = "Someone saved this dashboard meanwhile"


def list_dashboards(
    unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int, *, is_pinned: bool | None
) -> Page[DashboardItem]:
    """Newest first; raises InvalidCursor."""
    rows = repository.list_dashboards(
        unit.session, principal.team_id, decode_id_cursor(cursor), limit + 1, is_pinned=is_pinned
    )
    names = _names(unit, rows)
    return make_page(rows, limit, lambda row: row[0].id, lambda row: _item(row, names))


def get_dashboard(
    unit: UnitOfWork, principal: Principal, dashboard_id: uuid.UUID, version: int | None = None
) -> Dashboard:
    """The newest version, or the one asked for; raises NotFound."""
    row = repository.find_dashboard(unit.session, principal.team_id, dashboard_id, version)
    if row is None:
        raise NotFound("There is no such dashboard.")
    content = DashboardContent.model_validate(row[1].content)
    return Dashboard(**_item(row, _names(unit, [row])).model_dump(), panels=content.panels)


def list_versions(unit: UnitOfWork, principal: Principal, dashboard_id: uuid.UUID) -> DashboardVersions:
    """Raises NotFound."""
    get_dashboard(unit, principal, dashboard_id)
    rows = repository.list_versions(unit.session, principal.team_id, dashboard_id)
    names = accounts.user_refs(unit, {row.created_by for row in rows})
    return DashboardVersions(
        items=[
            DashboardVersionItem(
                version=row.version,
                name=row.content["name"],
                panel_count=len(row.content["panels"]),
                changed_by=names.get(row.created_by) if row.created_by else None,
                changed_at=row.created_at,
            )
            for row in rows
        ]
    )


def create_dashboard(unit: UnitOfWork, principal: Principal, wanted: CreateDashboard) -> Dashboard:
    dashboard = models.Dashboard(
        team_id=principal.team_id,
        name=wanted.name,
        current_version=1,
        is_pinned=wanted.is_pinned,
        created_by=principal.user_id,
    )
    unit.session.add(dashboard)
    unit.session.flush()
    _add_version(unit, principal, dashboard, wanted)
    audit.record(unit, principal, "dashboard_created", "dashboard", dashboard.id, {"name": wanted.name})
    return get_dashboard(unit, principal, dashboard.id)


def change_dashboard(
    unit: UnitOfWork, principal: Principal, dashboard_id: uuid.UUID, wanted: ChangeDashboard
) -> Dashboard:
    """The next version; raises NotFound, DashboardChanged."""
    dashboard = _lock(unit, principal, dashboard_id)
    if wanted.version != dashboard.current_version:
        raise DashboardChanged(
            f"You edited version {wanted.version}, and version {dashboard.current_version} was saved meanwhile. "
            "Nothing of either is lost: look at it, then save yours on top or as another dashboard.",
            path="version",
        )
    dashboard.name = wanted.name
    dashboard.is_pinned = wanted.is_pinned
    dashboard.current_version += 1
    _add_version(unit, principal, dashboard, wanted)
    detail = {"name": wanted.name, "version": dashboard.current_version}
    audit.record(unit, principal, "dashboard_changed", "dashboard", dashboard.id, detail)
    return get_dashboard(unit, principal, dashboard.id)


def archive_dashboard(unit: UnitOfWork, principal: Principal, dashboard_id: uuid.UUID) -> None:
    """Raises NotFound."""
    dashboard = _lock(unit, principal, dashboard_id)
    dashboard.archived_at = datetime.now(UTC)
    audit.record(unit, principal, "dashboard_deleted", "dashboard", dashboard.id, {"name": dashboard.name})


def _lock(unit: UnitOfWork, principal: Principal, dashboard_id: uuid.UUID) -> models.Dashboard:
    dashboard = repository.lock_dashboard(unit.session, principal.team_id, dashboard_id)
    if dashboard is None:
        raise NotFound("There is no such dashboard.")
    return dashboard


def _add_version(
    unit: UnitOfWork, principal: Principal, dashboard: models.Dashboard, content: DashboardContent
) -> None:
    version = models.DashboardVersion(
        dashboard_id=dashboard.id,
        version=dashboard.current_version,
        team_id=principal.team_id,
        content=content.as_json(),
        created_by=principal.user_id,
    )
    unit.session.add(version)
    unit.session.flush()


def _names(unit: UnitOfWork, rows: list[repository.DashboardRow]) -> Names:
    return accounts.user_refs(unit, {person for row in rows for person in (row[0].created_by, row[1].created_by)})


def _item(row: repository.DashboardRow, names: Names) -> DashboardItem:
    dashboard, version = row
    return DashboardItem(
        id=dashboard.id,
        name=version.content["name"],
        version=version.version,
        is_pinned=version.content["is_pinned"],
        refresh_s=version.content["refresh_s"],
        panel_count=len(version.content["panels"]),
        created_by=names.get(dashboard.created_by) if dashboard.created_by else None,
        created_at=dashboard.created_at,
        changed_by=names.get(version.created_by) if version.created_by else None,
        changed_at=version.created_at,
    )
