"""The Universal Scalability Law: how much of the work waits in line, and how much is spent on agreeing. Pure.

Source: N. J. Gunther, "Guerrilla capacity planning" (2007): X(N) = l N / (1 + a (N-1) + b N (N-1)) with throughput X at
load N, contention a and coherency b. Fitted by least squares on log X with logarithms of the parameters. Lack of fit:
N. R. Draper and H. Smith, "Applied regression analysis" (3rd ed. 1998), section 2.1.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.optimize import least_squares
from scipy.special import fdtrc, stdtrit

from loadstone.stats.estimates import Floats

LOADS_MIN = 4
REACH = 2.0
"""A peak beyond twice the largest load is a guess."""
LACK_OF_FIT_LEVEL = 0.05
STARTS = ((0.01, 1e-4), (0.1, 1e-3), (0.5, 1e-6))


@dataclass(frozen=True)
class Parameter:
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Scalability:
    """`verdict`: `peak` has everything; `not_within_reach` has no peak and no coherency; `does_not_fit` has nothing."""

    verdict: Literal["peak", "not_within_reach", "does_not_fit"]
    rate_of_one: Parameter | None = None
    contention: Parameter | None = None
    coherency: Parameter | None = None
    peak_load: Parameter | None = None
    lack_of_fit_p: float | None = None


def fit_scalability(loads: Floats, throughput: Floats, confidence: float = 0.95) -> Scalability | None:
    """One element a trial. None with fewer than four loads, or without repeated trials."""
    distinct, places = np.unique(loads, return_inverse=True)
    pure_freedom = len(loads) - len(distinct)
    if len(distinct) < LOADS_MIN or pure_freedom < 1 or throughput.min() <= 0:
        return None
    logs = np.log(throughput)
    fit = min((_fit(loads, logs, start) for start in STARTS), key=lambda one: float(one.cost))
    means = np.bincount(places, logs) / np.bincount(places)
    pure = float(((logs - means[places]) ** 2).sum())
    residual = 2 * float(fit.cost)
    misfit_p = _lack_of_fit(residual - pure, pure, len(distinct) - 3, pure_freedom)
    if misfit_p < LACK_OF_FIT_LEVEL:
        return Scalability("does_not_fit", lack_of_fit_p=misfit_p)
    variance = max(pure / pure_freedom, residual / max(len(loads) - 3, 1))
    covariance = np.linalg.pinv(fit.jac.T @ fit.jac) * variance
    reach = float(stdtrit(pure_freedom, (1 + confidence) / 2))
    return _scalability(fit.x, covariance, reach, float(loads.max()), misfit_p)


def _fit(loads: Floats, logs: Floats, start: tuple[float, float]) -> "least_squares":
    first = math.log(math.exp(float(logs.min())) / float(loads.min()))
    bounds = ([-60.0, -25.0, -40.0], [60.0, 5.0, 5.0])
    return least_squares(
        lambda x: _log_throughput(loads, x) - logs, [first, *np.log(start)], bounds=bounds, x_scale="jac", max_nfev=500
    )


def _log_throughput(loads: Floats, parameters: Floats) -> Floats:
    rate, contention, coherency = np.exp(parameters)
    logs: Floats = np.log(rate * loads) - np.log1p(contention * (loads - 1) + coherency * loads * (loads - 1))
    return logs


def _lack_of_fit(misfit: float, pure: float, misfit_freedom: int, pure_freedom: int) -> float:
    if misfit_freedom < 1 or misfit <= 0:
        return 1.0
    if pure <= 0:
        return 0.0
    return float(fdtrc(misfit_freedom, pure_freedom, (misfit / misfit_freedom) / (pure / pure_freedom)))


def _scalability(x: Floats, covariance: Floats, reach: float, largest: float, misfit_p: float) -> Scalability:
    def parameter(place: int) -> Parameter:
        half = reach * math.sqrt(max(covariance[place, place], 0.0))
        return Parameter(*(_exp(x[place] + shift) for shift in (0.0, -half, half)))

    known: dict[str, Any] = {"rate_of_one": parameter(0), "contention": parameter(1), "lack_of_fit_p": misfit_p}
    contention, coherency = math.exp(x[1]), math.exp(x[2])
    if contention >= 1:
        return Scalability("not_within_reach", **known)
    log_peak = 0.5 * (math.log1p(-contention) - x[2])
    # Delta method: the logarithm of the peak's change with log a and log b.
    slope = np.array([0.0, -0.5 * contention / (1 - contention), -0.5])
    half = reach * math.sqrt(max(float(slope @ covariance @ slope), 0.0))
    if coherency <= 0 or log_peak + half > math.log(REACH * largest):
        return Scalability("not_within_reach", **known)
    peak = Parameter(*(_exp(log_peak + shift) for shift in (0.0, -half, half)))
    return Scalability("peak", coherency=parameter(2), peak_load=peak, **known)


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0))
