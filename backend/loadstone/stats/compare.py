"""The verdict on every cell of a comparison. Pure.

A cell holds one metric of one operation at one setting, for a base and a contender. Its ratio (contender / base) gets
an estimate and an interval: by pairs where trials were interleaved (`paired`), else by Welch (`welch`). p-values are
adjusted over all cells (`multiplicity`). Then, with the margin m that the person set:

`equivalent`: the interval lies inside 1/(1+m) ... 1+m. With a 95 % interval that is two one-sided tests at 2.5 % each,
the safe side of the 5 % that D. J. Schuirmann, "A comparison of the two one-sided tests procedure" (1987), asks for.
`better`, `worse`: the adjusted p-value is at most 1 - confidence; the direction is the metric's.
`not_enough_data`: neither; `trials_needed` more on each side should settle it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import numpy as np

from loadstone.stats.estimates import Estimates, Floats
from loadstone.stats.metrics import Better
from loadstone.stats.multiplicity import adjust
from loadstone.stats.paired import MIN_PAIRS, Interval, interval_kind, paired
from loadstone.stats.trial_numbers import trials_for
from loadstone.stats.welch import MIN_TRIALS, Moments, welch

ALGORITHM_VERSION = "compare-1"
"""Kept with every verdict that leaves the product; changes with anything here that can change a verdict."""

Verdict = Literal["better", "worse", "equivalent", "not_enough_data"]
Refusal = Literal["one_trial", "zero_variance", "zero_values"]

SAME = 1e-12
"""Logarithms closer than this differ by rounding only."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Values of the trials that count. Paired: `base[i]` and `contender[i]` are of one block."""

    base: Floats
    contender: Floats
    is_paired: bool
    better: Better


@dataclass(frozen=True, slots=True)
class CellResult:
    """Ratios are contender / base. Either a refusal, or a verdict with its numbers; a p-value only where it is due.

    `trials_needed`: more on each side; None with a verdict, and where 1,000 would not do.
    """

    refusal: Refusal | None = None
    verdict: Verdict = "not_enough_data"
    interval_kind: Interval | Literal["welch"] | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    trials_needed: int | None = None


@dataclass(frozen=True)
class Verdicts:
    """`family_size` is the number of cells that were tested; `cells` are in the order given."""

    cells: list[CellResult]
    family_size: int


def compare_cells(cells: Sequence[Cell], *, margin: float, confidence: float) -> Verdicts:
    """`margin` is a share (0.02 is 2 %), `confidence` in (0, 1)."""
    results: list[CellResult] = [CellResult(refusal=refusal) for refusal in _refusals(cells)]
    open_cells = [index for index, result in enumerate(results) if result.refusal is None]
    estimated = {**_paired_estimates(cells, open_cells, confidence), **_welch_estimates(cells, open_cells, confidence)}
    tested = [index for index in open_cells if _is_testable(cells[index])]
    p_adjusted = dict(zip(tested, adjust(np.array([estimated[index]["p_value"] for index in tested])), strict=True))
    needed = _trials_needed(cells, estimated, margin, confidence)
    for index in open_cells:
        found, p_value = estimated[index], p_adjusted.get(index)
        result = CellResult(
            verdict=_verdict(found, p_value, cells[index].better, margin, confidence),
            interval_kind=interval_kind(len(cells[index].base)) if cells[index].is_paired else "welch",
            ratio=math.exp(found["estimate"]),
            low=math.exp(found["low"]),
            high=math.exp(min(found["high"], 700.0)),
            p_value=found["p_value"] if p_value is not None else None,
            p_adjusted=float(p_value) if p_value is not None else None,
        )
        is_open = result.verdict == "not_enough_data"
        results[index] = replace(result, trials_needed=needed[index]) if is_open else result
    return Verdicts(results, len(tested))


def _refusals(cells: Sequence[Cell]) -> list[Refusal | None]:
    refusals: list[Refusal | None] = [
        "one_trial" if min(len(cell.base), len(cell.contender)) < 2 else None for cell in cells
    ]
    open_cells = [index for index, refusal in enumerate(refusals) if refusal is None]
    if not open_cells:
        return refusals
    base, contender = _bases(cells, open_cells), _contenders(cells, open_cells)
    ratios = _Flat([_paired_or_own(cells[index]) for index in open_cells])
    lows = np.minimum(base.low(), contender.low())
    # Of a pair the ratio has to vary, else one of the two sides.
    is_paired = np.array([cells[index].is_paired for index in open_cells])
    ranges = np.where(is_paired, ratios.log_range(), np.maximum(base.log_range(), contender.log_range()))
    for index, low, log_range in zip(open_cells, lows, ranges, strict=True):
        refusals[index] = "zero_values" if low <= 0 else "zero_variance" if log_range < SAME else None
    return refusals


