"""A run's curve as the link's view has it: the same choices as the run page makes. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loadstone.results.quantiles import Quantiles
from loadstone.results.schemas import Point, PointOperation
from loadstone.runs.schemas import Run
from loadstone.sharing.chart import Axis, Chart, Dot, Line, short_number, short_time

Curve = Literal["throughput", "response_time"]

LOG_SPAN = 8
"""Values that grow by such a factor look evenly spaced on a log axis."""
PERCENTILES = ("p50", "p90", "p99", "p999", "max")
NANOSECONDS_PER_MS = 1e6
PARAMETER_TITLES = {
    "connections": "Connections",
    "pipeline": "Pipeline depth",
    "rate_per_s": "Offered rate (ops/s)",
    "threads": "Threads",
    "value_size_bytes": "Value size (bytes)",
    "key_count": "Keys",
    "key_size_bytes": "Key size (bytes)",
    "keys_per_request": "Keys per request",
    "zipf_exponent": "Zipf exponent",
    "get_share": "Share of gets",
}


@dataclass(frozen=True)
class Selection:
    """What of the run is shown."""

    axis: str
    values: Sequence[float]
    others: dict[str, float]
    targets: Sequence[str]
    hidden: frozenset[str]
    operation: str
    clock: Literal["response_time_ns", "service_time_ns"]
    percentile: str
    zoom: tuple[float, float] | None


def select(run: Run, view: dict[str, Any]) -> Selection:
    """What the view leaves out, or says wrongly, is chosen by the run."""
    axes = _numeric_axes(run)
    longest = max(axes, key=lambda axis: len(axes[axis]))
    axis = view["axis"] if view.get("axis") in axes else longest
    asked = view.get("at")
    at = asked if isinstance(asked, dict) else {}
    others = {name: _chosen(values, at.get(name)) for name, values in axes.items() if name != axis}
    percentiles = [name for name in PERCENTILES if name in _list(view.get("pct"))]
    return Selection(
        axis=axis,
        values=axes[axis],
        others=others,
        targets=[target.name for target in run.definition.targets],
        hidden=hidden_in(view),
        operation=view["op"] if isinstance(view.get("op"), str) else "all",
        clock="service_time_ns" if view.get("time") == "service" else "response_time_ns",
        percentile=percentiles[-1] if percentiles else "p99",
        zoom=_range(view.get("zoom")),
    )


def hidden_in(view: dict[str, Any]) -> frozenset[str]:
    """Targets that the view's legend has switched off."""
    return frozenset(name for name in _list(view.get("hide")) if isinstance(name, str))


def _numeric_axes(run: Run) -> dict[str, list[float]]:
    axes = {
        axis.parameter: sorted(value for value in axis.values if _is_number(value))
        for axis in run.axes
        if axis.parameter != "target"
    }
    # A plan without axes has one dot a target, at the connections that it was measured with.
    return axes or {"connections": [run.definition.load.connections]}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _chosen(values: Sequence[float], asked: Any) -> float:
    return asked if asked in values else (values[0] if values else 0)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _range(value: Any) -> tuple[float, float] | None:
    bounds = _list(value)
    return (bounds[0], bounds[1]) if len(bounds) == 2 and all(_is_number(one) for one in bounds) else None


def run_chart(run: Run, points: Sequence[Point], view: dict[str, Any], curve: Curve, title: str) -> Chart:
    selection = select(run, view)
    read = _throughput if curve == "throughput" else _time(selection)
    lines = tuple(
        Line(target, index, _dots(points, selection, target, read))
        for index, target in enumerate(selection.targets)
        if target not in selection.hidden
    )
    spans = selection.values[0] > 0 and selection.values[-1] / selection.values[0] >= LOG_SPAN
    is_log_x = bool(view.get("logx", spans)) and selection.values[0] > 0
    x = Axis(PARAMETER_TITLES.get(selection.axis, selection.axis), is_log=is_log_x)
    return Chart(title, x, _y_axis(selection, view, curve), lines, note=_note(run, selection))


