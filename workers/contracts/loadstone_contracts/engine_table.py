"""Which engines there are, what each can do, and what it cannot measure, with the reason.

The one table: the backend refuses a plan by it, the agent builds command lines from what it lets through, and the
pages show it. An engine named `custom:...` is defined in one agent's own configuration file and is not in the table.
"""

from types import MappingProxyType
from typing import Literal

from loadstone_contracts.engine_events import MissingMetric
from loadstone_contracts.engine_plan import OperationKind, StoreProtocol
from loadstone_contracts.model import Message

NATIVE = "native"
NATIVE_PROGRAM = "loadstone-engine"
"""What the native engine calls itself in its offer, its `hello` and a trial's record."""
CUSTOM_PREFIX = "custom:"
LIST_OPERATIONS: tuple[OperationKind, ...] = (
    "list_insert_head",
    "list_insert_tail",
    "range_first",
    "range_last",
    "range",
    "list_length",
)
Feature = Literal[
    "mix",  # several operations at once, by weight
    "pipeline",  # more than one request in flight on a connection
    "think_time",
    "reconnect",  # a new connection after any number of requests
    "connection_per_request",
    "verify",
    "hit_ratio",  # reads that miss on purpose
    "expire",
    "tls",
]
Times = Literal["histogram", "percentiles", "none"]


class EngineInfo(Message):
    """What an engine can be asked for. `times` are response times in an open loop, service times in a closed one."""

    name: str
    title: str
    kind: Literal["native", "tool", "client"]
    protocols: tuple[StoreProtocol, ...]
    operations: tuple[OperationKind, ...]
    loads: tuple[Literal["closed", "open"], ...] = ("closed",)
    stops: tuple[Literal["seconds", "operations"], ...] = ("seconds", "operations")
    access: tuple[str, ...] = ("uniform",)
    value_sizes: tuple[str, ...] = ("fixed",)
    features: tuple[Feature, ...] = ()
    own_data: bool = False
    """It cannot read our keys: it writes and reads data of its own shape, and a prefill is its own."""
    min_key_digits: int = 0
    """It pads indexes to so many digits at least: shorter keys than prefix and these it cannot name."""
    times: Times
    missing: tuple[MissingMetric, ...] = ()
    remedy: str = ""
    """What gets it onto a host of Debian."""


def _no(metric: str, reason: str) -> MissingMetric:
    return MissingMetric(metric=metric, reason=reason)


_ALL_SIZES = ("fixed", "uniform", "normal", "log_normal", "histogram", "facebook")
_CLIENT_ACCESS = ("uniform", "zipf", "hot_set", "gaussian", "sequential", "permutation")
_MEMCACHED: tuple[StoreProtocol, ...] = ("memcached", "memcached_binary")
_MYSQL: tuple[StoreProtocol, ...] = ("mysql", "mysql_text")
_POSTGRES: tuple[StoreProtocol, ...] = ("postgres", "postgres_simple")
_SQL: tuple[OperationKind, ...] = ("get", "set", "insert", "update", "delete")
_NO_BYTES = _no("bytes", "it does not count the bytes that it sends and receives")
_NO_HITS = _no("hits", "it does not tell a hit from a miss")
_NO_SECONDS = _no("samples", "it prints nothing while it runs")
_NO_TIMES = _no("service_time", "it measures no single request, only the whole")
_NO_ERRORS = _no("errors", "it ends at the first error instead of counting it")


def _client(name: str, title: str, protocols: tuple[StoreProtocol, ...], remedy: str, **more: object) -> EngineInfo:
    """A client library: our loop around somebody else's calls."""
    return EngineInfo.model_validate(
        {
            "name": name,
            "title": title,
            "kind": "client",
            "protocols": protocols,
            "operations": ("get", "set"),
            "access": _CLIENT_ACCESS,
            "value_sizes": ("fixed", "uniform"),
            "features": ("mix", "reconnect", "connection_per_request"),
            "times": "histogram",
            "missing": (_NO_BYTES,),
            "remedy": remedy,
            **more,
        }
    )


