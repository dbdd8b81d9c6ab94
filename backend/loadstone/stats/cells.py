"""The estimate of every cell of a comparison, each by its design. Pure.

A cell's unit is the pair where trials of one session were interleaved (`paired`), the trial within one session without
pairs (`welch`), and the session where the sides are two runs (`sessions`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from loadstone.stats.estimates import Estimates, Floats
from loadstone.stats.metrics import Better
from loadstone.stats.paired import shares
from loadstone.stats.paired.moderation import Prior, prior_of_family, prior_of_passport
from loadstone.stats.paired.pairs import LEAST_VARIANCE, hodges_lehmann, pair_variances, paired_t
from loadstone.stats.sessions import SessionVariance, one_against_one
from loadstone.stats.welch import Moments, welch

Design = Literal["paired", "welch", "sessions"]


@dataclass(frozen=True, slots=True)
class Cell:
    """Values of the trials that count. Paired: `base[i]` and `contender[i]` are of one block.

    Cells of one `family` share a metric, and so a prior of their variance. `resolution` is the relative step that
    values are recorded in. A share is compared on a scale of its own: `requests` of each trial are those that ended,
    None where nobody counted. `sessions` is what earlier sessions taught, for that design only. `lower_bounds` says of
    base and contender whether a value is no more than a lower bound, because requests had no answer.
    """

    base: Floats
    contender: Floats
    design: Design
    better: Better
    family: str = ""
    resolution: float = 0.0
    is_share: bool = False
    requests: tuple[Floats, Floats] | None = None
    sessions: SessionVariance | None = None
    lower_bounds: tuple[bool, bool] = (False, False)


Scaled = dict[int, tuple[Floats, Floats]]
"""By the place of a cell, both sides on the scale that they are compared on."""


def scaled_sides(cell: Cell) -> tuple[Floats, Floats]:
    """Both sides on the scale that they are compared on."""
    if not cell.is_share:
        return np.log(cell.base), np.log(cell.contender)
    if cell.requests is None or cell.design == "sessions":
        return np.arcsin(np.sqrt(np.clip(cell.base, 0, 1))), np.arcsin(np.sqrt(np.clip(cell.contender, 0, 1)))
    return shares.stabilized(cell.base, cell.requests[0]), shares.stabilized(cell.contender, cell.requests[1])


def estimate_cells(cells: Sequence[Cell], scaled: Scaled, passport: Prior) -> Estimates:
    found = Estimates.empty(len(cells))
    by_design: dict[Design, list[int]] = {"paired": [], "welch": [], "sessions": []}
    for index in scaled:
        by_design[cells[index].design].append(index)
    _put_paired(found, cells, scaled, by_design["paired"], passport)
    if by_design["welch"]:
        sides = [_moments([scaled[index][side] for index in by_design["welch"]]) for side in (0, 1)]
        found.put(by_design["welch"], welch(*sides))
    if by_design["sessions"]:
        found.put(by_design["sessions"], _sessions(cells, scaled, by_design["sessions"]))
    return found


def _put_paired(
    found: Estimates, cells: Sequence[Cell], scaled: Scaled, indexes: Sequence[int], passport: Prior
) -> None:
    """All cells of one family and number of pairs at once; a family's prior comes from all its cells."""
    key: Callable[[int], tuple[str, int]] = lambda index: (cells[index].family, len(cells[index].base))  # noqa: E731
    groups = [list(group) for _, group in groupby(sorted(indexes, key=key), key=key)]
    rows = [np.array([scaled[index][1] - scaled[index][0] for index in group]) for group in groups]
    variances = [_variances(cells, group, row) for group, row in zip(groups, rows, strict=True)]
    for family in {cells[index].family for index in indexes}:
        own = [place for place, group in enumerate(groups) if cells[group[0]].family == family]
        all_variances = np.concatenate([variances[place] for place in own])
        freedom = np.concatenate([np.full(len(rows[place]), rows[place].shape[1] - 1.0) for place in own])
        prior = prior_of_family(all_variances, freedom)
        if prior.freedom <= 0:
            prior = prior_of_passport(passport, all_variances, freedom)
        for place in own:
            found.put(groups[place], paired_t(rows[place], variances[place], prior))


def _variances(cells: Sequence[Cell], group: Sequence[int], rows: Floats) -> Floats:
    resolution = np.array([cells[index].resolution for index in group])
    found = pair_variances(rows, np.where([cells[index].is_share for index in group], 0.0, resolution))
    for place, index in enumerate(group):
        cell = cells[index]
        if cell.is_share and cell.requests is not None:
            # The floor of a share is that of its requests, not of a ratio's 0.1 %.
            least = shares.least_variance(*cell.requests)
            found[place] = max(float(rows[place].var(ddof=1)), least)
    return found


def _moments(samples: Sequence[Floats]) -> Moments:
    """Many short samples in one array: a comparison has thousands, and each call of NumPy costs."""
    counts = np.array([len(one) for one in samples])
    starts = np.cumsum(counts) - counts
    values = np.concatenate(samples)
    means = np.add.reduceat(values, starts) / counts
    squares = (values - np.repeat(means, counts)) ** 2
    variances = np.maximum(np.add.reduceat(squares, starts) / (counts - 1), LEAST_VARIANCE)
    return Moments(counts.astype(np.float64), means, variances)


def _sessions(cells: Sequence[Cell], scaled: Scaled, indexes: Sequence[int]) -> Estimates:
    shifts = []
    for index in indexes:
        base, contender = scaled[index]
        learned = cells[index].sessions
        assert learned is not None
        shifts.append(one_against_one(float(base.mean()), float(contender.mean()), learned))
    columns = np.array([(one.estimate, one.error, one.freedom, one.error) for one in shifts]).T
    return Estimates(*columns)


def shown_estimates(cells: Sequence[Cell], scaled: Scaled, found: Estimates, low: Floats, high: Floats) -> Floats:
    """The estimate to print: Hodges and Lehmann's where it lies in the interval, which is around the mean."""
    shown = found.estimate.copy()
    key: Callable[[int], int] = lambda index: len(cells[index].base)  # noqa: E731 - said once, used twice
    paired = sorted((index for index in scaled if cells[index].design == "paired"), key=key)
    for _, members in groupby(paired, key=key):
        group = list(members)
        robust = hodges_lehmann(np.array([scaled[index][1] - scaled[index][0] for index in group]))
        inside = (robust >= low[group]) & (robust <= high[group])
        shown[group] = np.where(inside, robust, shown[group])
    return shown
