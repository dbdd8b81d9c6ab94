"""Where a team is told what happened, and every attempt to tell it."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class NotificationChannel(Identified, Base):
    __tablename__ = "notification_channels"
    __table_args__ = (
        CheckConstraint("kind IN ('email', 'slack', 'teams', 'webhook', 'other')", name="kind"),
        UniqueConstraint("team_id", "name"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    name: Mapped[str]
    kind: Mapped[str]
    address_encrypted: Mapped[str]
    """An address of a service is a secret: whoever knows it can write there."""
    address_masked: Mapped[str]
    secret_encrypted: Mapped[str | None]
    """A webhook's key for HMAC-SHA256."""
    events: Mapped[list[Any]]
    is_enabled: Mapped[bool] = mapped_column(default=True)
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class NotificationDelivery(Identified, Base):
    """One message to one channel. Its id goes with it, so that a receiver can tell a repetition."""

    __tablename__ = "notification_deliveries"
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'sending', 'sent', 'failed')", name="status"),
        UniqueConstraint("channel_id", "dedupe_key"),
        Index(None, "team_id", "id"),
        Index(
            "ix_notification_deliveries_due",
            "next_attempt_at",
            postgresql_where="status IN ('queued', 'sending')",
        ),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    channel_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("notification_channels.id", ondelete="CASCADE"))
    event: Mapped[str]
    title: Mapped[str]
    text: Mapped[str]
    link: Mapped[str | None]
    dedupe_key: Mapped[str]
    """One event is told to one channel once, however often it is announced."""
    status: Mapped[str] = mapped_column(default="queued")
    attempts: Mapped[int] = mapped_column(default=0)
    next_attempt_at: Mapped[datetime]
    """Of a delivery under way: when it counts as lost and is taken up again."""
    response_excerpt: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    sent_at: Mapped[datetime | None]
