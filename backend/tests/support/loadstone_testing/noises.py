"""Trials that never were: log values in ABBA order under noises that stores are known to make. Seeded."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, int], Floats]
"""`(draw, repetitions, trials)` to logarithms, one row a repetition, in the order of execution."""

CV = 0.015
SETTLE = 50


def _iid(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    return draw.normal(0, CV, (repetitions, trials))


def _ar1(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    """Each trial keeps half of what disturbed the one before."""
    shocks = draw.normal(0, CV * np.sqrt(0.75), (repetitions, SETTLE + trials))
    values = np.zeros_like(shocks)
    for trial in range(1, SETTLE + trials):
        values[:, trial] = 0.5 * values[:, trial - 1] + shocks[:, trial]
    return values[:, SETTLE:]


def _bimodal(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    """Three trials in ten run 15 % slower."""
    is_slow = draw.random((repetitions, trials)) < 0.3
    return draw.normal(0, 0.01, (repetitions, trials)) + np.where(is_slow, np.log(0.85), 0.0)


def _outliers(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    """One trial in twenty loses 40 %."""
    is_hit = draw.random((repetitions, trials)) < 0.05
    return draw.normal(0, CV, (repetitions, trials)) + np.where(is_hit, np.log(0.6), 0.0)


def _log_normal(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    """What is left above a fixed cost is log-normal, as response times are: skewed on the log scale too."""
    return np.log(1 + draw.lognormal(-3.0, 1.0, (repetitions, trials)))


NOISES: dict[str, Noise] = {
    "iid": _iid,
    "ar1": _ar1,
    "bimodal": _bimodal,
    "outliers": _outliers,
    "log_normal": _log_normal,
}


def session(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    """A session's own level (SD 2 %), a drift of 2 % over it, and 1.5 % between trials."""
    level = draw.normal(0, 0.02, (repetitions, 1))
    return level + 0.02 * np.linspace(0, 1, trials) + draw.normal(0, CV, (repetitions, trials))


def split_abba(logs: Floats) -> tuple[Floats, Floats]:
    """The values of both sides, by pair: A B, then B A, as plans interleave two targets."""
    blocks = logs.reshape(len(logs), -1, 2).copy()
    blocks[:, 1::2] = blocks[:, 1::2, ::-1]
    return np.exp(blocks[:, :, 0]), np.exp(blocks[:, :, 1])
