"""Dashboards and their versions."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Dashboard(Identified, Base):
    __tablename__ = "dashboards"
    __table_args__ = (Index(None, "team_id", "id"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    name: Mapped[str]
    current_version: Mapped[int]
    is_pinned: Mapped[bool] = mapped_column(default=False)
    """On the team's home page."""
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    archived_at: Mapped[datetime | None]


class DashboardVersion(Base):
    """What a save wrote; older ones stay, so that no save destroys another's work."""

    __tablename__ = "dashboard_versions"

    dashboard_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("dashboards.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True)
    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
    content: Mapped[dict[str, Any]]
    """Name, refresh, pin and panels as written (`WriteDashboard` without its version)."""
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
