"""What a store would cut, refuse or not have, so that its numbers would say something else than they seem to. Pure.

Sources: memcached's `-I`, Redis' proto-max-bulk-len, MongoDB's maxBsonObjectSize and maxMessageSizeBytes, MySQL's
max_allowed_packet, the columns of the InnoDB memcached plugin's demonstration table, Memlink's one-byte lengths.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from loadstone_contracts.engine_plan import Dataset
from loadstone_contracts.engine_sizes import FixedSize, HistogramSize

from loadstone.plans.axes import Binding
from loadstone.plans.cells import Cells, Entry, Setting
from loadstone.plans.findings import finding
from loadstone.plans.schemas import Finding, ResolvedPlan
from loadstone.targets.schemas import TargetSnapshot
from loadstone.targets.store_kinds import PLUGIN_PROTOCOLS, effective_options

KIB, MIB, GIB = 1024, 1024**2, 1024**3
UNITS = {"": 1, "k": KIB, "kb": KIB, "m": MIB, "mb": MIB, "g": GIB, "gb": GIB}
MEMCACHED_ITEM_BYTES = MIB
MEMCACHED_HEADER_BYTES = 64
"""Of an item: at most 48 bytes, 8 for its CAS number, and what ends key and value."""
DEMO_TABLE_KEY_BYTES, DEMO_TABLE_VALUE_BYTES = 32, 1024
MEMLINK_KEY_BYTES, MEMLINK_VALUE_BYTES = 255, 255
REDIS_BULK_BYTES = 512 * MIB
BSON_BYTES, MONGODB_MESSAGE_BYTES = 16 * MIB, 48_000_000
BSON_OVERHEAD_BYTES = 1024
PACKET_BYTES = {"mysql": 64 * MIB, "mysql 5.6.14": 4 * MIB, "mariadb": 16 * MIB}
PACKET_OVERHEAD_BYTES = 4 * KIB
"""Statement and key around a value."""
CONTROL_CONNECTIONS = 2
"""Of the agent, beside the load: for control and for the counters of every second."""
CONNECTION_OPTIONS = ("max_connections", "maxclients", "maxConns", "max_conn")
MEMORY_OPTIONS = ("memory_mb", "maxmemory", "innodb_buffer_pool_size", "key_buffer_size", "shared_buffers")

Fault = tuple[str, str, str]
"""Code, the parameter at fault or `options.NAME` of the target, message."""


@dataclass(frozen=True)
class Cell:
    """A target with work that is bound to it."""

    target: TargetSnapshot
    binding: Binding
    verifies: bool
    is_flushed: bool

    @property
    def dataset(self) -> Dataset:
        return self.binding.workload.dataset

    @cached_property
    def options(self) -> Mapping[str, str]:
        """Empty where they are not ours to know."""
        if self.target.mode == "external":
            return {}
        return effective_options(self.target.kind, self.target.profile or "", self.target.options)

    @property
    def is_plugin(self) -> bool:
        return self.target.kind == "mysql" and self.target.protocol in PLUGIN_PROTOCOLS

    @cached_property
    def value_bytes(self) -> int:
        """Of the largest value."""
        size = self.dataset.value_size
        if isinstance(size, FixedSize):
            return size.bytes
        if isinstance(size, HistogramSize):
            return max(bucket.max_bytes for bucket in size.buckets)
        return size.max_bytes

    @property
    def item_bytes(self) -> int:
        return self.dataset.key_size_bytes + self.value_bytes

    def operations(self) -> set[str]:
        return {operation.kind for operation in self.binding.workload.operations}

    def most_keys(self, kind: str) -> int:
        named = (one.keys_per_request for one in self.binding.workload.operations if one.kind == kind)
        return max(named, default=0)


def store_limit_refusals(cells: Cells) -> Iterator[Finding]:
    """Each fault of a target once, at the axis that brings it about or where the plan says the value."""
    told: set[tuple[str, str, int]] = set()
    for entry, setting, binding in cells.bindings():
        for target in cells.plan.targets:
            if not entry.is_for(target.name):
                continue
            cell = Cell(target, binding, cells.plan.verify, cells.plan.reset == "flush")
            for code, parameter, message in _faults(cell):
                path = _path(cells.plan, entry, setting, target, parameter)
                if (code, path, target.index) not in told:
                    told.add((code, path, target.index))
                    yield finding(code, path, f"{target.name}: {message}")


def _faults(cell: Cell) -> Iterator[Fault]:
    for rule in (*RULES.get(cell.target.kind, ()), *EVERYWHERE):
        yield from rule(cell)


def _path(plan: ResolvedPlan, entry: Entry, setting: Setting, target: TargetSnapshot, parameter: str) -> str:
    if parameter.startswith("options."):
        return f"targets[{target.index}].{parameter}"
    if parameter == "reset":
        return "reset"
    if parameter in setting:
        return next(f"axes[{index}].values" for index, axis in enumerate(plan.axes) if axis.parameter == parameter)
    if parameter in ("connections", "pipeline"):
        has_own = entry.name is not None and entry.load is not plan.load
        return f"{entry.path.removesuffix('.workload')}.load.{parameter}" if has_own else f"load.{parameter}"
    if parameter == "keys_per_request":
        return f"{entry.path}.operations"
    return f"{entry.path}.dataset.{'value_size' if parameter == 'value_size_bytes' else parameter}"


def _memcached_items(cell: Cell) -> Iterator[Fault]:
    if cell.target.mode == "external" or cell.target.kind not in ("memcached", "mysql"):
        return
    if cell.target.kind == "mysql" and not cell.is_plugin:
        return
    limit = _bytes(cell.options.get("max_item_size")) or MEMCACHED_ITEM_BYTES
    needed = cell.item_bytes + MEMCACHED_HEADER_BYTES
    if needed > limit:
        remedy = (
            "raise max_item_size or use smaller values" if cell.target.kind == "memcached" else "use smaller values"
        )
        message = f"an item takes up to {needed:,} bytes and {limit:,} is the limit: {remedy}."
        yield "item_too_large", "value_size_bytes", message


def _compare_without_numbers(cell: Cell) -> Iterator[Fault]:
    if cell.options.get("disable_cas") == "true" and "compare_and_set" in cell.operations():
        yield (
            "cas_disabled",
            "options.disable_cas",
            "without CAS numbers nothing can be compared: leave the option out.",
        )


def _demo_table(cell: Cell) -> Iterator[Fault]:
    """A table of ours holds keys of 250 bytes and values of 16 MiB; elsewhere the demonstration table is usual."""
    if not cell.is_plugin or cell.target.mode == "managed" or cell.verifies:
        return
    remedy = (
        "the plugin's demonstration table cuts what is longer and answers STORED. Verify values in this plan, or use "
        "shorter ones; a server that the agent starts has a table of its own."
    )
    if cell.dataset.key_size_bytes > DEMO_TABLE_KEY_BYTES:
        message = f"keys of {cell.dataset.key_size_bytes} bytes are longer than {DEMO_TABLE_KEY_BYTES}: {remedy}"
        yield "plugin_table_cuts_keys", "key_size_bytes", message
    if cell.value_bytes > DEMO_TABLE_VALUE_BYTES:
        message = f"values of {cell.value_bytes:,} bytes are longer than {DEMO_TABLE_VALUE_BYTES:,}: {remedy}"
        yield "plugin_table_cuts_values", "value_size_bytes", message


def _packets(cell: Cell) -> Iterator[Fault]:
    if cell.is_plugin:
        return
    kind = cell.target.kind
    limit = PACKET_BYTES.get(f"{kind} {cell.target.server_version}", PACKET_BYTES[kind])
    if cell.item_bytes + PACKET_OVERHEAD_BYTES > limit:
        message = f"a statement with {cell.value_bytes:,} bytes is longer than its max_allowed_packet, {limit:,}."
        yield "packet_too_large", "value_size_bytes", message


def _tables_in_memory(cell: Cell) -> Iterator[Fault]:
    if not cell.is_plugin and cell.options.get("default_storage_engine") == "MEMORY":
        message = "tables in MEMORY have no columns for values of any length: choose another table format."
        yield "table_format_not_possible", "options.default_storage_engine", message


def _bulk_strings(cell: Cell) -> Iterator[Fault]:
    limit = _bytes(cell.options.get("proto-max-bulk-len")) or REDIS_BULK_BYTES
    if cell.value_bytes > limit:
        message = f"values of {cell.value_bytes:,} bytes are longer than its proto-max-bulk-len, {limit:,}."
        yield "value_too_large", "value_size_bytes", message


def _clusters(cell: Cell) -> Iterator[Fault]:
    if cell.target.protocol == "redis_cluster" and cell.is_flushed:
        message = "a flush empties one node of a cluster and leaves the others: empty it yourself, and reset nothing."
        yield "cluster_not_flushed", "reset", message


def _documents(cell: Cell) -> Iterator[Fault]:
    if cell.item_bytes + BSON_OVERHEAD_BYTES > BSON_BYTES:
        message = f"a document holds at most {BSON_BYTES:,} bytes, and values here have up to {cell.value_bytes:,}."
        yield "value_too_large", "value_size_bytes", message
    keys = max(cell.most_keys("multi_set"), cell.most_keys("multi_get"))
    if keys * (cell.item_bytes + BSON_OVERHEAD_BYTES) > MONGODB_MESSAGE_BYTES:
        message = f"{keys} values of {cell.value_bytes:,} bytes are more than one message holds: ask for fewer keys."
        yield "message_too_large", "keys_per_request", message


def _memlink(cell: Cell) -> Iterator[Fault]:
    if cell.dataset.key_size_bytes > MEMLINK_KEY_BYTES:
        message = f"Memlink does not check that a key has at most {MEMLINK_KEY_BYTES} bytes: use shorter ones."
        yield "key_too_long", "key_size_bytes", message
    if cell.value_bytes > MEMLINK_VALUE_BYTES:
        message = f"Memlink cuts values at {MEMLINK_VALUE_BYTES} bytes without a word: use smaller ones."
        yield "value_too_large", "value_size_bytes", message
    if cell.binding.load.pipeline > 1:
        message = "Memlink answers one of several requests that are sent at once: use a pipeline of 1."
        yield "no_pipelining", "pipeline", message


def _connections(cell: Cell) -> Iterator[Fault]:
    name = next((name for name in CONNECTION_OPTIONS if name in cell.options), None)
    # The plugin's listener gets enough from the agent, whatever SQL's limit is.
    if name is None or cell.is_plugin:
        return
    limit, asked = whole_number(cell.options[name]), cell.binding.load.connections
    if limit is None:
        return
    if asked + CONTROL_CONNECTIONS > limit:
        message = (
            f"{asked} connections and {CONTROL_CONNECTIONS} of the agent are more than {name} allows, {limit}: "
            "raise it, or use fewer."
        )
        yield "too_many_connections", "connections", message


def _memory(cell: Cell) -> Iterator[Fault]:
    limit = cell.target.placement.memory_limit_bytes
    if limit is None:
        return
    for name in MEMORY_OPTIONS:
        told = cell.options.get(name)
        wanted = (whole_number(told) or 0) * MIB if name == "memory_mb" else _bytes(told)
        if wanted > limit:
            message = (
                f"{name} is {wanted:,} bytes and the target's limit of memory {limit:,}: it would be killed there."
            )
            yield "memory_limit_too_low", f"options.{name}", message


def whole_number(told: str | None) -> int | None:
    """None for what is no number; the rule for option values refuses that."""
    return int(told) if told is not None and re.fullmatch(r"[0-9]{1,18}", told) else None


def _bytes(told: str | None) -> int:
    """`1m`, `64mb`, `2G`; 0 for nothing."""
    found = re.fullmatch(r"([0-9]{1,18})([kmg]b?)?", (told or "").lower())
    return int(found[1]) * UNITS[found[2] or ""] if found else 0


RULES: Mapping[str, tuple[Callable[[Cell], Iterator[Fault]], ...]] = {
    "memcached": (_memcached_items, _compare_without_numbers),
    "redis": (_bulk_strings, _clusters),
    "valkey": (_bulk_strings,),
    "mysql": (_memcached_items, _demo_table, _packets, _tables_in_memory),
    "mariadb": (_packets, _tables_in_memory),
    "mongodb": (_documents,),
    "ferretdb": (_documents,),
    "memlink": (_memlink,),
}
EVERYWHERE = (_connections, _memory)
