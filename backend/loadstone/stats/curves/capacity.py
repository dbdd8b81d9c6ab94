"""Capacity at a latency goal: the highest rate at which a quantile stays below it, by an adaptive search. Pure.

The rate doubles until the goal is missed; three bisections on its logarithm follow; then trials are placed alternately
below and above the crossing. log(p99 / goal) is fitted as a quadratic of the log rate (a line is biased near the
ceiling), and the interval holds all rates at which the fit can't be told from the goal: E. C. Fieller, "Some problems
in interval estimation" (1954), by inversion.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from loadstone.stats.estimates import Floats

BISECTIONS = 3
NEAR, FAR = 0.05, 0.15
"""How far from the crossing a trial is placed, in log rate."""
WINDOW = 1.0
"""Trials further from the goal than a factor of e say little about the crossing."""
FIRST_STOP = 14
HALF_WIDTH = 0.03
STOP_CONFIDENCE, SHOWN_CONFIDENCE = 0.99, 0.95
GRID = 2_001
FIT_MIN = 5


@dataclass(frozen=True)
class Step:
    """One trial: the offered rate, and its quantile over the goal. Infinite where it could only be bounded."""

    rate: float
    over_goal: float


@dataclass(frozen=True)
class Capacity:
    """`rate` with `low` ... `high`, or, without an interval, only the bracket of the bisection."""

    rate: float | None
    low: float
    high: float
    is_interval: bool


def next_rate(steps: Sequence[Step], first: float) -> float:
    """Return the rate of the next trial."""
    bracket = _bracket(steps)
    if bracket is None:
        if not steps:
            return first
        rates = [one.rate for one in steps]
        return max(rates) * 2 if steps[0].over_goal <= 1 else min(rates) / 2
    low, high = bracket
    if _bisections(steps) < BISECTIONS:
        return math.sqrt(low * high)
    crossing = _crossing(steps) or math.log(math.sqrt(low * high))
    # Away from the crossing on alternate sides, near and far in turn.
    place = len(steps)
    side = -1 if place % 2 else 1
    far = NEAR + (FAR - NEAR) * ((place // 2) % 3) / 2
    return math.exp(crossing + side * far)


def is_done(steps: Sequence[Step], most: int) -> bool:
    """Is the interval narrow enough (by its 99 % form, because the search stops when it likes), or the budget spent?"""
    if len(steps) >= most:
        return True
    if len(steps) < FIRST_STOP:
        return False
    found = _interval(steps, STOP_CONFIDENCE)
    return found is not None and (found[1] - found[0]) / 2 <= math.log1p(HALF_WIDTH)


def capacity(steps: Sequence[Step]) -> Capacity | None:
    """Return the capacity and its 95 % interval; None while no trial met and no trial missed the goal."""
    bracket = _bracket(steps)
    if bracket is None:
        return None
    found, crossing = _interval(steps, SHOWN_CONFIDENCE), _crossing(steps)
    if found is None or crossing is None:
        return Capacity(None, *bracket, is_interval=False)
    return Capacity(math.exp(crossing), math.exp(found[0]), math.exp(found[1]), is_interval=True)


def _bracket(steps: Sequence[Step]) -> tuple[float, float] | None:
    """Return the highest rate that met the goal below the lowest that missed it, and that lowest."""
    missed = [one.rate for one in steps if one.over_goal > 1]
    if not missed:
        return None
    met = [one.rate for one in steps if one.over_goal <= 1 and one.rate < min(missed)]
    return (max(met), min(missed)) if met else None


def _bisections(steps: Sequence[Step]) -> int:
    """Return how many trials followed the first bracket."""
    first = next(place for place in range(1, len(steps) + 1) if _bracket(steps[:place]))
    return len(steps) - first


def _quadratic(steps: Sequence[Step]) -> tuple[Floats, Floats, float, int, float] | None:
    """Return coefficients, covariance, freedom, trials used and the center of the fit near the goal."""
    used = [one for one in steps if math.isfinite(one.over_goal) and abs(math.log(one.over_goal)) <= WINDOW]
    if len(used) < FIT_MIN:
        return None
    rates = np.log([one.rate for one in used])
    center = float(rates.mean())
    y = np.log([one.over_goal for one in used])
    design = np.vander(rates - center, 3, increasing=True)
    if np.linalg.matrix_rank(design) < 3:
        return None
    inverse = np.linalg.inv(design.T @ design)
    coefficients: Floats = inverse @ design.T @ y
    freedom = len(used) - 3
    residual = y - design @ coefficients
    return coefficients, inverse * float(residual @ residual) / freedom, float(freedom), len(used), center


def _scan(steps: Sequence[Step]) -> tuple[Floats, Floats, Floats, float] | None:
    """Return log rates from the bracket outwards, the fit and its error there, and the freedom."""
    fit = _quadratic(steps)
    bracket = _bracket(steps)
    if fit is None or bracket is None:
        return None
    coefficients, covariance, freedom, _, center = fit
    low, high = math.log(bracket[0]) - 0.5, math.log(bracket[1]) + 0.5
    rates = np.linspace(low, high, GRID)
    design = np.vander(rates - center, 3, increasing=True)
    errors = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", design, covariance, design), 0.0))
    return rates, design @ coefficients, errors, freedom


def _crossing(steps: Sequence[Step]) -> float | None:
    """Return the log rate where the fit rises through the goal."""
    scan = _scan(steps)
    if scan is None:
        return None
    rates, fitted, _, _ = scan
    rising = np.nonzero((fitted[:-1] <= 0) & (fitted[1:] > 0))[0]
    return float(rates[rising[0]]) if len(rising) else None


def _interval(steps: Sequence[Step], confidence: float) -> tuple[float, float] | None:
    """Return the log rates around the crossing that can't be told from it; None where they run into the scan's edge."""
    scan = _scan(steps)
    crossing = _crossing(steps)
    if scan is None or crossing is None:
        return None
    rates, fitted, errors, freedom = scan
    holds = np.abs(fitted) <= stdtrit(freedom, (1 + confidence) / 2) * errors
    place = int(np.searchsorted(rates, crossing))
    low = high = min(place, GRID - 1)
    while low > 0 and holds[low - 1]:
        low -= 1
    while high < GRID - 1 and holds[high + 1]:
        high += 1
    return None if low == 0 or high == GRID - 1 else (float(rates[low]), float(rates[high]))
