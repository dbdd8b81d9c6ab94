"""Interleaved trials compared as pairs: log ratios, their Hodges-Lehmann estimate and an interval. Pure.

Sources: J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests" (1963) for the estimate. For the
interval F. Wilcoxon, "Individual comparisons by ranking methods" (1945), inverted over the Walsh averages as in
M. Hollander, D. A. Wolfe and E. Chicken, "Nonparametric statistical methods", section 3.2; Student's t for few pairs.

Which interval: with n pairs the signed-rank test's smallest two-sided p-value is 2^(1-n), so below six pairs it can
never reach 5 %, and up to nine it loses up to a fifth of the power of the t interval. The t interval holds its level
on all noises tried from three pairs on (`bench/compare_verdicts.py`); from ten pairs the two have the same power where
the noise is normal, and the signed-rank interval has more where it has outliers. Two pairs are too few for either:
with bimodal noise the t interval would be wrong in 8 % of cases.
"""

from functools import cache
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from loadstone.stats.estimates import Estimates, Floats

Interval = Literal["t", "signed_rank"]

MIN_PAIRS = 3
SIGNED_RANK_FROM_PAIRS = 10
EXACT_UP_TO_PAIRS = 100
"""Beyond, the signed-rank statistic is normal for every purpose."""
WALSH_AVERAGES_AT_ONCE = 4_000_000
"""Bounds memory to some 100 MB."""

SERIAL_WIDENING = float(np.sqrt((1 + np.sqrt(2)) / 2))
"""Intervals are this much wider than for independent trials: 1.0987.

Neighbouring trials are correlated. In AR(1) noise with coefficient r the differences of an ABBA order have the lag-k
autocorrelation (-1)^(k+1) r^(2k-1) (1-r) / 2, so the variance of their mean is 1 + r (1-r) / (1+r^2) times that of
independent differences. The largest value over all r is (1+sqrt 2)/2, at r = sqrt 2 - 1: no AR(1) noise can do worse.
"""


def interval_kind(pairs: int) -> Interval:
    return "signed_rank" if pairs >= SIGNED_RANK_FROM_PAIRS else "t"


def paired(log_ratios: Floats, confidence: float) -> Estimates:
    """`log_ratios` has one row a cell and one column a pair, at least two; no row may be constant."""
    pairs = log_ratios.shape[1]
    rows = max(1, WALSH_AVERAGES_AT_ONCE // (pairs * (pairs + 1) // 2))
    parts = [_paired(log_ratios[start : start + rows], confidence) for start in range(0, len(log_ratios), rows)]
    names = ("estimate", "low", "high", "p_value", "spread")
    return Estimates(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _paired(log_ratios: Floats, confidence: float) -> Estimates:
    walsh = _walsh_averages(log_ratios)
    estimate = np.median(walsh, axis=1)
    if interval_kind(log_ratios.shape[1]) == "t":
        low, high, p_value = _t_interval(log_ratios, confidence)
    else:
        low, high, p_value = _signed_rank_interval(walsh, estimate, log_ratios.shape[1], confidence)
    spread = log_ratios.std(axis=1, ddof=1) * SERIAL_WIDENING
    return Estimates(estimate, low, high, p_value, spread)


def _walsh_averages(log_ratios: Floats) -> Floats:
    """Of every pair of columns (and each with itself) the mean, ascending in each row."""
    first, second = np.triu_indices(log_ratios.shape[1])
    averages: Floats = np.sort((log_ratios[:, first] + log_ratios[:, second]) / 2, axis=1)
    return averages


def _t_interval(log_ratios: Floats, confidence: float) -> tuple[Floats, Floats, Floats]:
    pairs = log_ratios.shape[1]
    mean = log_ratios.mean(axis=1)
    error = log_ratios.std(axis=1, ddof=1) / np.sqrt(pairs) * SERIAL_WIDENING
    half = stdtrit(pairs - 1, (1 + confidence) / 2) * error
    return mean - half, mean + half, 2 * stdtr(pairs - 1, -np.abs(mean) / error)


def _signed_rank_interval(
    walsh: Floats, estimate: Floats, pairs: int, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """From the ordered Walsh averages: as many are cut from each end as the test may count at this level."""
    cut = _signed_rank_cut(pairs, confidence)
    low = estimate + (walsh[:, cut] - estimate) * SERIAL_WIDENING
    high = estimate + (walsh[:, -1 - cut] - estimate) * SERIAL_WIDENING
    # The widened interval leaves out 0 exactly when the plain one leaves out this value: one test, not two.
    origin = (estimate * (1 - 1 / SERIAL_WIDENING))[:, None]
    statistic = np.minimum((walsh >= origin).sum(axis=1), (walsh <= origin).sum(axis=1))
    return low, high, np.minimum(1.0, 2 * _signed_rank_at_most(pairs, statistic))


def _signed_rank_cut(pairs: int, confidence: float) -> int:
    """The largest c with P(statistic <= c) <= half of what the confidence leaves; such a c is there from 6 pairs on."""
    level = (1 - confidence) / 2
    if pairs <= EXACT_UP_TO_PAIRS:
        return max(0, int(np.searchsorted(_signed_rank_distribution(pairs), level, side="right")) - 1)
    mean, deviation = _signed_rank_moments(pairs)
    return int(np.floor(mean + deviation * ndtri(level) - 0.5))


def _signed_rank_at_most(pairs: int, statistic: Floats) -> Floats:
    if pairs <= EXACT_UP_TO_PAIRS:
        found: Floats = _signed_rank_distribution(pairs)[statistic.astype(int)]
        return found
    mean, deviation = _signed_rank_moments(pairs)
    normal: Floats = ndtr((statistic + 0.5 - mean) / deviation)
    return normal


def _signed_rank_moments(pairs: int) -> tuple[float, float]:
    return pairs * (pairs + 1) / 4, float(np.sqrt(pairs * (pairs + 1) * (2 * pairs + 1) / 24))


@cache
def _signed_rank_distribution(pairs: int) -> Floats:
    """P(statistic <= w) for w = 0, 1, ...: each rank joins the sum or not, with probability one half."""
    shares = np.zeros(pairs * (pairs + 1) // 2 + 1)
    shares[0] = 1.0
    for rank in range(1, pairs + 1):
        joined = np.zeros_like(shares)
        joined[rank:] = shares[:-rank]
        shares = (shares + joined) / 2
    return np.cumsum(shares)
