"""The noise of a series, measured so that steps and odd runs hardly touch it. Pure.

Sources: F. R. Hampel, "The influence curve and its role in robust estimation" (1974) for odd values. S. Chakar, E.
Lebarbier, C. Levy-Leduc and S. Robin, "A robust approach for estimating change-points in the mean of an AR(1) process"
(2017) for the autocorrelation: with v1 and v2 the variances of y[t+1]-y[t] and y[t+2]-y[t], v2 / v1 - 1 is the
coefficient of a first-order autoregression, and a step is in one or two of the differences only.
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from loadstone.stats.estimates import Floats

HALF_WINDOW = 3
FAR_DEVIATIONS, KEPT_DEVIATIONS = 3.5, 2.5
MAD_TO_DEVIATION = 1.4826
MEDIAN_OF_SEVEN_WIDENING = 1.15
"""Residuals from a running median of seven are that much smaller than the noise."""
BOUND_DEVIATIONS = 2.5
BOUNDED_NORMAL_VARIANCE = 0.9776
"""Of a standard normal value cut at 2.5."""
PHI_PRIOR, PRIOR_WEIGHT, PHI_MAX = 0.3, 20, 0.85
SMALLEST = 1e-300
LEAST_VARIANCE = 0.0005**2
"""Values without noise still have their resolution."""


@dataclass(frozen=True)
class Noise:
    """`variance` of one value; `long_run` is n times the variance of a mean of n neighbours, for large n."""

    variance: float
    long_run: float
    phi: float


def logarithms(values: Floats) -> Floats:
    """A value that is not above zero counts as half the smallest that is: `clipped` bounds it afterwards."""
    positive = values[values > 0]
    logs: Floats = np.log(np.where(values > 0, values, max(float(positive.min()) / 2, SMALLEST)))
    return logs


def clipped(logs: Floats) -> Floats:
    """Bound what lies far from the running median of seven. At both ends the window is what there is of it."""
    middle = _running_median(logs)
    rest = logs - middle
    deviation = MEDIAN_OF_SEVEN_WIDENING * MAD_TO_DEVIATION * float(np.median(np.abs(rest - np.median(rest))))
    if deviation <= 0:
        deviation = float(np.sqrt(LEAST_VARIANCE))
    bounded = middle + np.clip(rest, -KEPT_DEVIATIONS * deviation, KEPT_DEVIATIONS * deviation)
    found: Floats = np.where(np.abs(rest) > FAR_DEVIATIONS * deviation, bounded, logs)
    return found


def _running_median(values: Floats) -> Floats:
    count, width = len(values), 2 * HALF_WINDOW + 1
    medians = np.empty(count)
    if count >= width:
        medians[HALF_WINDOW : count - HALF_WINDOW] = np.median(sliding_window_view(values, width), axis=1)
    for place in [*range(min(HALF_WINDOW, count)), *range(max(HALF_WINDOW, count - HALF_WINDOW), count)]:
        medians[place] = np.median(values[max(0, place - HALF_WINDOW) : place + HALF_WINDOW + 1])
    if count < width:
        medians[:] = [np.median(values[max(0, at - HALF_WINDOW) : at + HALF_WINDOW + 1]) for at in range(count)]
    return medians


def measure(clean: Floats) -> Noise:
    """`clean` are clipped logarithms, at least four."""
    v1, v2 = (_bounded_variance(clean[lag:] - clean[:-lag]) for lag in (1, 2))
    v1 = max(v1, 2 * LEAST_VARIANCE)
    count = len(clean)
    phi = (count * (v2 / v1 - 1) + PRIOR_WEIGHT * PHI_PRIOR) / (count + PRIOR_WEIGHT)
    phi = min(max(phi, 0.0), PHI_MAX)
    variance = v1 / (2 * (1 - phi))
    return Noise(variance, variance * (1 + phi) / (1 - phi), phi)


def _bounded_variance(differences: Floats) -> float:
    deviation = max(MAD_TO_DEVIATION * float(np.median(np.abs(differences))), float(np.sqrt(2 * LEAST_VARIANCE)))
    bounded = np.clip(differences, -BOUND_DEVIATIONS * deviation, BOUND_DEVIATIONS * deviation)
    return float((bounded**2).mean()) / BOUNDED_NORMAL_VARIANCE
