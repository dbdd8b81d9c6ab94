"""Trends and comparisons as charts and badges. Pure."""

from loadstone.comparisons.schemas import Cell, Comparison
from loadstone.sharing.chart import Axis, Chart, Dot, Line, short_number, short_time
from loadstone.sharing.drawing import day
from loadstone.stats.metrics import METRICS
from loadstone.trends.schemas import MetricInfo, SeriesLine, SeriesValues

NANOSECONDS = "ns"
NANOSECONDS_PER_MS = 1e6
CELLS_SHOWN_MAX = 30
LINES_SHOWN_MAX = 10


def trend_chart(found: SeriesValues, title: str) -> Chart:
    """Values over time; excluded points are left out, and the note says so."""
    lines = tuple(_trend_line(line, index, found.metric) for index, line in enumerate(found.items[:LINES_SHOWN_MAX]))
    excluded = sum(value.excluded is not None for line in found.items for value in line.values)
    notes = [found.operation] if found.operation != "all" else []
    notes += ["band: lowest to highest trial"] + ([f"{excluded} excluded"] if excluded else [])
    unit = "ms" if found.metric.unit == NANOSECONDS else found.metric.unit
    is_log = found.metric.unit == NANOSECONDS
    return Chart(title, Axis("", is_time=True), Axis(f"{found.metric.title} ({unit})", is_log), lines, ", ".join(notes))


def _trend_line(line: SeriesLine, index: int, metric: MetricInfo) -> Line:
    scale = NANOSECONDS_PER_MS if metric.unit == NANOSECONDS else 1
    return Line(
        line.series.title,
        index,
        tuple(
            Dot(day(value.at), value.value / scale, value.low / scale, value.high / scale)
            for value in line.values
            if value.excluded is None
        ),
    )


def trend_badge(found: SeriesValues, title: str) -> tuple[str, str]:
    """Of the first series the newest value, and how its newest shift changed it."""
    line = found.items[0] if found.items else None
    counted = [value for value in line.values if value.excluded is None] if line else []
    if line is None or not counted:
        return title, "no figures yet"
    value = short_value(counted[-1].value, found.metric.unit)
    if not line.change_points:
        return title, f"{value}, steady"
    last = line.change_points[-1]
    return title, f"{value}, {last.direction} {last.change:+.1%}"


def short_value(value: float, unit: str) -> str:
    return short_time(value) if unit == NANOSECONDS else f"{short_number(value)} {unit}".strip()


def comparison_chart(found: Comparison, title: str) -> Chart:
    """A forest plot of the first metric: the ratio to the base with its interval, a row for each cell."""
    metric = found.definition.metrics[0]
    cells = [cell for cell in found.cells if cell.metric == metric and cell.ratio is not None][:CELLS_SHOWN_MAX]
    dots: dict[int, list[Dot]] = {}
    for row, cell in enumerate(cells):
        dots.setdefault(cell.contender, []).append(_ratio_dot(cell, row))
    labels = {side.index: side.label for side in found.sides}
    lines = tuple(Line(labels[index], index, tuple(found_dots)) for index, found_dots in dots.items())
    x = Axis(f"{METRICS[metric].title}, ratio to {labels[0]}")
    names = tuple(_cell_name(cell, found, labels) for cell in cells)
    note = f"interval {found.definition.confidence:.0%}, {METRICS[metric].better} is better"
    return Chart(title, x, Axis(""), lines, note, names, rule=1)


def _ratio_dot(cell: Cell, row: int) -> Dot:
    ratio = cell.ratio or 1.0
    return Dot(
        ratio, row, cell.interval.low if cell.interval else ratio, cell.interval.high if cell.interval else ratio
    )


def _cell_name(cell: Cell, found: Comparison, labels: dict[int, str]) -> str:
    setting = ", ".join(f"{name} {cell.parameters[name]}" for name in found.parameters if name in cell.parameters)
    who = labels[cell.contender] if len(found.sides) > 2 or not setting else ""
    return f"{who} {setting}: {cell.verdict.replace('_', ' ')}".strip()


def comparison_badge(found: Comparison) -> tuple[str, str]:
    """The first contender against the base where they differ most, and the verdict's word."""
    metric = found.definition.metrics[0]
    cells = [one for one in found.cells if one.metric == metric and one.contender == 1 and one.ratio is not None]
    labels = {side.index: side.label for side in found.sides}
    label = f"{labels[1]} vs {labels[0]}"
    decided = [cell for cell in cells if cell.verdict in ("better", "worse")]
    if not cells:
        return label, "not enough data"
    if not decided:
        return label, cells[0].verdict.replace("_", " ")
    best = max(decided, key=lambda cell: abs((cell.ratio or 1) - 1))
    return label, f"{best.ratio:.2f}x {best.verdict}"
