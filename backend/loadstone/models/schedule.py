"""Schedules and what became of each due time."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Schedule(Identified, Base):
    """A plan that starts by itself. `next_fire_at` is set exactly while the schedule is active."""

    __tablename__ = "schedules"
    __table_args__ = (
        CheckConstraint("overlap_policy IN ('skip', 'queue', 'cancel')", name="overlap_policy"),
        CheckConstraint("state IN ('active', 'paused', 'ended', 'broken')", name="state"),
        CheckConstraint("(state = 'active') = (next_fire_at IS NOT NULL)", name="next_fire_at"),
        Index(None, "team_id", "id"),
        Index("ix_schedules_due", "next_fire_at", postgresql_where="state = 'active'"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    name: Mapped[str]
    plan_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), index=True)
    plan_version: Mapped[int | None]
    """None: whichever is the newest when it fires."""
    cron: Mapped[str]
    time_zone: Mapped[str]
    overlap_policy: Mapped[str]
    starts_at: Mapped[datetime | None]
    ends_at: Mapped[datetime | None]
    state: Mapped[str]
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]
    next_fire_at: Mapped[datetime | None]
    agent_selector: Mapped[dict[str, Any]] = mapped_column(default=dict)
    priority: Mapped[int] = mapped_column(default=0)
    version: Mapped[int] = mapped_column(default=1)
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ScheduleFiring(Identified, Base):
    """One due time. The constraint is what makes it fire at most once, whoever tries."""

    __tablename__ = "schedule_firings"
    __table_args__ = (
        UniqueConstraint("schedule_id", "due_at"),
        CheckConstraint("outcome IN ('submitted', 'skipped', 'refused', 'missed')", name="outcome"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
    schedule_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("schedules.id", ondelete="CASCADE"))
    due_at: Mapped[datetime]
    fired_at: Mapped[datetime] = mapped_column(server_default=func.now())
    is_manual: Mapped[bool] = mapped_column(default=False)
    outcome: Mapped[str]
    run_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"), index=True)
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]
    missed_count: Mapped[int] = mapped_column(default=0)
    """Earlier due times that this firing stands for, after an outage."""
