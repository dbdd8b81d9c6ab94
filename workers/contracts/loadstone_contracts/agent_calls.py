"""The agent calls, `/agent/v1`: enroll, heartbeat, claim, renew, samples, finish, and target checks.

Every call is idempotent and carries the agent's token as `Authorization: Bearer`. A call on a lease
also carries the lease's fence; the api answers `409 lease_lost` to any but the newest one.
"""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from loadstone_contracts.durability import DurabilityReport, KillRequest
from loadstone_contracts.engine_events import SampleEvent, SummaryEvent
from loadstone_contracts.engine_plan import EngineWork, StoreProtocol, Tls
from loadstone_contracts.model import Amount, Bytes, Count, Message, Sequence

AGENT_API_PREFIX = "/agent/v1"
MAX_SAMPLES_PER_CALL = 60
MAX_CALL_BYTES = 32 * 1024 * 1024

TargetKind = Literal["memcached", "redis", "valkey", "mysql", "mariadb", "postgresql", "mongodb", "ferretdb", "memlink"]
Reset = Literal["none", "flush", "restart"]

Name = Annotated[str, Field(max_length=500)]
Line = Annotated[str, Field(max_length=10_000)]
Text = Annotated[str, Field(max_length=200_000)]


class StoreOffer(Message):
    """A store that this agent can start, or why it cannot and the command that would mend it."""

    kind: TargetKind
    available: bool
    version: str | None = None
    binary: str | None = None
    remedy: str | None = None


