"""Rows of traces. Their content is read only where it is asked for."""

import uuid
from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from loadstone.models import Trace


def list_traces(session: Session, team_id: uuid.UUID, before: uuid.UUID | None, limit: int) -> list[Trace]:
    statement = select(Trace).where(Trace.team_id == team_id, Trace.archived_at.is_(None))
    if before is not None:
        statement = statement.where(Trace.id < before)
    return list(session.scalars(statement.order_by(Trace.id.desc()).limit(limit)))


def find_trace(session: Session, team_id: uuid.UUID, trace_id: uuid.UUID) -> Trace | None:
    return session.scalars(
        select(Trace).where(Trace.team_id == team_id, Trace.id == trace_id, Trace.archived_at.is_(None))
    ).one_or_none()


def by_digest(session: Session, team_id: uuid.UUID, digests: Collection[str]) -> list[Trace]:
    """Also archived ones: what a plan names stays there for it."""
    return list(session.scalars(select(Trace).where(Trace.team_id == team_id, Trace.digest.in_(digests))))


def content_of(session: Session, team_id: uuid.UUID, digest: str) -> bytes | None:
    """Compressed by gzip."""
    return session.scalar(select(Trace.content_gzip).where(Trace.team_id == team_id, Trace.digest == digest))


def keep_trace(session: Session, trace: Trace) -> bool:
    """False where the team has the file already."""
    values = {
        name: getattr(trace, name)
        for name in ("team_id", "name", "digest", "size_bytes", "facts", "content_gzip", "created_by")
    }
    kept = session.execute(insert(Trace).values(**values).on_conflict_do_nothing().returning(Trace.id))
    return kept.scalar() is not None
