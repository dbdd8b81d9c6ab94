"""A plan as written, resolved: targets and workload looked up, the seed drawn, every fault found on the way."""

import secrets
from dataclasses import dataclass, field

from loadstone.db import UnitOfWork
from loadstone.errors import NotFound
from loadstone.plans.schemas import Finding, InlineTarget, PlanDefinition, ResolvedPlan, TargetRef, WorkloadRef
from loadstone.principal import Principal
from loadstone.targets import service as targets
from loadstone.targets.schemas import TargetSnapshot
from loadstone.targets.store_kinds import find_option_faults, protocol_fault, store_kinds
from loadstone.workloads import service as workloads
from loadstone.workloads.schemas import WorkloadDefinition

SHARED_FIELDS = PlanDefinition.model_fields.keys() & ResolvedPlan.model_fields.keys() - {"targets", "workload", "seed"}
# Browsers read a seed as a double: 53 bits pass through unchanged.
DRAWN_SEED_BITS = 53


@dataclass
class Lookup:
    """What was found, and what was not. `plan` is None when a reference leads nowhere."""

    plan: ResolvedPlan | None = None
    refusals: list[Finding] = field(default_factory=list)
    flush_forbidden: list[int] = field(default_factory=list)
    """Indices of external targets whose owner did not allow a flush."""

    def refuse(self, code: str, path: str, message: str) -> None:
        self.refusals.append(Finding(code=code, path=path, message=message))


def look_up(unit: UnitOfWork, principal: Principal, definition: PlanDefinition) -> Lookup:
    """Never raises for what a person wrote: faults are `refusals`."""
    lookup = Lookup()
    found = [
        _look_up_target(unit, principal, lookup, written, index) for index, written in enumerate(definition.targets)
    ]
    workload = _look_up_workload(unit, principal, lookup, definition)
    snapshots = [snapshot for snapshot in found if snapshot is not None]
    if workload is None or len(snapshots) < len(found):
        return lookup
    lookup.plan = assemble(definition, snapshots, workload)
    return lookup


def assemble(definition: PlanDefinition, snapshots: list[TargetSnapshot], workload: WorkloadDefinition) -> ResolvedPlan:
    """Draws a seed where none is given."""
    shared = {field: getattr(definition, field) for field in SHARED_FIELDS}
    seed = definition.seed if definition.seed is not None else secrets.randbits(DRAWN_SEED_BITS)
    return ResolvedPlan(targets=_distinctly_named(snapshots), workload=workload, seed=seed, **shared)


def _look_up_target(
    unit: UnitOfWork, principal: Principal, lookup: Lookup, written: TargetRef | InlineTarget, index: int
) -> TargetSnapshot | None:
    path = f"targets[{index}]"
    if isinstance(written, InlineTarget):
        return inline_snapshot(lookup, written, index)
    try:
        row = targets.find_target(unit, principal, written.target_id)
    except NotFound:
        lookup.refuse("target_not_found", f"{path}.target_id", "There is no such target: it may have been archived.")
        return None
    if row.mode == "external" and not row.is_flush_allowed:
        lookup.flush_forbidden.append(index)
    return targets.take_snapshot(row, index)


def inline_snapshot(lookup: Lookup, written: InlineTarget, index: int) -> TargetSnapshot | None:
    """None when kind or profile are unknown; `lookup` is told why."""
    path = f"targets[{index}]"
    kind = store_kinds().get(written.kind)
    if kind is None:
        known = ", ".join(store_kinds())
        lookup.refuse("unknown_profile", f"{path}.kind", f"There is no store kind {written.kind!r}. Known: {known}.")
        return None
    if kind.profile(written.profile) is None:
        known = ", ".join(profile.name for profile in kind.profiles)
        message = f"{kind.title} has no profile {written.profile!r}. Known: {known}."
        lookup.refuse("unknown_profile", f"{path}.profile", message)
        return None
    spoken = kind.spoken(written.protocol)
    if spoken is None:
        lookup.refuse("unknown_protocol", f"{path}.protocol", protocol_fault(kind, written.protocol))
        return None
    for name, code, message in find_option_faults(kind, written.options):
        lookup.refuse(code, f"{path}.options.{name}", message)
    return TargetSnapshot(
        index=index,
        name=written.name or f"{kind.title} {written.profile}",
        kind=written.kind,
        mode="managed",
        protocol=spoken.protocol,
        profile=written.profile,
        options=written.options,
        target_id=None,
        host=None,
        port=None,
    )


def _look_up_workload(
    unit: UnitOfWork, principal: Principal, lookup: Lookup, definition: PlanDefinition
) -> WorkloadDefinition | None:
    if not isinstance(definition.workload, WorkloadRef):
        return definition.workload
    try:
        return workloads.get_workload(unit, principal, definition.workload.workload_id).definition
    except NotFound:
        message = "There is no such workload: it may have been archived."
        lookup.refuse("workload_not_found", "workload.workload_id", message)
        return None


def _distinctly_named(snapshots: list[TargetSnapshot]) -> list[TargetSnapshot]:
    """A target's name is its label on every curve, so two of a run cannot share one."""
    taken: set[str] = set()
    named = []
    for snapshot in snapshots:
        name, number = snapshot.name, 1
        while name in taken:
            number += 1
            name = f"{snapshot.name} ({number})"
        taken.add(name)
        named.append(snapshot.model_copy(update={"name": name}))
    return named
