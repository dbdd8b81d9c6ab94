"""What store and host did while a trial was measured: one record a second, and events as they happened.

Both are numbered within one attempt, apart from each other; the api keeps each number once, so sending again is safe.
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from loadstone_contracts.engine_plan import PhaseName
from loadstone_contracts.model import Amount, Bytes, Instant, Message, Sequence

MAX_TELEMETRY_PER_CALL = 120
MAX_COUNTERS = 100

Share = Annotated[float, Field(ge=0, le=1)]
CounterKey = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Value = Annotated[float, Field(allow_inf_nan=False)]

EventKind = Literal[
    "save_began",
    "save_ended",
    "log_rewrite_began",
    "log_rewrite_ended",
    "eviction_began",
    "eviction_ended",
    "checkpoint",
    "fsync_stall",
    "out_of_memory",
    "store_killed",
    "store_restarted",
    "store_died",
]


class HostSecond(Message):
    """The agent's host over the second. Shares are of all CPU time and add up to 1."""

    cpu_user_share: Share
    cpu_system_share: Share
    cpu_interrupt_share: Share
    cpu_iowait_share: Share
    cpu_steal_share: Share
    """Taken by the hypervisor for other guests."""
    cpu_idle_share: Share
    disk_read_bytes_per_s: Amount
    disk_written_bytes_per_s: Amount
    network_received_bytes_per_s: Amount
    """Of every interface but loopback."""
    network_sent_bytes_per_s: Amount
    loopback_bytes_per_s: Amount
    """What a store on this very host was sent, and sent."""
    context_switches_per_s: Amount
    swapped_bytes_per_s: Amount
    memory_available_bytes: Bytes


class TelemetrySecond(Message):
    """What could not be read in this second is null, or not among `store`: never zero, never the last value again."""

    record: Literal["second"] = "second"
    seq: Sequence
    phase: PhaseName | None
    """Null before the first phase and between two."""
    at_unix_ns: Instant
    """The end of the second."""
    duration_ns: Annotated[int, Field(gt=0, le=3600 * 10**9)]
    ends_phase: bool = False
    """Read at the end of its phase, whatever it cost: what the store holds then is what the phase left."""
    store: dict[CounterKey, Value] = Field(max_length=MAX_COUNTERS)
    """By the names of `store_counters`."""
    store_memory_bytes: Bytes | None = None
    """Resident memory of the server process."""
    store_children_memory_bytes: Bytes | None = None
    """What its forked children hold besides: pages that they share with it are counted once, as the server's."""
    store_disk_bytes: Bytes | None = None
    """Allocated under the data directory."""
    store_cpu_cores: Amount | None = None
    """CPU time of server and children over the second; 1 is one core."""
    host: HostSecond | None = None


class TelemetryEvent(Message):
    record: Literal["event"] = "event"
    seq: Sequence
    kind: EventKind
    at_unix_ns: Instant
    title: Annotated[str, Field(max_length=100)]
    detail: Annotated[str, Field(max_length=500)] = ""
    duration_s: Amount | None = None
    """Of what has ended with it."""


TelemetryRecord = Annotated[TelemetrySecond | TelemetryEvent, Field(discriminator="record")]
TELEMETRY_RECORD: TypeAdapter[TelemetryRecord] = TypeAdapter(TelemetryRecord)


class TelemetryRequest(Message):
    fence: int
    records: list[TelemetryRecord] = Field(max_length=MAX_TELEMETRY_PER_CALL)


class TelemetryResponse(Message):
    acknowledged: int
    """Records stored or already there."""
