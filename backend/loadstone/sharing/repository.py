"""Rows of `shares` and `share_unlocks`."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from loadstone.models import Point, Run, Share, ShareUnlock, Team


def find_by_token(session: Session, token_hash: str) -> tuple[Share, str] | None:
    """With the name of its team."""
    statement = select(Share, Team.name).join(Team, Team.id == Share.team_id).where(Share.token_hash == token_hash)
    row = session.execute(statement).one_or_none()
    return (row[0], row[1]) if row else None


def find_share(session: Session, team_id: uuid.UUID, share_id: uuid.UUID) -> Share | None:
    return session.scalars(select(Share).where(Share.team_id == team_id, Share.id == share_id)).one_or_none()


def list_shares(
    session: Session,
    team_id: uuid.UUID,
    *,
    kind: str | None,
    subject_id: uuid.UUID | None,
    before: uuid.UUID | None,
    limit: int,
) -> Sequence[Share]:
    """Newest first."""
    statement = select(Share).where(Share.team_id == team_id).order_by(Share.id.desc()).limit(limit)
    if kind is not None:
        statement = statement.where(Share.kind == kind)
    if subject_id is not None:
        statement = statement.where(Share.subject_id == subject_id)
    if before is not None:
        statement = statement.where(Share.id < before)
    return session.scalars(statement).all()


def count_view(session: Session, share_id: uuid.UUID, now: datetime) -> None:
    """In the database, so that two visitors at once count as two."""
    statement = update(Share).where(Share.id == share_id)
    session.execute(statement.values(view_count=Share.view_count + 1, last_viewed_at=now))


def is_unlocked(session: Session, share_id: uuid.UUID, token_hash: str, now: datetime) -> bool:
    statement = select(
        exists().where(
            ShareUnlock.share_id == share_id, ShareUnlock.token_hash == token_hash, ShareUnlock.expires_at > now
        )
    )
    return bool(session.scalar(statement))


def delete_expired_unlocks(session: Session, now: datetime) -> None:
    session.execute(delete(ShareUnlock).where(ShareUnlock.expires_at <= now))


def newest_run(session: Session, team_id: uuid.UUID, plan_id: uuid.UUID) -> uuid.UUID | None:
    """That has ended with or without figures."""
    statement = select(Run.id).where(
        Run.team_id == team_id, Run.plan_id == plan_id, Run.status.in_(["succeeded", "failed"])
    )
    return session.scalar(statement.order_by(Run.id.desc()).limit(1))


def run_of_point(session: Session, team_id: uuid.UUID, point_id: uuid.UUID) -> uuid.UUID | None:
    return session.scalar(select(Point.run_id).where(Point.team_id == team_id, Point.id == point_id))
