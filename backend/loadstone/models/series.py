"""Series: points of one identity over time."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Series(Identified, Base):
    """Identity: target kind and profile with its options, workload, load, and the agent's class."""

    __tablename__ = "series"
    __table_args__ = (UniqueConstraint("team_id", "identity_hash", "agent_class"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    identity_hash: Mapped[str]
    identity: Mapped[dict[str, Any]]
    agent_class: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
