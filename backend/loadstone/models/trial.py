"""Trials: the unit of replication."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified
from loadstone.models.run import LIVE_STATUSES, STATUS_CHECK


class Trial(Identified, Base):
    """One repetition of a point. `ordinal` is its place in the run's execution order."""

    __tablename__ = "trials"
    __table_args__ = (
        UniqueConstraint("run_id", "ordinal"),
        CheckConstraint(STATUS_CHECK, name="status"),
        CheckConstraint("trust IN ('pass', 'warn', 'void')", name="trust"),
        Index(None, "point_id"),
        Index("ix_trials_live", "run_id", "ordinal", postgresql_where=LIVE_STATUSES),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    point_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("points.id", ondelete="CASCADE"))
    ordinal: Mapped[int]
    repetition: Mapped[int]
    block: Mapped[int]
    """Interleaved order: trials of one block are compared as pairs."""
    seed: Mapped[int] = mapped_column(BigInteger)
    group_size: Mapped[int] = mapped_column(default=1)
    status: Mapped[str]
    attempt: Mapped[int] = mapped_column(default=0)
    claimed_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    engine: Mapped[str | None]
    engine_version: Mapped[str | None]
    engine_elapsed_s: Mapped[float | None]
    engine_missing: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """What the engine cannot measure, each `{metric, reason}`; empty of our own."""
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]
    error_detail: Mapped[str | None]
    warnings: Mapped[list[Any]] = mapped_column(default=list)
    trust: Mapped[str | None]
    trust_reasons: Mapped[list[Any]] = mapped_column(default=list)
    is_counted: Mapped[bool] = mapped_column(default=False, server_default=false())
    """It enters curves, comparisons and series: it succeeded, and is not void unless a person decided otherwise."""
    environment_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("environments.id"))
    store_configuration_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("store_configurations.id"))
    load_before: Mapped[dict[str, Any] | None]
    load_during: Mapped[dict[str, Any] | None]
    """What the host did in the measure phase besides the trial (`HostLoadDuring`)."""
    histogram_digits: Mapped[int | None]
    """Significant digits that its histograms were recorded with; null before this was kept."""
    keys_held: Mapped[int | None] = mapped_column(BigInteger)
    """Keys in the store when the engine had ended, as the store itself says."""
    durability: Mapped[dict[str, Any] | None]
    """What was left of acknowledged writes after the store was killed (`DurabilityReport`)."""
    command_lines: Mapped[list[Any]] = mapped_column(default=list)
