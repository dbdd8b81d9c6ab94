"""The plan an engine reads on stdin. The authoritative JSON Schema is generated from Rust.

Units stand last in every name: `_ns`, `_ms`, `_bytes`, `_per_s`. A plan is one JSON document.
"""

from typing import Annotated, Literal

from pydantic import Field

from loadstone_contracts.engine_load import EngineLoad
from loadstone_contracts.engine_sizes import ValueSize
from loadstone_contracts.model import Message

StoreProtocol = Literal[
    "memcached",
    "memcached_meta",
    "memcached_binary",
    "redis",
    "redis_resp3",
    "redis_cluster",
    "mysql",
    "mysql_text",
    "postgres",
    "postgres_simple",
    "mongodb",
    "memlink",
    "memlink_0_3",
]
OperationKind = Literal[
    "get",
    "set",
    "multi_get",
    "multi_set",
    "add",
    "replace",
    "append",
    "incr",
    "delete",
    "touch",
    "compare_and_set",
    "read_modify_write",
    "insert",
    "scan",
    "update",
    "sql_replace",
    "delete_insert",
    "list_insert_head",
    "list_insert_tail",
    "range_first",
    "range_last",
    "range",
    "list_length",
    "custom",
]
PhaseName = Literal["prefill", "warmup", "measure"]
EventLoop = Literal["epoll", "io_uring"]


class TcpAddress(Message):
    kind: Literal["tcp"] = "tcp"
    host: str
    port: int = Field(ge=1, le=65535)


class UnixAddress(Message):
    kind: Literal["unix"] = "unix"
    path: str


Address = Annotated[TcpAddress | UnixAddress, Field(discriminator="kind")]


class Tls(Message):
    """TLS by rustls; `ca_pem` empty means the system's trust store."""

    server_name: str
    ca_pem: str | None = None
    verify_certificate: bool = True


class EngineTarget(Message):
    protocol: StoreProtocol
    address: Address
    username: str | None = None
    password: str | None = None
    database: Annotated[int, Field(ge=0)] | str | None = None
    """A number on Redis, a name elsewhere."""
    table: str | None = None
    """Table, collection or Memlink table; `loadstone` when left out."""
    read_address: Address | None = None
    """Where reads go when it is not `address`: a replica, or Memlink's read port."""
    tls: Tls | None = None


class Dataset(Message):
    """Keys are `key_prefix` + zero-padded decimal index, `key_size_bytes` long in all, unless a template or a
    distribution of lengths says otherwise."""

    key_count: int = Field(ge=1, le=10_000_000_000)
    key_prefix: str = Field(default="k", max_length=64, pattern=r"^[!-~]*$")
    key_size_bytes: int = Field(default=16, ge=1, le=250)
    key_template: str | None = Field(
        default=None, max_length=200, pattern=r"^[!-z|~]*\{index(:[1-9][0-9]{0,2})?\}[!-z|~]*$"
    )
    """In place of prefix and size: text around `{index}`, or around `{index:8}` for eight digits, zeros in front."""
    key_sizes: ValueSize | None = None
    """Lengths of keys, 1 to 250 bytes, drawn per key, in place of `key_size_bytes`: zeros stand before the index."""
    value_size: ValueSize
    list_length: int = Field(default=1, ge=1, le=1_000_000_000)
    """Entries that a prefill writes for each key, where operations work on lists."""
    hit_ratio: float = Field(default=1, ge=0, le=1)
    """Share of the reads that ask for a key which was ever written."""
    compressible_share: float = Field(default=0, ge=0, le=1)
    """Share of each value's bytes that are all the same."""


class Operation(Message):
    kind: OperationKind
    weight: float = Field(gt=0)
    keys_per_request: int = Field(default=1, ge=1, le=1000)
    """Of `multi_get` and `multi_set`; of SQL writes the statements of one transaction."""
    entries: int = Field(default=100, ge=1, le=1_000_000)
    """How many entries a range asks for, how many keys a scan."""
    entries_min: int | None = Field(default=None, ge=1, le=1_000_000)
    """Of `scan`: the number of keys is drawn for each, uniformly from this to `entries`."""
    from_entry: int = Field(default=0, ge=0, le=1_000_000_000)
    """Where `range` begins; the first entry of a list is 0."""
    expire_s: int = Field(default=0, ge=0, le=2_592_000)
    """Time to live of what is written; 0 is for ever. `touch` sets it."""
    command: str | None = Field(default=None, max_length=10_000)
    """Of `custom`: what is said, with the places `{key}`, `{value}` and `{value_size}`."""


