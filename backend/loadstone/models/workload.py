"""Saved workloads."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Workload(Identified, Base):
    """One row a version: an edit adds a row with the same `lineage_id` and the next `version`."""

    __tablename__ = "workloads"
    __table_args__ = (Index(None, "team_id", "lineage_id", "version", unique=True),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    lineage_id: Mapped[uuid.UUID]
    version: Mapped[int]
    name: Mapped[str]
    definition: Mapped[dict[str, Any]]
    definition_hash: Mapped[str]
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    archived_at: Mapped[datetime | None]
