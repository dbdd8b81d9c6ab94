"""The rules of other systems, on the same data. Own implementations of what they publish."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]

LEVEL = 0.05
PERFHERDER_BACK, PERFHERDER_FORE, PERFHERDER_T, PERFHERDER_CHANGE = 12, 12, 7.0, 0.02
OTAVA_WINDOW, OTAVA_P, OTAVA_CHANGE = 50, 0.001, 0.05


def welch(base: Floats, contender: Floats) -> bool:
    return bool(stats.ttest_ind(np.log(base), np.log(contender), equal_var=False).pvalue <= LEVEL)


def mann_whitney(base: Floats, contender: Floats) -> bool:
    return bool(stats.mannwhitneyu(base, contender).pvalue <= LEVEL)


def five_per_cent(base: Floats, contender: Floats) -> bool:
    return bool(abs(contender.mean() / base.mean() - 1) > LEVEL)


COMPARISONS = {"welch": welch, "mann_whitney": mann_whitney, "five_per_cent": five_per_cent}


def perfherder(values: Sequence[float]) -> list[int]:
    """Places where a t statistic of the 12 values before and the 12 from there on is at least 7 and a local maximum,
    and the means differ by 2 %."""
    series = np.asarray(values)
    scores = np.zeros(len(series))
    for place in range(PERFHERDER_BACK, len(series) - 2):
        before = series[place - PERFHERDER_BACK : place]
        after = series[place : place + PERFHERDER_FORE]
        spread = np.sqrt(before.var(ddof=1) / len(before) + after.var(ddof=1) / len(after))
        if abs(after.mean() / before.mean() - 1) >= PERFHERDER_CHANGE:
            scores[place] = abs(after.mean() - before.mean()) / max(spread, 1e-12)
    found: list[int] = []
    for place in np.argsort(-scores):
        if scores[place] < PERFHERDER_T:
            break
        if all(abs(place - one) > PERFHERDER_FORE for one in found):
            found.append(int(place))
    return sorted(found)


def otava(values: Sequence[float]) -> list[int]:
    """E-divisive over the last 50 values, split recursively; a t test at 0.1 % and a change of 5 % keep a split."""
    offset = max(0, len(values) - OTAVA_WINDOW)
    series = np.asarray(values[offset:])
    found: list[int] = []
    waiting = [(0, len(series))]
    while waiting:
        start, end = waiting.pop()
        split = _largest_energy(series[start:end])
        if split is None:
            continue
        left, right = series[start : start + split], series[start + split : end]
        is_changed = abs(right.mean() / left.mean() - 1) >= OTAVA_CHANGE
        if is_changed and stats.ttest_ind(left, right).pvalue <= OTAVA_P:
            found.append(offset + start + split)
            waiting += [(start, start + split), (start + split, end)]
    return sorted(found)


def _largest_energy(values: Floats) -> int | None:
    count = len(values)
    if count < 6:
        return None
    distances = np.abs(values[:, None] - values[None, :])
    # Sums over the leading square, the trailing square and what lies across, for every split.
    leading = np.array([distances[:m, :m].sum() for m in range(2, count - 1)])
    trailing = np.array([distances[m:, m:].sum() for m in range(2, count - 1)])
    across = (distances.sum() - leading - trailing) / 2
    m = np.arange(2, count - 1)
    n = count - m
    energy = m * n / count * (2 * across / (m * n) - leading / (m * (m - 1)) - trailing / (n * (n - 1)))
    return int(m[energy.argmax()])
