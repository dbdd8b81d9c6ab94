"""Figures that the studies published: read-only, and laid onto the runs that repeat them.

`published/results.csv` holds every figure as its source prints it. `published/<recipe>.json` says which of a recipe's
points each stands for (`layers`), or why for none (`unmapped`).
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from pydantic import BaseModel, ConfigDict

from loadstone.plans.cells import Cells, Entry
from loadstone.plans.recipe_schemas import (
    PublishedCount,
    PublishedPoint,
    PublishedSeries,
    RecipePublished,
    RunPublished,
    SourceSeries,
)
from loadstone.plans.recipes import recipe_file, recipe_files
from loadstone.plans.schemas import ResolvedPlan
from loadstone.stats.metrics import METRICS

FOLDER = "published"
FIXED_COUNT = "elapsed_s"
"""Says something only where the number of operations is fixed."""


class Figure(BaseModel):
    """A row of `results.csv`."""

    model_config = ConfigDict(frozen=True)

    source: str
    study: str
    scenario: str
    system: str
    client: str
    axis: str
    axis_value: str
    metric: str
    unit: str
    value: str
    note: str

    @property
    def who(self) -> str:
        """What a mapping knows the system by."""
        return f"{self.system}|{self.client}" if self.client else self.system

    @property
    def series(self) -> tuple[str, ...]:
        return (self.scenario, self.system, self.client, self.axis, self.metric, self.unit)

    @property
    def x(self) -> float | None:
        return float(self.axis_value) if self.axis_value else None

    def point(self, scale: float, x: float | None) -> PublishedPoint:
        return PublishedPoint(x=x, value=float(self.value) * scale if self.value else None, note=self.note or None)


class Target(BaseModel):
    """The metric of ours that a printed one becomes, times `scale`."""

    model_config = ConfigDict(extra="forbid")

    metric: str
    scale: float = 1
    derived: str | None = None
    relative_to: dict[str, Any] | None = None
    """The printed value is a ratio to these points."""


class Layer(BaseModel):
    """Figures of these scenarios, systems (`system|client`) and metrics; a match is of both parts.

    A system may name several matches: the first that a run has is meant.
    """

    model_config = ConfigDict(extra="forbid")

    scenarios: dict[str, dict[str, Any]]
    systems: dict[str, list[dict[str, Any]]]
    metrics: dict[str, list[Target]]
    axes: dict[str, str] = {}

    def holds(self, figure: Figure) -> bool:
        known = figure.scenario in self.scenarios and figure.who in self.systems and figure.metric in self.metrics
        return known and bool(figure.value)


class Unmapped(BaseModel):
    """Figures of which every given field is the same."""

    model_config = ConfigDict(extra="forbid")

    scenario: str | None = None
    system: str | None = None
    client: str | None = None
    metric: str | None = None
    value: str | None = None
    reason: str

    def holds(self, figure: Figure) -> bool:
        asked = self.model_dump(exclude={"reason"}, exclude_none=True)
        return all(getattr(figure, name) == value for name, value in asked.items())


class StudyMapping(BaseModel):
    """`study` is the name that `results.csv` gives it."""

    model_config = ConfigDict(extra="forbid")

    study: str
    normalise_to: dict[str, Any]
    layers: list[Layer]
    unmapped: list[Unmapped]

    def reason(self, figure: Figure) -> str | None:
        """Why it is laid onto nothing; None where it is, or nothing is said."""
        if any(layer.holds(figure) for layer in self.layers):
            return None
        return next((one.reason for one in self.unmapped if one.holds(figure)), None)


@cache
def figures() -> tuple[Figure, ...]:
    text = resources.files(__package__).joinpath(FOLDER, "results.csv").read_text(encoding="utf-8")
    return tuple(Figure.model_validate(row) for row in csv.DictReader(text.splitlines()))


@cache
def mappings() -> Mapping[str, StudyMapping]:
    """By recipe."""
    folder = resources.files(__package__).joinpath(FOLDER)
    files = [path for path in folder.iterdir() if path.name.endswith(".json")]
    return {
        path.name.removesuffix(".json"): StudyMapping.model_validate_json(path.read_text(encoding="utf-8"))
        for path in files
    }


def figures_of(slug: str) -> list[Figure]:
    mapping = mappings().get(slug)
    return [figure for figure in figures() if mapping is not None and figure.study == mapping.study]


def published_count(slug: str) -> PublishedCount:
    found = figures_of(slug)
    mapped = [one for one in found if any(layer.holds(one) for layer in mappings()[slug].layers)]
    return PublishedCount(count=len(found), mapped=len(mapped))


def recipe_figures(slug: str) -> RecipePublished:
    """As the source prints them. Raises NotFound."""
    source = recipe_file(slug).source
    shown = []
    for key, group in _grouped((figure.series, figure) for figure in figures_of(slug)):
        scenario, system, client, axis, metric, unit = key
        shown.append(
            SourceSeries(
                scenario=scenario,
                system=system,
                client=client or None,
                axis=axis or None,
                metric=metric,
                unit=unit,
                points=[figure.point(1, figure.x) for figure in group],
                reason=mappings()[slug].reason(group[0]),
            )
        )
    return RecipePublished(series=shown, source=source)


def _grouped(pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, list[Any]]]:
    groups: dict[Any, list[Any]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return iter(groups.items())


def figures_for_run(slug: str | None, definition: Mapping[str, Any]) -> RunPublished:
    """Those whose targets, workloads and settings the run has; nothing for a run of no study."""
    mapping = mappings().get(slug or "")
    if slug is None or mapping is None or slug not in recipe_files():
        return RunPublished(series=[], normalise_to=None, source=None)
    cells = Cells(ResolvedPlan.model_validate(definition))
    series = []
    for layer in mapping.layers:
        held = [(figure.series, figure) for figure in figures_of(slug) if layer.holds(figure)]
        for _, group in _grouped(held):
            series += list(_laid(layer, group, cells))
    normalise_to = _bound(mapping.normalise_to, cells)
    return RunPublished(series=series, normalise_to=normalise_to, source=recipe_files()[slug].source)


def _laid(layer: Layer, group: list[Figure], cells: Cells) -> Iterator[PublishedSeries]:
    first = group[0]
    scenario = layer.scenarios[first.scenario]
    bound = (_bound({**scenario, **system}, cells) for system in layer.systems[first.who])
    match = next((one for one in bound if one is not None), None)
    if match is None:
        return
    axis = layer.axes.get(first.axis)
    for target in layer.metrics[first.metric]:
        if target.metric == FIXED_COUNT and not _has_fixed_count(match, cells):
            continue
        yield PublishedSeries(
            label=f"{first.system} ({first.client})" if first.client else first.system,
            system=first.system,
            client=first.client or None,
            scenario=first.scenario,
            match=match,
            axis=axis,
            metric=target.metric,
            unit="ratio" if target.relative_to else METRICS[target.metric].unit,
            derived=target.derived,
            relative_to=target.relative_to,
            points=sorted(
                (one.point(target.scale, one.x if axis else None) for one in group), key=lambda point: point.x or 0
            ),
        )


def _bound(match: Mapping[str, Any], cells: Cells) -> dict[str, Any] | None:
    """Without what does not vary in the run and is as the figure wants it; None where the run has no such point."""
    axes = _axes(cells)
    bound = {}
    for name, value in match.items():
        if name in axes:
            if value not in axes[name]:
                return None
            bound[name] = value
        elif name == "engine" and value != cells.plan.engines[0].name:
            return None
    return bound


def _axes(cells: Cells) -> dict[str, list[Any]]:
    axes: dict[str, list[Any]] = {axis.parameter: list(axis.values) for axis in cells.plan.axes}
    axes["target"] = [target.name for target in cells.plan.targets]
    if cells.workload_names != [None]:
        axes["workload"] = list(cells.workload_names)
    if cells.has_many_engines:
        axes["engine"] = [engine.name for engine in cells.plan.engines]
    return axes


def _has_fixed_count(match: Mapping[str, Any], cells: Cells) -> bool:
    def is_meant(entry: Entry) -> bool:
        return entry.name in (None, match.get("workload")) and entry.is_for(str(match["target"]))

    return all(entry.stop.seconds is None for entry in cells.entries if is_meant(entry))
