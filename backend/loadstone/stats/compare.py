"""The verdict on every cell of a comparison. Pure.

A cell holds one metric of one operation at one setting, for a base and a contender. Its unit is the pair where trials
of one session were interleaved (`paired`), the trial within one session without pairs (`welch`), and the session where
the sides are two runs (`sessions`). Each gives an estimate with one Student t, and five answers follow with the margin
m:

`worse`, `better`: the whole interval lies beyond m, in the metric's direction (one-sided 2.5 % at 95 %).
`equivalent`: it lies within +-m: D. J. Schuirmann, "A comparison of the two one-sided tests procedure" (1987).
`changed`: it excludes no change, but not the margin: the size is open.
`not_enough_data`: none of these (inconclusive); `trials_needed` more would see a difference of the margin's size.

Where values of a side are lower bounds, that side is at least as large as they say: only a verdict that a larger value
makes stronger stands, everything else is refused.

p-values against the margin, and apart from them those against no change, are adjusted over all cells (`multiplicity`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from loadstone.stats import planning
from loadstone.stats.cells import Cell, Scaled, estimate_cells, scaled_sides, shown_estimates
from loadstone.stats.estimates import Estimates, Floats
from loadstone.stats.metrics import Better
from loadstone.stats.multiplicity import adjust
from loadstone.stats.paired import shares
from loadstone.stats.paired.moderation import NO_PRIOR, Prior
from loadstone.stats.paired.pairs import MIN_PAIRS, sign_flip_p
from loadstone.stats.welch import MIN_TRIALS

ALGORITHM_VERSION = "compare-3"
"""Kept with every verdict that leaves the product; changes with anything here that can change a verdict."""

Verdict = Literal["better", "worse", "equivalent", "changed", "not_enough_data"]
Refusal = Literal["one_trial", "zero_values", "no_session_history", "lower_bound"]


@dataclass(frozen=True, slots=True)
class CellResult:
    """Ratios are contender / base; of shares there are differences instead. Either a refusal, or a verdict with
    numbers.

    `p_value` is against no change, `p_adjusted` over all cells; `p_margin` against the margin, adjusted.
    `p_sign_flip` is exact, for a lone cell. `trials_needed` are more on each side, with both ends at the 10 and 90 %
    points of the spread; null with a verdict, and where 1,000 would not do. `visible_change` is the share that so many
    trials see in four of five cases.
    """

    refusal: Refusal | None = None
    verdict: Verdict = "not_enough_data"
    interval_kind: Literal["t", "welch", "sessions"] | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    p_margin: float | None = None
    p_sign_flip: float | None = None
    trials_needed: int | None = None
    trials_needed_low: int | None = None
    trials_needed_high: int | None = None
    visible_change: float | None = None


@dataclass(frozen=True)
class Verdicts:
    """`family_size` is the number of cells that were tested; `cells` are in the order given."""

    cells: list[CellResult]
    family_size: int


def compare_cells(cells: Sequence[Cell], *, margin: float, confidence: float, passport: Prior = NO_PRIOR) -> Verdicts:
    """`margin` is a share (0.02 is 2 %), `confidence` in (0, 1). `passport` is what is known of a pair's variance."""
    results = [CellResult(refusal=refusal) for refusal in map(_refusal, cells)]
    opened = [index for index, result in enumerate(results) if result.refusal is None]
    scaled = {index: scaled_sides(cells[index]) for index in opened}
    found = estimate_cells(cells, scaled, passport)
    low, high = found.interval(confidence)
    limits = _limits(cells, scaled, margin)
    tested = [index for index in opened if _is_testable(cells[index])]
    zero, beyond = found.p_value(), found.p_value(limits)
    p_adjusted = dict(zip(tested, adjust(zero[tested]), strict=True))
    p_margin = dict(zip(tested, adjust(beyond[tested]), strict=True))
    shown = shown_estimates(cells, scaled, found, low, high)
    for index in opened:
        cell = cells[index]
        one = CellResult(
            interval_kind="t" if cell.design == "paired" else cell.design,
            visible_change=_visible(cell, float(found.spread[index])),
        )
        one = replace(one, **_sizes(cell, scaled[index], shown[index], float(low[index]), float(high[index])))
        if index in p_adjusted:
            one = replace(
                one,
                verdict=_verdict(
                    float(found.estimate[index]), float(low[index]), float(high[index]), float(limits[index]),
                    float(p_margin[index]), float(p_adjusted[index]), cell.better, 1 - confidence,
                ),
                p_value=float(zero[index]),
                p_adjusted=float(p_adjusted[index]),
                p_margin=float(p_margin[index]),
                p_sign_flip=_exact(cell, scaled[index], len(tested)),
            )  # fmt: skip
        is_open = one.verdict in ("not_enough_data", "changed")
        one = _advised(one, cell, found, index, float(limits[index]), confidence) if is_open else one
        results[index] = one if _holds(one.verdict, cell) else CellResult(refusal="lower_bound")
    return Verdicts(results, len(tested))


