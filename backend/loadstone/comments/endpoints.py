"""`/api/v1/comments`."""

import uuid

from fastapi import APIRouter

from loadstone.comments import schemas, service
from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import InvalidCursor, Page

router = APIRouter(prefix="/api/v1", tags=["comments"])


@router.get("/comments", responses=problems(Unauthenticated, NotFound, InvalidCursor))
def list_comments(
    subject_kind: schemas.SubjectKind,
    subject_id: uuid.UUID,
    principal: Reader,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[schemas.Comment]:
    """Oldest first, answers by their `parent_id`; of a run also those on its points."""
    with unit_of_work() as unit:
        return service.list_comments(unit, principal, subject_kind, subject_id, cursor, limit)


@router.post(
    "/comments",
    status_code=201,
    responses=problems(Unauthenticated, Forbidden, NotFound, service.CommentDeleted, IdempotencyKeyReused),
)
def create_comment(body: schemas.CreateComment, principal: Editor, once: OnceOnly) -> schemas.Comment:
    with unit_of_work() as unit:
        return once.answer(unit, principal, schemas.Comment, lambda: service.create_comment(unit, principal, body))


CHANGE_PROBLEMS = problems(Unauthenticated, Forbidden, service.NotYourComment, NotFound)


@router.put("/comments/{comment_id}", responses={**CHANGE_PROBLEMS, **problems(service.CommentDeleted)})
def change_comment(comment_id: uuid.UUID, body: schemas.ChangeComment, principal: Editor) -> schemas.Comment:
    """One's own; admins may change any."""
    with unit_of_work() as unit:
        return service.change_comment(unit, principal, comment_id, body)


@router.delete("/comments/{comment_id}", status_code=204, responses=CHANGE_PROBLEMS)
def delete_comment(comment_id: uuid.UUID, principal: Editor) -> None:
    """One's own; admins may delete any."""
    with unit_of_work() as unit:
        service.delete_comment(unit, principal, comment_id)
