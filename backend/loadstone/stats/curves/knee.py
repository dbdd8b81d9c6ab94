"""The knee of a curve: the load with the best throughput for its response time. Pure.

Source: L. Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer communications"
(1979): the point of the largest throughput / response time. How sure it is comes from a parametric bootstrap: B. Efron
and R. J. Tibshirani, "An introduction to the bootstrap" (1993), chapter 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadstone.stats.estimates import Floats

DRAWS = 4_000
COVERAGE = 0.95


@dataclass(frozen=True)
class Knee:
    """Places along the curve. `places` hold the knee with 95 %; `best` is the single likeliest."""

    best: int
    places: list[int]
    is_reached: bool
    """False where the last point may be the knee: the curve then ends too early to tell."""


def find_knee(throughput: Sequence[Floats], response_time: Sequence[Floats], seed: int = 0) -> Knee | None:
    """Each has the trials of every point, by ascending load. None with fewer than three points or two trials.

    The log ratio of each point is drawn anew with the SD pooled over all points and its t distribution.
    """
    logs = [np.log(one) - np.log(other) for one, other in zip(throughput, response_time, strict=True)]
    counts = np.array([len(one) for one in logs])
    freedom = int((counts - 1).sum())
    if len(logs) < 3 or counts.min() < 1 or freedom < 1:
        return None
    means = np.array([one.mean() for one in logs])
    squares = sum(float(((one - one.mean()) ** 2).sum()) for one in logs)
    spread = np.sqrt(squares / freedom / counts)
    draw = np.random.default_rng(seed)
    # One draw of chi-square for all points: they share the estimate of the SD.
    scale = np.sqrt(freedom / draw.chisquare(freedom, (DRAWS, 1)))
    drawn = means + draw.normal(size=(DRAWS, len(means))) * spread * scale
    shares = np.bincount(drawn.argmax(axis=1), minlength=len(means)) / DRAWS
    order = np.argsort(-shares, kind="stable")
    enough = int(np.searchsorted(shares[order].cumsum(), COVERAGE - 1e-12)) + 1
    places = sorted(int(place) for place in order[:enough])
    return Knee(int(means.argmax()), places, is_reached=len(logs) - 1 not in places)
