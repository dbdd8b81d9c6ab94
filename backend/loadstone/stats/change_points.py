"""Where a series of sessions shifts: windowed E-divisive for values that depend on their neighbours. Pure.

After each run the newest segment is looked at once more; what was settled before is not touched.

1. Values are taken as logarithms: a change is a ratio, and its size means the same at any level.
2. Nightly results are autocorrelated. With the coefficient f of a first-order autoregression, each value becomes
   (y[t] - f y[t-1]) / (1 - f): of the same level, free of memory (prewhitening). f is estimated on what lies before the
   splits, and drawn towards `AUTOCORRELATION_PRIOR`, because short series tell little about it. Odd values are left in
   the estimate: they lower it, and so the share of an odd value that whitening takes from its successor. (With a
   bounded estimate 5 to 7 steps of 100 fewer were seen in simulations, at the same rate of false alarms.)
3. What lies further than `BOUND_DEVIATIONS` robust deviations from the median counts as if it lay there (winsorising;
   Huber 1981, "Robust Statistics"): one odd run is no shift. The bound does not depend on the order of the values, so
   every order of them is as likely as before.
4. For every split of the segment into "before" and the newest m values the energy statistic is
   ab / (a + b) * (2 E|X-Y|^d - E|X-X'|^d - E|Y-Y'|^d)   (Szekely and Rizzo 2013; Matteson and James 2014, "A
   nonparametric approach for multiple change point analysis of multivariate data", any 0 < d < 2). Near 2 it is the
   difference of means that counts; bounded values can afford 1.5.
5. The largest one over all splits is compared with the largest one over all splits of random orders of the same
   values: the choice of the best split is part of the null distribution. Orders are fixed by the segment's length, so
   the same values give the same verdict anywhere.
6. A shift smaller than the floor is none: a given minimum, or half of the series' own spread if that is more.

No distribution is assumed; sessions before and after a shift are. See `backend/bench/change_points.py` for rates.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from loadstone.stats.metrics import Better

ALGORITHM_VERSION = "e-divisive-2"

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

WINDOW_MAX = 200
"""Sessions. Older ones say little about the level of today."""
BEFORE_MIN = 8
TAILS = np.array([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15])
"""Newest values that a split may set apart. A split further back was looked at when it was near."""
TAIL_MAX = int(TAILS[-1])
ORDERS_FIRST, ORDERS_ALL = 49, 999
"""Most series show in the first orders already that nothing happened."""
ORDERS_ENOUGH = 4
AUTOCORRELATION_PRIOR, PRIOR_WEIGHT, AUTOCORRELATION_MAX = 0.5, 100, 0.8
BOUND_DEVIATIONS = 2.5
EXPONENT = 1.5
MAD_TO_DEVIATION = 1.4826
PLACE_WITHIN = 2


@dataclass(frozen=True)
class Sensitivity:
    """`alpha` bounds the p-value of one look, a multiple of 1 / 1,000; looks share most of their values."""

    alpha: float = 0.005
    least_effect: float = 0.02
    """Relative change below which nobody needs to know."""


DEFAULT_SENSITIVITY = Sensitivity()


@dataclass(frozen=True)
class Change:
    """`index` is the first value after the shift; `before` and `after` are the medians of both sides."""

    index: int
    before: float
    after: float
    p_value: float
    autocorrelation: float
    floor: float

    @property
    def change(self) -> float:
        return self.after / self.before - 1

    def inputs(self, sensitivity: Sensitivity) -> dict[str, Any]:
        """What the verdict hung on besides the values."""
        return {"autocorrelation": self.autocorrelation, "floor": self.floor, **asdict(sensitivity)}


def direction(change: float, better: Better) -> Literal["better", "worse"]:
    return "better" if (change > 0) == (better == "higher") else "worse"


def newest_change(values: Sequence[float], sensitivity: Sensitivity = DEFAULT_SENSITIVITY) -> Change | None:
    """The shift within the newest `TAIL_MAX` of `values` (one a session, in order, since the last settled shift).

    None where there is none, where there are fewer than 11 values, and where a value is not above zero.
    """
    offset = max(0, len(values) - WINDOW_MAX)
    window = np.asarray(values[offset:], dtype=np.float64)
    if len(window) < BEFORE_MIN + TAILS[0] or not np.all(np.isfinite(window)) or window.min() <= 0:
        return None
    logs = np.log(window)
    coefficient = autocorrelation(logs)
    white = _bounded((logs[1:] - coefficient * logs[:-1]) / (1 - coefficient))
    tails = TAILS[len(white) - BEFORE_MIN >= TAILS]
    if not len(tails):
        return None
    found = _largest_split(white, tails, sensitivity.alpha)
    if found is None:
        return None
    tail, p_value = found
    # The first value of all has no predecessor: whitened values are one fewer.
    index = _placed(logs, len(logs) - tail)
    before, after = float(np.median(window[:index])), float(np.median(window[index:]))
    floor = max(sensitivity.least_effect, _spread(logs, index) / 2)
    if abs(math.log(after / before)) < math.log1p(floor):
        return None
    return Change(offset + index, before, after, p_value, coefficient, floor)


def autocorrelation(values: Floats) -> float:
    """Of neighbours, drawn towards the prior. With Kendall's (1954) correction of the bias, (1 + 3 r) / n."""
    quiet = values[: max(len(values) - TAIL_MAX, BEFORE_MIN)]
    count = len(quiet)
    rest = quiet - np.median(quiet)
    power = float(rest @ rest)
    raw = float(rest[1:] @ rest[:-1]) / power if power > 0 else 0.0
    corrected = raw + (1 + 3 * raw) / count
    drawn = (count * corrected + PRIOR_WEIGHT * AUTOCORRELATION_PRIOR) / (count + PRIOR_WEIGHT)
    return min(max(drawn, 0.0), AUTOCORRELATION_MAX)


