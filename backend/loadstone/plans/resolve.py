"""A plan as written, resolved: targets and workload looked up, the seed drawn, every fault found on the way."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from loadstone_contracts.agent_calls import Placement

from loadstone.db import UnitOfWork
from loadstone.errors import NotFound
from loadstone.plans.schemas import (
    Finding,
    InlineTarget,
    PlanDefinition,
    ResolvedPlan,
    ResolvedWorkloadEntry,
    TargetRef,
    WorkloadRef,
)
from loadstone.principal import Principal
from loadstone.targets import service as targets
from loadstone.targets.schemas import TargetSnapshot
from loadstone.targets.store_kinds import (
    external_only_fault,
    find_option_faults,
    named_version,
    protocol_fault,
    store_kinds,
)
from loadstone.workloads import service as workloads
from loadstone.workloads.schemas import WorkloadDefinition

LOOKED_UP = {"targets", "workload", "workloads", "seed"}
SHARED_FIELDS = PlanDefinition.model_fields.keys() & ResolvedPlan.model_fields.keys() - LOOKED_UP
# Browsers read a seed as a double: 53 bits pass through unchanged.
DRAWN_SEED_BITS = 53


@dataclass
class Lookup:
    """What was found, and what was not. `plan` is None when a reference leads nowhere."""

    plan: ResolvedPlan | None = None
    refusals: list[Finding] = field(default_factory=list)
    flush_forbidden: list[int] = field(default_factory=list)
    """Indices of external targets whose owner did not allow a flush."""
    optional: list[int] = field(default_factory=list)
    """Indices of targets that may be left out."""

    def refuse(self, code: str, path: str, message: str) -> None:
        self.refusals.append(Finding(code=code, path=path, message=message))


def look_up(unit: UnitOfWork, principal: Principal, definition: PlanDefinition) -> Lookup:
    """Never raises for what a person wrote: faults are `refusals`."""
    lookup = Lookup()
    found = [
        _look_up_target(unit, principal, lookup, written, index) for index, written in enumerate(definition.targets)
    ]
    snapshots = [snapshot for snapshot in found if snapshot is not None]
    workloads = _look_up_workloads(unit, principal, lookup, definition)
    if workloads is None or len(snapshots) < len(found):
        return lookup
    lookup.plan = assemble(definition, snapshots, workloads)
    return lookup


def assemble(
    definition: PlanDefinition, snapshots: list[TargetSnapshot], workloads: Sequence[WorkloadDefinition]
) -> ResolvedPlan:
    """`workloads` are those of the entries in their order, or the plan's one. Draws a seed where none is given."""
    shared = {field: getattr(definition, field) for field in SHARED_FIELDS}
    seed = definition.seed if definition.seed is not None else secrets.randbits(DRAWN_SEED_BITS)
    entries = [
        ResolvedWorkloadEntry(**dict(written) | {"workload": workload})
        for written, workload in zip(definition.workloads, workloads, strict=False)
    ]
    return ResolvedPlan(
        targets=_distinctly_named(snapshots),
        workload=None if entries else workloads[0],
        workloads=entries,
        seed=seed,
        **shared,
    )


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
    if targets.is_own_endpoint(row):
        lookup.refuse("own_endpoint", f"{path}.target_id", f"{row.name} is Loadstone's own database, broker or api.")
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
    fault = external_only_fault(kind, spoken.protocol)
    if fault is not None:
        lookup.refuse("external_only", f"{path}.protocol", fault)
        return None
    if written.optional:
        lookup.optional.append(index)
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
        placement=written.placement or Placement(),
        server_version=named_version(written.kind, written.profile, written.options),
    )


def written_workloads(definition: PlanDefinition) -> list[tuple[str, WorkloadRef | WorkloadDefinition]]:
    """Each with where it stands."""
    if definition.workload is not None:
        return [("workload", definition.workload)]
    return [(f"workloads[{index}].workload", entry.workload) for index, entry in enumerate(definition.workloads)]


def _look_up_workloads(
    unit: UnitOfWork, principal: Principal, lookup: Lookup, definition: PlanDefinition
) -> list[WorkloadDefinition] | None:
    """None when one is not there, or it is not clear which are meant."""
    if definition.workload is not None and definition.workloads:
        lookup.refuse("two_workloads", "workloads", "Say either one workload or a list of them, not both.")
        return None
    written = written_workloads(definition)
    if not written:
        lookup.refuse("no_workload", "workload", "Say what is sent: one workload, or a list of them.")
        return None
    found = [_look_up_workload(unit, principal, lookup, path, one) for path, one in written]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def _look_up_workload(
    unit: UnitOfWork, principal: Principal, lookup: Lookup, path: str, written: WorkloadRef | WorkloadDefinition
) -> WorkloadDefinition | None:
    if not isinstance(written, WorkloadRef):
        return written
    try:
        return workloads.get_workload(unit, principal, written.workload_id).definition
    except NotFound:
        message = "There is no such workload: it may have been archived."
        lookup.refuse("workload_not_found", f"{path}.workload_id", message)
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
