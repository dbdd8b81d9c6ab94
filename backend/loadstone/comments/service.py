"""Writing, answering, changing and deleting comments."""

import uuid
from datetime import UTC, datetime

from loadstone.accounts import service as accounts
from loadstone.accounts.schemas import UserRef
from loadstone.audit import service as audit
from loadstone.comments import repository, schemas
from loadstone.db import UnitOfWork
from loadstone.errors import Conflict, Forbidden, NotFound
from loadstone.models import Comment
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal
from loadstone.runs import service as runs


class NotYourComment(Forbidden):
    code = "not_your_comment"
    title = "Somebody else wrote this"


class CommentDeleted(Conflict):
    code = "comment_deleted"
    title = "The comment was deleted"


def list_comments(
    unit: UnitOfWork,
    principal: Principal,
    kind: schemas.SubjectKind,
    subject_id: uuid.UUID,
    cursor: str | None,
    limit: int,
) -> Page[schemas.Comment]:
    """Oldest first; of a run those on its points too. Raises NotFound, InvalidCursor."""
    _run_of(unit, principal, kind, subject_id)
    rows = repository.list_comments(
        unit.session,
        principal.team_id,
        run_id=subject_id if kind == "run" else None,
        point_id=subject_id if kind == "point" else None,
        after=decode_id_cursor(cursor),
        limit=limit + 1,
    )
    people = accounts.user_refs(unit, {row.created_by for row in rows})
    return make_page(rows, limit, lambda row: row.id, lambda row: _render(principal, row, people))


def _run_of(unit: UnitOfWork, principal: Principal, kind: schemas.SubjectKind, subject_id: uuid.UUID) -> uuid.UUID:
    """Raises NotFound."""
    if kind == "run":
        return runs.find_run(unit, principal, subject_id).id
    run_id = repository.run_of_point(unit.session, principal.team_id, subject_id)
    if run_id is None:
        raise NotFound("There is no such point.")
    return run_id


def create_comment(unit: UnitOfWork, principal: Principal, wanted: schemas.CreateComment) -> schemas.Comment:
    """Raises NotFound, CommentDeleted when the thread's beginning is gone."""
    run_id = _run_of(unit, principal, wanted.subject_kind, wanted.subject_id)
    parent = _thread(unit, principal, wanted.parent_id, run_id) if wanted.parent_id else None
    row = Comment(
        team_id=principal.team_id,
        subject_kind=parent.subject_kind if parent else wanted.subject_kind,
        subject_id=parent.subject_id if parent else wanted.subject_id,
        run_id=run_id,
        parent_id=parent.id if parent else None,
        text=wanted.text,
        created_by=principal.user_id,
        created_at=datetime.now(UTC),
    )
    unit.session.add(row)
    unit.session.flush()
    audit.record(unit, principal, "comment_written", row.subject_kind, row.subject_id, {"comment_id": str(row.id)})
    return _render(principal, row, _author(unit, row))


def _thread(unit: UnitOfWork, principal: Principal, comment_id: uuid.UUID, run_id: uuid.UUID) -> Comment:
    """The beginning of the thread that `comment_id` stands in."""
    row = _find(unit, principal, comment_id)
    if row.run_id != run_id:
        raise NotFound("There is no such comment on this run.")
    return _thread(unit, principal, row.parent_id, run_id) if row.parent_id else row


def _find(unit: UnitOfWork, principal: Principal, comment_id: uuid.UUID) -> Comment:
    row = repository.find_comment(unit.session, principal.team_id, comment_id)
    if row is None:
        raise NotFound("There is no such comment.")
    return row


def change_comment(
    unit: UnitOfWork, principal: Principal, comment_id: uuid.UUID, change: schemas.ChangeComment
) -> schemas.Comment:
    """Raises NotFound, NotYourComment, CommentDeleted."""
    row = _find_changeable(unit, principal, comment_id)
    if row.deleted_at is not None:
        raise CommentDeleted("Write a new one instead.")
    if row.text != change.text:
        row.text = change.text
        row.edited_at = datetime.now(UTC)
        audit.record(unit, principal, "comment_changed", row.subject_kind, row.subject_id, {"comment_id": str(row.id)})
    return _render(principal, row, _author(unit, row))


def _find_changeable(unit: UnitOfWork, principal: Principal, comment_id: uuid.UUID) -> Comment:
    row = _find(unit, principal, comment_id)
    if not _may_change(principal, row):
        raise NotYourComment("Answer it, or ask an admin of your team.")
    return row


def delete_comment(unit: UnitOfWork, principal: Principal, comment_id: uuid.UUID) -> None:
    """Its text is gone; where answers hang on it, its place stays. Raises NotFound, NotYourComment."""
    row = _find_changeable(unit, principal, comment_id)
    if row.deleted_at is not None:
        return
    audit.record(unit, principal, "comment_deleted", row.subject_kind, row.subject_id, {"comment_id": str(row.id)})
    if not repository.has_answers(unit.session, row.id):
        unit.session.delete(row)
        return
    row.text = ""
    row.deleted_at = datetime.now(UTC)


def _may_change(principal: Principal, row: Comment) -> bool:
    return principal.role == "admin" or row.created_by == principal.user_id


def _author(unit: UnitOfWork, row: Comment) -> dict[uuid.UUID, UserRef]:
    return accounts.user_refs(unit, {row.created_by})


def _render(principal: Principal, row: Comment, people: dict[uuid.UUID, UserRef]) -> schemas.Comment:
    return schemas.Comment(
        id=row.id,
        subject_kind=row.subject_kind,
        subject_id=row.subject_id,
        run_id=row.run_id,
        parent_id=row.parent_id,
        text=None if row.deleted_at else row.text,
        created_by=people.get(row.created_by) if row.created_by else None,
        created_at=row.created_at,
        edited_at=row.edited_at,
        deleted_at=row.deleted_at,
        may_change=_may_change(principal, row),
    )
