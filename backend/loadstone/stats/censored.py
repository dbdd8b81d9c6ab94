"""Quantiles where some requests never came back. Pure.

Two histograms: `answered`, and `bounds` of requests without an answer (timed out, lost, in flight at the end, due but
never sent), each with the time it had waited at least. A quantile then lies between two values that hold whatever the
missing answers would have been.

Sources: B. W. Turnbull, "The empirical distribution function with arbitrarily grouped, censored and truncated data"
(1976); C. F. Manski, "Partial identification of probability distributions" (2003). Kaplan and Meier's estimate (1958)
does not apply: it assumes that being cut off tells nothing of the latency, and a frozen store cuts off the slowest.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

Histogram = Mapping[float, int]
"""By the value of a bucket (any one unit), how many."""


@dataclass(frozen=True)
class Bounds:
    """The quantile is at least `low` and at most `high`, which is infinite where an answer is missing."""

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        return self.low == self.high


def merge(one: Histogram, other: Histogram) -> dict[float, int]:
    """Add counts; the order of merges does not matter."""
    merged = dict(one)
    for value, count in other.items():
        merged[value] = merged.get(value, 0) + count
    return merged


def quantile_bounds(answered: Histogram, bounds: Histogram, quantile: float) -> Bounds | None:
    """Return both ends of the quantile over answered and unanswered requests; None where there are none.

    With N requests and r = ceil(q N): the low end is the r-th value of both histograms together, the high end the r-th
    answered one.
    """
    total = sum(answered.values()) + sum(bounds.values())
    if not total:
        return None
    # A product such as 0.07 * 100 must not be rounded up to 8.
    rank = min(total, max(1, math.ceil(quantile * total * (1 - 1e-12))))
    return Bounds(_value_at(merge(answered, bounds), rank), _value_at(answered, rank))


def _value_at(histogram: Histogram, rank: int) -> float:
    seen = 0
    for value in sorted(histogram):
        seen += histogram[value]
        if seen >= rank:
            return value
    return math.inf
