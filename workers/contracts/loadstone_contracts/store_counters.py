"""Which of a store's own counters are kept, under which names: data, read by the agent and by the api.

A `rate` is the difference of a counter between two readings, over the time between them; a `gauge` stands as it is.
Equal names mean equal things in every store, so that unlike stores can be drawn over each other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Unit = Literal["per_s", "bytes", "bytes_per_s", "count", "ratio", "s"]


@dataclass(frozen=True)
class StoreCounter:
    """`sources` are the server's own names; their values are added up, times `scale`."""

    name: str
    title: str
    unit: Unit
    sources: tuple[str, ...]
    is_rate: bool
    scale: float = 1.0


def _rate(name: str, title: str, *sources: str) -> StoreCounter:
    return StoreCounter(f"{name}_per_s", title, "per_s", sources, is_rate=True)


def _byte_rate(name: str, title: str, *sources: str) -> StoreCounter:
    return StoreCounter(f"{name}_bytes_per_s", title, "bytes_per_s", sources, is_rate=True)


def _bytes(name: str, title: str, *sources: str) -> StoreCounter:
    return StoreCounter(f"{name}_bytes", title, "bytes", sources, is_rate=False)


def _count(name: str, title: str, *sources: str) -> StoreCounter:
    return StoreCounter(name, title, "count", sources, is_rate=False)


MEMCACHED = (
    _rate("gets", "Gets", "cmd_get"),
    _rate("sets", "Sets", "cmd_set"),
    _rate("hits", "Hits", "get_hits"),
    _rate("misses", "Misses", "get_misses"),
    _rate("evictions", "Evictions", "evictions"),
    _rate("connections_opened", "Connections opened", "total_connections"),
    _rate("connections_refused", "Connections refused", "rejected_connections", "listen_disabled_num"),
    _rate("connection_yields", "Connections made to wait their turn", "conn_yields"),
    _byte_rate("received", "Received by the store", "bytes_read"),
    _byte_rate("sent", "Sent by the store", "bytes_written"),
    _count("connections", "Connections", "curr_connections"),
    _count("items", "Keys held", "curr_items"),
    _bytes("data", "Data, as the store counts it", "bytes"),
)

REDIS = (
    _rate("commands", "Commands", "total_commands_processed"),
    _rate("hits", "Hits", "keyspace_hits"),
    _rate("misses", "Misses", "keyspace_misses"),
    _rate("evictions", "Evictions", "evicted_keys"),
    _rate("expirations", "Expirations", "expired_keys"),
    _rate("error_replies", "Error replies", "total_error_replies"),
    _rate("connections_opened", "Connections opened", "total_connections_received"),
    _rate("connections_refused", "Connections refused", "rejected_connections"),
    _rate("delayed_fsyncs", "Delayed fsyncs of the AOF", "aof_delayed_fsync"),
    _byte_rate("received", "Received by the store", "total_net_input_bytes"),
    _byte_rate("sent", "Sent by the store", "total_net_output_bytes"),
    _count("connections", "Connections", "connected_clients"),
    _count("items", "Keys held", "keys"),
    _count("blocked_clients", "Blocked clients", "blocked_clients"),
    _count("changes_unsaved", "Changes since the last save", "rdb_changes_since_last_save"),
    _bytes("data", "Data, as the store counts it", "used_memory"),
    _bytes("aof", "AOF, as the store counts it", "aof_current_size"),
    StoreCounter("fragmentation_ratio", "Memory fragmentation", "ratio", ("mem_fragmentation_ratio",), is_rate=False),
    StoreCounter("last_fork_s", "Duration of the last fork", "s", ("latest_fork_usec",), is_rate=False, scale=1e-6),
)

