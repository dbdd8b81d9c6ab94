"""What a trial ran on, kept once for all trials that ran on the same."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Environment(Identified, Base):
    """Host inventory, deduplicated by the SHA-256 of its canonical JSON."""

    __tablename__ = "environments"
    __table_args__ = (UniqueConstraint("team_id", "fingerprint"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    fingerprint: Mapped[str]
    inventory: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class StoreConfiguration(Identified, Base):
    """A store's version and full effective configuration, deduplicated likewise."""

    __tablename__ = "store_configurations"
    __table_args__ = (UniqueConstraint("team_id", "fingerprint"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    fingerprint: Mapped[str]
    kind: Mapped[str]
    version: Mapped[str]
    settings: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
