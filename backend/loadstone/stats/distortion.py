"""How far the load generator's own lateness can have moved a quantile. Pure.

A reported time R is the true time T plus a delay L >= 0 of the generator: lateness, and pauses of its host. T and L
depend on each other in ways nobody knows, so the bounds hold for every dependence:

    max over l of Q_R(q - P(L > l)) - l  <=  Q_T(q)  <=  Q_R(q)

Sources: G. D. Makarov, "Estimates for the distribution function of a sum of two random variables when the marginal
distributions are fixed" (1982); M. J. Frank, R. B. Nelsen and B. Schweizer, "Best-possible bounds for the distribution
of a sum" (1987).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from loadstone.stats.estimates import Floats

DISTORTION_MAX = 0.05
"""A quantile that may be wrong by more is void."""
DELAY_LEVELS = np.array([0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.985, 0.99, 0.993, 0.995, 0.997, 0.998,
                         0.999, 0.9995, 0.9999])  # fmt: skip

Quantiles = Callable[[float], float]
"""A share in 0 ... 1 to a value."""


@dataclass(frozen=True)
class TrueQuantile:
    """The quantile that requests would have had without the generator's delays lies in `low` ... `high`."""

    low: float
    high: float

    @property
    def distortion(self) -> float:
        """`high / low - 1`; infinite where the low end is zero."""
        return self.high / self.low - 1 if self.low > 0 else float("inf")

    @property
    def is_void(self) -> bool:
        return self.distortion > DISTORTION_MAX


def true_quantile(
    reported: Quantiles, exceedance: Callable[[float], float], delays: Sequence[float], quantile: float
) -> TrueQuantile:
    """`exceedance(l)` is P(L > l). The bound holds for any `delays` that are tried; more make it tighter."""
    high = reported(quantile)
    low = 0.0
    for delay in (0.0, *delays):
        left = quantile - exceedance(delay)
        if left > 0:
            low = max(low, reported(left) - delay)
    return TrueQuantile(low=min(low, high), high=high)


def delays_to_try(late_quantiles: Quantiles, pauses: Sequence[float]) -> list[float]:
    """Return lengths at which P(L > l) changes most: quantiles of lateness, and the pauses."""
    return sorted({late_quantiles(float(level)) for level in (*DELAY_LEVELS, 1.0)} | set(pauses))


def share_in_pauses(pauses: Floats, duration: float, delay: float) -> float:
    """Return the share of arrivals that a pause held up by more than `delay`: sum (h - delay)+ / duration."""
    return float(np.maximum(pauses - delay, 0).sum() / duration) if duration > 0 else 0.0


def combined_exceedance(
    late_share: Callable[[float], float], pauses: Floats, duration: float
) -> Callable[[float], float]:
    """Return a bound of P(lateness + pause > l) for any dependence: the least P(late > a) + P(pause > l - a)."""

    def exceedance(delay: float) -> float:
        splits = {0.0, delay / 2, delay}
        return min(1.0, *(late_share(part) + share_in_pauses(pauses, duration, delay - part) for part in splits))

    return exceedance
