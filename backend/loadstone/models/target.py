"""Targets and the checks that an agent can reach them."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Target(Identified, Base):
    __tablename__ = "targets"
    __table_args__ = (
        Index(None, "team_id", "id"),
        CheckConstraint("mode IN ('managed', 'external')", name="mode"),
        CheckConstraint("mode = 'managed' OR (host IS NOT NULL AND port IS NOT NULL)", name="external_address"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    name: Mapped[str]
    kind: Mapped[str]
    mode: Mapped[str]
    protocol: Mapped[str | None]
    """None is the kind's first."""
    profile: Mapped[str | None]
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Overrides of the profile's options."""
    host: Mapped[str | None]
    port: Mapped[int | None]
    read_port: Mapped[int | None]
    """Where reads are answered, of a store that has a port for them, or of a replica."""
    read_host: Mapped[str | None]
    """Of a replica that reads go to."""
    plugin_port: Mapped[int | None]
    """Of an external MySQL: where its memcached plugin listens."""
    placement: Mapped[dict[str, Any] | None]
    """Of a managed target; None is the agent's own choice."""
    username: Mapped[str | None]
    password_encrypted: Mapped[str | None]
    database: Mapped[str | None]
    """By name, or Redis' by number; None is the usual one."""
    tls: Mapped[dict[str, Any] | None]
    is_flush_allowed: Mapped[bool] = mapped_column(default=False)
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
    archived_at: Mapped[datetime | None]


class TargetCheck(Identified, Base):
    """One question to one agent: can you reach this target?"""

    __tablename__ = "target_checks"
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'claimed', 'succeeded', 'failed')", name="status"),
        Index(None, "status", postgresql_where="status IN ('queued', 'claimed')"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    target_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("targets.id", ondelete="CASCADE"), index=True)
    agent_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("agents.id", ondelete="CASCADE"))
    status: Mapped[str]
    result: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
