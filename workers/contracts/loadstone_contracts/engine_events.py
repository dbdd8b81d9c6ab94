"""The events an engine writes on stdout, one JSON object a line, in this order:

`hello` first, then `phase`, `sample` and `warning` as they come, at the end `summary` or `error`.
Histograms are HdrHistogram V2 compressed (deflate), base64, values in nanoseconds, 3 significant
digits, 1 ns to 10 h. An `error` that comes after a `summary` ends a run that measured something (`target_lost`).
Exit codes: 0 ok, 1 a fault of the engine itself, 2 bad plan or cores that are not there, 3 target unreachable
or lost, 4 stopped, 5 target refused.
"""

from typing import Annotated, Literal, get_args

from pydantic import Field, TypeAdapter

from loadstone_contracts.engine_plan import OperationKind, PhaseName
from loadstone_contracts.engine_times import Distortion, Histogram, HungConnections, Quantiles, UnansweredCounts
from loadstone_contracts.model import Amount, Bytes, Count, Instant, Message, Sequence, Span

MAX_OPERATIONS = 100
"""Of one second, or of one phase."""

EXIT_OK = 0
EXIT_INTERNAL = 1
EXIT_BAD_PLAN = 2
EXIT_TARGET_UNREACHABLE = 3
EXIT_STOPPED = 4
EXIT_TARGET_REFUSED = 5

ErrorClass = Literal[
    "timeout",  # no answer within the plan's timeout_ms
    "connection_lost",  # reset or closed by the target; operations in flight count as failed
    "refused",  # the target answered with an error (out of memory, read-only, ...)
    "protocol",  # an answer that is not of this protocol
    "wrong_value",  # verify found other bytes than were written
]


class OperationNumbers(Message):
    """One operation within one span of time. `count` are answered operations; errors are apart."""

    operation: OperationKind
    count: Count
    late: Count
    """Sent after the intended start because the engine or the connection was busy (open loop)."""
    errors: dict[ErrorClass, Count]
    retries: Count = 0
    """How often operations were sent again after a fault; none of these counts as an operation or an error."""
    hits: Count
    misses: Count
    bytes_sent: Bytes
    bytes_received: Bytes
    response_time_ns: Quantiles
    service_time_ns: Quantiles
    response_histogram: Histogram
    """Empty where the engine keeps none (see the summary's `missing`); so is the other."""
    service_histogram: Histogram
    unanswered: UnansweredCounts = Field(default_factory=dict)
    """How many have no answer, by cause. Those timed out or lost are among `errors`."""
    response_unanswered_histogram: Histogram = ""
    """How long each of them has waited at least since its intended start; empty without one."""
    service_unanswered_histogram: Histogram = ""
    """The same since it was sent."""


class HelloEvent(Message):
    event: Literal["hello"] = "hello"
    schema_version: Literal[1] = 1
    engine: str
    engine_version: str
    plan_hash: str
    """SHA-256, hexadecimal, of the plan with defaults filled in and without its password."""
    pid: int
    threads: int
    cpus: list[int]


class PhaseEvent(Message):
    event: Literal["phase"] = "phase"
    phase: PhaseName
    state: Literal["started", "finished"]
    at_unix_ns: Instant


class LagNumbers(Message):
    """How far a replica was behind: from the acknowledgement of a write until a read there has returned it."""

    count: Count
    """Markers that were found."""
    timed_out: Count
    """Markers that were not found within the plan's `timeout_ms`."""
    failed: Count
    """Probes that could not be made."""
    lag_ns: Quantiles
    lag_histogram: Histogram


class SampleEvent(Message):
    """One second of warmup or measure (prefill too); the last one of a phase may be shorter."""

    event: Literal["sample"] = "sample"
    seq: Sequence
    """Counts up from 0 over the whole engine process, no gap."""
    phase: PhaseName
    at_unix_ns: Instant
    """The end of the second."""
    elapsed_ns: Span
    """Since the phase started."""
    duration_ns: Span
    in_flight: Sequence
    connections: Sequence | None = None
    """Connections in force in the middle of the second."""
    offered_per_s: Amount | None = None
    """Mean rate that the schedule offered in the second (open loop)."""
    replica_lag: LagNumbers | None = None
    """Where the plan asks for it."""
    operations: list[OperationNumbers] = Field(max_length=MAX_OPERATIONS)


class WarningEvent(Message):
    event: Literal["warning"] = "warning"
    code: str
    message: str


class Steadiness(Message):
    """How a warmup that ends when it is steady came to its end."""

    is_steady: bool
    """False when time ran out first."""
    after_s: Amount
    variation: float | None
    """Coefficient of variation of the last window; null when there was no whole window."""
    drift: float | None
    """How far the line fitted to the last window moves within it, as a share of its mean, with its sign."""


class PhaseTotals(Message):
    """A whole phase. Conservation holds: sent = answered + failed + in_flight, and offered = sent + never_sent."""

    phase: PhaseName
    started_at_unix_ns: Instant
    elapsed_ns: Span
    """Until sending ceased, or until the last answer where a number of operations ends the phase."""
    sent: Count
    answered: Count
    failed: Count
    in_flight: Sequence
    offered: Count
    """Arrivals that were due (open loop); equals `sent` in a closed loop."""
    never_sent: Count = 0
    """Of those due, how many could not leave (open loop)."""
    late_share: Amount
    engine_cpu_ns: Span
    """User and system time of all the engine's threads during the phase."""
    engine_busy_share: Amount
    """Of the busiest load thread: time not spent waiting for events, 0 to 1."""
    littles_law_residual: float | None
    """(mean in flight - throughput x mean service time) / mean in flight; null where service times are not known."""
    saturated: bool
    """The engine, not the target, was the bottleneck."""
    connections_renewed: Count = 0
    """Connections that were closed and opened anew because the plan says so."""
    steadiness: Steadiness | None = None
    hung: HungConnections | None = None
    distortion: Distortion | None = None
    replica_lag: LagNumbers | None = None
    """Where the plan asks for it."""
    operations: list[OperationNumbers] = Field(max_length=MAX_OPERATIONS)


class MissingMetric(Message):
    """What an engine cannot tell. It is absent, or stands as 0 where a number has to stand; never a measured zero."""

    metric: str
    reason: str


class SummaryEvent(Message):
    event: Literal["summary"] = "summary"
    plan_hash: str
    stopped: bool
    """True when a signal or the end of stdin ended the run before its stop rule."""
    phases: list[PhaseTotals] = Field(max_length=len(get_args(PhaseName)))
    missing: list[MissingMetric] = Field(default_factory=list)
    """Empty of the native engine; of others what they cannot measure."""


class ErrorEvent(Message):
    event: Literal["error"] = "error"
    code: Literal[
        "bad_plan",
        "target_unreachable",
        "target_refused",
        "target_lost",
        "cpus_unavailable",
        "engine_internal",
    ]
    message: str
    path: str | None = None
    """JSON path of the fault, for `bad_plan` and `cpus_unavailable`."""


EngineEvent = Annotated[
    HelloEvent | PhaseEvent | SampleEvent | WarningEvent | SummaryEvent | ErrorEvent,
    Field(discriminator="event"),
]

ENGINE_EVENT: TypeAdapter[EngineEvent] = TypeAdapter(EngineEvent)


def parse_event(line: str | bytes) -> EngineEvent:
    """One line of an engine's stdout; raises pydantic.ValidationError."""
    return ENGINE_EVENT.validate_json(line)
