"""Leases on trials and holds on agents and hosts: both are rows, taken in the claim."""

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Lease(Identified, Base):
    """One agent's right to execute one attempt of one trial. `fence` only ever grows."""

    __tablename__ = "leases"
    __table_args__ = (
        UniqueConstraint("trial_id", "agent_id", "attempt"),
        CheckConstraint("status IN ('active', 'finished', 'expired')", name="status"),
        Index("ix_leases_active", "agent_id", unique=True, postgresql_where="status = 'active'"),
    )

    trial_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("trials.id", ondelete="CASCADE"))
    agent_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("agents.id", ondelete="CASCADE"))
    attempt: Mapped[int]
    fence: Mapped[int] = mapped_column(BigInteger, Identity(always=True))
    status: Mapped[str] = mapped_column(default="active")
    state: Mapped[str] = mapped_column(default="preparing")
    """What the agent last said it is doing."""
    start_at_unix_ns: Mapped[int | None] = mapped_column(BigInteger)
    claimed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    renewed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]


class Hold(Base):
    """Exclusive use of a resource: `agent:<id>`, `host:<key of an agent host>` or `target:<team>:<host>`."""

    __tablename__ = "holds"

    resource: Mapped[str] = mapped_column(primary_key=True)
    lease_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leases.id", ondelete="CASCADE"), index=True)
    held_at: Mapped[datetime] = mapped_column(server_default=func.now())
