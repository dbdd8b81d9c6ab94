"""Interleaved trials compared as pairs: Student's t on the differences of logarithms. Pure.

Sources: "Student", "The probable error of a mean" (1908), with the variance moderated (`moderation`); R. A. Fisher,
"The design of experiments" (1935), section 21, for the sign-flip test; J. L. Hodges and E. L. Lehmann, "Estimates of
location based on rank tests" (1963). The order within each block is random (`order`), so a difference is symmetric
around the effect and nothing has to be widened for neighbours that depend on each other.
"""

from itertools import product

import numpy as np

from loadstone.stats.estimates import Estimates, Floats
from loadstone.stats.paired.moderation import NO_PRIOR, Prior

MIN_PAIRS = 3
SIGN_FLIPS_UP_TO_PAIRS = 14
"""2^13 sums; beyond, the t test is as exact as anyone can tell."""
LEAST_VARIANCE = 0.001**2
"""No trial is known better than to 0.1 %: identical values then have a variance, and 100 against 50 a p-value."""
WALSH_UP_TO_PAIRS = 200


def pair_variances(differences: Floats, resolution: Floats | float = 0.0) -> Floats:
    """Return the variance of each row, at least that of values recorded in steps of `resolution` (relative).

    A value rounded to steps of u has a variance of u^2 / 12; a difference has two values.
    """
    floor = np.maximum(LEAST_VARIANCE, 2 * np.square(resolution) / 12)
    variances: Floats = np.maximum(differences.var(axis=1, ddof=1), floor)
    return variances


def paired_t(differences: Floats, variances: Floats, prior: Prior = NO_PRIOR) -> Estimates:
    """`differences` has one row a cell and one column a pair, at least two; `variances` come from `pair_variances`."""
    pairs = differences.shape[1]
    moderated, freedom = prior.moderate(variances, np.full(len(differences), pairs - 1.0))
    spread = np.sqrt(moderated)
    return Estimates(differences.mean(axis=1), spread / np.sqrt(pairs), freedom, spread)


def hodges_lehmann(differences: Floats) -> Floats:
    """Return the median of the means of all pairs of columns, which one odd pair hardly moves; for each row."""
    pairs = differences.shape[1]
    if pairs > WALSH_UP_TO_PAIRS:
        medians: Floats = np.median(differences, axis=1)
        return medians
    first, second = np.triu_indices(pairs)
    found = [np.median((row[first] + row[second]) / 2) for row in differences]
    return np.array(found)


def sign_flip_p(differences: Floats) -> float | None:
    """Return the exact two-sided p-value of one cell: the share of sign patterns with a sum at least as large.

    At best 2^(1-n). None with more than 14 pairs.
    """
    if len(differences) > SIGN_FLIPS_UP_TO_PAIRS:
        return None
    # The first sign is fixed: a pattern and its mirror image have the same absolute sum.
    signs = np.array(list(product((1.0, -1.0), repeat=len(differences) - 1))).reshape(-1, len(differences) - 1)
    sums = np.abs(differences[0] + signs @ differences[1:])
    return float((sums >= abs(differences.sum()) * (1 - 1e-12)).mean())