_TABLE = (
    EngineInfo(
        name=NATIVE,
        title="Loadstone engine",
        kind="native",
        protocols=(
            *("memcached", "memcached_meta", "memcached_binary", "redis", "redis_resp3", "redis_cluster"),
            *("mysql", "mysql_text", "postgres", "postgres_simple", "mongodb", "memlink", "memlink_0_3"),
        ),
        operations=(
            *("get", "set", "multi_get", "multi_set", "add", "replace", "append", "incr", "delete", "touch"),
            *("compare_and_set", "read_modify_write", "insert", "scan", "update", "sql_replace", "delete_insert"),
            *LIST_OPERATIONS,
            "custom",
        ),
        loads=("closed", "open"),
        access=(*_CLIENT_ACCESS, "latest"),
        value_sizes=_ALL_SIZES,
        features=(
            *("mix", "pipeline", "think_time", "reconnect", "connection_per_request", "verify"),
            *("hit_ratio", "expire", "tls"),
        ),
        times="histogram",
    ),
    EngineInfo(
        name="redis-benchmark",
        title="redis-benchmark",
        kind="tool",
        protocols=("redis", "redis_resp3"),
        operations=("get", "set", *LIST_OPERATIONS),
        stops=("operations",),
        features=("pipeline", "connection_per_request"),
        min_key_digits=12,
        times="percentiles",
        missing=(
            _no("histogram", "it prints a few percentiles only; over several trials they are not merged"),
            _no("service_time_p90_ns", "it prints p50, p95, p99 and the maximum"),
            _no("service_time_p999_ns", "it prints p50, p95, p99 and the maximum"),
            *(_NO_BYTES, _NO_HITS, _NO_ERRORS),
        ),
        remedy="apt-get install -y redis-tools",
    ),
    EngineInfo(
        name="memslap",
        title="memslap (memcslap, memcaslap)",
        kind="tool",
        protocols=_MEMCACHED,
        operations=("get", "set"),
        stops=("operations",),
        own_data=True,
        times="none",
        missing=(_NO_TIMES, _NO_SECONDS, _NO_BYTES, _NO_HITS, _no("errors", "it prints failures as text, uncounted")),
        remedy="apt-get install -y libmemcached-tools",
    ),
    EngineInfo(
        name="memaslap",
        title="memaslap",
        kind="tool",
        protocols=_MEMCACHED,
        operations=("get", "set"),
        features=("mix",),
        own_data=True,
        times="percentiles",
        missing=(
            _no("histogram", "it counts times in powers of two"),
            _no("service_time_percentiles", "it prints the mean and the maximum"),
        ),
        remedy="apt-get install -y libmemcached-tools",
    ),
    EngineInfo(
        name="memtier",
        title="memtier_benchmark",
        kind="tool",
        protocols=("redis", "redis_resp3", *_MEMCACHED),
        operations=("get", "set"),
        access=("uniform", "sequential"),
        features=("mix", "pipeline", "reconnect", "connection_per_request", "expire"),
        own_data=True,
        times="histogram",
        missing=(_NO_BYTES,),
        remedy="install memtier_benchmark from its own packages: Debian 12 does not ship it",
    ),
    EngineInfo(
        name="sysbench",
        title="sysbench",
        kind="tool",
        protocols=(*_MYSQL, *_POSTGRES),
        operations=_SQL,
        times="histogram",
        missing=(
            _no("histogram_detail", "the steps of its histogram are 1.8 % wide"),
            *(_NO_BYTES, _NO_HITS),
        ),
        remedy="apt-get install -y sysbench",
    ),
    EngineInfo(
        name="mysqlslap",
        title="mysqlslap",
        kind="tool",
        protocols=_MYSQL,
        operations=_SQL,
        stops=("operations",),
        features=("mix",),
        times="none",
        missing=(_NO_TIMES, _NO_SECONDS, _NO_BYTES, _NO_HITS, _NO_ERRORS),
        remedy="apt-get install -y mariadb-client",
    ),
    EngineInfo(
        name="pgbench",
        title="pgbench",
        kind="tool",
        protocols=_POSTGRES,
        operations=_SQL,
        loads=("closed", "open"),
        features=("mix", "connection_per_request"),
        times="histogram",
        missing=(_NO_BYTES, _NO_HITS),
        remedy="apt-get install -y postgresql-contrib",
    ),
    EngineInfo(
        name="ycsb",
        title="YCSB",
        kind="tool",
        protocols=("redis", "mongodb", "memcached"),
        operations=("get", "set", "update", "insert", "scan", "read_modify_write"),
        access=("uniform", "zipf", "latest", "sequential", "hot_set"),
        features=("mix",),
        own_data=True,
        times="histogram",
        missing=(_NO_BYTES, _NO_HITS),
        remedy="unpack YCSB 0.17, set YCSB_HOME to its directory, and on Java 11 or newer put HdrHistogram 2.1.12 in "
        "its lib; it needs Java",
    ),
    _client("python-redis", "redis-py (Python)", ("redis", "redis_resp3"), "it comes with the agent",
            operations=("get", "set", *LIST_OPERATIONS)),
    _client("python-pymemcache", "pymemcache (Python)", ("memcached",), "it comes with the agent"),
    _client("python-pymysql", "PyMySQL (Python)", _MYSQL, "it comes with the agent",
            operations=(*_SQL, "sql_replace", "delete_insert")),
    _client("python-pymongo", "PyMongo (Python)", ("mongodb",), "it comes with the agent", operations=_SQL),
    _client("php-redis", "phpredis (PHP)", ("redis",), "apt-get install -y php-cli php-redis",
            operations=("get", "set", *LIST_OPERATIONS)),
    _client("java-jedis", "Jedis (Java)", ("redis",), "loadstone-agent engines install java-jedis",
            operations=("get", "set", *LIST_OPERATIONS)),
    _client("java-memcached", "xmemcached (Java)", _MEMCACHED, "loadstone-agent engines install java-memcached"),
    _client("c-hiredis", "hiredis (C)", ("redis",), "loadstone-agent engines install c-hiredis",
            operations=("get", "set", *LIST_OPERATIONS)),
)  # fmt: skip

ENGINES = MappingProxyType({info.name: info for info in _TABLE})
