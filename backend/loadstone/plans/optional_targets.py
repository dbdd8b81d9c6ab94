"""Optional targets and engines that no agent has take no part in a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadstone import models
from loadstone.agents import service as agents
from loadstone.plans.findings import finding
from loadstone.plans.schemas import Finding, ResolvedPlan


@dataclass(frozen=True)
class _Lack:
    """What an agent does not have, and why."""

    kind: str
    index: int
    reason: str


def leave_out(
    plan: ResolvedPlan, optional: Sequence[int], rows: Sequence[models.Agent], selector: Mapping[str, Any]
) -> tuple[ResolvedPlan, list[Finding]]:
    """The plan without the optional targets (by index) and engines that the ablest agent lacks, and why not.

    An agent must be able to take all the others; of those the one counts that is online and can take most.
    """
    needed = [target.model_dump() for target in plan.targets if target.index not in optional]
    engines = agents.foreign_engines([engine.model_dump() for engine in plan.engines if not engine.optional])
    able = [row for row in rows if agents.can_take(row, selector, needed, engines) is None]
    if not able:
        return plan, []
    lacks = [list(_lacks(plan, optional, row, selector)) for row in able]
    best = min(range(len(able)), key=lambda place: (not agents.is_online(able[place]), len(lacks[place])))
    missing = {kind: {lack.index for lack in lacks[best] if lack.kind == kind} for kind in ("targets", "engines")}
    left = without_engines(without_targets(plan, missing["targets"]), missing["engines"])
    return left, [_told(plan, lack) for lack in lacks[best]]


def _lacks(
    plan: ResolvedPlan, optional: Sequence[int], row: models.Agent, selector: Mapping[str, Any]
) -> Iterator[_Lack]:
    for index in optional:
        reason = agents.can_take(row, selector, [plan.targets[index].model_dump()])
        if reason is not None:
            yield _Lack("targets", index, reason)
    for index, engine in enumerate(plan.engines):
        reason = agents.can_take(row, selector, [], agents.foreign_engines([engine.model_dump()]))
        if engine.optional and reason is not None:
            yield _Lack("engines", index, reason)


def _told(plan: ResolvedPlan, lack: _Lack) -> Finding:
    if lack.kind == "targets":
        message = f"{plan.targets[lack.index].name} is left out. {lack.reason}"
        return finding("target_left_out", f"targets[{lack.index}]", message)
    engine = plan.engines[lack.index]
    message = f"{engine.label or engine.name} is left out. {lack.reason}"
    return finding("engine_left_out", f"engines[{lack.index}]", message)


def without_engines(plan: ResolvedPlan, left_out: set[int]) -> ResolvedPlan:
    """By index."""
    kept = [engine for index, engine in enumerate(plan.engines) if index not in left_out]
    return plan.model_copy(update={"engines": kept}) if left_out else plan


def without_targets(plan: ResolvedPlan, left_out: set[int]) -> ResolvedPlan:
    """Numbered anew; nothing in the plan speaks of them any more."""
    if not left_out:
        return plan
    kept = [target for target in plan.targets if target.index not in left_out]
    names = {target.name for target in kept}
    pruned: dict[str, Any] = {
        "targets": [target.model_copy(update={"index": index}) for index, target in enumerate(kept)],
        "workloads": _pruned(plan.workloads, names),
        "engines": _pruned(plan.engines, names),
    }
    return plan.model_copy(update=pruned)


def _pruned(entries: Sequence[Any], names: set[str]) -> list[Any]:
    found = []
    for entry in entries:
        targets = None if entry.targets is None else [name for name in entry.targets if name in names]
        if targets is None or targets:
            found.append(entry.model_copy(update={"targets": targets}))
    return found
