"""A study's published figures beside what a run of it measured, and both as ratios. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Point = Mapping[str, Any]
Series = Mapping[str, Any]

BASE_WORKLOADS = {"DELETE+INSERT": "set", "REPLACE": "set", "SELECT": "get"}
"""What a workload of one system alone is held against on the other: the study compares them so."""


@dataclass(frozen=True)
class Row:
    """A published figure beside ours; ratios are to the system that the study compares to."""

    study: str
    scenario: str
    system: str
    target: str
    metric: str
    unit: str
    x: float | None
    published: float
    ours: float
    published_ratio: float | None
    our_ratio: float | None
    ratio_to: str


def place_of(series: Series, x: float | None) -> dict[str, Any]:
    place = dict(series["match"])
    if series["axis"] is not None and x is not None:
        place[series["axis"]] = x
    return place


def _at(points: Sequence[Point], place: Mapping[str, Any]) -> list[Point]:
    return [one for one in points if all(one["parameters"].get(name) == value for name, value in place.items())]


def why_missing(points: Sequence[Point], place: Mapping[str, Any]) -> str:
    if not _at(points, place):
        return "The quick size has fewer values on its axes; the full size has this one."
    return "Its trials failed, are void, or do not have this metric."


def value_of(points: Sequence[Point], place: Mapping[str, Any], metric: str) -> float | None:
    """The best one where the figure leaves something open: the study prints the best that it saw."""
    values = [value for point in _at(points, place) if (value := _reading(point, metric)) is not None]
    better: Callable[[list[float]], float] = min if metric.endswith("_ns") else max
    return better(values) if values else None


def _reading(point: Point, metric: str) -> float | None:
    if metric in point["metrics"]:
        return float(point["metrics"][metric]["mean"])
    total = point["total"]
    value = total.get(metric) if total else None
    return float(value) if value is not None else None


def ratios(
    figures: Mapping[str, Any],
    series: Series,
    figure: Mapping[str, Any],
    points: Sequence[Point],
    base: Mapping[str, Any],
) -> tuple[float | None, float | None]:
    """Published and ours, to the base at the same place."""
    place = _based(place_of(series, figure["x"]), base)
    if not base:
        return None, None
    ours = value_of(points, place, series["metric"])
    mine = value_of(points, place_of(series, figure["x"]), series["metric"])
    our_ratio = mine / ours if mine is not None and ours else None
    if series["relative_to"]:
        return figure["value"], our_ratio
    theirs = _published_at(figures, place, series, figure["x"])
    return (figure["value"] / theirs if theirs else None), our_ratio


def _based(place: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    moved = {**place, **base}
    if place.get("target") != base.get("target") and place.get("workload") in BASE_WORKLOADS:
        moved["workload"] = BASE_WORKLOADS[str(place["workload"])]
    return moved


def _published_at(
    figures: Mapping[str, Any], place: Mapping[str, Any], series: Series, x: float | None
) -> float | None:
    for other in figures["series"]:
        if other["metric"] != series["metric"] or other["relative_to"]:
            continue
        if all(place.get(name) == value for name, value in other["match"].items()):
            return next((one["value"] for one in other["points"] if one["x"] == x), None)
    return None
