"""Rows of `idempotency_keys`."""

import uuid
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from loadstone.models import IdempotencyKey


def claim_key(session: Session, team_id: uuid.UUID, user_id: uuid.UUID, key: str, request_hash: str) -> IdempotencyKey:
    """The row of this key, made now or found. Waits for another transaction that is just making it."""
    session.execute(
        insert(IdempotencyKey)
        .values(team_id=team_id, user_id=user_id, key=key, request_hash=request_hash)
        .on_conflict_do_nothing()
    )
    return session.scalars(
        select(IdempotencyKey)
        .where(
            IdempotencyKey.team_id == team_id,
            IdempotencyKey.user_id == user_id,
            IdempotencyKey.key == key,
        )
        .with_for_update()
    ).one()


def delete_keys(session: Session, created_before: datetime) -> int:
    deleted = session.scalars(
        delete(IdempotencyKey).where(IdempotencyKey.created_at < created_before).returning(IdempotencyKey.key)
    )
    return len(deleted.all())
