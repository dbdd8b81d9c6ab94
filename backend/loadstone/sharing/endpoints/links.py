"""`/api/v1/shares`: links as the team sees them."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Body

from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import InvalidCursor, Page
from loadstone.sharing import schemas, service

router = APIRouter(prefix="/api/v1", tags=["sharing"])


@router.post("/shares", status_code=201, responses=problems(Unauthenticated, Forbidden, NotFound))
def create_share(
    body: Annotated[schemas.CreateShare, Body(discriminator="kind")], principal: Editor
) -> schemas.CreatedShare:
    """A link to what is seen now. Its token is shown this once."""
    with unit_of_work() as unit:
        return service.create_share(unit, principal, body)


@router.get("/shares", responses=problems(Unauthenticated, InvalidCursor))
def list_shares(
    principal: Reader,
    kind: schemas.ShareKind | None = None,
    subject_id: uuid.UUID | None = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[schemas.ShareItem]:
    """The team's links, newest first; `subject_id` is a run, a saved comparison or a dashboard."""
    with unit_of_work() as unit:
        return service.list_shares(unit, principal, kind=kind, subject_id=subject_id, cursor=cursor, limit=limit)


@router.delete("/shares/{share_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def revoke_share(share_id: uuid.UUID, principal: Editor) -> None:
    """It shows nothing from now on; may be repeated."""
    with unit_of_work() as unit:
        service.revoke_share(unit, principal, share_id)
