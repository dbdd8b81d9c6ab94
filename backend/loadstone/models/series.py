"""Series: points of one identity over time, their values, and what people say about them."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, PrimaryKeyConstraint, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Series(Identified, Base):
    """Identity: target kind and profile with its options, workload, load, and the agent's class.

    What lists show (title, labels, counts) is kept beside it, rewritten whenever a point arrives.
    """

    __tablename__ = "series"
    __table_args__ = (
        UniqueConstraint("team_id", "identity_hash", "agent_class"),
        Index("ix_series_newest", "team_id", "last_at", "id", postgresql_where="last_at IS NOT NULL"),
        Index("ix_series_labels", "labels", postgresql_using="gin", postgresql_ops={"labels": "jsonb_path_ops"}),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    identity_hash: Mapped[str]
    identity: Mapped[dict[str, Any]]
    agent_class: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    title: Mapped[str] = mapped_column(default="", server_default="")
    labels: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default=text("'{}'"))
    """Texts by name; flat, so that containment finds them."""
    store_versions: Mapped[list[Any]] = mapped_column(default=list, server_default=text("'[]'"))
    """In the order they were first seen."""
    value_count: Mapped[int] = mapped_column(default=0, server_default="0")
    """Points with at least one trial that counts."""
    first_at: Mapped[datetime | None]
    last_at: Mapped[datetime | None]
    """Null until the first point has a value."""


class SeriesFacet(Base):
    """How many of a team's series carry a label; kept so that filters cost the same at any size."""

    __tablename__ = "series_facets"

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True)
    label: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str] = mapped_column(primary_key=True)
    series_count: Mapped[int]


class SeriesPoint(Base):
    """One point of a series: when, by which run and on what it was measured."""

    __tablename__ = "series_points"
    __table_args__ = (
        PrimaryKeyConstraint("series_id", "at", "point_id"),
        Index(None, "point_id", unique=True),
        Index(None, "run_id"),
    )

    series_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    """When the first trial of the point that succeeded began."""
    point_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("points.id", ondelete="CASCADE"))
    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    store_version: Mapped[str | None]
    engine_version: Mapped[str | None]
    environment_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("environments.id"))
    store_configuration_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("store_configurations.id"))


class SeriesValue(Base):
    """One metric of one point. A point without a trial that counts has no values: nothing is carried forward."""

    __tablename__ = "series_values"
    __table_args__ = (
        # A chart reads one metric of one series in the order of time, without touching the table.
        PrimaryKeyConstraint(
            "series_id",
            "operation",
            "metric",
            "at",
            "point_id",
            postgresql_include=["value", "low", "high", "trials_counted"],
        ),
        Index(None, "point_id"),
    )

    series_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    operation: Mapped[str]
    metric: Mapped[str]
    at: Mapped[datetime]
    point_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("points.id", ondelete="CASCADE"))
    value: Mapped[float]
    """Percentiles come from the histogram merged over the trials, the rest is the mean of the trials."""
    low: Mapped[float]
    high: Mapped[float]
    """Lowest and highest trial."""
    trials_counted: Mapped[int]


class SeriesExclusion(Identified, Base):
    """A named person's word that a point is not to be believed; undone, it counts again."""

    __tablename__ = "series_exclusions"
    __table_args__ = (
        Index(
            "ix_series_exclusions_standing", "series_id", "point_id", unique=True, postgresql_where="undone_at IS NULL"
        ),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    series_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    point_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("points.id", ondelete="CASCADE"), index=True)
    reason: Mapped[str]
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    undone_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    undone_at: Mapped[datetime | None]


class Annotation(Identified, Base):
    """A mark on the time axis of every series that carries all of `labels`; without labels, of every series."""

    __tablename__ = "annotations"
    __table_args__ = (Index(None, "team_id", "at"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    title: Mapped[str]
    text: Mapped[str]
    labels: Mapped[dict[str, Any]]
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
