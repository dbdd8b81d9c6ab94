"""Times in the engine's events: quantiles, those that requests without an answer touch, and what distorted them."""

from typing import Annotated, Literal

from pydantic import Field

from loadstone_contracts.model import Count, Message, Span

MAX_HISTOGRAM_CHARS = 512 * 1024
"""In base64. A histogram of the engine's shape that is filled to the last bucket takes less."""

Nanoseconds = Annotated[int, Field(ge=0, le=10**14)]
"""Within a histogram's range of 10 h, or within the last bucket that it rounds up to."""
Histogram = Annotated[str, Field(max_length=MAX_HISTOGRAM_CHARS)]
QuantileName = Literal["p50", "p90", "p95", "p99", "p999", "max"]

UnansweredCause = Literal[
    "timed_out",  # no answer within the plan's timeout_ms
    "connection_lost",  # the connection ended first
    "in_flight",  # still waiting when the phase and the wait for its last answers were over
    "never_sent",  # due, but no connection could take it (open loop)
]
UnansweredCounts = dict[UnansweredCause, Count]
"""Causes without a request are left out."""


class Bound(Message):
    """The upper end of a quantile that requests without an answer touch."""

    kind: Literal["at_least", "between"]
    to_ns: Nanoseconds | None
    """Null where there is none."""


class Quantiles(Message):
    """In nanoseconds, over answered and unanswered requests. All null when there is none.

    `bounds` has the names of the quantiles that unanswered requests touch: the value is then the least that it can be.
    One that is not there is exact.
    """

    p50: Nanoseconds | None
    p90: Nanoseconds | None
    p95: Nanoseconds | None
    p99: Nanoseconds | None
    p999: Nanoseconds | None
    max: Nanoseconds | None
    bounds: dict[QuantileName, Bound] = Field(default_factory=dict)


class HungConnections(Message):
    """Connections that waited long for an answer."""

    connections: Count
    longest_ns: Span
    """The longest time from a request until the next answer on its connection, or until the end."""
    threshold_ns: Span
    """From where on a wait counts: a tenth of the phase, at least 0.1 s and at most 1 s."""


class Pauses(Message):
    """Pauses of the load threads and of their host in one phase."""

    watched_ns: Span
    """Time of all load threads together in which a pause would have been noticed."""
    load_histogram: Histogram
    """Lengths of the pauses between two steps of a load thread that do not wait, and of late wake-ups."""
    probes: Count
    """How often the host was probed."""
    host_histogram: Histogram
    """How much longer than asked for the probes slept: what a request at any time would have met."""


class Distortion(Message):
    """What the engine and its host may have added to the times of one phase."""

    lateness_histogram: Histogram | None = None
    """From when a request could have left (its intended start, or when a connection was free) until it left."""
    pauses: Pauses
    awake_ns: Span
    """Processor time spent on waiting awake for a request's time."""
