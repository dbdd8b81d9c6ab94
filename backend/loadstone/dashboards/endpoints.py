"""`/api/v1/dashboards`."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query

from loadstone.dashboards import service
from loadstone.dashboards.schemas import (
    ChangeDashboard,
    CreateDashboard,
    Dashboard,
    DashboardItem,
    DashboardVersions,
)
from loadstone.dashboards.service import DashboardChanged
from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import Page

router = APIRouter(prefix="/api/v1", tags=["dashboards"])

Version = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


@router.get("/dashboards", responses=problems(Unauthenticated))
def list_dashboards(
    principal: Reader, is_pinned: bool | None = None, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[DashboardItem]:
    """Newest first; with `is_pinned` only the pinned ones, or only the others."""
    with unit_of_work() as unit:
        return service.list_dashboards(unit, principal, cursor, limit, is_pinned=is_pinned)


@router.post("/dashboards", status_code=201, responses=problems(Unauthenticated, Forbidden, IdempotencyKeyReused))
def create_dashboard(body: CreateDashboard, principal: Editor, once: OnceOnly) -> Dashboard:
    with unit_of_work() as unit:
        return once.answer(unit, principal, Dashboard, lambda: service.create_dashboard(unit, principal, body))


@router.get("/dashboards/{dashboard_id}", responses=problems(Unauthenticated, NotFound))
def get_dashboard(dashboard_id: uuid.UUID, principal: Reader, version: Version = None) -> Dashboard:
    """The newest version, or an older one by its number."""
    with unit_of_work() as unit:
        return service.get_dashboard(unit, principal, dashboard_id, version)


@router.get("/dashboards/{dashboard_id}/versions", responses=problems(Unauthenticated, NotFound))
def list_dashboard_versions(dashboard_id: uuid.UUID, principal: Reader) -> DashboardVersions:
    with unit_of_work() as unit:
        return service.list_versions(unit, principal, dashboard_id)


@router.put("/dashboards/{dashboard_id}", responses=problems(Unauthenticated, Forbidden, NotFound, DashboardChanged))
def change_dashboard(dashboard_id: uuid.UUID, body: ChangeDashboard, principal: Editor) -> Dashboard:
    """Writes the next version, if `version` is still the newest."""
    with unit_of_work() as unit:
        return service.change_dashboard(unit, principal, dashboard_id, body)


@router.delete("/dashboards/{dashboard_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def archive_dashboard(dashboard_id: uuid.UUID, principal: Editor) -> None:
    with unit_of_work() as unit:
        service.archive_dashboard(unit, principal, dashboard_id)
