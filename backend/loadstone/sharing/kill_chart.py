"""What the kills of a run took, as a chart and a badge. Pure."""

from collections.abc import Sequence
from typing import Any

from loadstone.comparisons.kills import LOST, TORN, Loss, kill_badge, losses_of
from loadstone.results.schemas import Point
from loadstone.runs.schemas import Run
from loadstone.sharing.chart import Axis, Chart, Dot, Line
from loadstone.sharing.run_chart import hidden_in

PERCENT = 100
ROWS_SHOWN_MAX = 30


def kill_chart(run: Run, killed: Sequence[Point], view: dict[str, Any], title: str, sentence: str) -> Chart:
    """A row a point, with the lowest and the highest trial; `sentence` is the run's own."""
    shown = _shown(killed, view)[:ROWS_SHOWN_MAX]
    targets = [target.name for target in run.definition.targets]
    lines = tuple(
        Line(target, index, tuple(_dot(point, row) for row, point in enumerate(shown) if _target(point) == target))
        for index, target in enumerate(targets)
    )
    x = Axis("Acknowledged keys lost to the kill (%)", span=(0, PERCENT))
    names = tuple(loss.name for loss in _losses(shown))
    has_bands = any(dot.low < dot.high for line in lines for dot in line.dots)
    note = f"{sentence} Lines: lowest to highest trial." if has_bands else sentence
    return Chart(title, x, Axis(""), lines, note, names)


def kill_chart_badge(run: Run, killed: Sequence[Point], view: dict[str, Any]) -> tuple[str, str]:
    return kill_badge(_losses(_shown(killed, view)), run.name)


def _shown(killed: Sequence[Point], view: dict[str, Any]) -> list[Point]:
    hidden = hidden_in(view)
    return [point for point in killed if _target(point) not in hidden]


def _target(point: Point) -> Any:
    return point.parameters.get("target")


def _losses(points: Sequence[Point]) -> list[Loss]:
    return losses_of((point.parameters, point.metrics[LOST].mean, point.metrics[TORN].mean) for point in points)


def _dot(point: Point, row: int) -> Dot:
    lost = point.metrics[LOST]
    return Dot(lost.mean * PERCENT, row, lost.low * PERCENT, lost.high * PERCENT)
