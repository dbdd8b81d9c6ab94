"""How far lateness and pauses of the engine's host may have moved a quantile. Pure; times are nanoseconds.

Reported R = T + L with L >= 0 from the engine. T and L depend on each other, so bounds that hold for any dependence are
used (Makarov 1982; Frank, Nelsen and Schweizer 1987): max over l of [Q_R(q - P(L > l)) - l] <= Q_T(q) <= Q_R(q).
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from hdrh.histogram import HdrHistogram

from loadstone.stats.censored import Distribution, at_rank, rank_of
from loadstone.stats.histogram import counts_of, values_of

Exceeds = list[float]
"""P(L > l) for each l of GRID_NS; what lies behind its end is 0. Shares of several trials average by their requests."""

GRID_NS = np.concatenate(([0.0], np.geomspace(1e3, 1e11, 8 * 12 + 1)))
"""From 1 us to 100 s, twelve a decade: a bound is loose by at most a fifth of the lateness itself."""
LIMIT = 0.05
"""A quantile that may be further from the truth than this is void."""


def exceeds_of_lateness(lateness: HdrHistogram | None) -> Any:
    """P(late > l) over the grid."""
    if lateness is None or not lateness.get_total_count():
        return np.zeros(len(GRID_NS))
    values, counts = _recorded(lateness)
    return np.array([counts[values > limit].sum() for limit in GRID_NS]) / counts.sum()


def exceeds_of_pauses(load: HdrHistogram, watched_ns: int, host: HdrHistogram, probes: int) -> Any:
    """P(a request meets a pause that goes on for more than l), as load threads and as the host's probes saw it.

    A pause of length h holds for longer than l during h - l of its time. Both may have seen the same one, so the larger
    share counts.
    """
    lengths, counts = _recorded(load)
    by_length = np.array([(counts * np.clip(lengths - limit, 0, None)).sum() for limit in GRID_NS]) / max(1, watched_ns)
    found, numbers = _recorded(host)
    by_probe = np.array([numbers[found > limit].sum() for limit in GRID_NS]) / max(1, probes)
    return np.minimum(1.0, np.maximum(by_length, by_probe))


def exceeds_of_sum(late: Any, pause: Any) -> Any:
    """P(late + pause > l) <= P(late > a) + P(pause > l - a) for any a; the least over the grid."""
    sums = np.ones(len(GRID_NS))
    for index, limit in enumerate(GRID_NS):
        rest = np.searchsorted(GRID_NS, limit - GRID_NS[: index + 1], side="right") - 1
        sums[index] = min(1.0, float((late[: index + 1] + pause[rest]).min()))
    return sums


def packed(exceeds: Any) -> Exceeds:
    """Without the zeros at its end."""
    filled = np.flatnonzero(exceeds)
    return [float(f"{value:.6g}") for value in exceeds[: filled[-1] + 1]] if len(filled) else []


def mixed(parts: Sequence[tuple[int, Exceeds]]) -> Exceeds:
    """Of trials put together, each with the number of its requests."""
    weight = sum(count for count, _ in parts)
    whole = np.zeros(len(GRID_NS))
    for count, exceeds in parts:
        whole[: len(exceeds)] += np.array(exceeds) * count / max(1, weight)
    return packed(whole)


def distortion(found: Distribution, quantile: float, exceeds: Exceeds) -> float:
    """Reported over the least that the truth may be, less 1; infinite where nothing is known of the truth."""
    reported = at_rank(found, rank_of(quantile, found.total)).value
    tail = [*exceeds, 0.0][: len(GRID_NS)]
    least = 0.0
    for limit, share in zip(GRID_NS, tail, strict=False):
        if quantile > share:
            least = max(least, at_rank(found, rank_of(quantile - share, found.total)).value - float(limit))
    return reported / least - 1 if least > 0 else math.inf if reported > 0 else 0.0


def _recorded(histogram: HdrHistogram) -> tuple[Any, Any]:
    counts = counts_of(histogram)
    filled = np.flatnonzero(counts)
    return values_of(histogram, filled), counts[filled]
