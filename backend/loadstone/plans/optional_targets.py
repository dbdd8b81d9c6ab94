"""Optional targets that no agent can start take no part in a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadstone import models
from loadstone.agents import service as agents
from loadstone.plans.findings import finding
from loadstone.plans.schemas import Finding, ResolvedPlan


def leave_out(
    plan: ResolvedPlan, optional: Sequence[int], rows: Sequence[models.Agent], selector: Mapping[str, Any]
) -> tuple[ResolvedPlan, list[Finding]]:
    """The plan without the optional targets (by index) that the ablest agent cannot take, and why not.

    An agent must be able to take all the others; of those the one counts that is online and can take most.
    """
    needed = [target.model_dump() for target in plan.targets if target.index not in optional]
    wished = {index: plan.targets[index].model_dump() for index in optional}
    able = [row for row in rows if agents.can_take(row, selector, needed) is None]
    if not wished or not able:
        return plan, []
    missing = [
        {
            index: reason
            for index, target in wished.items()
            if (reason := agents.can_take(row, selector, [target])) is not None
        }
        for row in able
    ]
    best = min(range(len(able)), key=lambda place: (not agents.is_online(able[place]), len(missing[place])))
    told = [_told(plan, index, reason) for index, reason in missing[best].items()]
    return without_targets(plan, set(missing[best])), told


def _told(plan: ResolvedPlan, index: int, reason: str) -> Finding:
    message = f"{plan.targets[index].name} is left out. {reason}"
    return finding("target_left_out", f"targets[{index}]", message)


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