def _refusal(cell: Cell) -> Refusal | None:
    if min(len(cell.base), len(cell.contender)) < 2:
        return "one_trial"
    if cell.design == "sessions" and cell.sessions is None:
        return "no_session_history"
    if not cell.is_share and min(cell.base.min(), cell.contender.min()) <= 0:
        return "zero_values"
    return None


def _is_testable(cell: Cell) -> bool:
    if cell.design == "sessions":
        return True
    least = MIN_PAIRS if cell.design == "paired" else MIN_TRIALS
    return min(len(cell.base), len(cell.contender)) >= least


def _limits(cells: Sequence[Cell], scaled: Scaled, margin: float) -> Floats:
    """The margin on each cell's scale."""
    limits = np.full(len(cells), math.log1p(margin))
    for index, (base, _) in scaled.items():
        if cells[index].is_share:
            limits[index] = shares.share_limit(float(base.mean()), margin)
    return limits


def _sizes(cell: Cell, scaled: tuple[Floats, Floats], estimate: float, low: float, high: float) -> dict[str, Any]:
    if not cell.is_share:
        return {"ratio": math.exp(estimate), "low": math.exp(max(low, -700.0)), "high": math.exp(min(high, 700.0))}
    base = float(scaled[0].mean())
    start = shares.share_of(base)
    names = ("difference", "difference_low", "difference_high")
    return {
        name: shares.share_of(base + shift) - start for name, shift in zip(names, (estimate, low, high), strict=True)
    }


def _verdict(
    estimate: float, low: float, high: float, limit: float, p_margin: float, p_zero: float, better: Better, level: float
) -> Verdict:
    if p_margin <= level:
        return "better" if (estimate > 0) == (better == "higher") else "worse"
    if -limit < low and high < limit:
        return "equivalent"
    return "changed" if p_zero <= level else "not_enough_data"


def _holds(verdict: Verdict, cell: Cell) -> bool:
    """Whether the verdict is true whatever the values are that only lower bounds are known of."""
    if not any(cell.lower_bounds):
        return True
    contender_is_larger: Verdict = "better" if cell.better == "higher" else "worse"
    contender_is_smaller: Verdict = "worse" if cell.better == "higher" else "better"
    supported = {(False, True): contender_is_larger, (True, False): contender_is_smaller}
    return verdict == supported.get(cell.lower_bounds)


def _exact(cell: Cell, scaled: tuple[Floats, Floats], family_size: int) -> float | None:
    if cell.design != "paired" or family_size > 1:
        return None
    return sign_flip_p(scaled[1] - scaled[0])


def _visible(cell: Cell, spread: float) -> float | None:
    """Of a ratio, as a share."""
    trials = min(len(cell.base), len(cell.contender))
    if cell.is_share or cell.design == "sessions" or trials < MIN_PAIRS:
        return None
    return 1 - math.exp(-planning.smallest_visible(spread, trials))


def _advised(one: CellResult, cell: Cell, found: Estimates, index: int, limit: float, confidence: float) -> CellResult:
    """How many more trials see a difference of the margin's size. Sessions are not planned by trials."""
    if cell.design == "sessions":
        return one
    trials = min(len(cell.base), len(cell.contender))
    ratio = math.log(float(found.spread[index]) / limit)
    advice = _advice(round(ratio, 2), round(float(found.freedom[index])), round(confidence, 6))
    totals = (advice.trials, advice.low, advice.high)
    needed, low, high = (None if total is None else max(1, total - trials) for total in totals)
    return replace(one, trials_needed=needed, trials_needed_low=low, trials_needed_high=high)


@lru_cache(maxsize=20_000)
def _advice(log_ratio: float, freedom: int, confidence: float) -> planning.Advice:
    """By the logarithm of spread / effect, to 1 %: thousands of cells share few answers."""
    return planning.trials_needed(math.exp(log_ratio), max(freedom, 1), 1.0, confidence)