MYSQL = (
    _rate("commands", "Questions", "Questions"),
    _rate("selects", "SELECT statements", "Com_select"),
    _rate("inserts", "INSERT statements", "Com_insert"),
    _rate("updates", "UPDATE statements", "Com_update"),
    _rate("deletes", "DELETE statements", "Com_delete"),
    _rate("replaces", "REPLACE statements", "Com_replace"),
    # Under the name that study 001 draws it by.
    _rate("dml_reads", "InnoDB rows read (dml_reads)", "Innodb_rows_read"),
    # MariaDB has no such counter from 10.10 on, only this one over all storage engines, which MySQL has not.
    _rate("rows_read", "Rows read", "Rows_read"),
    _rate(
        "dml_writes",
        "InnoDB rows written (dml_inserts, updates, deletes)",
        "Innodb_rows_inserted",
        "Innodb_rows_updated",
        "Innodb_rows_deleted",
    ),
    _rate("handler_reads", "Rows read by key or in order", "Handler_read_key", "Handler_read_next"),
    _rate("handler_writes", "Rows written", "Handler_write", "Handler_update", "Handler_delete"),
    _rate("log_writes", "Writes of the redo log", "Innodb_log_writes"),
    _rate("fsyncs", "InnoDB fsyncs", "Innodb_data_fsyncs"),
    _rate("log_waits", "Waits for room in the log buffer", "Innodb_log_waits"),
    _rate("lock_waits", "Waits for row locks", "Innodb_row_lock_waits"),
    _rate("buffer_reads", "Buffer pool reads that went to disk", "Innodb_buffer_pool_reads"),
    _rate("connections_opened", "Connections opened", "Connections"),
    _rate("connections_refused", "Connections refused", "Connection_errors_max_connections"),
    _byte_rate("received", "Received by the store", "Bytes_received"),
    _byte_rate("sent", "Sent by the store", "Bytes_sent"),
    _byte_rate("data_written", "InnoDB data written", "Innodb_data_written"),
    _byte_rate("log_written", "Redo log written", "Innodb_os_log_written"),
    _count("connections", "Connections", "Threads_connected"),
    _count("threads_running", "Threads running", "Threads_running"),
    _count("dirty_pages", "Dirty pages in the buffer pool", "Innodb_buffer_pool_pages_dirty"),
    _bytes("data", "Data in the buffer pool", "Innodb_buffer_pool_bytes_data"),
    _bytes("checkpoint_age", "Redo log since the last checkpoint", "Innodb_checkpoint_age"),
)

POSTGRESQL = (
    _rate("commits", "Commits", "xact_commit"),
    _rate("rollbacks", "Rollbacks", "xact_rollback"),
    _rate("rows_read", "Rows read", "tup_fetched"),
    _rate("rows_inserted", "Rows inserted", "tup_inserted"),
    _rate("rows_updated", "Rows updated", "tup_updated"),
    _rate("rows_deleted", "Rows deleted", "tup_deleted"),
    _rate("buffer_hits", "Pages found in shared buffers", "blks_hit"),
    _rate("buffer_reads", "Pages read from disk or page cache", "blks_read"),
    _rate("deadlocks", "Deadlocks", "deadlocks"),
    _rate("wal_syncs", "Syncs of the write-ahead log", "wal_sync"),
    _rate("checkpoints", "Checkpoints", "checkpoints_timed", "checkpoints_req"),
    _byte_rate("temporary", "Temporary files written", "temp_bytes"),
    _byte_rate("wal_written", "Write-ahead log written", "wal_bytes"),
    _count("connections", "Connections", "numbackends"),
)

MONGODB = (
    _rate("inserts", "Inserts", "opcounters.insert"),
    _rate("queries", "Queries", "opcounters.query"),
    _rate("updates", "Updates", "opcounters.update"),
    _rate("deletes", "Deletes", "opcounters.delete"),
    _rate("commands", "Commands", "opcounters.command"),
    _rate("documents_returned", "Documents returned", "metrics.document.returned"),
    _rate("cache_evictions", "Pages evicted from the cache", "wiredTiger.cache.unmodified pages evicted"),
    _rate("journal_syncs", "Syncs of the journal", "wiredTiger.log.log sync operations"),
    _rate("connections_opened", "Connections opened", "connections.totalCreated"),
    _byte_rate("received", "Received by the store", "network.bytesIn"),
    _byte_rate("sent", "Sent by the store", "network.bytesOut"),
    _count("connections", "Connections", "connections.current"),
    _bytes("data", "Data in the cache", "wiredTiger.cache.bytes currently in the cache"),
    _bytes("dirty", "Dirty data in the cache", "wiredTiger.cache.tracked dirty bytes in the cache"),
)

STORE_COUNTERS: Mapping[str, tuple[StoreCounter, ...]] = MappingProxyType(
    {
        "memcached": MEMCACHED,
        "redis": REDIS,
        "valkey": REDIS,
        "mysql": MYSQL,
        "mariadb": MYSQL,
        "postgresql": POSTGRESQL,
        "mongodb": MONGODB,
        "ferretdb": MONGODB,
    }
)
"""By kind of target; a kind that is not here tells nothing of itself."""


@dataclass(frozen=True)
class CounterName:
    name: str
    title: str
    unit: Unit


def describe_counters(kind: str, names: Iterable[str]) -> list[CounterName]:
    """Titles and units, in the table's order; a name that is not in the table, of a newer agent, stands for itself."""
    wanted = set(names)
    known = [one for one in STORE_COUNTERS.get(kind, ()) if one.name in wanted]
    described = [CounterName(one.name, one.title, one.unit) for one in known]
    strange = sorted(wanted - {one.name for one in known})
    return described + [CounterName(name, name, _unit_of(name)) for name in strange]


def _unit_of(name: str) -> Unit:
    endings: tuple[Unit, ...] = ("bytes_per_s", "per_s", "bytes", "ratio", "s")
    return next((ending for ending in endings if name.endswith(f"_{ending}")), "count")
