"""Quantiles where some requests never came back. Pure; values are nanoseconds.

Two histograms: the answers, and lower bounds of what has no answer. Of N requests in both, the one of rank r = ceil(qN)
took at least the r-th value of all, bounds among them, and at most the r-th answer, if there are so many (Turnbull
1976, "The empirical distribution function with arbitrarily grouped, censored and truncated data"; Manski 2003, "Partial
identification"). Kaplan and Meier's estimate is not used: it assumes that censoring tells nothing of latency, and a
frozen store censors the slowest.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from hdrh.histogram import HdrHistogram

from loadstone.stats.histogram import QUANTILES, counts_of

Kind = Literal["exact", "at_least", "between"]


@dataclass(frozen=True)
class Bounded:
    """`value` is the least that the quantile can be, `to_ns` the most; None where there is no upper end."""

    value: int
    kind: Kind = "exact"
    to_ns: int | None = None


@dataclass(frozen=True)
class Distribution:
    """Counts by bucket of answers and of all requests, in the layout that both histograms share."""

    layout: Any
    answered: Any
    everything: Any

    @property
    def total(self) -> int:
        return int(self.everything[-1])

    @property
    def answers(self) -> int:
        return int(self.answered[-1])


def distribution(answered: HdrHistogram, unanswered: HdrHistogram | None) -> Distribution:
    counts = np.cumsum(counts_of(answered), dtype=np.int64)
    if unanswered is None or not unanswered.get_total_count():
        return Distribution(answered, counts, counts)
    return Distribution(answered, counts, counts + np.cumsum(counts_of(unanswered), dtype=np.int64))


def at_rank(found: Distribution, rank: int) -> Bounded:
    """`rank` counts from 1 to the number of all requests."""
    least = _bucket(found.everything, rank)
    most = _bucket(found.answered, rank) if rank <= found.answers else None
    if most == least:
        return Bounded(_highest(found, least))
    if most is not None:
        return Bounded(_lowest(found, least), "between", _highest(found, most))
    return Bounded(_lowest(found, least), "at_least")


def rank_of(quantile: float, total: int) -> int:
    """Nearest rank."""
    return min(total, max(1, math.ceil(quantile * total)))


def bounded_quantiles(answered: HdrHistogram, unanswered: HdrHistogram | None) -> dict[str, Bounded]:
    """By name, with `max`; empty when there is no request."""
    found = distribution(answered, unanswered)
    if not found.total:
        return {}
    named = {name: at_rank(found, rank_of(quantile, found.total)) for name, quantile in QUANTILES.items()}
    last = at_rank(found, found.total)
    # An HdrHistogram knows its largest value better than its buckets do.
    return {**named, "max": last if last.kind != "exact" else Bounded(int(answered.get_max_value()))}


def spectrum(answered: HdrHistogram, unanswered: HdrHistogram | None, size: int) -> list[tuple[float, float, Bounded]]:
    """`(quantile, one in, value)` at up to `size` steps even in nines, and last the largest value as one in n.

    `one in` is 1 / (1 - quantile): 100 for the 99th percentile. Empty when there is no request.
    """
    found = distribution(answered, unanswered)
    if not found.total:
        return []
    one_in = np.unique(np.geomspace(1, found.total, size))[:-1]
    steps = [
        (float(1 - 1 / share), float(share), at_rank(found, rank_of(float(1 - 1 / share), found.total)))
        for share in one_in
    ]
    return [*steps, (1.0, float(found.total), bounded_quantiles(answered, unanswered)["max"])]


def _bucket(cumulated: Any, rank: int) -> int:
    return int(np.searchsorted(cumulated, rank))


def _lowest(found: Distribution, bucket: int) -> int:
    return int(found.layout.get_value_from_index(bucket))


def _highest(found: Distribution, bucket: int) -> int:
    return int(found.layout.get_highest_equivalent_value(found.layout.get_value_from_index(bucket)))
