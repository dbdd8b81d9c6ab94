"""Charts as SVG and PNG, by matplotlib's objects alone (pyplot keeps every figure it ever made).

The palette, dashes and markers are those of the pages, where the tests hold their distances and contrasts.
"""

import io
import textwrap
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from loadstone.errors import AppError
from loadstone.sharing.chart import Axis, Chart, Line, tick_text

Theme = Literal["light", "dark"]
PictureForm = Literal["svg", "png"]

DPI = 96
"""CSS pixels in an inch: an SVG's points come out as the pixels that were asked for."""


@dataclass(frozen=True)
class Picture:
    """Size in CSS pixels."""

    form: PictureForm
    width: int
    height: int
    theme: Theme


@dataclass(frozen=True)
class _Colors:
    ground: str
    text: str
    faint: str
    grid: str
    lines: tuple[str, ...]


COLORS: Mapping[Theme, _Colors] = {
    "light": _Colors(
        *("#ffffff", "#1b1f26", "#5b6470", "#e4e7eb"),
        lines=(
            *("#155fd8", "#c92902", "#ab910b", "#20a1bd", "#660fa2"),
            *("#fa5d8a", "#9d72fa", "#732d1d", "#865c88", "#024861"),
        ),
    ),
    "dark": _Colors(
        *("#15181d", "#e6e8eb", "#9aa3ad", "#2b3037"),
        lines=(
            *("#417bff", "#df7927", "#feea86", "#60faff", "#b74dce"),
            *("#e43664", "#b5c1fe", "#ffa4a3", "#8f7b99", "#1db0d3"),
        ),
    ),
}
DASHES = ((), (7, 3), (2, 3), (9, 3, 2, 3), (5, 2), (12, 4), (1, 4), (8, 2, 1, 2, 1, 2), (4, 4), (14, 3, 3, 3))
MARKERS = ("o", "s", "^", "D", "P", "*", "v", "o", "h", "_")

MAX_WAITING = 8
"""Requests that wait for a picture or draw one; each holds a thread. More are told to come again."""
DRAWN_WITHIN_S = 10.0
"""How long a picture waits for those before it."""


class PictureBusy(AppError):
    code = "picture_busy"
    status = 503
    title = "Too many pictures at once"


_waiting = threading.BoundedSemaphore(MAX_WAITING)
# matplotlib's text layout and its settings belong to the whole process.
_drawing = threading.Lock()
# Text stays text: smaller, selectable, in the reader's own font, and never a formula. The salt makes equal charts
# equal bytes.
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "loadstone", "font.size": 10, "text.parse_math": False}
KEPT_PICTURES = 256
NOTE_CHARACTER_PX = 6
"""What a character of the note takes of the width, rather too much than too little."""


def draw(chart: Chart, picture: Picture) -> bytes:
    """The picture's bytes; equal charts make equal bytes. Raises PictureBusy."""
    if not _waiting.acquire(blocking=False):
        raise PictureBusy("Try again in a few seconds.")
    try:
        return _drawn(chart, picture)
    finally:
        _waiting.release()


@lru_cache(maxsize=KEPT_PICTURES)
def _drawn(chart: Chart, picture: Picture) -> bytes:
    if not _drawing.acquire(timeout=DRAWN_WITHIN_S):
        raise PictureBusy("Try again in a few seconds.")
    try:
        with mpl.rc_context(SETTINGS):
            return _save(_figure(chart, picture), picture)
    finally:
        _drawing.release()


