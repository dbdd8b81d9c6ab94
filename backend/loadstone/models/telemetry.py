"""What store and host did while a trial was measured: seconds as arrays, and events."""

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, Double, ForeignKey, Identity, Text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base


class TelemetryLayout(Base):
    """Which counters the arrays of seconds hold, in their order; trials on stores of one kind share it.

    Names alone are a third of what is stored without it. Belongs to no team: it says what was counted, not what for.
    """

    __tablename__ = "telemetry_layouts"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(unique=True)
    names: Mapped[list[str]] = mapped_column(ARRAY(Text))


class TelemetrySecond(Base):
    """One second of one attempt, as one agent saw it. Sending it twice stores it once."""

    __tablename__ = "telemetry_seconds"

    trial_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True)
    agent_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("agents.id"), primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    duration_ns: Mapped[int] = mapped_column(BigInteger)
    phase: Mapped[str | None]
    ends_phase: Mapped[bool]
    layout_id: Mapped[int] = mapped_column(ForeignKey("telemetry_layouts.id"))
    counters: Mapped[list[float]] = mapped_column(ARRAY(Double))
    """In the order of the layout."""
    host: Mapped[list[float] | None] = mapped_column(ARRAY(Double))
    """In the order of `HostSecond`'s fields, which only ever grows at its end."""
    store_memory_bytes: Mapped[int | None] = mapped_column(BigInteger)
    store_children_memory_bytes: Mapped[int | None] = mapped_column(BigInteger)
    store_disk_bytes: Mapped[int | None] = mapped_column(BigInteger)
    store_cpu_cores: Mapped[float | None]


class TelemetryEvent(Base):
    """Something that happened in the store or on its host (`EventKind`); a mark on the time axis."""

    __tablename__ = "telemetry_events"

    trial_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True)
    agent_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("agents.id"), primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    kind: Mapped[str]
    title: Mapped[str]
    detail: Mapped[str]
    duration_s: Mapped[float | None]
