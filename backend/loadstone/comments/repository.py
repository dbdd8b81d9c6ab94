"""Rows of `comments`."""

import uuid
from collections.abc import Sequence

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from loadstone.models import Comment, Point


def list_comments(
    session: Session,
    team_id: uuid.UUID,
    *,
    run_id: uuid.UUID | None,
    point_id: uuid.UUID | None,
    after: uuid.UUID | None,
    limit: int,
) -> Sequence[Comment]:
    """Oldest first: of a run with all its points, or of one point."""
    statement = select(Comment).where(Comment.team_id == team_id)
    if run_id is not None:
        statement = statement.where(Comment.run_id == run_id)
    if point_id is not None:
        statement = statement.where(Comment.subject_kind == "point", Comment.subject_id == point_id)
    if after is not None:
        statement = statement.where(Comment.id > after)
    return session.scalars(statement.order_by(Comment.id).limit(limit)).all()


def find_comment(session: Session, team_id: uuid.UUID, comment_id: uuid.UUID) -> Comment | None:
    return session.scalars(
        select(Comment).where(Comment.team_id == team_id, Comment.id == comment_id).with_for_update()
    ).one_or_none()


def has_answers(session: Session, comment_id: uuid.UUID) -> bool:
    return bool(session.scalar(select(exists().where(Comment.parent_id == comment_id))))


def run_of_point(session: Session, team_id: uuid.UUID, point_id: uuid.UUID) -> uuid.UUID | None:
    return session.scalar(select(Point.run_id).where(Point.team_id == team_id, Point.id == point_id))
