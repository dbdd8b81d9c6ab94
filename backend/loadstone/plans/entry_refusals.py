"""Faults of the entries of `workloads` and `engines`: names, what they are kept to, and what an engine cannot do."""

from collections.abc import Iterator, Sequence

from loadstone.plans.axes import SERVER_CPUS
from loadstone.plans.findings import finding
from loadstone.plans.schemas import Finding, PlanEngine, ResolvedPlan, ResolvedWorkloadEntry


def core_refusals(plan: ResolvedPlan) -> Iterator[Finding]:
    """The number of cores is set when a store starts."""
    for index, axis in enumerate(plan.axes):
        if axis.parameter != SERVER_CPUS:
            continue
        if plan.reset != "restart" or any(target.mode == "external" for target in plan.targets):
            message = "Cores are given to a managed store when it starts: choose managed targets and the reset restart."
            yield finding("axis_needs_restart", f"axes[{index}].parameter", message)


def entry_refusals(plan: ResolvedPlan) -> Iterator[Finding]:
    targets = {target.name for target in plan.targets}
    taken: set[tuple[str, str]] = set()
    for index, entry in enumerate(plan.workloads):
        path = f"workloads[{index}]"
        yield from _unknown_targets(entry.targets, targets, path)
        own = {(entry.name, target) for target in (entry.targets if entry.targets is not None else targets)}
        if own & taken:
            message = f"{entry.name} stands twice for {sorted(own & taken)[0][1]}: give each its own targets."
            yield finding("duplicate_value", f"{path}.name", message)
        taken |= own
        yield from _only_refusals(plan, entry, path)
    yield from _engine_refusals(plan.engines, targets, {entry.name for entry in plan.workloads})


def _unknown_targets(wanted: Sequence[str] | None, known: set[str], path: str) -> Iterator[Finding]:
    for place, name in enumerate(wanted or []):
        if name not in known:
            message = f"The plan has no target {name!r}. It has: {', '.join(sorted(known))}."
            yield finding("unknown_target", f"{path}.targets[{place}]", message)


def _only_refusals(plan: ResolvedPlan, entry: ResolvedWorkloadEntry, path: str) -> Iterator[Finding]:
    axes = {axis.parameter: axis.values for axis in plan.axes}
    for parameter, values in entry.only.items():
        if parameter not in axes:
            message = f"{parameter} is no axis of this plan: add it to the axes, or leave it out here."
            yield finding("unknown_parameter", f"{path}.only.{parameter}", message)
            continue
        for place, value in enumerate(values):
            if value not in axes[parameter]:
                message = f"{value} is no value of the axis {parameter}."
                yield finding("value_out_of_range", f"{path}.only.{parameter}[{place}]", message)


def _engine_refusals(engines: Sequence[PlanEngine], targets: set[str], workloads: set[str]) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, engine in enumerate(engines):
        path = f"engines[{index}]"
        if engine.name in seen:
            yield finding("duplicate_value", f"{path}.name", f"{engine.name} stands twice.")
        seen.add(engine.name)
        yield from _unknown_targets(engine.targets, targets, path)
        for place, name in enumerate(engine.workloads or []):
            if name not in workloads:
                message = f"The plan has no workload {name!r}."
                yield finding("unknown_workload", f"{path}.workloads[{place}]", message)
