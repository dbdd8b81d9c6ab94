"""Change points, the alerts that pass them on, and what happened to those."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Alert(Identified, Base):
    """A shift of one series at one place, in however many metrics; a person decides what it is."""

    __tablename__ = "alerts"
    __table_args__ = (
        CheckConstraint(
            "state IN ('suspected', 'confirmed', 'acknowledged', 'expected', 'fixed', 'false')", name="state"
        ),
        CheckConstraint("direction IN ('better', 'worse')", name="direction"),
        Index(None, "team_id", "id"),
        Index(None, "team_id", "state", "id"),
        Index(None, "series_id", "at"),
        Index(None, "confirmation_run_id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    series_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    point_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("points.id", ondelete="CASCADE"))
    """The first point after the shift."""
    at: Mapped[datetime]
    direction: Mapped[str]
    state: Mapped[str] = mapped_column(default="suspected")
    owner_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    snoozed_until: Mapped[datetime | None]
    confirmation_run_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    confirmation: Mapped[dict[str, Any] | None]
    """How the confirmation was laid out and, once it has ended, its numbers (`ConfirmationResult`)."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class ChangePoint(Identified, Base):
    """Where one metric of a series shifts, with everything it was found from."""

    __tablename__ = "change_points"
    __table_args__ = (
        CheckConstraint("direction IN ('better', 'worse')", name="direction"),
        Index(None, "series_id", "metric", "operation", "at"),
        Index(None, "alert_id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    series_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    metric: Mapped[str]
    operation: Mapped[str]
    point_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("points.id", ondelete="CASCADE"))
    """The first point after the shift."""
    at: Mapped[datetime]
    before: Mapped[float]
    after: Mapped[float]
    """Medians of the segments on both sides."""
    change: Mapped[float]
    """`after / before - 1`."""
    direction: Mapped[str]
    p_value: Mapped[float]
    algorithm_version: Mapped[str]
    inputs: Mapped[dict[str, Any]]
    """The window's points and values, and the parameters: enough to compute the verdict again."""
    alert_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"))
    found_in_run_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"))
    found_at: Mapped[datetime] = mapped_column(server_default=func.now())
    withdrawn_at: Mapped[datetime | None]
    """Later values or a person's exclusion took the evidence away."""


class AlertEvent(Identified, Base):
    """One entry of an alert's history: a change or a comment."""

    __tablename__ = "alert_events"
    __table_args__ = (Index(None, "alert_id", "id"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    alert_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"))
    kind: Mapped[str]
    """found, state, owner, snooze, comment, confirmation or withdrawn."""
    text: Mapped[str] = mapped_column(default="")
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """`{"from": ..., "to": ...}` of a change."""
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    """Null: the product itself."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
