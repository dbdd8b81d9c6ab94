"""What was changed, by whom."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class AuditEntry(Identified, Base):
    """One change. Rows are only ever added; names are kept as they were then."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        Index(None, "team_id", "id"),
        CheckConstraint("actor_kind IN ('person', 'token', 'agent', 'system')", name="actor_kind"),
    )

    team_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    """Null where the change concerns the installation and no team."""
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    actor_kind: Mapped[str]
    actor_id: Mapped[uuid.UUID | None]
    """The person, or the agent; null for the system. No foreign key: the entry outlives them."""
    actor_name: Mapped[str]
    token_name: Mapped[str | None]
    """Of the API token that was used, if one was."""
    action: Mapped[str]
    """Verb and noun in the past, such as `run_submitted`."""
    subject_kind: Mapped[str]
    subject_id: Mapped[str | None]
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
