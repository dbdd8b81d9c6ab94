"""What a picture shows, without how it is drawn. Pure."""

import math
from dataclasses import dataclass

UNITS_PER_STEP = 1_000


@dataclass(frozen=True)
class Dot:
    """`low` and `high` are the lowest and the highest trial, or an interval; equal to `y` where there is none."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Line:
    label: str
    look_index: int
    """The target's place, so that it has the same colour everywhere."""
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class Axis:
    title: str
    is_log: bool = False
    is_time: bool = False
    """`x` is in seconds since 1970."""
    span: tuple[float, float] | None = None
    """Its ends, where they do not follow from what is on it."""


@dataclass(frozen=True)
class Chart:
    """`names` are the rows of a forest plot from top to bottom; empty for curves. `rule` is the place on its x axis
    that the rows are read against."""

    title: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    note: str = ""
    names: tuple[str, ...] = ()
    rule: float | None = None


def short_number(value: float) -> str:
    """`412k`, `1.27M`: three significant digits."""
    if value == 0 or not math.isfinite(value):
        return "0"
    step = max(0, min(3, int(math.log10(abs(value)) // 3))) if abs(value) >= 1 else 0
    scaled = value / UNITS_PER_STEP**step
    digits = max(0, 2 - math.floor(math.log10(abs(scaled))))
    text = f"{scaled:.{digits}f}"
    if float(text) >= UNITS_PER_STEP and step < 3:
        return short_number(math.copysign(float(UNITS_PER_STEP ** (step + 1)), value))
    return text + ("", "k", "M", "G")[step]


def tick_text(value: float) -> str:
    """As `short_number` without trailing zeros: places on an axis are round."""
    text = short_number(value)
    digits = text.rstrip("kMG")
    plain = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return plain + text[len(digits) :]


def short_time(value_ns: float) -> str:
    """`1.27 ms`."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if value_ns >= size:
            return f"{short_number(value_ns / size)} {unit}"
    return f"{short_number(value_ns)} ns"
