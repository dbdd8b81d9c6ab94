"""Expands a resolved plan into points and trials. Pure: the same plan gives the same grid, byte for byte.

Points are ordered target by target. Trials stand in the order of execution:

`interleaved`: repetition by repetition, and in each one block a setting (the axes' values without the target).
A block holds one trial of every target, next to each other in time, so that they are compared as a pair. Drift of
the machine cancels out: the order of the targets is reversed from repetition to repetition (A B, then B A), the
target that begins rotates from setting to setting, and the settings are walked up, then down.
`sequential`: point after point. `shuffled`: all trials in one seeded shuffle.

A block number names a setting and a repetition in every order, so pairs can be found in any run.
"""

import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from loadstone_contracts.engine_plan import EnginePhase, EngineWork
from pydantic import BaseModel

from loadstone.canonical import canonical_json
from loadstone.plans.axes import AXES, Binding
from loadstone.plans.schemas import ResolvedPlan
from loadstone.targets.schemas import TargetSnapshot
from loadstone.targets.store_kinds import effective_options, store_kinds

Setting = dict[str, Any]


@dataclass(frozen=True)
class GridPoint:
    ordinal: int
    parameters: dict[str, Any]
    """`target` and every axis."""
    target_index: int
    work: EngineWork
    """Every parameter bound. Its seed is the plan's; a trial brings its own."""
    identity: dict[str, Any]
    """Of the series this point belongs to, but for the agent's class."""


@dataclass(frozen=True)
class GridTrial:
    ordinal: int
    """Place in the order of execution, from 0."""
    point_ordinal: int
    repetition: int
    block: int
    seed: int


@dataclass(frozen=True)
class Grid:
    points: list[GridPoint]
    trials: list[GridTrial]


def count_points(plan: ResolvedPlan) -> int:
    count = len(plan.targets)
    for axis in plan.axes:
        count *= len(axis.values)
    return count


def count_trials(plan: ResolvedPlan) -> int:
    return count_points(plan) * plan.trials_per_point


def expand(plan: ResolvedPlan) -> Grid:
    """The plan's axes are known and in range."""
    grid = _Expansion(plan)
    return Grid(points=list(grid.points()), trials=list(grid.trials()))


def bind_setting(plan: ResolvedPlan, setting: Setting) -> Binding:
    binding = Binding(plan.workload, plan.load, plan.threads)
    for parameter, value in setting.items():
        binding = AXES[parameter].bind(binding, value)
    return binding


def trial_seed(plan_seed: int, setting: Setting, repetition: int) -> int:
    """63 bits. Without the target in it: all targets of a block see the same keys in the same order."""
    text = f"{plan_seed}:{repetition}:{canonical_json(setting)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


@dataclass(frozen=True)
class _Slot:
    """A trial before it has its place."""

    target_index: int
    setting_index: int
    repetition: int


class _Expansion:
    def __init__(self, plan: ResolvedPlan) -> None:
        self.plan = plan
        names = [axis.parameter for axis in plan.axes]
        values = [[AXES[axis.parameter].normalise(value) for value in axis.values] for axis in plan.axes]
        self.settings: list[Setting] = [dict(zip(names, row, strict=True)) for row in itertools.product(*values)]

    def points(self) -> Iterator[GridPoint]:
        bindings = [bind_setting(self.plan, setting) for setting in self.settings]
        pairs = itertools.product(self.plan.targets, zip(self.settings, bindings, strict=True))
        for ordinal, (target, (setting, binding)) in enumerate(pairs):
            yield GridPoint(
                ordinal=ordinal,
                parameters={"target": target.name, **setting},
                target_index=target.index,
                work=self._work(binding),
                identity=self._identity(target, binding),
            )

    def trials(self) -> Iterator[GridTrial]:
        for ordinal, slot in enumerate(self._ordered_slots()):
            yield GridTrial(
                ordinal=ordinal,
                point_ordinal=slot.target_index * len(self.settings) + slot.setting_index,
                repetition=slot.repetition,
                block=slot.repetition * len(self.settings) + slot.setting_index,
                seed=trial_seed(self.plan.seed, self.settings[slot.setting_index], slot.repetition),
            )

    def _ordered_slots(self) -> Sequence[_Slot]:
        if self.plan.order == "interleaved":
            return list(self._interleaved())
        slots = list(self._sequential())
        if self.plan.order == "shuffled":
            random.Random(self.plan.seed).shuffle(slots)  # noqa: S311 - an order to be repeated, not a secret
        return slots

    def _sequential(self) -> Iterator[_Slot]:
        repetitions = range(self.plan.trials_per_point)
        for target, setting in itertools.product(range(len(self.plan.targets)), range(len(self.settings))):
            for repetition in repetitions:
                yield _Slot(target, setting, repetition)

    def _interleaved(self) -> Iterator[_Slot]:
        first_order = list(range(len(self.plan.targets)))
        random.Random(self.plan.seed).shuffle(first_order)  # noqa: S311 - as above
        for repetition in range(self.plan.trials_per_point):
            is_way_back = repetition % 2 == 1
            walk = range(len(self.settings))
            for setting in reversed(walk) if is_way_back else walk:
                start = setting % len(first_order)
                targets = first_order[start:] + first_order[:start]
                for target in reversed(targets) if is_way_back else targets:
                    yield _Slot(target, setting, repetition)

    @cached_property
    def _phases(self) -> list[EnginePhase]:
        phases = [EnginePhase(name="prefill")] if self.plan.prefill else []
        if self.plan.warmup is not None:
            phases.append(EnginePhase(name="warmup", stop=self.plan.warmup))
        return [*phases, EnginePhase(name="measure", stop=self.plan.stop)]

    def _work(self, binding: Binding) -> EngineWork:
        return EngineWork(
            dataset=binding.workload.dataset,
            operations=binding.workload.operations,
            access=binding.workload.access,
            load=binding.load,
            threads=binding.threads,
            phases=self._phases,
            seed=self.plan.seed,
            verify=self.plan.verify,
            timeout_ms=self.plan.timeout_ms,
        )

    def _identity(self, target: TargetSnapshot, binding: Binding) -> dict[str, Any]:
        return {
            "target": _target_identity(target),
            "workload": without_defaults(binding.workload),
            "load": without_defaults(binding.load),
            "threads": binding.threads,
            "verify": self.plan.verify,
            "prefill": self.plan.prefill,
        }


def without_defaults(model: BaseModel) -> dict[str, Any]:
    """As JSON, without fields that have their default, but with every `kind`.

    A later version that has one field more gives the same identity to what does not use it: a series goes on.
    """
    full, slim = model.model_dump(mode="json"), model.model_dump(mode="json", exclude_defaults=True)
    kept: dict[str, Any] = _chosen(full, slim)
    return kept


def _chosen(full: Any, slim: Any) -> Any:
    if isinstance(full, dict) and isinstance(slim, dict):
        return {
            name: _chosen(full[name], slim.get(name, full[name])) for name in full if name == "kind" or name in slim
        }
    if isinstance(full, list) and isinstance(slim, list):
        return [_chosen(one, other) for one, other in zip(full, slim, strict=True)]
    return full


def _target_identity(target: TargetSnapshot) -> dict[str, Any]:
    identity: dict[str, Any] = {"kind": target.kind, "mode": target.mode}
    if target.protocol not in (None, store_kinds()[target.kind].protocols[0].protocol):
        identity["protocol"] = target.protocol
    if target.mode == "external":
        return identity | {"host": target.host, "port": target.port}
    options = effective_options(target.kind, target.profile or "", target.options)
    return identity | {"profile": target.profile, "options": options}
