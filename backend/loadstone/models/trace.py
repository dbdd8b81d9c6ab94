"""Recorded traces."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Trace(Identified, Base):
    """A file of a team, once: uploading it again gives the same row."""

    __tablename__ = "traces"
    __table_args__ = (Index(None, "team_id", "digest", unique=True),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    name: Mapped[str]
    digest: Mapped[str]
    """SHA-256 of the file as it was uploaded, in hexadecimal digits: what a plan names it by."""
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    facts: Mapped[dict[str, Any]]
    """`TraceFacts`: counted when it was uploaded."""
    content_gzip: Mapped[bytes] = mapped_column(deferred=True)
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    archived_at: Mapped[datetime | None]
