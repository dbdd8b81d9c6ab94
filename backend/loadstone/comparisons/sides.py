"""What a comparison's sides are made of, and which of their points belong together. Pure."""

import uuid
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.comparisons.schemas import Side
from loadstone.errors import InvalidInput
from loadstone.models import Run

Parameters = dict[str, Any]


class SideEmpty(InvalidInput):
    """The run has no such target, or no point where the parameters have these values."""

    code = "side_matches_nothing"
    title = "A side of the comparison is empty"


class SidesAmbiguous(InvalidInput):
    """Several points of one side stand for the same setting."""

    code = "sides_ambiguous"
    title = "A side varies more than the others"


@dataclass(frozen=True, slots=True)
class SidePoint:
    id: uuid.UUID
    run_id: uuid.UUID
    parameters: Parameters
    target_index: int
    series_id: uuid.UUID | None


@dataclass(frozen=True)
class ResolvedSide:
    """`path` is where the side stands in the request."""

    index: int
    path: str
    asked: Side
    run: Run
    agent_name: str | None
    points: list[SidePoint]

    @property
    def target(self) -> dict[str, Any] | None:
        """The snapshot of the only target; None where there are several."""
        indexes = {point.target_index for point in self.points}
        found: dict[str, Any] | None = self.run.definition["targets"][indexes.pop()] if len(indexes) == 1 else None
        return found

    def values(self, parameter: str) -> set[Hashable]:
        return {point.parameters.get(parameter) for point in self.points}


def choose_points(asked: Side, path: str, points: Sequence[SidePoint]) -> list[SidePoint]:
    """Of a run's points those that the side asks for; raises SideEmpty."""
    wanted = {**(asked.where or {}), **({"target": asked.target} if asked.target is not None else {})}
    chosen = [
        point
        for point in points
        if (asked.point_id is None or point.id == asked.point_id)
        and all(point.parameters.get(name) == value for name, value in wanted.items())
    ]
    if not chosen:
        said = ", ".join(f"{name} = {value}" for name, value in wanted.items()) or "any parameters"
        raise SideEmpty(f"The run has no point with {said}. Choose from its parameters.", path=path)
    return chosen


@dataclass(frozen=True, slots=True)
class Match:
    """One setting at which the base and a contender have a point each."""

    contender: int
    parameters: Parameters
    base_point: SidePoint
    contender_point: SidePoint


def matching_parameters(sides: Sequence[ResolvedSide]) -> list[str]:
    """Those that all sides have and at least one of them varies: the others tell sides apart, not settings."""
    shared = [
        name for name in sides[0].points[0].parameters if all(name in side.points[0].parameters for side in sides)
    ]
    return [name for name in shared if any(len(side.values(name)) > 1 for side in sides)]


def match_points(sides: Sequence[ResolvedSide], names: Sequence[str]) -> list[Match]:
    """In the base's order, contender by contender; raises SidesAmbiguous."""
    keyed = [_by_setting(side, names) for side in sides]
    return [
        Match(index, dict(zip(names, key, strict=True)), base_point, contender_points[key])
        for index, contender_points in enumerate(keyed)
        if index > 0
        for key, base_point in keyed[0].items()
        if key in contender_points
    ]


def _by_setting(side: ResolvedSide, names: Sequence[str]) -> dict[tuple[Any, ...], SidePoint]:
    found: dict[tuple[Any, ...], SidePoint] = {}
    for point in side.points:
        key = tuple(point.parameters[name] for name in names)
        if key in found:
            free = [name for name in point.parameters if name not in names and len(side.values(name)) > 1]
            raise SidesAmbiguous(
                f"This side varies {', '.join(free)}, which another side does not have. Fix it with `where`.",
                path=side.path,
            )
        found[key] = point
    return found


def labels(sides: Sequence[ResolvedSide]) -> list[str]:
    """As short as tells the sides apart."""
    is_one_run = len({side.run.id for side in sides}) == 1
    found = []
    for side in sides:
        target = side.target["name"] if side.target and len(side.run.definition["targets"]) > 1 else None
        where = ", ".join(f"{name} {value}" for name, value in _fixed(side).items())
        parts = [None if is_one_run and (target or where) else side.run.name, target, where or None]
        found.append(" · ".join(part for part in parts if part))
    return [
        f"{label} ({found[:index].count(label) + 1})" if found.count(label) > 1 else label
        for index, label in enumerate(found)
    ]


def _fixed(side: ResolvedSide) -> Parameters:
    if side.asked.point_id is not None:
        return {name: value for name, value in side.points[0].parameters.items() if name != "target"}
    return {name: value for name, value in (side.asked.where or {}).items() if name != "target"}
