"""Measure until settled: verdicts that may be looked at after every pair. Pure.

Sources: the scale-invariant t-mixture, T. L. Lai, "On confidence sequences" (1976); M. Lindon et al., "Anytime-valid
inference in linear models" (2022); H. Wang and A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian
means with unknown variance" (2024); M. F. Perez-Ortiz et al., "E-statistics, group invariance and anytime-valid
testing" (2024). Exact for normal differences; for the symmetric ones of randomized blocks it was simulated.

With n differences, t their one-sample statistic and the mixture's width `PHI`:

    log E = 1/2 log(phi / (phi+n)) - n/2 [log(1 + phi/(phi+n) t^2/(n-1)) - log(1 + t^2/(n-1))]

Under no effect E exceeds 1/level at any of all looks with a probability of at most the level. More pairs continue the
same process. The order of the targets in each block must be drawn without any restriction, so that a block is fair
given those before it.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from loadstone.stats.estimates import Floats

PHI = 3.0
FIRST_LOOK = 4
LEVEL = 0.05

State = Literal["better", "worse", "equivalent", "changed", "open"]


@dataclass(frozen=True)
class Looks:
    """One element a look, from `FIRST_LOOK` pairs on. The interval is the intersection of all so far."""

    pairs: Floats
    log_e: Floats
    low: Floats
    high: Floats


def log_e_values(differences: Floats, effect: float = 0.0) -> Floats:
    """Return log E against this effect after 1, 2, ... differences along the last axis; 0 before the first look."""
    count = np.arange(1, differences.shape[-1] + 1)
    mean, squares = _running_moments(differences)
    squared_t = count * (mean - effect) ** 2 / np.maximum(squares, 1e-300)
    shrunk = PHI / (PHI + count)
    found = 0.5 * np.log(shrunk) - count / 2 * (np.log1p(shrunk * squared_t) - np.log1p(squared_t))
    looked: Floats = np.where(count >= FIRST_LOOK, found, 0.0)
    return looked


def look(differences: Floats, level: float = LEVEL) -> Looks:
    """Return every look at one cell's differences in the order they were measured, at least `FIRST_LOOK` of them."""
    looked = slice(FIRST_LOOK - 1, None)
    pairs = np.arange(1, len(differences) + 1, dtype=np.float64)[looked]
    mean, squares = (one[looked] for one in _running_moments(differences))
    half = np.sqrt(_width_factor(pairs, level) * np.maximum(squares, 1e-300) / pairs)
    low, high = np.maximum.accumulate(mean - half), np.minimum.accumulate(mean + half)
    return Looks(pairs, log_e_values(differences)[looked], low, high)


def _running_moments(differences: Floats) -> tuple[Floats, Floats]:
    """Means and sums of squares around them. Values are taken from the first, so that large levels lose no digits."""
    count = np.arange(1, differences.shape[-1] + 1)
    origin = differences[..., :1]
    rest = differences - origin
    mean = rest.cumsum(axis=-1) / count
    squares = np.maximum((rest**2).cumsum(axis=-1) - count * mean**2, 0.0)
    return mean + origin, squares


def _width_factor(pairs: Floats, level: float) -> Floats:
    """Return r of the interval mean +- sqrt(r SS / n); infinite where no effect can be ruled out yet."""
    shrunk = PHI / (PHI + pairs)
    c = np.exp(2 / pairs * (math.log(1 / level) - 0.5 * np.log(shrunk)))
    with np.errstate(divide="ignore", invalid="ignore"):
        factor: Floats = np.where(shrunk * c < 1, (c - 1) / (1 - shrunk * c), np.inf)
    return factor


def settle(looks: Looks, margin: float) -> tuple[State, int]:
    """Return the first verdict and the pairs it took; without one, `changed` or `open` and all pairs.

    `margin` is on the scale of the differences. `better` means higher: the caller turns it for its metric. A verdict
    stands: the interval only shrinks.
    """
    states: tuple[tuple[State, NDArray[np.bool_]], ...] = (
        ("worse", looks.high < -margin if margin > 0 else looks.high < 0),
        ("better", looks.low > margin if margin > 0 else looks.low > 0),
        ("equivalent", (looks.low > -margin) & (looks.high < margin)),
    )
    first = [(int(np.argmax(holds)), state) for state, holds in states if holds.any()]
    if first:
        place, state = min(first)
        return state, int(looks.pairs[place])
    if len(looks.pairs) and (looks.low[-1] > 0 or looks.high[-1] < 0):
        return "changed", int(looks.pairs[-1])
    return "open", int(looks.pairs[-1]) if len(looks.pairs) else 0


def log_e_beyond(differences: Floats, margin: float) -> Floats:
    """Return the least log E over all effects within +-margin, after each difference.

    It is an e-value against "the effect lies within the margin": the true effect, if it does, has an E at least as
    large. E grows with the distance from the mean, so the nearest edge decides.
    """
    count = np.arange(1, differences.shape[-1] + 1)
    mean, _ = _running_moments(differences)
    below, above = log_e_values(differences, -margin), log_e_values(differences, margin)
    within = np.where(count >= FIRST_LOOK, 0.5 * np.log(PHI / (PHI + count)), 0.0)
    found: Floats = np.where(np.abs(mean) <= margin, within, np.where(mean < 0, below, above))
    return found
