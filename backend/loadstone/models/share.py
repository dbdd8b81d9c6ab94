"""Links that show one thing to whoever holds them, and the passwords entered for them."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Share(Identified, Base):
    """`subject` says what may be seen, `view` how it looked when it was shared (the page's search parameters)."""

    __tablename__ = "shares"
    __table_args__ = (
        CheckConstraint("kind IN ('run', 'comparison', 'trend', 'dashboard')", name="kind"),
        Index(None, "team_id", "id"),
        Index(None, "team_id", "subject_id", "id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    kind: Mapped[str]
    subject_id: Mapped[uuid.UUID | None]
    """Of the run, the saved comparison or the dashboard; null for a trend view and a comparison that nobody saved."""
    subject: Mapped[dict[str, Any]]
    view: Mapped[dict[str, Any]]
    title: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    password_hash: Mapped[str | None]
    """argon2id."""
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    view_count: Mapped[int] = mapped_column(default=0, server_default="0")
    """How often its page was opened; pictures and badges are not counted."""
    last_viewed_at: Mapped[datetime | None]
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ShareUnlock(Identified, Base):
    """One browser that entered a link's password: the cookie holds a secret, the table its SHA-256."""

    __tablename__ = "share_unlocks"

    share_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("shares.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    expires_at: Mapped[datetime]
