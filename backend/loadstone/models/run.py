"""Runs, their points and the events of their live stream."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified

STATUS_CHECK = "status IN ('queued', 'claimed', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled', 'crashed')"
LIVE_STATUSES = "status IN ('queued', 'claimed', 'running', 'cancelling')"


class Run(Identified, Base):
    """One execution of a plan. `definition` is the resolved plan as it was when the run was submitted."""

    __tablename__ = "runs"
    __table_args__ = (
        CheckConstraint(STATUS_CHECK, name="status"),
        Index(None, "team_id", "id"),
        Index(None, "team_id", "status", "id"),
        Index("ix_runs_recipes", "team_id", "recipe_slug", "id", postgresql_where="recipe_slug IS NOT NULL"),
        # A search for a part of a name that no run has would read every run.
        Index("ix_runs_name_parts", "name", postgresql_using="gin", postgresql_ops={"name": "gin_trgm_ops"}),
        Index("ix_runs_live", "priority", "position", "id", postgresql_where=LIVE_STATUSES),
        Index("ix_runs_paces", "plan_id", "finished_at", postgresql_where="status = 'succeeded'"),
        Index("ix_runs_repeats", "definition_hash", "finished_at", postgresql_where="status = 'succeeded'"),
        Index("ix_runs_recent", "agent_id", "finished_at"),
        Index("ix_runs_unanalysed", "finished_at", postgresql_where="analysed_at IS NULL AND finished_at IS NOT NULL"),
        CheckConstraint("origin IN ('local', 'imported')", name="origin"),
        Index(None, "team_id", "bundle_digest", unique=True),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    name: Mapped[str]
    plan_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("plans.id", ondelete="SET NULL"), index=True)
    plan_version: Mapped[int | None]
    definition: Mapped[dict[str, Any]]
    definition_hash: Mapped[str]
    seed: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[str]
    priority: Mapped[int] = mapped_column(default=0)
    """Higher goes first; equal priorities go by `position`."""
    position: Mapped[float] = mapped_column(server_default="0")
    """Lower goes first. The submission's Unix time in seconds until a person moves the run between two others."""
    paused_at: Mapped[datetime | None]
    """Set while a person keeps the run from beginning."""
    recipe_slug: Mapped[str | None]
    recipe_size: Mapped[str | None]
    """The recipe that its plan began as."""
    schedule_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("schedules.id", ondelete="SET NULL"), index=True)
    waits_for_run_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"), index=True)
    """It may not begin before that run has ended: firings of one schedule that queue up."""
    agent_selector: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """`{"agent_id": ...}` or `{"labels": {...}}` or empty: any that can take it."""
    agent_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("agents.id", ondelete="SET NULL"))
    """The agent that claimed the first trial: one session, one machine."""
    point_count: Mapped[int]
    trial_count: Mapped[int]
    status_counts: Mapped[dict[str, Any]]
    """Trials by status, kept by every change of a trial in the same transaction."""
    estimated_s: Mapped[float]
    error_code: Mapped[str | None]
    error_detail: Mapped[str | None]
    last_event_seq: Mapped[int] = mapped_column(BigInteger, default=0)
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    analysed_at: Mapped[datetime | None]
    """When its points were last taken into their series; set back to null when a decision on a trial changes them."""
    cancel_requested_at: Mapped[datetime | None]
    origin: Mapped[str] = mapped_column(default="local", server_default="local")
    """`imported`: measured elsewhere and read from a bundle; it is over and stays as it is."""
    provenance: Mapped[dict[str, Any] | None]
    """Of an imported run: where it was measured, its ids there, and who imported it (`RunProvenance`)."""
    bundle_digest: Mapped[str | None]
    """SHA-256 of the manifest it came with, so that a bundle is imported once."""


class Point(Identified, Base):
    """One bound set of parameters."""

    __tablename__ = "points"
    __table_args__ = (UniqueConstraint("run_id", "ordinal"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    ordinal: Mapped[int]
    parameters: Mapped[dict[str, Any]]
    """What varies in the run: `target` and every axis."""
    target_index: Mapped[int]
    """Into the run definition's targets."""
    work: Mapped[dict[str, Any]]
    """The engine work (`EngineWork`) with every parameter bound; the trial adds its seed."""
    identity: Mapped[dict[str, Any]]
    identity_hash: Mapped[str]
    series_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("series.id", ondelete="SET NULL"), index=True)
    """Bound when an agent, and so the agent class, is known."""


SECOND_KINDS = ("sample", "telemetry")
"""Events that are kept for a while only: what they tell is kept elsewhere."""


class RunEvent(Base):
    """The live stream of one run; `seq` counts up without gap within it."""

    __tablename__ = "run_events"
    __table_args__ = (Index("ix_run_events_seconds", "created_at", postgresql_where=f"kind IN {SECOND_KINDS}"),)

    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    kind: Mapped[str]
    """run, trial, sample, telemetry or point."""
    payload: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
