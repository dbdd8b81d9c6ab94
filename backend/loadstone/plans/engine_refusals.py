"""Cells that their engine cannot do, by the table of engines in the contracts."""

from collections.abc import Iterator

from loadstone_contracts.engines import engine_faults

from loadstone.plans.cells import WORKLOAD
from loadstone.plans.findings import finding
from loadstone.plans.grid import Grid, GridPoint
from loadstone.plans.schemas import NATIVE_ENGINE, Finding, ResolvedPlan
from loadstone.targets.store_kinds import store_kinds

OF_WORKLOAD = ("operations", "dataset", "access", "trace", "replica_lag")


def engine_refusals(plan: ResolvedPlan, grid: Grid) -> Iterator[Finding]:
    """Each fault once, with the first target and workload that have it."""
    told: set[tuple[str, str]] = set()
    for point in grid.points:
        if point.engine == NATIVE_ENGINE:
            continue
        target = plan.targets[point.target_index]
        spoken = store_kinds()[target.kind].spoken(target.protocol)
        for where, message in engine_faults(point.engine, point.work, spoken.protocol if spoken else None):
            path = _path(plan, point, where)
            if (path, message) not in told:
                told.add((path, message))
                yield finding("engine_cannot", path, f"{target.name}: {message}")


def _path(plan: ResolvedPlan, point: GridPoint, where: str) -> str:
    if not where.startswith(OF_WORKLOAD):
        index = next(index for index, engine in enumerate(plan.engines) if engine.name == point.engine)
        return f"engines[{index}].name"
    if WORKLOAD not in point.parameters:
        return f"workload.{where}"
    target = str(point.parameters["target"])
    index = next(
        index
        for index, entry in enumerate(plan.workloads)
        if entry.name == point.parameters[WORKLOAD] and (entry.targets is None or target in entry.targets)
    )
    return f"workloads[{index}].workload.{where}"
