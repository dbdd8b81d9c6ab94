"""What was measured: seconds, whole trials, and points merged over their trials.

Histograms are HdrHistogram V2 compressed, in nanoseconds, as the engine wrote them (base64 decoded).
"""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, text
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base


class Sample(Base):
    """One operation within one second of one attempt by one agent. Sending it twice stores it once."""

    __tablename__ = "samples"

    trial_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True)
    agent_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("agents.id"), primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    operation: Mapped[str] = mapped_column(primary_key=True)
    phase: Mapped[str]
    at: Mapped[datetime]
    elapsed_ns: Mapped[int] = mapped_column(BigInteger)
    duration_ns: Mapped[int] = mapped_column(BigInteger)
    in_flight: Mapped[int]
    count: Mapped[int] = mapped_column(BigInteger)
    late: Mapped[int] = mapped_column(BigInteger)
    error_count: Mapped[int] = mapped_column(BigInteger)
    errors: Mapped[dict[str, Any]]
    hits: Mapped[int] = mapped_column(BigInteger)
    misses: Mapped[int] = mapped_column(BigInteger)
    bytes_sent: Mapped[int] = mapped_column(BigInteger)
    bytes_received: Mapped[int] = mapped_column(BigInteger)
    response_time_ns: Mapped[dict[str, Any]]
    service_time_ns: Mapped[dict[str, Any]]
    response_histogram: Mapped[bytes]
    service_histogram: Mapped[bytes]
    unanswered: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    """How many requests have no answer, by cause."""
    response_unanswered: Mapped[bytes | None]
    service_unanswered: Mapped[bytes | None]
    """Histograms of how long those requests have waited at least. Null where there is none."""


class OperationResult(Base):
    """One operation over one phase of one attempt by one agent (`phase` is prefill, warmup or measure)."""

    __tablename__ = "operation_results"

    trial_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True)
    agent_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("agents.id"), primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True)
    phase: Mapped[str] = mapped_column(primary_key=True)
    operation: Mapped[str] = mapped_column(primary_key=True)
    elapsed_ns: Mapped[int] = mapped_column(BigInteger)
    count: Mapped[int] = mapped_column(BigInteger)
    late: Mapped[int] = mapped_column(BigInteger)
    error_count: Mapped[int] = mapped_column(BigInteger)
    errors: Mapped[dict[str, Any]]
    hits: Mapped[int] = mapped_column(BigInteger)
    misses: Mapped[int] = mapped_column(BigInteger)
    bytes_sent: Mapped[int] = mapped_column(BigInteger)
    bytes_received: Mapped[int] = mapped_column(BigInteger)
    throughput_per_s: Mapped[float]
    response_time_ns: Mapped[dict[str, Any]]
    service_time_ns: Mapped[dict[str, Any]]
    response_histogram: Mapped[bytes]
    service_histogram: Mapped[bytes]
    unanswered: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    """How many requests have no answer, by cause."""
    response_unanswered: Mapped[bytes | None]
    service_unanswered: Mapped[bytes | None]
    """Histograms of how long those requests have waited at least. Null where there is none."""
    delays: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    """What engine and host may have added to `response` and `service` times (`stats.distortion.Exceeds`)."""
    totals: Mapped[dict[str, Any]]
    """The phase's totals as the engine reported them, without the operations (see `PhaseTotals`)."""


class PointOperation(Base):
    """One operation of one point over its counted trials: merged histograms and the band over trials.

    `operation` is `all` for the merge over operations. Each trial that comes to count is added to it; a decision on
    a trial has it merged anew.
    """

    __tablename__ = "point_operations"

    point_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("points.id", ondelete="CASCADE"), primary_key=True)
    operation: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), index=True)
    trials_counted: Mapped[int]
    count: Mapped[int] = mapped_column(BigInteger)
    error_count: Mapped[int] = mapped_column(BigInteger)
    errors: Mapped[dict[str, Any]]
    throughput_per_s: Mapped[float]
    """Mean over trials."""
    response_time_ns: Mapped[dict[str, Any]]
    service_time_ns: Mapped[dict[str, Any]]
    band: Mapped[dict[str, Any]]
    """Lowest and highest trial: `throughput_per_s`, `response_time_ns.p50` ... each `{low, high}`."""
    response_histogram: Mapped[bytes | None]
    service_histogram: Mapped[bytes | None]
    """Merged over the counted trials. Null on points older than these columns: the next trial merges them anew."""
    unanswered: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    """How many requests have no answer, by cause."""
    response_unanswered: Mapped[bytes | None]
    service_unanswered: Mapped[bytes | None]
    """Histograms of how long those requests have waited at least. Null where there is none."""
    delays: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    """What engine and host may have added to `response` and `service` times (`stats.distortion.Exceeds`)."""
