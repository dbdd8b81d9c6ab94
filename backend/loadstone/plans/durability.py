"""What a check of durability asks of the rest of the plan, and which points are one. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from loadstone_contracts.durability import KillRequest
from loadstone_contracts.engine_sizes import FixedSize

from loadstone.plans.cells import WORKLOAD, Cells, Entry
from loadstone.plans.findings import finding
from loadstone.plans.schemas import NATIVE_ENGINE, Finding

JOURNALLED = frozenset({"set", "multi_set", "insert", "sql_replace", "delete_insert"})
READS = frozenset({"get", "multi_get", "scan"})
SMALLEST_VALUE_BYTES = 8
"""A value's head names the write that it came with."""


def durability_refusals(cells: Cells) -> Iterator[Finding]:
    for entry in cells.entries:
        if entry.workload.durability is not None:
            yield from _workload_refusals(entry)
            yield from _time_refusals(entry, entry.workload.durability.kill_after_s)
            yield from _target_refusals(cells, entry)


def _workload_refusals(entry: Entry) -> Iterator[Finding]:
    kinds = [operation.kind for operation in entry.workload.operations]
    for index, kind in enumerate(kinds):
        if kind not in JOURNALLED | READS:
            names = ", ".join(sorted(JOURNALLED))
            message = f"What {kind} writes cannot be read back and told apart: use {names}, and gets beside them."
            yield finding("durability_operation", f"{entry.path}.operations[{index}].kind", message)
    if not JOURNALLED & set(kinds):
        message = "Nothing is written, so nothing can be lost: add set to the operations."
        yield finding("durability_operation", f"{entry.path}.operations", message)

    size = entry.workload.dataset.value_size
    smallest: int = size.bytes if isinstance(size, FixedSize) else getattr(size, "min_bytes", SMALLEST_VALUE_BYTES)
    if smallest < SMALLEST_VALUE_BYTES:
        message = f"Values of at least {SMALLEST_VALUE_BYTES} bytes are needed: their head names the write."
        yield finding("durability_value_size", f"{entry.path}.dataset.value_size", message)
    for index, operation in enumerate(entry.workload.operations):
        if operation.expire_s > 0:
            message = "A value that expires cannot be told from one that was lost: let it live for ever."
            yield finding("durability_operation", f"{entry.path}.operations[{index}].expire_s", message)


def _time_refusals(entry: Entry, kill_after_s: float) -> Iterator[Finding]:
    """A rule in operations is held against the time when the trial is executed."""
    if entry.stop.seconds is not None and entry.stop.seconds <= kill_after_s:
        message = f"The measurement ends after {entry.stop.seconds:g} s: kill the store before, or measure longer."
        yield finding("durability_too_short", f"{entry.path}.durability.kill_after_s", message)


def _target_refusals(cells: Cells, entry: Entry) -> Iterator[Finding]:
    path = f"{entry.path}.durability"
    for target in cells.plan.targets:
        if target.mode == "external" and entry.is_for(target.name):
            message = f"{target.name} was not started by an agent, so none can kill it and start it again."
            yield finding("durability_needs_managed", path, message)
    if cells.plan.reset != "restart":
        message = "A killed store is of no use to the next trial: choose reset by restart."
        yield finding("durability_needs_restart", "reset", message)
    for index, engine in enumerate(cells.plan.engines):
        if engine.name != NATIVE_ENGINE and (engine.workloads is None or entry.name in engine.workloads):
            message = f"{engine.label or engine.name} keeps no journal of what was acknowledged: use our own engine."
            yield finding("engine_cannot", f"engines[{index}].name", message)


def kill_of(definition: Mapping[str, Any], parameters: Mapping[str, Any]) -> KillRequest | None:
    """Of a point of a run with this definition; None where it is no check of durability."""
    named = [
        entry["workload"]
        for entry in definition.get("workloads") or []
        if entry["name"] == parameters.get(WORKLOAD)
        and (entry.get("targets") is None or parameters["target"] in entry["targets"])
    ]
    workload = named[0] if named else definition.get("workload")
    wanted = (workload or {}).get("durability")
    return None if wanted is None else KillRequest.model_validate(wanted)
