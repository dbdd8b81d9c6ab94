"""Trials that never were: log values in the order of execution under noises that stores are known to make. Seeded."""

import random
from collections.abc import Callable

import numpy as np
from loadstone.stats.paired.order import block_orders
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, int], Floats]
"""`(draw, repetitions, trials)` to logarithms, one row a repetition, in the order of execution."""

CV = 0.015
SETTLE = 50


def _iid(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    return draw.normal(0, CV, (repetitions, trials))


def ar1(draw: np.random.Generator, repetitions: int, trials: int, phi: float) -> Floats:
    """Each trial keeps `phi` of what disturbed the one before."""
    shocks = draw.normal(0, CV * np.sqrt(1 - phi**2), (repetitions, SETTLE + trials))
    values = np.zeros_like(shocks)
    for trial in range(1, SETTLE + trials):
        values[:, trial] = phi * values[:, trial - 1] + shocks[:, trial]
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


def _t3(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    return CV * draw.standard_t(3, (repetitions, trials)) / np.sqrt(3)


def _drift(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    """The machine loses 10 % over the session."""
    return draw.normal(0, CV, (repetitions, trials)) + np.log(0.9) * np.linspace(0, 1, trials)


def _batches(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    """Five trials at a time share a level."""
    levels = draw.normal(0, 2 * CV, (repetitions, -(-trials // 5)))
    return draw.normal(0, CV, (repetitions, trials)) + np.repeat(levels, 5, axis=1)[:, :trials]


def _period(length: int) -> Noise:
    def noise(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
        """Half of each period is 5 % slower, from a random place on."""
        phase = draw.integers(0, length, (repetitions, 1))
        is_slow = (np.arange(trials) + phase) % length < length // 2
        return draw.normal(0, 0.003, (repetitions, trials)) + np.where(is_slow, np.log(0.95), 0.0)

    return noise


NOISES: dict[str, Noise] = {
    "iid": _iid,
    "ar_0.5": lambda draw, repetitions, trials: ar1(draw, repetitions, trials, 0.5),
    "ar_0.8": lambda draw, repetitions, trials: ar1(draw, repetitions, trials, 0.8),
    "bimodal": _bimodal,
    "t3": _t3,
    "outliers": _outliers,
    "log_normal": _log_normal,
    "drift": _drift,
    "batches": _batches,
}
PERIODIC: dict[str, Noise] = {"period_2": _period(2), "period_4": _period(4)}
"""With few pairs a deterministic wave leaves no chance to be fair: from ten pairs on."""


def session(draw: np.random.Generator, repetitions: int, trials: int) -> Floats:
    """A session's own level (SD 2 %), a drift of 2 % over it, and 1.5 % between trials."""
    level = draw.normal(0, 0.02, (repetitions, 1))
    return level + 0.02 * np.linspace(0, 1, trials) + draw.normal(0, CV, (repetitions, trials))


def split_randomized(draw: np.random.Generator, logs: Floats, members: int = 2) -> tuple[Floats, Floats]:
    """The values of the base and of the first contender, by pair, in the blocks that plans make."""
    blocks = logs.shape[1] // members
    order = random.Random(int(draw.integers(2**62)))
    base, contender = np.empty((len(logs), blocks)), np.empty((len(logs), blocks))
    for row, values in enumerate(logs):
        for block, places in enumerate(block_orders(members, blocks, order)):
            base[row, block] = values[block * members + places.index(0)]
            contender[row, block] = values[block * members + places.index(1)]
    return np.exp(base), np.exp(contender)


def split_abba(logs: Floats) -> tuple[Floats, Floats]:
    """The same in a fixed order, A B then B A: what plans did once, and what a rhythm of four trials defeats."""
    blocks = logs.reshape(len(logs), -1, 2).copy()
    blocks[:, 1::2] = blocks[:, 1::2, ::-1]
    return np.exp(blocks[:, :, 0]), np.exp(blocks[:, :, 1])
