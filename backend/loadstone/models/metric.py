"""A trial's figures as single numbers, for series and comparisons."""

import uuid

from sqlalchemy import ForeignKey, Index, PrimaryKeyConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base


class TrialMetric(Base):
    """One metric (see `stats.metrics`) of one operation, or of `all`, in the measure phase of a trial's last attempt.

    Kept for every trial that succeeded; whether it counts is `trials.is_counted`. A metric without a value (a
    percentile of nothing) has no row.
    """

    __tablename__ = "trial_metrics"
    __table_args__ = (
        # By point, operation and metric: the order in which series and comparisons read, without touching the table.
        PrimaryKeyConstraint("point_id", "operation", "metric", "trial_id", postgresql_include=["value"]),
        # Few are: comparisons ask for them apart, so that the values need no look at the table.
        Index(
            "ix_trial_metrics_lower_bound",
            *("point_id", "operation", "metric", "trial_id"),
            postgresql_where=text("is_lower_bound"),
        ),
    )

    point_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("points.id", ondelete="CASCADE"))
    operation: Mapped[str]
    metric: Mapped[str]
    trial_id: Mapped[uuid.UUID]
    """No foreign key: a trial goes with its point only, and its check and its index would double what a row costs."""
    value: Mapped[float]
    is_lower_bound: Mapped[bool] = mapped_column(server_default=text("false"), default=False)
    """A percentile that requests without an answer touch: the true one is at least `value`."""
