"""What a person should know before starting a plan that can run. Pure."""

import re
from collections.abc import Iterator, Sequence

from loadstone_contracts.engine_plan import Dataset

from loadstone.plans.estimate import mean_value_bytes
from loadstone.plans.findings import finding
from loadstone.plans.grid import Grid
from loadstone.plans.refusals import axis_values
from loadstone.plans.schemas import Finding, ResolvedPlan
from loadstone.plans.store_limits import whole_number
from loadstone.targets.schemas import TargetSnapshot
from loadstone.targets.store_kinds import effective_options

LONG_RUN_S = 8 * 3600
# Item headers and hash table entries, of memcached (48 + 8) and Redis (about 70).
ITEM_OVERHEAD_BYTES = 64
UNITS = {"": 1, "kb": 1024, "mb": 1024**2, "gb": 1024**3}


def find_warnings(plan: ResolvedPlan, grid: Grid, estimated_s: float, cpu_counts: Sequence[int]) -> list[Finding]:
    """`cpu_counts` are those of the agents that can take the plan."""
    return [
        *_design_warnings(plan),
        *_pipeline_warnings(plan, grid),
        *_idle_warnings(plan, grid),
        *_memory_warnings(plan, grid),
        *_cpu_warnings(plan, cpu_counts),
        *_length_warnings(estimated_s),
    ]


def _design_warnings(plan: ResolvedPlan) -> Iterator[Finding]:
    if plan.trials_per_point == 1:
        message = "With one trial per point there is no band: a difference may be chance. Three or more are better."
        yield finding("single_trial", "trials_per_point", message)
    if plan.order == "sequential" and len(plan.targets) > 1:
        message = "In sequence, drift of the machine looks like a difference between targets. Interleave them."
        yield finding("sequential_order", "order", message)


def _pipeline_warnings(plan: ResolvedPlan, grid: Grid) -> Iterator[Finding]:
    deep: set[int] = set()
    for point in grid.points:
        has_gets = any(operation.kind == "get" for operation in point.work.operations)
        if has_gets and point.work.load.pipeline > 1:
            deep.add(point.target_index)
    for target in plan.targets:
        if target.index in deep and target.kind == "memcached" and target.protocol in (None, "memcached"):
            message = f"{target.name} answers pipelined text gets one by one: multi_get is its way to ask for many."
            yield finding("pipelined_text_get", f"targets[{target.index}]", message)


def _idle_warnings(plan: ResolvedPlan, grid: Grid) -> Iterator[Finding]:
    used = {point.target_index for point in grid.points}
    for target in plan.targets:
        if target.index not in used:
            message = f"No workload is for {target.name}: it takes no part in the run."
            yield finding("target_without_workload", f"targets[{target.index}]", message)


def _memory_warnings(plan: ResolvedPlan, grid: Grid) -> Iterator[Finding]:
    largest: dict[int, float] = {}
    for point in grid.points:
        needed = _dataset_bytes(point.work.dataset)
        largest[point.target_index] = max(needed, largest.get(point.target_index, 0))
    for target in plan.targets:
        limit = _memory_limit_bytes(target)
        if limit is not None and largest.get(target.index, 0) > limit:
            needed_mb, limit_mb = largest[target.index] / 1024**2, limit / 1024**2
            message = (
                f"The data takes about {needed_mb:,.0f} MB and {target.name} has {limit_mb:,.0f} MB: it may evict."
            )
            yield finding("memory_may_evict", f"targets[{target.index}]", message)


def _dataset_bytes(dataset: Dataset) -> float:
    item_bytes = mean_value_bytes(dataset) * dataset.list_length
    return dataset.key_count * (dataset.key_size_bytes + item_bytes + ITEM_OVERHEAD_BYTES)


def _managed_options(target: TargetSnapshot) -> dict[str, str]:
    return effective_options(target.kind, target.profile or "", target.options) if target.mode == "managed" else {}


def _memory_limit_bytes(target: TargetSnapshot) -> int | None:
    """None where there is none, or it is not ours to know."""
    options = _managed_options(target)
    if "memory_mb" in options:
        return (whole_number(options["memory_mb"]) or 0) * 1024**2
    found = re.fullmatch(r"(\d+)(kb|mb|gb)?", options.get("maxmemory", "0"))
    limit = int(found[1]) * UNITS[found[2] or ""] if found else 0
    return limit or None


def _cpu_warnings(plan: ResolvedPlan, cpu_counts: Sequence[int]) -> Iterator[Finding]:
    store_threads = [_store_threads(target) for target in plan.targets if target.mode == "managed"]
    if not store_threads or not cpu_counts:
        return
    engine_threads = int(max(axis_values(plan, "threads") or [plan.threads]))
    needed = engine_threads + max(store_threads)
    if max(cpu_counts) < needed:
        message = (
            f"Engine and store want {needed} cores and the largest agent that can take this has {max(cpu_counts)}: "
            "they share cores, and the engine may be what is measured."
        )
        yield finding("shared_cpu", "threads", message)


def _store_threads(target: TargetSnapshot) -> int:
    options = _managed_options(target)
    return whole_number(options.get("threads") or options.get("io-threads")) or 1


def _length_warnings(estimated_s: float) -> Iterator[Finding]:
    if estimated_s > LONG_RUN_S:
        message = f"It takes about {estimated_s / 3600:,.0f} hours and holds its agent for as long."
        yield finding("long_run", "", message)
