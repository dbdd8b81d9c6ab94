"""Where the answers' times lie: the percentile spectrum of a point and the heat map of a trial.

Both are read from the stored histograms and bounded in size, however long the trial was.
"""

import math
import uuid
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from loadstone.db import UnitOfWork
from loadstone.errors import InvalidInput, NotFound
from loadstone.models import PointOperation
from loadstone.principal import Principal
from loadstone.results import merging, repository, schemas
from loadstone.results.quantiles import Bound
from loadstone.results.service import find_trial
from loadstone.stats import censored, histogram

SPECTRUM_STEPS = 200
ROWS_PER_DECADE = 12
MAX_HISTOGRAMS = 20_000
"""About five seconds' work; a trial of one operation by one agent has one a second."""


class TrialTooLong(InvalidInput):
    code = "trial_too_long"
    title = "The trial has too many seconds for one heat map"


def point_spectrum(
    unit: UnitOfWork, principal: Principal, point_id: uuid.UUID, *, operation: str, kind: schemas.TimeKind
) -> schemas.Spectrum:
    """Over all counted trials of the point; raises NotFound."""
    point = repository.find_point_of_team(unit.session, principal.team_id, point_id)
    if point is None:
        raise NotFound("There is no such point.")
    stored = repository.merged_operations(unit.session, point_id)
    row = next((one for one in stored if one.operation == operation), None)
    merged, unreadable = histogram.merge_readable(_blobs(unit, row, kind) if row else [])
    blob = getattr(row, f"{kind}_unanswered") if row else None
    unanswered, unreadable_bounds = histogram.merge_readable([blob] if blob else [])
    # Without either of them a lower bound would stand as an exact value.
    steps = [] if unreadable + unreadable_bounds else censored.spectrum(merged, unanswered, SPECTRUM_STEPS)
    return schemas.Spectrum(
        point_id=point_id,
        parameters=point.parameters,
        operation=operation,
        operations=sorted(one.operation for one in stored if one.operation != merging.TOTAL),
        kind=kind,
        count=merged.get_total_count(),
        unanswered=unanswered.get_total_count(),
        trials_counted=row.trials_counted if row else 0,
        unreadable=unreadable + unreadable_bounds,
        items=[
            schemas.SpectrumStep(quantile=quantile, one_in=one_in, value_ns=step.value, bound=_bound(step))
            for quantile, one_in, step in steps
        ],
    )


def _bound(step: censored.Bounded) -> Bound | None:
    return None if step.kind == "exact" else Bound(kind=step.kind, to_ns=step.to_ns)


def _blobs(unit: UnitOfWork, row: PointOperation, kind: schemas.TimeKind) -> list[bytes]:
    """Points measured before merged histograms were kept are merged from their trials."""
    blob = row.response_histogram if kind == "response" else row.service_histogram
    if blob is not None:
        return [blob]
    found = repository.counted_results(unit.session, row.point_id)
    chosen = [one for one in found if row.operation in (one.operation, merging.TOTAL)]
    return [one.response_histogram if kind == "response" else one.service_histogram for one in chosen]


def trial_heat_map(
    unit: UnitOfWork,
    principal: Principal,
    trial_id: uuid.UUID,
    *,
    operation: str | None,
    kind: schemas.TimeKind,
    max_columns: int,
) -> schemas.HeatMap:
    """Of the last attempt; several seconds share a column when there are more than `max_columns`.

    Raises NotFound, TrialTooLong.
    """
    trial, _ = find_trial(unit, principal, trial_id)
    found = repository.sample_histograms(
        unit.session, trial.id, trial.attempt, operation=operation, kind=kind, limit=MAX_HISTOGRAMS + 1
    )
    if len(found) > MAX_HISTOGRAMS:
        raise TrialTooLong(f"At most {MAX_HISTOGRAMS:,} histograms are read at once: choose a single operation.")
    columns = list(_columns(found, max_columns))
    merged = [
        (
            spans,
            *histogram.merge_readable(row.histogram for row in column),
            *histogram.merge_readable(row.unanswered for row in column if row.unanswered is not None),
        )
        for spans, column in columns
    ]
    edges = _edges([part for _, answers, _, bounds, _ in merged for part in (answers, bounds)])
    return schemas.HeatMap(
        trial_id=trial.id,
        attempt=trial.attempt,
        operation=operation,
        kind=kind,
        edges_ns=edges,
        columns=[
            schemas.HeatColumn(
                phase=phase,
                from_s=from_s,
                to_s=to_s,
                counts=histogram.counts_between(part, edges) if edges else [],
                at_least=histogram.counts_between(bounds, edges) if bounds.get_total_count() else [],
            )
            for (phase, from_s, to_s), part, _, bounds, _ in merged
        ],
        unreadable=sum(one + other for _, _, one, _, other in merged),
    )


Span = tuple[str, float, float]


def _columns(rows: Sequence[Any], max_columns: int) -> Iterator[tuple[Span, list[Any]]]:
    """Whole seconds, never of two phases, in the order of time."""
    seconds = [list(group) for _, group in groupby(rows, key=lambda row: row.seq)]
    if not seconds:
        return
    width = math.ceil(len(seconds) / max_columns)
    start_s = seconds[0][0].at.timestamp() - seconds[0][0].duration_ns / 1e9
    # Clocks of several agents differ a little: no column begins before the one before it has ended.
    ended_s = 0.0
    for phase, of_phase in groupby(seconds, key=lambda second: second[0].phase):
        parts = list(of_phase)
        for first in range(0, len(parts), width):
            part = parts[first : first + width]
            from_s = max(ended_s, part[0][0].at.timestamp() - part[0][0].duration_ns / 1e9 - start_s)
            ended_s = max(from_s, part[-1][0].at.timestamp() - start_s)
            yield (phase, round(from_s, 3), round(ended_s, 3)), [row for second in part for row in second]


def _edges(parts: Sequence[Any]) -> list[float]:
    """Even in the logarithm, from below the smallest value to above the largest; empty without values."""
    filled = [part for part in parts if part.get_total_count()]
    if not filled:
        return []
    lowest = max(1, min(part.get_min_value() for part in filled))
    highest = max(part.get_max_value() for part in filled)
    first = math.floor(math.log10(lowest) * ROWS_PER_DECADE)
    last = math.floor(math.log10(max(highest, 1)) * ROWS_PER_DECADE) + 1
    return [10 ** (step / ROWS_PER_DECADE) for step in range(first, last + 1)]