def _y_axis(selection: Selection, view: dict[str, Any], curve: Curve) -> Axis:
    if curve == "throughput":
        return Axis("Throughput (ops/s)", is_log=view.get("logy") is True)
    clock = "Response" if selection.clock == "response_time_ns" else "Service"
    name = "p99.9" if selection.percentile == "p999" else selection.percentile
    return Axis(f"{clock} time, {name} (ms)", is_log=view.get("logt") is not False)


def _note(run: Run, selection: Selection) -> str:
    fixed = [
        f"{PARAMETER_TITLES.get(name, name).lower()} {short_number(value)}" for name, value in selection.others.items()
    ]
    loop = "closed loop" if run.definition.load.kind == "closed" else "open loop"
    operation = [] if selection.operation == "all" else [selection.operation]
    return ", ".join([*operation, *fixed, loop, "band: lowest to highest trial"])


Read = Callable[[PointOperation], tuple[float | None, float | None, float | None]]


def _throughput(numbers: PointOperation) -> tuple[float | None, float | None, float | None]:
    band = numbers.band.throughput_per_s
    return numbers.throughput_per_s, band.low, band.high


def _time(selection: Selection) -> Read:
    def read(numbers: PointOperation) -> tuple[float | None, float | None, float | None]:
        band = getattr(getattr(numbers.band, selection.clock), selection.percentile)
        return _ms(_believed_ns(numbers, selection)), _ms(band.low), _ms(band.high)

    return read


def _believed_ns(numbers: PointOperation, selection: Selection) -> int | None:
    """A void percentile is drawn nowhere; one with a lower bound is drawn there."""
    times: Quantiles = getattr(numbers, selection.clock)
    value: int | None = getattr(times, selection.percentile)
    return None if selection.percentile in times.void else value


def _ms(value_ns: float | None) -> float | None:
    return None if value_ns is None else value_ns / NANOSECONDS_PER_MS


def _dots(points: Sequence[Point], selection: Selection, target: str, read: Read) -> tuple[Dot, ...]:
    dots = []
    for point in shown_points(points, selection, target):
        numbers = operation_of(point, selection.operation)
        y, low, high = read(numbers) if numbers else (None, None, None)
        if y is not None:
            dots.append(Dot(_place(point, selection), y, y if low is None else low, y if high is None else high))
    return tuple(sorted(dots, key=lambda dot: dot.x))


def _place(point: Point, selection: Selection) -> float:
    value = point.parameters.get(selection.axis)
    return value if _is_number(value) else selection.values[0]  # type: ignore[return-value]


def shown_points(points: Sequence[Point], selection: Selection, target: str) -> list[Point]:
    """The points of one target that fit the values chosen on the other axes, within the zoom."""
    return [
        point
        for point in points
        if point.parameters.get("target") == target
        and all(point.parameters.get(name, value) == value for name, value in selection.others.items())
        and (selection.zoom is None or selection.zoom[0] <= _place(point, selection) <= selection.zoom[1])
    ]


def operation_of(point: Point, operation: str) -> PointOperation | None:
    """`all` is the merge over operations; None until a trial counts."""
    if operation == "all":
        return point.total
    return next((one for one in point.operations if one.operation == operation), None)


def run_badge(run: Run, points: Sequence[Point], view: dict[str, Any], curve: Curve) -> tuple[str, str]:
    """Label and value: of the targets shown, the one that does best at its best point."""
    selection = select(run, view)
    shown = [target for target in selection.targets if target not in selection.hidden]
    found: list[tuple[float, str, str]] = []
    for target in shown:
        for point in shown_points(points, selection, target):
            numbers = operation_of(point, selection.operation)
            if numbers is not None:
                found.append((_merit(numbers, selection, curve), target, _operations(point, selection)))
    if not found:
        return run.name, run.status.value
    best, target, operations = max(found)
    value = f"{short_number(best)} ops/s" if curve == "throughput" else f"{selection.percentile} {short_time(-best)}"
    return f"{target} {operations}", value


def _merit(numbers: PointOperation, selection: Selection, curve: Curve) -> float:
    """More is better."""
    if curve == "throughput":
        return numbers.throughput_per_s
    return -float(_believed_ns(numbers, selection) or float("inf"))


def _operations(point: Point, selection: Selection) -> str:
    if selection.operation != "all":
        return selection.operation
    return "+".join(one.operation for one in point.operations)