class Placement(Message):
    """Where on its host a managed store runs, and how much of the host it gets."""

    cpus: str | None = Field(default=None, max_length=1000, pattern=r"^\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*$")
    """As the kernel writes CPU lists: `0-7,16`. None is the agent's own choice."""
    memory_limit_bytes: int | None = Field(default=None, ge=16 * 1024 * 1024, le=2**50)
    """Of all its processes together."""
    data_directory: str | None = Field(default=None, min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")
    """The name of one of the directories that the agent offers. None is the agent's own."""
    drop_page_cache: bool = False
    """Its files leave the page cache before the load begins and again when a prefill has ended."""


class DataDirectory(Message):
    """A place for data of managed stores that the agent's configuration names."""

    name: str
    filesystem: str | None = None


class EngineOffer(Message):
    """An engine that this agent can run, or why it cannot and the command that would mend it."""

    name: str
    version: str
    """Empty where it is not available."""
    protocols: list[StoreProtocol]
    operations: list[str]
    available: bool = True
    binary: str | None = None
    remedy: str | None = None


class HostInventory(Message):
    """What a result depends on and what does not change from second to second."""

    hostname: Name
    cpu_model: Name
    cpu_count: Sequence
    cpu_governor: Name | None
    memory_bytes: Bytes
    kernel: Name
    operating_system: Name
    python_version: Name
    agent_class: Name
    """Series identity of the hardware: CPU model, CPU count and rounded memory."""
    cpus: str | None = None
    """What the agent may use, as the kernel writes CPU lists."""
    data_directories: list[DataDirectory] = Field(default_factory=list)


class HostLoad(Message):
    """Seen just before the trial."""

    load_1min: Amount
    cpu_busy_share: float
    memory_available_bytes: Bytes
    swap_used_bytes: Bytes


class HostLoadDuring(Message):
    """What the host did while the engine ran, prefill and warmup included. Shares are of all CPU time, 0 to 1."""

    cpu_busy_share: float
    steal_share: float
    """Taken by the hypervisor for other guests."""
    others_busy_share: float | None
    """Neither engine, nor store, nor agent; null where the store is not ours and may run on this host."""
    swapped_bytes: int
    """Moved to and from swap."""


class HeartbeatRequest(Message):
    boot_id: str
    """New with every start of the agent."""
    agent_version: str
    inventory: HostInventory
    stores: list[StoreOffer]
    engines: list[EngineOffer]
    load: HostLoad
    broker_user: str | None = Field(default=None, max_length=200)
    """The broker user that the agent has; None where it was enrolled before agents had their own."""


class HeartbeatResponse(Message):
    draining: bool
    heartbeat_every_s: float
    renew_broker_credential: bool | None = None
    """The agent asks for a new broker user. Absent where it need not: earlier agents refuse fields they don't know."""


class ClaimRequest(Message):
    trial_id: str


class AssignedTarget(Message):
    """A managed target has a profile and options, an external one an address."""

    target_name: str
    kind: TargetKind
    protocol: StoreProtocol | None = None
    """How it is talked to; None is the kind's first."""
    mode: Literal["managed", "external"]
    profile: str | None = None
    options: dict[str, str] = Field(default_factory=dict)
    """Rendered server options: profile and overrides already merged by the api."""
    placement: Placement = Placement()
    instance_key: str
    """Trials of one run with the same key share one started store, unless `reset` is `restart`."""
    host: str | None = None
    port: int | None = None
    read_port: int | None = None
    """Where an external Memlink answers reads; None is the port below the one of writes, its own default. Of another
    store the port of a replica that reads go to; None is `port`."""
    read_host: str | None = None
    """Where a replica runs that reads go to; None is `host`."""
    plugin_port: int | None = None
    """Where the memcached plugin of an external MySQL listens, whose `port` speaks SQL."""
    username: str | None = None
    password: str | None = None
    tls: Tls | None = None
    database: str | None = None
    """By name, or Redis' by number; None is the usual one."""
    flush_allowed: bool = False


class Assignment(Message):
    lease_id: str
    fence: int
    trial_id: str
    run_id: str
    attempt: int
    lease_ttl_s: float
    renew_every_s: float
    not_before_unix_ns: int | None
    """The plan's rest: the agent holds its lease and waits until then."""
    reset: Reset
    keep_store: bool
    """Leave a managed store running after the trial: a later trial of this run needs its state."""
    target: AssignedTarget
    work: EngineWork
    kill: KillRequest | None = None
    """The trial is a check of durability: kill the store, start it again, read back what it had acknowledged."""
    engine: str = "native"
    """A name of `engines.ENGINES`, or `custom:...` of the agent's own configuration."""


class ClaimResponse(Message):
    assignment: Assignment | None
    reason: str | None = None
    """Why nothing was assigned: not_queued, not_next, agent_busy, host_held, draining, run_ended, not_suitable."""


LeaseState = Literal["preparing", "resting", "ready", "running", "finishing"]


class RenewRequest(Message):
    fence: int
    state: LeaseState


class RenewResponse(Message):
    cancel: bool
    start_at_unix_ns: int | None
    """Set once every agent of the group is ready."""


class SamplesRequest(Message):
    fence: int
    samples: list[SampleEvent] = Field(max_length=MAX_SAMPLES_PER_CALL)


class SamplesResponse(Message):
    acknowledged: int
    """Samples stored or already there."""


class TrialError(Message):
    code: Name
    """Stable: target_unreachable, target_refused, target_lost, store_start_failed, store_missing, store_died,
    store_out_of_memory, target_not_allowed, store_disk_full, sandbox_missing, placement_refused, plugin_missing,
    port_taken, version_mismatch,
    engine_killed, engine_missing, bad_plan, disk_full, flush_refused, trace_missing, agent_restarted,
    engine_internal."""
    message: Line
    """One sentence that says what to do."""
    detail: Text = ""
    """Last log lines of the store or the engine, bounded."""

    @field_validator("message", "detail")
    @classmethod
    def _without_nul(cls, text: str) -> str:
        """A log may hold what no database stores as text; the report must arrive all the same."""
        return text.replace("\x00", "\ufffd")


class StoreFacts(Message):
    kind: str
    version: Name
    settings: dict[Name, Text] = Field(max_length=10_000)
    """The full effective configuration as the store itself reports it."""


class FinishRequest(Message):
    fence: int
    outcome: Literal["succeeded", "failed", "cancelled", "crashed"]
    error: TrialError | None = None
    warnings: list[TrialError] = Field(default_factory=list, max_length=1_000)
    summary: SummaryEvent | None = None
    engine: Name | None = None
    engine_version: Name | None = None
    engine_elapsed_s: Amount | None = None
    """Wall time of the engine process, start to exit."""
    inventory: HostInventory
    load_before: HostLoad | None = None
    load_during: HostLoadDuring | None = None
    keys_held: Bytes | None = None
    """Keys in the store when the engine had ended, as the store says; null where it cannot tell cheaply."""
    store: StoreFacts | None = None
    durability: DurabilityReport | None = None
    command_lines: list[Text] = Field(default_factory=list, max_length=1_000)
    sample_count: Count = 0
    """How many samples this attempt produced; the api answers which are missing."""


class FinishResponse(Message):
    next_trial_id: str | None
    """Claim this one now: the next trial of the same run."""


class CheckClaimResponse(Message):
    target: AssignedTarget | None


class CheckFinishRequest(Message):
    reachable: bool
    round_trip_ms: Amount | None = None
    version: Name | None = None
    error: TrialError | None = None
