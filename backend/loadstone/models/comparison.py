"""Comparisons that somebody saved: the question, which is answered anew each time it is opened."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Comparison(Identified, Base):
    """`definition` holds the sides, metrics, operation, margin and confidence."""

    __tablename__ = "comparisons"
    __table_args__ = (Index(None, "team_id", "id"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    name: Mapped[str]
    definition: Mapped[dict[str, Any]]
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
