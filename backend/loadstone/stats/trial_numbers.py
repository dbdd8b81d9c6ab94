"""How many trials a verdict needs. Pure.

The usual sample size of a t interval, (t(confidence) + t(power)) x spread / sqrt(n) <= distance; see J. Cohen,
"Statistical power analysis for the behavioral sciences", chapter 2.
"""

from functools import cache

import numpy as np
from scipy.special import stdtrit

from loadstone.stats.estimates import Floats

POWER = 0.8
"""Four in five of those who queue this many trials get their verdict."""
MAX_TRIALS = 1_000
FEWEST = 3


def trials_for(spread: Floats, distance: Floats, confidence: float) -> Floats:
    """Trials a side to tell a log ratio of `distance` from zero; infinite where more than MAX_TRIALS are needed."""
    resolved = _resolved(round(confidence, 6))
    index = np.searchsorted(resolved, spread / distance)
    return np.where(index < len(resolved), index + FEWEST, np.inf)


@cache
def _resolved(confidence: float) -> Floats:
    """The spread, in distances, that n trials can bear, for n = FEWEST ... MAX_TRIALS; ascends."""
    trials = np.arange(FEWEST, MAX_TRIALS + 1)
    quantiles = stdtrit(trials - 1, (1 + confidence) / 2) + stdtrit(trials - 1, POWER)
    resolved: Floats = np.sqrt(trials) / quantiles
    return resolved
