"""Times in the engine's events: quantiles, those that requests without an answer touch, and what distorted them."""

from typing import Literal

from pydantic import Field

from loadstone_contracts.model import Message

UnansweredCause = Literal[
    "timed_out",  # no answer within the plan's timeout_ms
    "connection_lost",  # the connection ended first
    "in_flight",  # still waiting when the phase and the wait for its last answers were over
    "never_sent",  # due, but no connection could take it (open loop)
]
UnansweredCounts = dict[UnansweredCause, int]
"""Causes without a request are left out."""


class Bound(Message):
    """The upper end of a quantile that requests without an answer touch."""

    kind: Literal["at_least", "between"]
    to_ns: int | None
    """Null where there is none."""


class Quantiles(Message):
    """In nanoseconds, over answered and unanswered requests. All null when there is none.

    `bounds` has the names of the quantiles that unanswered requests touch: the value is then the least that it can be.
    One that is not there is exact.
    """

    p50: int | None
    p90: int | None
    p95: int | None
    p99: int | None
    p999: int | None
    max: int | None
    bounds: dict[str, Bound] = Field(default_factory=dict)


class HungConnections(Message):
    """Connections that waited long for an answer."""

    connections: int
    longest_ns: int
    """The longest time from a request until the next answer on its connection, or until the end."""
    threshold_ns: int
    """From where on a wait counts: a tenth of the phase, at least 0.1 s and at most 1 s."""


class Pauses(Message):
    """Pauses of the load threads and of their host in one phase."""

    watched_ns: int
    """Time of all load threads together in which a pause would have been noticed."""
    load_histogram: str
    """Lengths of the pauses between two steps of a load thread that do not wait, and of late wake-ups."""
    probes: int
    """How often the host was probed."""
    host_histogram: str
    """How much longer than asked for the probes slept: what a request at any time would have met."""


class Distortion(Message):
    """What the engine and its host may have added to the times of one phase."""

    lateness_histogram: str | None = None
    """From when a request could have left (its intended start, or when a connection was free) until it left."""
    pauses: Pauses
    awake_ns: int
    """Processor time spent on waiting awake for a request's time."""
