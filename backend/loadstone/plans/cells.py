"""Which cells a resolved plan has: a target, a workload, an engine and a value of every axis. Pure.

A *setting* is everything in a cell that is the same for all that are compared at it: the workload's name and the
axes' values. A *side* is what is compared: a target by an engine.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from loadstone_contracts.engine_load import EngineLoad

from loadstone.plans.axes import AXES, SERVER_CPUS, Binding
from loadstone.plans.schemas import NATIVE_ENGINE, PlanEngine, PlanStop, ResolvedPlan
from loadstone.targets.schemas import TargetSnapshot
from loadstone.workloads.schemas import WorkloadDefinition

Setting = dict[str, Any]
WORKLOAD = "workload"
ENGINE = "engine"


@dataclass(frozen=True)
class Entry:
    """A workload as some targets get it; `name` is None where the plan has but one."""

    name: str | None
    workload: WorkloadDefinition
    load: EngineLoad
    stop: PlanStop
    prefill: bool
    targets: frozenset[str] | None
    only: Mapping[str, frozenset[int | float]]
    path: str
    """Where its definition stands in the plan."""

    def is_for(self, target: str) -> bool:
        return self.targets is None or target in self.targets

    def holds(self, setting: Setting) -> bool:
        return all(setting[name] in values for name, values in self.only.items() if name in setting)


class Side(NamedTuple):
    target_index: int
    engine_index: int


class Cells:
    """Axes are known; their values need not be in range."""

    def __init__(self, plan: ResolvedPlan) -> None:
        self.plan = plan
        self.entries = list(_entries(plan))
        self.workload_names: list[str | None] = list(dict.fromkeys(entry.name for entry in self.entries))
        sides = itertools.product(range(len(plan.targets)), range(len(plan.engines)))
        self.sides = [Side(*side) for side in sides]

    @cached_property
    def settings(self) -> list[Setting]:
        """Workload by workload, and in each the product of the axes."""
        names = [axis.parameter for axis in self.plan.axes]
        values = [[AXES[axis.parameter].normalise(value) for value in axis.values] for axis in self.plan.axes]
        return [
            ({} if name is None else {WORKLOAD: name}) | dict(zip(names, row, strict=True))
            for name in self.workload_names
            for row in itertools.product(*values)
        ]

    @property
    def has_many_engines(self) -> bool:
        return len(self.plan.engines) > 1

    def target(self, side: Side) -> TargetSnapshot:
        return self.plan.targets[side.target_index]

    def engine(self, side: Side) -> PlanEngine:
        return self.plan.engines[side.engine_index]

    def entry(self, side: Side, setting: Setting) -> Entry | None:
        """None where there is no such cell."""
        name = setting.get(WORKLOAD)
        target = self.target(side).name
        if not _runs(self.engine(side), target, name):
            return None
        entry = next((one for one in self.entries if one.name == name and one.is_for(target)), None)
        return entry if entry is not None and entry.holds(setting) else None

    def count(self) -> int:
        """Without making them: a plan may ask for millions."""
        return sum(
            _count_settings(self.plan, entry)
            for side in self.sides
            for entry in self.entries
            if entry.is_for(self.target(side).name) and _runs(self.engine(side), self.target(side).name, entry.name)
        )

    def count_settings(self) -> int:
        return len(self.workload_names) * math.prod(len(axis.values) for axis in self.plan.axes)

    def bind(self, entry: Entry, setting: Setting) -> Binding:
        binding = Binding(entry.workload, entry.load, self.plan.threads)
        for parameter, value in setting.items():
            if parameter != WORKLOAD:
                binding = AXES[parameter].bind(binding, value)
        return binding

    def bindings(self) -> Iterator[tuple[Entry, Setting, Binding]]:
        """Each entry at each setting that it has."""
        for entry in self.entries:
            for setting in self.settings:
                if setting.get(WORKLOAD) == entry.name and entry.holds(setting):
                    yield entry, setting, self.bind(entry, setting)


def engine_of(definition: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    """The engine of a point of a run with this definition."""
    engines = definition.get("engines") or [{"name": NATIVE_ENGINE}]
    return str(parameters.get(ENGINE) or engines[0]["name"])


def placed_target(definition: Mapping[str, Any], target_index: int, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The target's snapshot as a point of a run has it: on the first cores where their number is an axis."""
    target: dict[str, Any] = definition["targets"][target_index]
    count = parameters.get(SERVER_CPUS)
    if count is None:
        return target
    return {**target, "placement": {**(target.get("placement") or {}), "cpus": f"0-{count - 1}" if count > 1 else "0"}}


def _entries(plan: ResolvedPlan) -> Iterator[Entry]:
    if plan.workload is not None:
        yield Entry(None, plan.workload, plan.load, plan.stop, plan.prefill, None, {}, "workload")
    for index, written in enumerate(plan.workloads):
        yield Entry(
            name=written.name,
            workload=written.workload,
            load=written.load or plan.load,
            stop=written.stop or plan.stop,
            prefill=plan.prefill if written.prefill is None else written.prefill,
            targets=None if written.targets is None else frozenset(written.targets),
            only={name: frozenset(values) for name, values in written.only.items()},
            path=f"workloads[{index}].workload",
        )


def _runs(engine: PlanEngine, target: str, workload: str | None) -> bool:
    if engine.targets is not None and target not in engine.targets:
        return False
    return engine.workloads is None or workload in engine.workloads


def _count_settings(plan: ResolvedPlan, entry: Entry) -> int:
    count = 1
    for axis in plan.axes:
        allowed = entry.only.get(axis.parameter)
        count *= sum(1 for value in axis.values if allowed is None or value in allowed)
    return count
