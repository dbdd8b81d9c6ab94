"""Agents and the one-time tokens they enroll with."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint, false, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Agent(Identified, Base):
    """State (online, offline, busy, draining) is derived from these columns and the leases."""

    __tablename__ = "agents"
    __table_args__ = (UniqueConstraint("team_id", "name"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    name: Mapped[str]
    host_key: Mapped[str]
    """Identity of the host; a hold on it keeps two agents of one host from measuring at once."""
    token_hash: Mapped[str] = mapped_column(unique=True)
    labels: Mapped[dict[str, Any]] = mapped_column(default=dict)
    agent_version: Mapped[str | None]
    boot_id: Mapped[str | None]
    inventory: Mapped[dict[str, Any] | None]
    stores: Mapped[list[Any]] = mapped_column(default=list)
    engines: Mapped[list[Any]] = mapped_column(default=list)
    load: Mapped[dict[str, Any] | None]
    is_draining: Mapped[bool] = mapped_column(default=False)
    last_heartbeat_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    revoked_at: Mapped[datetime | None]
    is_foreign: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Belongs to another installation and is known by an imported run only; it is revoked from the start."""


class BrokerUser(Identified, Base):
    """A Redis user of one agent. Redis has the users that this table has; control's sweep sees to it."""

    __tablename__ = "broker_users"

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    agent_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("agents.id", ondelete="CASCADE"), index=True)
    password_hash: Mapped[str]
    """SHA-256, which is what Redis takes: the password itself is kept by the agent alone."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    replaced_at: Mapped[datetime | None]
    """The agent is to use another one from then on; this one stays valid for a while."""


class AgentEnrollment(Identified, Base):
    __tablename__ = "agent_enrollments"

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