def _bases(cells: Sequence[Cell], indexes: Sequence[int]) -> "_Flat":
    return _Flat([cells[index].base for index in indexes])


def _contenders(cells: Sequence[Cell], indexes: Sequence[int]) -> "_Flat":
    return _Flat([cells[index].contender for index in indexes])


def _paired_or_own(cell: Cell) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return cell.contender / cell.base if cell.is_paired else cell.contender


class _Flat:
    """Many short samples, none empty, in one array: a comparison has thousands, and each call of NumPy costs."""

    def __init__(self, samples: Sequence[Floats]) -> None:
        self.counts = np.array([len(one) for one in samples])
        self._starts = np.cumsum(self.counts) - self.counts
        self._values = np.concatenate(samples)

    def low(self) -> Floats:
        return np.minimum.reduceat(self._values, self._starts)

    def log_range(self) -> Floats:
        """Meaningless where a value is not positive."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self._values)
            return np.maximum.reduceat(logs, self._starts) - np.minimum.reduceat(logs, self._starts)

    def log_moments(self) -> Moments:
        """Means and sample variances of the logarithms, in two passes."""
        logs = np.log(self._values)
        means = np.add.reduceat(logs, self._starts) / self.counts
        squares = (logs - np.repeat(means, self.counts)) ** 2
        variances = np.add.reduceat(squares, self._starts) / (self.counts - 1)
        return Moments(count=self.counts.astype(np.float64), mean=means, variance=variances)


def _is_testable(cell: Cell) -> bool:
    if cell.is_paired:
        return len(cell.base) >= MIN_PAIRS
    return min(len(cell.base), len(cell.contender)) >= MIN_TRIALS


def _paired_estimates(cells: Sequence[Cell], indexes: Sequence[int], confidence: float) -> dict[int, dict[str, float]]:
    """All cells with the same number of pairs at once."""
    key: Callable[[int], int] = lambda index: len(cells[index].base)  # noqa: E731 - said once, used twice
    found: dict[int, dict[str, float]] = {}
    for _, group in groupby(sorted((index for index in indexes if cells[index].is_paired), key=key), key=key):
        members = list(group)
        ratios = np.log(np.array([cells[index].contender / cells[index].base for index in members]))
        found |= _rows(members, paired(ratios, confidence))
    return found


def _welch_estimates(cells: Sequence[Cell], indexes: Sequence[int], confidence: float) -> dict[int, dict[str, float]]:
    members = [index for index in indexes if not cells[index].is_paired]
    if not members:
        return {}
    base, contender = _bases(cells, members), _contenders(cells, members)
    return _rows(members, welch(base.log_moments(), contender.log_moments(), confidence))


def _rows(members: Sequence[int], estimates: Estimates) -> dict[int, dict[str, float]]:
    return {index: estimates.row(place) for place, index in enumerate(members)}


def _verdict(
    found: dict[str, float], p_adjusted: float | None, better: Better, margin: float, confidence: float
) -> Verdict:
    if p_adjusted is None:
        return "not_enough_data"
    limit = math.log1p(margin)
    if -limit < found["low"] and found["high"] < limit:
        return "equivalent"
    if p_adjusted > 1 - confidence:
        return "not_enough_data"
    return "better" if (found["estimate"] > 0) == (better == "higher") else "worse"


def _trials_needed(
    cells: Sequence[Cell], estimated: dict[int, dict[str, float]], margin: float, confidence: float
) -> dict[int, int | None]:
    """More on each side: to tell the estimate from zero, or to fit inside the margin, whichever is nearer."""
    indexes = list(estimated)
    effect = np.abs([estimated[index]["estimate"] for index in indexes])
    distance = np.maximum(effect, math.log1p(margin) - effect)
    spread = np.array([estimated[index]["spread"] for index in indexes])
    totals = trials_for(spread, distance, confidence)
    more = [
        None if math.isinf(total) else max(1, int(total) - min(len(cells[index].base), len(cells[index].contender)))
        for index, total in zip(indexes, totals, strict=True)
    ]
    return dict(zip(indexes, more, strict=True))
