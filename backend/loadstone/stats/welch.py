"""Trials that are no pairs: Welch's t interval on logarithms. Pure.

Source: B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
involved" (1947), with Satterthwaite's degrees of freedom. It takes trials as independent and knows nothing of what
differs from session to session, so between sessions it is the weaker evidence: see `bench/compare_verdicts.py`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from loadstone.stats.estimates import Estimates, Floats

MIN_TRIALS = 3
"""A side. With two, bimodal noise makes the interval too short too often, as with pairs."""


@dataclass(frozen=True)
class Moments:
    """Of the logarithms of one side's values, one element a cell; counts of at least two."""

    count: Floats
    mean: Floats
    variance: Floats


def welch(base: Moments, contender: Moments, confidence: float) -> Estimates:
    """No cell may have zero variance on both sides."""
    error_base, error_contender = base.variance / base.count, contender.variance / contender.count
    squared = error_base + error_contender
    freedom = squared**2 / (error_base**2 / (base.count - 1) + error_contender**2 / (contender.count - 1))
    estimate, error = contender.mean - base.mean, np.sqrt(squared)
    half = stdtrit(freedom, (1 + confidence) / 2) * error
    return Estimates(
        estimate=estimate,
        low=estimate - half,
        high=estimate + half,
        p_value=2 * stdtr(freedom, -np.abs(estimate) / error),
        spread=np.sqrt(base.variance + contender.variance),
    )
