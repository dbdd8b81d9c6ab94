"""Variances that borrow from the other cells of their metric. Pure.

Source: G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression in microarray
experiments" (2004), section 6.2: the prior's degrees of freedom d0 and variance s0^2 follow from mean and variance of
log s^2. Here d0 is capped at the cell's own degrees of freedom, because an uncapped prior lets single outliers through
(7.6 % false with three pairs under Student's t noise with 3 degrees of freedom). With three or four pairs no cell
counts as quieter than the family's median: where trials have two modes 15 % apart, all pairs of a cell may meet them
alike and look like a change without noise (14 % of families of 30 had such a cell; with the floor, under 4 %).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, fdtrc, polygamma

from loadstone.stats.estimates import Floats

CELLS_MIN = 10
LEVEL_OF_F_TEST = 0.05
FEW_FREEDOM = 3


@dataclass(frozen=True)
class Prior:
    """What is known of a variance before the cell is looked at: `variance` with `freedom` degrees of freedom."""

    variance: float
    freedom: float
    median: float = 0.0
    """Of the variances in the family."""

    def moderate(self, variances: Floats, freedom: Floats) -> tuple[Floats, Floats]:
        """Return the moderated variances and their degrees of freedom."""
        own = np.minimum(self.freedom, freedom)
        moderated = (own * self.variance + freedom * variances) / (own + freedom)
        floored: Floats = np.where(freedom <= FEW_FREEDOM, np.maximum(moderated, self.median), moderated)
        return floored, own + freedom


NO_PRIOR = Prior(variance=0.0, freedom=0.0)


def prior_of_family(variances: Floats, freedom: Floats) -> Prior:
    """Estimate the prior from all cells of one metric; `NO_PRIOR` with fewer than ten. Variances are above zero."""
    if len(variances) < CELLS_MIN:
        return NO_PRIOR
    median = float(np.median(variances))
    logs = np.log(variances) - digamma(freedom / 2) + np.log(freedom / 2)
    excess = float(logs.var(ddof=1) - polygamma(1, freedom / 2).mean())
    if excess <= 0:
        return Prior(float(np.exp(logs.mean())), np.inf, median)
    half = _inverse_trigamma(excess)
    return Prior(float(np.exp(logs.mean() + digamma(half) - np.log(half))), 2 * half, median)


def prior_of_passport(passport: Prior, variances: Floats, freedom: Floats) -> Prior:
    """Return the passport's prior if an F test finds today's variances no larger, else `NO_PRIOR`.

    For families too small for a prior of their own: the passport has seen the spread over earlier sessions.
    """
    if passport.freedom <= 0 or not len(variances):
        return NO_PRIOR
    total = float(freedom.sum())
    today = float((variances * freedom).sum() / total)
    seen = passport.freedom if np.isfinite(passport.freedom) else 1e6
    is_larger = fdtrc(total, seen, today / passport.variance) < LEVEL_OF_F_TEST
    return NO_PRIOR if is_larger else passport


def _inverse_trigamma(value: float) -> float:
    """Newton's method on 1 / trigamma, which is nearly linear (Smyth 2004, appendix)."""
    if value > 1e7:
        return float(1 / np.sqrt(value))
    if value < 1e-6:
        return 1 / value
    found = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, found))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, found))
        found += step
        if -step / found < 1e-10:
            break
    return found
