"""From matched points to cells with a verdict or a stated refusal. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.comparisons import schemas
from loadstone.comparisons.measured import Measured
from loadstone.comparisons.sides import Match, ResolvedSide, SidePoint
from loadstone.stats.cells import Cell, Design
from loadstone.stats.compare import CellResult, compare_cells
from loadstone.stats.estimates import Floats
from loadstone.stats.metrics import METRICS, PERCENTILES, SHARES
from loadstone.stats.sessions import HISTORY_MIN, SessionVariance

MESSAGES = {
    "one_trial": "One side has a single trial that counts, so its spread is unknown. Queue more trials.",
    "zero_values": "A value is zero, so there is no ratio. Compare another metric, or the trials themselves.",
    "no_trials": "One side has not measured this setting yet.",
    "all_void": "Every trial of one side is void. Look at the reasons; include trials by name if they are sound.",
    "no_value": "One side has no such operation or no value of this metric.",
    "mixed_engine_versions": "Trials ran on different engine versions: {found}. Measure both sides with one engine.",
    "lower_bound": (
        "Requests of {found} have no answer, so this percentile is at least as long as shown and may be longer. "
        "Compare throughput, the error share or a lower percentile."
    ),
    "mixed_precision": "Histograms were recorded with different precision: {found} significant digits.",
    "no_session_history": (
        "Two runs alone can't tell the target from the day: the series has {found} other sessions, and {needed} are "
        "needed to know how much sessions differ. Queue interleaved trials, or repeat the plan on {more} more days."
    ),
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
    requests: tuple[Floats, Floats] | None = None
    sessions: SessionVariance | None = None
    session_count: int = 0
    lower_bounds: tuple[bool, bool] = (False, False)

    @property
    def design(self) -> Design:
        return "paired" if self.pairs else "sessions" if self.order == "sessions" else "welch"


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
    stats_cells = [_stats_cell(one, measured) for one in judged]
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


def _stats_cell(one: Candidate, measured: Measured) -> Cell:
    return Cell(
        *one.values,
        one.design,
        METRICS[one.metric].better,
        family=one.metric,
        resolution=_resolution(one, measured),
        is_share=one.metric in SHARES,
        requests=one.requests,
        sessions=one.sessions,
        lower_bounds=one.lower_bounds,
    )


def _resolution(one: Candidate, measured: Measured) -> float:
    """Of a percentile, as its histogram keeps so many digits."""
    if one.metric not in PERCENTILES:
        return 0.0
    facts = measured.facts(one.match.base_point)
    digits = [found for found in (facts.digits or () if facts else ()) if found is not None]
    return float(10.0 ** -min(digits)) if digits else 0.0


def _candidate(match: Match, metric: str, order: schemas.Order, measured: Measured) -> Candidate:
    base, contender = match.base_point, match.contender_point
    values = measured.of(base, metric), measured.of(contender, metric)
    counts = len(values[0]), len(values[1])
    requests = _requests(match, metric, measured)
    learned, session_count = measured.learned(base, contender, metric) if order == "sessions" else (None, 0)
    pairs = 0
    if order == "interleaved":
        places = _places_of_pairs(base, contender, metric, measured)
        if len(places) < 2:
            order = "unpaired"
        else:
            chosen = [[place[side] for place in places] for side in (0, 1)]
            values, pairs = (values[0][chosen[0]], values[1][chosen[1]]), len(places)
            requests = (requests[0][chosen[0]], requests[1][chosen[1]]) if requests else None
    refusal = _refusal(match, metric, measured, counts)
    bounds = measured.is_lower_bound(base, metric), measured.is_lower_bound(contender, metric)
    return Candidate(match, metric, order, values, counts, pairs, refusal, requests, learned, session_count, bounds)


def _requests(match: Match, metric: str, measured: Measured) -> tuple[Floats, Floats] | None:
    if metric != "error_share":
        return None
    base, contender = measured.requests(match.base_point), measured.requests(match.contender_point)
    return (base, contender) if base is not None and contender is not None else None


def _places_of_pairs(base: SidePoint, contender: SidePoint, metric: str, measured: Measured) -> list[tuple[int, int]]:
    """Of the trials that share a block; none at different settings."""
    first = {block: place for place, block in enumerate(measured.blocks(base, metric))}
    second = enumerate(measured.blocks(contender, metric))
    return [(first[block], place) for place, block in second if block in first]


def _refusal(match: Match, metric: str, measured: Measured, counts: tuple[int, int]) -> schemas.RefusalRef | None:
    points = (match.base_point, match.contender_point)
    both = [facts for point in points if (facts := measured.facts(point)) is not None]
    if len(both) < len(points) or not all(facts.succeeded for facts in both):
        return _refuse("no_trials")
    if any(facts.counted == 0 for facts in both):
        return _refuse("all_void")
    engines = {engine for facts in both for engine in facts.counted_engines or ()}
    if len(engines) > 1:
        return _refuse("mixed_engine_versions", engines)
    digits = {found for facts in both for found in facts.digits or () if found is not None}
    if metric in PERCENTILES and len(digits) > 1:
        return _refuse("mixed_precision", digits)
    if not all(counts):
        return _refuse("no_value")
    return None


def _refuse(code: str, found: set[Any] | None = None, **numbers: int) -> schemas.RefusalRef:
    told = " and ".join(str(one) for one in sorted(found or ()))
    return schemas.RefusalRef(code=code, message=MESSAGES[code].format(found=told, **numbers))


def _refuse_result(one: Candidate, code: str) -> schemas.RefusalRef:
    if code == "lower_bound":
        sides = {(True, False): "the base", (False, True): "the contender"}
        return _refuse(code, {sides.get(one.lower_bounds, "both sides")})
    if code != "no_session_history":
        return _refuse(code)
    more = max(1, HISTORY_MIN - one.session_count)
    return _refuse(code, {one.session_count}, needed=HISTORY_MIN, more=more)


def _render(one: Candidate, result: CellResult, measured: Measured, operation: str) -> schemas.Cell:
    base, contender = one.match.base_point, one.match.contender_point
    # Validated by construction: a comparison has thousands of cells.
    return schemas.Cell.model_construct(
        contender=one.match.contender,
        parameters=one.match.parameters,
        base_point_id=base.id,
        contender_point_id=contender.id,
        metric=one.metric,
        operation=operation,
        method=one.design,
        interval_kind=result.interval_kind,
        order=one.order,
        n_base=one.counts[0],
        n_contender=one.counts[1],
        n_pairs=one.pairs,
        base_value=measured.shown(base, one.metric),
        contender_value=measured.shown(contender, one.metric),
        ratio=result.ratio,
        interval=_interval(result.low, result.high),
        difference=result.difference,
        difference_interval=_interval(result.difference_low, result.difference_high),
        p_value=result.p_value,
        p_adjusted=result.p_adjusted,
        p_margin=result.p_margin,
        p_sign_flip=result.p_sign_flip,
        verdict=result.verdict,
        trials_needed=result.trials_needed,
        trials_needed_low=result.trials_needed_low,
        trials_needed_high=result.trials_needed_high,
        visible_change=result.visible_change,
        refusal=one.refusal or (_refuse_result(one, result.refusal) if result.refusal else None),
    )


def _interval(low: float | None, high: float | None) -> schemas.Interval | None:
    return schemas.Interval.model_construct(low=low, high=high) if low is not None and high is not None else None