def _figure(chart: Chart, picture: Picture) -> Figure:
    colors = COLORS[picture.theme]
    figure = Figure(
        figsize=(picture.width / DPI, picture.height / DPI), dpi=DPI, facecolor=colors.ground, layout="constrained"
    )
    axes = figure.add_subplot()
    _dress(axes, chart, colors)
    for line in chart.lines:
        _draw_line(axes, line, colors, is_forest=bool(chart.names))
    _set_scales(axes, chart)
    if len(chart.lines) > 1 and not chart.names:
        axes.legend(loc="best", frameon=False, labelcolor=colors.text, fontsize=9, handlelength=2.6)
    if not any(line.dots for line in chart.lines):
        axes.text(0.5, 0.5, "No figures yet", ha="center", va="center", color=colors.faint, transform=axes.transAxes)
    if chart.note:
        note = textwrap.fill(chart.note, picture.width // NOTE_CHARACTER_PX)
        figure.supxlabel(note, fontsize=8, color=colors.faint, x=0.01, ha="left")
    return figure


def _dress(axes: Axes, chart: Chart, colors: _Colors) -> None:
    axes.set_facecolor(colors.ground)
    axes.set_title(chart.title, loc="left", fontsize=11, fontweight="bold", color=colors.text)
    axes.set_xlabel(chart.x.title, color=colors.faint)
    axes.set_ylabel(chart.y.title, color=colors.faint)
    axes.grid(visible=True, color=colors.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=colors.faint, length=0, which="both")
    for spine in axes.spines.values():
        spine.set_visible(False)


def _draw_line(axes: Axes, line: Line, colors: _Colors, *, is_forest: bool) -> None:
    place = line.look_index % len(colors.lines)
    color = colors.lines[place]
    xs = [dot.x for dot in line.dots]
    ys = [dot.y for dot in line.dots]
    lows, highs = [dot.low for dot in line.dots], [dot.high for dot in line.dots]
    if is_forest:
        axes.hlines(ys, lows, highs, color=color, linewidth=2)
        axes.plot(xs, ys, linestyle="none", marker=MARKERS[place], color=color, markersize=6)
        return
    axes.fill_between(xs, lows, highs, color=color, alpha=0.15, linewidth=0)
    (drawn,) = axes.plot(
        xs, ys, color=color, linewidth=1.8, marker=MARKERS[place], markersize=5, label=_plain(line.label)
    )
    if DASHES[place]:
        drawn.set_dashes(DASHES[place])


def _plain(text: str) -> str:
    """A label that begins with an underscore would be left out of the legend."""
    return text.lstrip("_") or "?"


def _set_scales(axes: Axes, chart: Chart) -> None:
    dots = [dot for line in chart.lines for dot in line.dots]
    _set_scale(axes, "x", chart.x, has_values=any(dot.x > 0 for dot in dots))
    _set_scale(axes, "y", chart.y, has_values=any(dot.y > 0 for dot in dots))
    if chart.names:
        axes.set_yticks(range(len(chart.names)), [_plain(name) for name in chart.names])
        axes.set_ylim(len(chart.names) - 0.5, -0.5)
    if chart.rule is not None:
        axes.axvline(chart.rule, color=axes.xaxis.label.get_color(), linewidth=1, linestyle=(0, (4, 3)))
    if not chart.names and not chart.y.is_log:
        axes.set_ylim(bottom=0)


def _set_scale(axes: Axes, side: Literal["x", "y"], axis: Axis, *, has_values: bool) -> None:
    """A log scale has no place for zero, and none at all for nothing."""
    along = axes.xaxis if side == "x" else axes.yaxis
    if axis.is_time:
        locator = AutoDateLocator(maxticks=8)  # type: ignore[no-untyped-call]
        along.set_major_locator(locator)
        along.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
        return
    if axis.is_log and has_values:
        (axes.set_xscale if side == "x" else axes.set_yscale)("log", base=2 if side == "x" else 10)
        along.set_major_locator(LogLocator(base=2 if side == "x" else 10, numticks=12))
        along.set_minor_formatter(NullFormatter())
    along.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    if axis.span:
        low, high = axis.span
        # A marker on the end of the axis is seen whole.
        room = (high - low) * 0.02
        (axes.set_xlim if side == "x" else axes.set_ylim)(low - room, high + room)


def day(at: datetime) -> float:
    """A place on an axis of time."""
    return float(date2num(at.astimezone(UTC)))  # type: ignore[no-untyped-call]


def _save(figure: Figure, picture: Picture) -> bytes:
    file = io.BytesIO()
    # Without a date: equal charts make equal bytes.
    facts = {"Date": None, "Creator": "Loadstone"} if picture.form == "svg" else {"Software": "Loadstone"}
    figure.savefig(file, format=picture.form, metadata=facts, facecolor=figure.get_facecolor())
    return file.getvalue()
