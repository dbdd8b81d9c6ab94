"""From matched points to cells with a verdict or a stated refusal. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.comparisons import schemas
from loadstone.comparisons.measured import Measured
from loadstone.comparisons.sides import Match, ResolvedSide, SidePoint
from loadstone.stats.compare import Cell, CellResult, compare_cells
from loadstone.stats.estimates import Floats
from loadstone.stats.metrics import METRICS, PERCENTILES

MESSAGES = {
    "one_trial": "One side has a single trial that counts: nothing is known of its spread. Queue more trials.",
    "zero_variance": "All trials gave the same value: there is no spread to judge a difference by.",
    "zero_values": "A value is zero: a ratio cannot be formed.",
    "no_trials": "One side has not measured this setting yet.",
    "all_void": "Every trial of one side is void. Look at the reasons; include trials by name if they are sound.",
    "no_value": "One side has no such operation or no value of this metric.",
    "mixed_engine_versions": "Trials ran on different engine versions: {found}. Measure both sides with one engine.",
    "mixed_precision": "Histograms were recorded with different precision: {found} significant digits.",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One cell before its verdict. `values` are of both sides, paired where `pairs` is not 0; `counts` before that."""

    match: Match
    metric: str
    order: schemas.Order
    values: tuple[Floats, Floats]
    counts: tuple[int, int]
    pairs: int
    refusal: schemas.RefusalRef | None


def make_cells(
    sides: Sequence[ResolvedSide],
    matches: Sequence[Match],
    measured: Measured,
    definition: schemas.ComparisonDefinition,
) -> tuple[list[schemas.Cell], int]:
    """In the order of the matches, metric by metric; and how many were tested together."""
    orders = [_order(sides[0], side) for side in sides]
    candidates = [
        _candidate(match, metric, orders[match.contender], measured)
        for match in matches
        for metric in definition.metrics
    ]
    judged = [one for one in candidates if one.refusal is None]
    stats_cells = [Cell(*one.values, one.pairs > 0, METRICS[one.metric].better) for one in judged]
    verdicts = compare_cells(stats_cells, margin=definition.margin, confidence=definition.confidence)
    results = iter(verdicts.cells)
    cells = [
        _render(one, next(results) if one.refusal is None else CellResult(), measured, definition.operation)
        for one in candidates
    ]
    return cells, verdicts.family_size


def _order(base: ResolvedSide, side: ResolvedSide) -> schemas.Order:
    if base.run.id != side.run.id:
        return "sessions"
    order: schemas.Order = base.run.definition["order"]
    return order


def _candidate(match: Match, metric: str, order: schemas.Order, measured: Measured) -> Candidate:
    base, contender = match.base_point, match.contender_point
    values = measured.of(base, metric), measured.of(contender, metric)
    counts = len(values[0]), len(values[1])
    pairs = 0
    if order == "interleaved":
        paired = _in_pairs(base, contender, metric, measured)
        if paired is None:
            order = "unpaired"
        else:
            values, pairs = paired, len(paired[0])
    return Candidate(match, metric, order, values, counts, pairs, _refusal(match, metric, measured, counts))


def _in_pairs(base: SidePoint, contender: SidePoint, metric: str, measured: Measured) -> tuple[Floats, Floats] | None:
    """The trials that share a block; None when less than two do, as at different settings."""
    first = {block: place for place, block in enumerate(measured.blocks(base, metric))}
    places = [(first[block], place) for place, block in enumerate(measured.blocks(contender, metric)) if block in first]
    if len(places) < 2:
        return None
    return (
        measured.of(base, metric)[[place for place, _ in places]],
        measured.of(contender, metric)[[place for _, place in places]],
    )


def _refusal(match: Match, metric: str, measured: Measured, counts: tuple[int, int]) -> schemas.RefusalRef | None:
    points = (match.base_point, match.contender_point)
    both = [facts for point in points if (facts := measured.facts(point)) is not None]
    if len(both) < len(points) or not all(facts.succeeded for facts in both):
        return _refuse("no_trials")
    if any(facts.counted == 0 for facts in both):
        return _refuse("all_void")
    engines = {engine for facts in both for engine in facts.engines}
    if len(engines) > 1:
        return _refuse("mixed_engine_versions", engines)
    digits = {found for facts in both for found in facts.digits or () if found is not None}
    if metric in PERCENTILES and len(digits) > 1:
        return _refuse("mixed_precision", digits)
    if not all(counts):
        return _refuse("no_value")
    return None


def _refuse(code: str, found: set[Any] | None = None) -> schemas.RefusalRef:
    told = " and ".join(str(one) for one in sorted(found or ()))
    return schemas.RefusalRef(code=code, message=MESSAGES[code].format(found=told))


def _render(one: Candidate, result: CellResult, measured: Measured, operation: str) -> schemas.Cell:
    base, contender = one.match.base_point, one.match.contender_point
    interval = None
    if result.low is not None and result.high is not None:
        interval = schemas.Interval.model_construct(low=result.low, high=result.high)
    # Validated by construction: a comparison has thousands of cells.
    return schemas.Cell.model_construct(
        contender=one.match.contender,
        parameters=one.match.parameters,
        base_point_id=base.id,
        contender_point_id=contender.id,
        metric=one.metric,
        operation=operation,
        method="paired" if one.order == "interleaved" else "welch",
        interval_kind=result.interval_kind,
        order=one.order,
        n_base=one.counts[0],
        n_contender=one.counts[1],
        n_pairs=one.pairs,
        base_value=measured.shown(base, one.metric),
        contender_value=measured.shown(contender, one.metric),
        ratio=result.ratio,
        interval=interval,
        p_value=result.p_value,
        p_adjusted=result.p_adjusted,
        verdict=result.verdict,
        trials_needed=result.trials_needed,
        refusal=one.refusal or (_refuse(result.refusal) if result.refusal else None),
    )