def _bounded(values: Floats) -> Floats:
    middle = np.median(values)
    bound = BOUND_DEVIATIONS * MAD_TO_DEVIATION * np.median(np.abs(values - middle))
    bounded: Floats = np.clip(values, middle - bound, middle + bound) if bound > 0 else values
    return bounded


def _powers(one: Floats, other: Floats) -> Floats:
    """|one - other| ** EXPONENT; a root and a product take a tenth of a power's time."""
    lengths = np.abs(one - other)
    raised: Floats = lengths * np.sqrt(lengths)
    return raised


def _placed(values: Floats, found: int) -> int:
    """The split near `found` that leaves the least absolute distance to both sides' medians.

    Whitening makes the first value after a shift stand out whatever noise it carries: good to see it, not to place it.
    """
    first, last = max(found - PLACE_WITHIN, 2), min(found + PLACE_WITHIN, len(values) - 2)
    return min(range(first, last + 1), key=lambda split: _distance(values[:split]) + _distance(values[split:]))


def _distance(values: Floats) -> float:
    return float(np.abs(values - np.median(values)).sum())


def _spread(logs: Floats, index: int) -> float:
    """Robust deviation around the medians of both sides."""
    rest = np.concatenate([logs[:index] - np.median(logs[:index]), logs[index:] - np.median(logs[index:])])
    return MAD_TO_DEVIATION * float(np.median(np.abs(rest)))


def _largest_split(white: Floats, tails: Places, alpha: float) -> tuple[int, float] | None:
    """The tail with the largest statistic and its p-value, if that is at most `alpha`."""
    longest = int(tails[-1])
    # From the newest value back: a tail is then a beginning.
    backwards = white[::-1]
    row_sums = _powers(backwards[:, None], backwards[None, :]).sum(axis=1)
    if row_sums.max() <= 0:
        return None
    places = np.arange(longest)[None, :]
    scores = energy_scores(backwards, row_sums, places, tails)[0]
    best = int(scores.argmax())
    # As good as equal counts as equal: rounding must not decide.
    bar = scores[best] * (1 - 1e-9)
    orders = _orders(len(white), longest)
    reached = 0
    for start, end in ((0, ORDERS_FIRST), (ORDERS_FIRST, ORDERS_ALL)):
        reached += int((energy_scores(backwards, row_sums, orders[start:end], tails).max(axis=1) >= bar).sum())
        if reached >= ORDERS_ENOUGH and start == 0:
            return None
    p_value = (reached + 1) / (ORDERS_ALL + 1)
    return (int(tails[best]), p_value) if p_value <= alpha else None


def energy_scores(values: Floats, row_sums: Floats, orders: Places, tails: Places) -> Floats:
    """The energy statistic of setting the first m places of each order apart, for every m of `tails`.

    With W the sum of distances inside the tail and R the sum of its rows, the distances across are R - 2W, so that the
    large rest is never looked at.
    """
    picked = values[orders]
    inside = np.tril(_powers(picked[:, :, None], picked[:, None, :])).sum(axis=2).cumsum(axis=1)[:, tails - 1]
    across = row_sums[orders].cumsum(axis=1)[:, tails - 1] - 2 * inside
    count = len(values)
    rest = row_sums.sum() / 2 - across - inside
    a, b = count - tails, tails
    scores: Floats = a * b / count * (2 * across / (a * b) - 2 * rest / (a * (a - 1)) - 2 * inside / (b * (b - 1)))
    return scores


@lru_cache(maxsize=WINDOW_MAX)
def _orders(count: int, longest: int) -> Places:
    """The first places of random orders of `count` values, always the same."""
    draw = np.random.default_rng(count)
    return np.argsort(draw.random((ORDERS_ALL, count)), axis=1)[:, :longest].copy()
