"""The best partition of a series into levels. Pure.

Source: B. Jackson et al., "An algorithm for optimal partitioning of data on an interval" (2005), with the penalty of
Y.-C. Yao, "Estimating the number of change-points via Schwarz' criterion" (1988), scaled by the long-run variance as M.
Lavielle and E. Moulines, "Least-squares estimation of an unknown number of shifts in a time series" (2000), ask for
where neighbours depend on each other.
"""

import math

import numpy as np

from loadstone.stats.estimates import Floats

SEGMENT_MIN = 3
PENALTY = 4.0
LEAST_COUNT = 60
"""Short series pay as much for a step as one of so many runs: a few values fit any step by chance."""


def best_partition(clean: Floats, long_run: float, penalty: float = PENALTY) -> list[int]:
    """Return the first place of every segment but the first, for the least sum of squares and penalties."""
    count = len(clean)
    if count < 2 * SEGMENT_MIN:
        return []
    price = penalty * long_run * math.log(max(count, LEAST_COUNT))
    # From the mean, so that squares of large levels lose no digits.
    values = clean - clean.mean()
    sums = np.concatenate([[0.0], values.cumsum()])
    squares = np.concatenate([[0.0], (values**2).cumsum()])
    best = np.full(count + 1, np.inf)
    best[0] = -price
    last = np.zeros(count + 1, dtype=int)
    lengths = np.arange(count + 1, 0, -1, dtype=float)
    for end in range(SEGMENT_MIN, count + 1):
        starts = slice(0, end - SEGMENT_MIN + 1)
        size = lengths[count + 1 - end : count + 1 - end + end - SEGMENT_MIN + 1]
        total = sums[end] - sums[starts]
        cost = best[starts] + squares[end] - squares[starts] - total * total / size
        place = int(cost.argmin())
        best[end], last[end] = cost[place] + price, place
    found: list[int] = []
    end = count
    while last[end] > 0:
        end = int(last[end])
        found.append(end)
    return found[::-1]


def without_small_steps(clean: Floats, places: list[int], least: float) -> list[int]:
    """Drop the smallest step until all are at least `least` (a log ratio)."""
    kept = list(places)
    while kept:
        means = levels(clean, kept)
        steps = np.abs(np.diff(means))
        smallest = int(steps.argmin())
        if steps[smallest] >= least:
            break
        del kept[smallest]
    return kept


def levels(clean: Floats, places: list[int]) -> Floats:
    """Return the mean of every segment."""
    starts = [0, *places]
    counts = np.diff([*starts, len(clean)])
    means: Floats = np.add.reduceat(clean, starts) / counts
    return means
