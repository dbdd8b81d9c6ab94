"""What was measured, as the public API shows it. Times in `_ns` are nanoseconds; rates are per second."""

import uuid
from datetime import datetime
from typing import Any, Literal

from loadstone_contracts.durability import DurabilityReport
from loadstone_contracts.engine_events import MissingMetric
from pydantic import BaseModel, ConfigDict, Field

from loadstone.results.quantiles import Bound, Quantiles
from loadstone.runs.schemas import TrialItem, TrustVerdict
from loadstone.runs.states import Status


class Band(BaseModel):
    """The lowest and the highest trial. Null without a value; `high` also where a trial has but a lower bound."""

    low: float | None
    high: float | None


class QuantileBands(BaseModel):
    p50: Band
    p90: Band
    p95: Band
    p99: Band
    p999: Band
    max: Band


class MetricBand(BaseModel):
    mean: float
    low: float
    high: float


class PointBand(BaseModel):
    throughput_per_s: Band
    elapsed_s: Band
    time_per_operation_ns: Band
    throughput_per_connection_per_s: Band
    response_time_ns: QuantileBands
    service_time_ns: QuantileBands


class PointOperation(BaseModel):
    """One operation over the counted trials of a point (`is_counted`), each trial's last attempt.

    Times come from the trials' merged histograms, the rest are means over trials. `time_per_operation_ns` is elapsed x
    connections / count; it, `elapsed_s` and the throughput of one connection are null in runs before they were kept.
    """

    operation: str
    trials_counted: int
    count: int
    errors: int
    errors_by_class: dict[str, int]
    unanswered: dict[str, int]
    """Requests without an answer, by cause: `timed_out`, `connection_lost`, `in_flight`, `never_sent`."""
    throughput_per_s: float
    elapsed_s: float | None
    time_per_operation_ns: float | None
    throughput_per_connection_per_s: float | None
    response_time_ns: Quantiles
    service_time_ns: Quantiles
    band: PointBand


class PointTrial(BaseModel):
    id: uuid.UUID
    ordinal: int
    repetition: int
    status: Status
    trust: TrustVerdict | None
    is_counted: bool
    attempt: int


class Point(BaseModel):
    """One cell of the run's grid. `total` is the merge over its operations; null until a trial counts."""

    id: uuid.UUID
    ordinal: int
    parameters: dict[str, Any]
    series_id: uuid.UUID | None
    trials: list[PointTrial]
    operations: list[PointOperation]
    total: PointOperation | None
    metrics: dict[str, MetricBand]
    """Of the point as a whole, by name: memory, disk."""


class PointList(BaseModel):
    items: list[Point]


class SampleOperation(BaseModel):
    """`errors` are failed operations, `count` the answered ones; `late` were sent after their intended start."""

    operation: str
    count: int
    throughput_per_s: float
    late: int
    errors: int
    errors_by_class: dict[str, int]
    unanswered: dict[str, int]
    hits: int
    misses: int
    response_time_ns: Quantiles
    service_time_ns: Quantiles


class Sample(BaseModel):
    """One second of one trial; `at` is its end, `elapsed_s` counts from the start of the phase."""

    seq: int
    phase: str
    at: datetime
    elapsed_s: float
    duration_s: float
    in_flight: int
    operations: list[SampleOperation]


class SampleList(BaseModel):
    """`downsampled`: of each bucket only the extremes of throughput and p99 are here."""

    items: list[Sample]
    attempt: int
    downsampled: bool


class SampleEvent(Sample):
    """A second as the live stream tells it."""

    trial_id: uuid.UUID
    point_id: uuid.UUID
    attempt: int


class PhaseOperation(SampleOperation):
    """One operation over a whole phase."""


class Phase(BaseModel):
    """`totals` are the engine's own figures of the phase: sent, answered, failed, late share, CPU, saturation ..."""

    phase: str
    totals: dict[str, Any]
    operations: list[PhaseOperation]


class StoreState(BaseModel):
    """The store's version and full effective configuration as it reported them itself."""

    kind: str
    version: str
    settings: dict[str, Any]


class DecideTrial(BaseModel):
    """`include` a void trial, or `exclude` one that counts."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    kind: Literal["include", "exclude"]
    reason: str = Field(min_length=1, max_length=1_000)


class Trial(TrialItem):
    """A trial with everything that is known about how it was measured. `phases` are of the last attempt.

    `keys_held`: keys in the store when the engine had ended, as the store itself says. `missing`: what the engine
    cannot measure; such figures are absent, or 0 where a number has to stand.
    """

    environment: dict[str, Any] | None
    store: StoreState | None
    load_before: dict[str, Any] | None
    load_during: dict[str, Any] | None
    keys_held: int | None
    missing: list[MissingMetric]
    durability: DurabilityReport | None
    command_lines: list[str]
    phases: list[Phase]


TimeKind = Literal["response", "service"]


class SpectrumStep(BaseModel):
    quantile: float
    one_in: float
    """1 / (1 - quantile): 100 at the 99th percentile. The last step is the largest value, one in `count`."""
    value_ns: int
    bound: Bound | None = None


class Spectrum(BaseModel):
    """A point's percentiles over all counted trials, even in nines; unanswered requests are lower bounds."""

    point_id: uuid.UUID
    parameters: dict[str, Any]
    operation: str
    operations: list[str]
    kind: TimeKind
    count: int
    unanswered: int
    trials_counted: int
    items: list[SpectrumStep]
    """Empty where a stored histogram cannot be read."""
    unreadable: int = 0
    """Stored histograms that cannot be read."""


class HeatColumn(BaseModel):
    """Seconds since the trial's first one began; `counts[i]` answers lie between `edges_ns[i]` and the next.

    `at_least[i]` requests without an answer have waited at least so long; empty where there is none.
    """

    phase: str
    from_s: float
    to_s: float
    counts: list[int]
    at_least: list[int]


class HeatMap(BaseModel):
    trial_id: uuid.UUID
    attempt: int
    operation: str | None
    kind: TimeKind
    edges_ns: list[float]
    columns: list[HeatColumn]
    unreadable: int = 0
    """Stored histograms that cannot be read and are left out."""
