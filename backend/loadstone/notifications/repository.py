"""SQL of channels and deliveries."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from loadstone.models import NotificationChannel, NotificationDelivery

CHANNELS_MAX = 50


def list_channels(session: Session, team_id: uuid.UUID) -> Sequence[NotificationChannel]:
    statement = select(NotificationChannel).where(NotificationChannel.team_id == team_id)
    return session.scalars(statement.order_by(NotificationChannel.name).limit(CHANNELS_MAX)).all()


def find_channel(session: Session, team_id: uuid.UUID, channel_id: uuid.UUID) -> NotificationChannel | None:
    statement = select(NotificationChannel).where(
        NotificationChannel.team_id == team_id, NotificationChannel.id == channel_id
    )
    return session.scalars(statement).one_or_none()


def count_channels(session: Session, team_id: uuid.UUID) -> int:
    return session.scalar(select(func.count()).where(NotificationChannel.team_id == team_id)) or 0


def is_name_taken(session: Session, team_id: uuid.UUID, name: str, but: uuid.UUID | None) -> bool:
    statement = select(NotificationChannel.id).where(
        NotificationChannel.team_id == team_id, NotificationChannel.name == name
    )
    if but is not None:
        statement = statement.where(NotificationChannel.id != but)
    return session.scalar(statement) is not None


def last_deliveries(session: Session, channel_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, NotificationDelivery]:
    statement = (
        select(NotificationDelivery)
        .where(NotificationDelivery.channel_id.in_(channel_ids))
        .ext(distinct_on(NotificationDelivery.channel_id))
        .order_by(NotificationDelivery.channel_id, NotificationDelivery.id.desc())
    )
    return {row.channel_id: row for row in session.scalars(statement)}


def listening_channels(session: Session, team_id: uuid.UUID, event: str) -> Sequence[uuid.UUID]:
    statement = select(NotificationChannel.id).where(
        NotificationChannel.team_id == team_id,
        NotificationChannel.is_enabled,
        NotificationChannel.events.contains([event]),
    )
    return session.scalars(statement).all()


def insert_deliveries(session: Session, rows: list[dict[str, Any]]) -> list[uuid.UUID]:
    """What was announced before stays as it is. Returns the new ones."""
    statement = insert(NotificationDelivery).on_conflict_do_nothing(index_elements=["channel_id", "dedupe_key"])
    made = session.scalars(statement.returning(NotificationDelivery.id), [{"id": uuid7(), **row} for row in rows])
    return list(made)


def find_delivery(session: Session, delivery_id: uuid.UUID) -> tuple[NotificationDelivery, NotificationChannel] | None:
    statement = (
        select(NotificationDelivery, NotificationChannel)
        .join(NotificationChannel, NotificationChannel.id == NotificationDelivery.channel_id)
        .where(NotificationDelivery.id == delivery_id)
    )
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None


def list_deliveries(
    session: Session, team_id: uuid.UUID, channel_id: uuid.UUID | None, before: uuid.UUID | None, limit: int
) -> Sequence[tuple[NotificationDelivery, str]]:
    """Newest first, with their channel's name."""
    statement = (
        select(NotificationDelivery, NotificationChannel.name)
        .join(NotificationChannel, NotificationChannel.id == NotificationDelivery.channel_id)
        .where(NotificationDelivery.team_id == team_id)
    )
    if channel_id:
        statement = statement.where(NotificationDelivery.channel_id == channel_id)
    if before:
        statement = statement.where(NotificationDelivery.id < before)
    rows = session.execute(statement.order_by(NotificationDelivery.id.desc()).limit(limit))
    return [(row[0], row[1]) for row in rows]


def claim_due(session: Session, now: datetime, lost_after: timedelta, limit: int) -> list[uuid.UUID]:
    """Takes deliveries whose time has come. Nobody else gets them until they count as lost."""
    due = (
        select(NotificationDelivery.id)
        .where(NotificationDelivery.status.in_(["queued", "sending"]), NotificationDelivery.next_attempt_at <= now)
        .order_by(NotificationDelivery.next_attempt_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    statement = (
        update(NotificationDelivery)
        .where(NotificationDelivery.id.in_(due.scalar_subquery()))
        .values(status="sending", attempts=NotificationDelivery.attempts + 1, next_attempt_at=now + lost_after)
        .returning(NotificationDelivery.id)
    )
    return list(session.scalars(statement.execution_options(synchronize_session=False)))


def note_attempt(session: Session, delivery_id: uuid.UUID, attempt: int, values: dict[str, Any]) -> None:
    """Only while it is still this attempt's: one that came back after it was given up for lost changes nothing."""
    session.execute(
        update(NotificationDelivery)
        .where(
            NotificationDelivery.id == delivery_id,
            NotificationDelivery.attempts == attempt,
            NotificationDelivery.status == "sending",
        )
        .values(**values)
    )
