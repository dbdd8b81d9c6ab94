"""What an interval method answers, for many cells at once. Pure."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimates:
    """Arrays of one length, one element a cell, on the scale of log ratios (contender / base).

    `spread` is the standard deviation that shrinks with the square root of the number of trials.
    """

    estimate: Floats
    low: Floats
    high: Floats
    p_value: Floats
    spread: Floats

    def row(self, index: int) -> dict[str, Any]:
        return {name: float(getattr(self, name)[index]) for name in ("estimate", "low", "high", "p_value", "spread")}
