"""`/api/v1/audit`, and `/api/v1/admin/audit` for what concerns no team."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query

from loadstone.audit import service
from loadstone.audit.schemas import AuditItem
from loadstone.audit.service import AuditFilter
from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, Unauthenticated
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Admin, InstanceAdmin
from loadstone.http.problems import problems
from loadstone.paging import Page

router = APIRouter(prefix="/api/v1", tags=["audit"])

Actions = Annotated[list[str] | None, Query(max_length=50)]
Word = Annotated[str | None, Query(max_length=200)]


@router.get("/audit", responses=problems(Unauthenticated, Forbidden))
def list_audit(
    principal: Admin,
    action: Actions = None,
    actor_id: uuid.UUID | None = None,
    subject_kind: Word = None,
    subject_id: Word = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[AuditItem]:
    with unit_of_work() as unit:
        wanted = AuditFilter(action or [], actor_id, subject_kind, subject_id)
        return service.list_entries(unit, principal.team_id, wanted, cursor, limit)


@router.get("/admin/audit", responses=problems(Unauthenticated, Forbidden))
def list_installation_audit(
    _principal: InstanceAdmin, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[AuditItem]:
    with unit_of_work(every_team=True) as unit:
        return service.list_entries(unit, None, AuditFilter((), None, None, None), cursor, limit)
