"""What a recorded trace, and measuring a replica's lag, ask of the rest of the plan. Pure."""

from collections.abc import Iterator, Mapping

from loadstone_contracts.engine_load import OpenLoad
from loadstone_contracts.engine_plan import UniformAccess

from loadstone.plans.cells import Cells, Entry
from loadstone.plans.findings import finding
from loadstone.plans.schemas import Finding, ResolvedPlan
from loadstone.targets.schemas import TargetSnapshot
from loadstone.targets.store_kinds import store_kinds
from loadstone.traces.schemas import TraceFacts
from loadstone.traces.service import OF_ONE_KEY

SAID_BY_TRACE = frozenset({"key_count", "key_size_bytes", "hit_ratio", "zipf_exponent"})
"""Axes that change which keys are asked for."""
OF_MARKERS = frozenset({"get", "set", "delete"})
LAG_MARKER_FACTOR, LAG_MARKERS = 16, 1000
"""Markers are keys behind 16 times the dataset's (`lag_markers` of the engine's plan)."""

Traces = Mapping[str, TraceFacts]
"""Those that the team has, by digest."""


def trace_digests(plan: ResolvedPlan) -> set[str]:
    workloads = [plan.workload, *(entry.workload for entry in plan.workloads)]
    return {one.trace.digest for one in workloads if one is not None and one.trace is not None}


def replay_refusals(cells: Cells, traces: Traces) -> Iterator[Finding]:
    for index, entry in enumerate(cells.entries):
        if entry.workload.trace is not None:
            yield from _content_refusals(entry, traces.get(entry.workload.trace.digest))
            yield from _beside_trace(cells, entry)
        elif isinstance(entry.load, OpenLoad) and entry.load.arrivals == "recorded":
            own = cells.plan.workloads[index].load if cells.plan.workloads else None
            path = "load.arrivals" if own is None else f"workloads[{index}].load.arrivals"
            message = "Arrivals as recorded need a trace: choose one in the workload, or another kind of arrivals."
            yield finding("arrivals_need_trace", path, message)
        if entry.workload.replica_lag is not None:
            yield from _lag_refusals(cells, entry)


def _content_refusals(entry: Entry, facts: TraceFacts | None) -> Iterator[Finding]:
    assert entry.workload.trace is not None
    path = f"{entry.path}.trace.digest"
    if facts is None:
        digest = entry.workload.trace.digest
        yield finding("trace_not_found", path, f"Your team has no trace {digest[:12]}…: upload its file first.")
        return
    kinds = {operation.kind for operation in entry.workload.operations}
    missing = [name for name in facts.operations if name not in kinds]
    if missing:
        names = ", ".join(missing)
        message = f"The trace has {names}, which the workload has not: add it to the operations."
        yield finding("trace_operation", f"{entry.path}.operations", message)


def _beside_trace(cells: Cells, entry: Entry) -> Iterator[Finding]:
    workload = entry.workload
    for index, operation in enumerate(workload.operations):
        if operation.kind not in OF_ONE_KEY or operation.keys_per_request > 1:
            message = f"A line of a trace has one key and one size, so it cannot say {operation.kind}."
            yield finding("trace_operation", f"{entry.path}.operations[{index}].kind", message)
    if workload.access != UniformAccess():
        yield finding("trace_access", f"{entry.path}.access", "The trace says which keys are asked for: leave it out.")
    if workload.dataset.hit_ratio < 1:
        message = "The trace says which keys are asked for: set the hit ratio to 1."
        yield finding("trace_access", f"{entry.path}.dataset.hit_ratio", message)
    if cells.plan.verify:
        message = "Values of one key have several sizes in a trace: switch verification off."
        yield finding("trace_verify", "verify", message)
    if workload.durability is not None:
        message = "What a trace writes cannot be told apart afterwards: check durability with another workload."
        yield finding("trace_durability", f"{entry.path}.durability", message)
    for index, axis in enumerate(cells.plan.axes):
        if axis.parameter in SAID_BY_TRACE and len(entry.only.get(axis.parameter, ())) != 1:
            message = f"The trace says which keys are asked for: {axis.parameter} changes nothing in it."
            yield finding("trace_access", f"axes[{index}].parameter", message)


def _lag_refusals(cells: Cells, entry: Entry) -> Iterator[Finding]:
    path = f"{entry.path}.replica_lag"
    if entry.workload.trace is not None or entry.workload.durability is not None:
        message = "A trace, or a check of durability, leaves no keys for markers: measure the lag by itself."
        yield finding("lag_beside_trace", path, message)
    for target in cells.plan.targets:
        if entry.is_for(target.name):
            yield from _replica_refusals(target, path)
    dataset = entry.workload.dataset
    needed = len(dataset.key_prefix) + len(str(LAG_MARKER_FACTOR * dataset.key_count + LAG_MARKERS - 1))
    if dataset.key_template is None and dataset.key_sizes is None and dataset.key_size_bytes < needed:
        message = f"Markers stand beside the keys: give keys {needed} bytes."
        yield finding("key_too_short", f"{entry.path}.dataset.key_size_bytes", message)


def _replica_refusals(target: TargetSnapshot, path: str) -> Iterator[Finding]:
    kind = store_kinds()[target.kind]
    spoken = kind.spoken(target.protocol)
    if spoken is None or not set(spoken.operations) >= OF_MARKERS:
        message = f"{target.name} cannot get, set and delete a marker, so no lag can be measured there."
        yield finding("operation_not_supported", path, message)
    elif target.mode == "managed" or (target.read_host is None and target.read_port is None):
        message = f"{target.name} has no replica: save it as an external target and say where its replica answers."
        yield finding("no_replica", path, message)