class UniformAccess(Message):
    kind: Literal["uniform"] = "uniform"


class ZipfAccess(Message):
    """Zipf over ranks, ranks scattered over the keys by a fixed permutation."""

    kind: Literal["zipf"] = "zipf"
    exponent: float = Field(gt=0, le=10)


class LatestAccess(Message):
    """Zipf over the age of keys: those inserted last are asked for most."""

    kind: Literal["latest"] = "latest"
    exponent: float = Field(default=0.99, gt=0, le=10)


class HotSetAccess(Message):
    """A share of the operations goes to a share of the keys, scattered over all of them."""

    kind: Literal["hot_set"] = "hot_set"
    key_share: float = Field(gt=0, le=1)
    operation_share: float = Field(ge=0, le=1)


class GaussianAccess(Message):
    """A normal distribution around the middle key, its deviation a share of the number of keys."""

    kind: Literal["gaussian"] = "gaussian"
    deviation_share: float = Field(gt=0, le=1)


class SequentialAccess(Message):
    """One key after the other, each thread in a part of its own."""

    kind: Literal["sequential"] = "sequential"


class PermutationAccess(Message):
    """Every key once in an order that the seed decides, then in the same order again."""

    kind: Literal["permutation"] = "permutation"


Access = Annotated[
    UniformAccess | ZipfAccess | LatestAccess | HotSetAccess | GaussianAccess | SequentialAccess | PermutationAccess,
    Field(discriminator="kind"),
]


class SteadyRule(Message):
    """When a warmup has become steady: the coefficient of variation of the last `window_s` whole seconds is at most
    `variation_max`, and the straight line fitted to them (least squares) moves by no more than the same share of their
    mean from the first to the last of them. Looked at is the throughput in a closed loop, in an open loop (where the
    throughput is given) the mean service time."""

    variation_max: float = Field(default=0.05, gt=0, le=1)
    window_s: int = Field(default=10, ge=3, le=600)
    max_seconds: float = Field(default=300, gt=0, le=130_000)
    """The warmup ends then, steady or not."""


class StopRule(Message):
    """Exactly one of them is set. A prefill has none: it ends when every key is written."""

    seconds: float | None = Field(default=None, gt=0)
    operations: int | None = Field(default=None, ge=1)
    steady: SteadyRule | None = None
    """Of a warmup alone."""


class EnginePhase(Message):
    name: PhaseName
    stop: StopRule | None = None


class Trace(Message):
    """What is sent was recorded: a file of lines `time,operation,key,size`, the time in seconds, the size of the value
    in bytes or nothing. Its keys are sent as they are."""

    file: str = Field(min_length=1)
    """Its path where the engine runs; in an assignment the SHA-256 of its content, which the agent puts a path for."""


class ReplicaLag(Message):
    """The lag of the replica at `read_address` is measured: a marker is written, and looked for there until found."""

    probes_per_s: float = Field(default=10, gt=0, le=1000)


class EngineWork(Message):
    """What to send and how hard: the part of a plan that is known before the target is started."""

    dataset: Dataset
    operations: list[Operation] = Field(min_length=1)
    access: Access = UniformAccess()
    trace: Trace | None = None
    """In place of a mix and an access distribution: what was recorded, in its order."""
    replica_lag: ReplicaLag | None = None
    """Measures how far the replica at `read_address` is behind."""
    load: EngineLoad
    threads: int = Field(default=1, ge=1, le=256)
    phases: list[EnginePhase] = Field(min_length=1)
    seed: int = Field(ge=0, le=2**63 - 1)
    verify: bool = False
    timeout_ms: int = Field(default=5000, ge=1, le=3_600_000)


class EnginePlan(EngineWork):
    version: Literal[1] = 1
    label: str = ""
    target: EngineTarget
    cpus: list[int] = Field(default_factory=list)
    start_at_unix_ns: int | None = None
    """When the first phase after prefill begins (a group of agents starts together)."""
    event_loop: EventLoop = "epoll"
    journal: str | None = None
    """A file that notes every acknowledged write, so that `loadstone-engine audit` can look for them after a crash of
    the target. Every write then has a value of its own; operations are reads of single values and `set`, `multi_set`,
    `insert`, `sql_replace`, `delete_insert`, values have at least 8 bytes and do not expire."""
