"""One look at a series: every step within the last 200 runs. Pure.

After each run the whole window is read again, so evidence that comes slowly counts, and so does what was not seen when
it was new. The steps: logarithms, odd runs bounded and the noise measured (`noise`), the best partition
(`partition`), steps below the least effect dropped. What a look finds is matched with what was known by `tracking`.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy.special import stdtr

from loadstone.stats.change_points.noise import Noise, clipped, logarithms, measure
from loadstone.stats.change_points.partition import PENALTY, SEGMENT_MIN, best_partition, levels, without_small_steps
from loadstone.stats.estimates import Floats
from loadstone.stats.metrics import Better

ALGORITHM_VERSION = "optimal-partition-1"

WINDOW_MAX = 200
"""Runs. Older ones say little about the level of today."""
FEWEST = 2 * SEGMENT_MIN


@dataclass(frozen=True)
class Sensitivity:
    """`penalty` is the price of a step in long-run variances times log n."""

    penalty: float = PENALTY
    least_effect: float = 0.02
    """Relative change below which nobody needs to know."""


DEFAULT_SENSITIVITY = Sensitivity()


@dataclass(frozen=True)
class Step:
    """`index` is the first value after the step; levels are the medians of the two segments.

    `p_value` is of this step, times the number of splits it was chosen from.
    """

    index: int
    before: float
    after: float
    p_value: float

    @property
    def change(self) -> float:
        return self.after / self.before - 1

    @property
    def log_change(self) -> float:
        return math.log(self.after / self.before)


@dataclass(frozen=True)
class Look:
    """Steps in the order of time, and the noise they stand out from."""

    steps: list[Step]
    noise: Noise | None

    def inputs(self, sensitivity: Sensitivity) -> dict[str, Any]:
        """Return what the look hung on besides the values."""
        return {"noise": asdict(self.noise) if self.noise else None, **asdict(sensitivity)}


def direction(change: float, better: Better) -> Literal["better", "worse"]:
    return "better" if (change > 0) == (better == "higher") else "worse"


def find_steps(values: Sequence[float], sensitivity: Sensitivity = DEFAULT_SENSITIVITY) -> Look:
    """Look at `values` (one a run, in order); indexes count from their first one.

    Without any step where there are fewer than six values, or none that is finite and above zero.
    """
    offset = max(0, len(values) - WINDOW_MAX)
    window = np.asarray(values[offset:], dtype=np.float64)
    if len(window) < FEWEST or not np.isfinite(window).all() or window.max() <= 0:
        return Look([], None)
    logs = logarithms(window)
    clean = clipped(logs)
    noise = measure(clean)
    places = best_partition(clean, noise.long_run, sensitivity.penalty)
    places = without_small_steps(clean, places, math.log1p(sensitivity.least_effect))
    return Look(_steps(logs, clean, places, noise, offset), noise)


def _steps(logs: Floats, clean: Floats, places: list[int], noise: Noise, offset: int) -> list[Step]:
    means = levels(clean, places)
    bounds = [0, *places, len(clean)]
    # Without the steps: each of them widens the noise a little, and makes it look autocorrelated.
    if places:
        noise = measure(clean - np.repeat(means, np.diff(bounds)))
    # A segment of two or three runs that nobody expected was bounded on its way into the means.
    medians = [float(np.median(logs[start:end])) for start, end in pairwise(bounds)]
    splits = len(clean) - 2 * SEGMENT_MIN + 1
    found = []
    for number, place in enumerate(places):
        counts = place - bounds[number], bounds[number + 2] - place
        step = float(means[number + 1] - means[number])
        p_value = min(1.0, _p_value(step, *counts, noise) * splits)
        found.append(Step(offset + place, math.exp(medians[number]), math.exp(medians[number + 1]), p_value))
    return found


def _p_value(step: float, before: int, after: int, noise: Noise) -> float:
    """Student's t with the long-run variance; neighbours that depend on each other leave fewer degrees of freedom."""
    error = math.sqrt(noise.long_run * (1 / before + 1 / after))
    freedom = max(3.0, (before + after - 2) * (1 - noise.phi) / (1 + noise.phi))
    return float(2 * stdtr(freedom, -abs(step) / error))
