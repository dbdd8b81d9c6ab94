"""Estimates with an error and degrees of freedom, for many cells at once. Pure.

Every design ends here: pairs, trials of one session, sessions, shares. One Student t then gives interval and p-values,
so the two can't disagree.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimates:
    """Arrays of one length, one element a cell, on the scale of log ratios (contender / base).

    `error` is the standard error of `estimate` with `freedom` degrees of freedom. `spread` is the standard deviation
    of one unit (pair, trial or session), so `error` shrinks from it with the square root of their number.
    """

    estimate: Floats
    error: Floats
    freedom: Floats
    spread: Floats

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        half = stdtrit(self.freedom, (1 + confidence) / 2) * self.error
        return self.estimate - half, self.estimate + half

    def p_value(self, limit: Floats | float = 0.0) -> Floats:
        """Return twice the one-sided p-value of "the effect lies within +-limit"; at 0, the two-sided p-value.

        At most 1 - confidence exactly where the whole interval lies beyond the limit.
        """
        beyond = (np.abs(self.estimate) - limit) / self.error
        found: Floats = np.minimum(1.0, 2 * stdtr(self.freedom, -beyond))
        return found

    def row(self, index: int) -> "Estimates":
        return Estimates(**{one.name: getattr(self, one.name)[index : index + 1] for one in fields(self)})

    @staticmethod
    def empty(count: int) -> "Estimates":
        return Estimates(*(np.full(count, np.nan) for _ in range(4)))

    def put(self, places: list[int], other: "Estimates") -> None:
        """Write `other` into these places."""
        for one in fields(self):
            getattr(self, one.name)[places] = getattr(other, one.name)
