"""Expands a resolved plan into points and trials. Pure: the same plan gives the same grid, byte for byte.

Points are ordered side by side (see `cells`). Trials stand in the order of execution:

`interleaved`: repetition by repetition, and in each one block a setting (workload and axes' values without the side).
A block holds one trial of every side, next to each other in time, so that they are compared as a pair. The order of
the sides is drawn anew in each block (`stats.paired.order`), seeded, so that no disturbance of the machine keeps
step with it; the settings are walked up, then down.
`sequential`: point after point. `shuffled`: all trials in one seeded shuffle.

A block number names a setting and a repetition in every order, so pairs can be found in any run.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loadstone_contracts.agent_calls import Placement
from loadstone_contracts.engine_plan import EnginePhase, EngineWork, Trace
from pydantic import BaseModel

from loadstone.canonical import canonical_json
from loadstone.plans.axes import Binding
from loadstone.plans.cells import ENGINE, WORKLOAD, Cells, Entry, Setting, Side
from loadstone.plans.schemas import NATIVE_ENGINE, ResolvedPlan
from loadstone.stats.paired.order import block_orders
from loadstone.targets.schemas import TargetSnapshot
from loadstone.targets.store_kinds import effective_options, store_kinds

ORDER_OF_BLOCKS = -1
"""In the place of a repetition: the seed of a setting's blocks is none of its trials' seeds."""


@dataclass(frozen=True)
class GridPoint:
    ordinal: int
    parameters: dict[str, Any]
    """`target`, `workload` and `engine` where they vary, and every axis."""
    target_index: int
    engine: str
    work: EngineWork
    """Every parameter bound. Its seed is the plan's; a trial brings its own."""
    identity: dict[str, Any]
    """Of the series this point belongs to, but for the agent's class."""
    kill_after_s: float | None = None
    """Of the measurement, where it is a check of durability."""


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
    return Cells(plan).count()


def count_trials(plan: ResolvedPlan) -> int:
    return count_points(plan) * plan.trials_per_point


def expand(plan: ResolvedPlan) -> Grid:
    """The plan's axes are known and in range."""
    grid = _Expansion(plan)
    return Grid(points=grid.points, trials=list(grid.trials()))


def trial_seed(plan_seed: int, setting: Setting, repetition: int) -> int:
    """63 bits. Without the side in it: all sides of a block see the same keys in the same order."""
    text = f"{plan_seed}:{repetition}:{canonical_json(setting)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


@dataclass(frozen=True)
class _Slot:
    """A trial before it has its place."""

    side: Side
    setting_index: int
    repetition: int


class _Expansion:
    def __init__(self, plan: ResolvedPlan) -> None:
        self.plan = plan
        self.cells = Cells(plan)
        self.points: list[GridPoint] = []
        self.ordinals: dict[tuple[Side, int], int] = {}
        for side in self.cells.sides:
            self._add_points(side)

    def _add_points(self, side: Side) -> None:
        for index, setting in enumerate(self.cells.settings):
            entry = self.cells.entry(side, setting)
            if entry is not None:
                self.ordinals[side, index] = len(self.points)
                self.points.append(self._point(side, setting, entry))

    def _point(self, side: Side, setting: Setting, entry: Entry) -> GridPoint:
        binding = self.cells.bind(entry, setting)
        target, engine = self.cells.target(side), self.cells.engine(side).name
        named = {name: setting[name] for name in (WORKLOAD,) if name in setting}
        if self.cells.has_many_engines:
            named[ENGINE] = engine
        return GridPoint(
            ordinal=len(self.points),
            parameters={"target": target.name, **named, **setting},
            target_index=side.target_index,
            engine=engine,
            work=self._work(binding, entry),
            identity=self._identity(target, engine, binding, entry),
            kill_after_s=entry.workload.durability.kill_after_s if entry.workload.durability else None,
        )

    def trials(self) -> Iterator[GridTrial]:
        for ordinal, slot in enumerate(self._ordered_slots()):
            setting = self.cells.settings[slot.setting_index]
            yield GridTrial(
                ordinal=ordinal,
                point_ordinal=self.ordinals[slot.side, slot.setting_index],
                repetition=slot.repetition,
                block=slot.repetition * len(self.cells.settings) + slot.setting_index,
                seed=trial_seed(self.plan.seed, setting, slot.repetition),
            )

    def _ordered_slots(self) -> Sequence[_Slot]:
        if self.plan.order == "interleaved":
            return list(self._interleaved())
        slots = list(self._sequential())
        if self.plan.order == "shuffled":
            random.Random(self.plan.seed).shuffle(slots)  # noqa: S311 - an order to be repeated, not a secret
        return slots

    def _sequential(self) -> Iterator[_Slot]:
        for side, setting in self.ordinals:
            for repetition in range(self.plan.trials_per_point):
                yield _Slot(side, setting, repetition)

    def _interleaved(self) -> Iterator[_Slot]:
        walk = range(len(self.cells.settings))
        blocks = [self._blocks_at(setting) for setting in walk]
        for repetition in range(self.plan.trials_per_point):
            for setting in reversed(walk) if repetition % 2 == 1 else walk:
                for side in blocks[setting][repetition]:
                    yield _Slot(side, setting, repetition)

    def _blocks_at(self, setting: int) -> list[list[Side]]:
        """The sides that have a cell there, in the order of each repetition. The first side of the plan is the base."""
        present = [side for side in self.cells.sides if (side, setting) in self.ordinals]
        # By the setting's values, not by its place: a new value on an axis leaves the other blocks as they are.
        seed = trial_seed(self.plan.seed, self.cells.settings[setting], ORDER_OF_BLOCKS)
        draw = random.Random(seed)  # noqa: S311 - an order to be repeated, not a secret
        orders = block_orders(len(present), self.plan.trials_per_point, draw)
        return [[present[place] for place in order] for order in orders]

    def _phases(self, entry: Entry, connections: int) -> list[EnginePhase]:
        phases = [EnginePhase(name="prefill")] if entry.prefill else []
        if self.plan.warmup is not None:
            phases.append(EnginePhase(name="warmup", stop=self.plan.warmup.rule(connections)))
        return [*phases, EnginePhase(name="measure", stop=entry.stop.rule(connections))]

    def _work(self, binding: Binding, entry: Entry) -> EngineWork:
        workload = binding.workload
        return EngineWork(
            dataset=workload.dataset,
            operations=workload.operations,
            access=workload.access,
            trace=Trace(file=workload.trace.digest) if workload.trace else None,
            replica_lag=workload.replica_lag,
            load=binding.load,
            threads=binding.threads,
            phases=self._phases(entry, binding.load.connections),
            seed=self.plan.seed,
            verify=self.plan.verify,
            timeout_ms=self.plan.timeout_ms,
        )

    def _identity(self, target: TargetSnapshot, engine: str, binding: Binding, entry: Entry) -> dict[str, Any]:
        identity = {
            "target": _target_identity(target),
            "workload": without_defaults(binding.workload),
            "load": without_defaults(binding.load),
            "threads": binding.threads,
            "verify": self.plan.verify,
            "prefill": entry.prefill,
        }
        if binding.server_cpus is not None:
            identity["server_cpus"] = binding.server_cpus
        return identity if engine == NATIVE_ENGINE else identity | {"engine": engine}


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
    if target.placement != Placement():
        identity["placement"] = without_defaults(target.placement)
    return identity | {"profile": target.profile, "options": options}
