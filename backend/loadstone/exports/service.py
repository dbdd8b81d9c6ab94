"""Whole lists as tables; the pages of the api hold at most 200 rows of them."""

import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from loadstone.comparisons.schemas import Comparison
from loadstone.db import UnitOfWork
from loadstone.paging import MAX_LIMIT, Page
from loadstone.principal import Principal
from loadstone.results import service as results
from loadstone.results import telemetry
from loadstone.runs import service as runs
from loadstone.runs.schemas import RunListItem, TrialItem
from loadstone.runs.states import Status
from loadstone.tables import Table, columns_of
from loadstone.trends.schemas import SeriesValues

ROWS_MAX = 10_000
"""Of one list; a run has at most as many trials."""

Item = TypeVar("Item")

RUN_COLUMNS = (
    *("id", "name", "status", "origin", "agent", "created_by", "created_at", "started_at", "finished_at"),
    *(
        "point_count",
        "trial_count",
        "trials_succeeded",
        "trials_failed",
        "plan_id",
        "plan_version",
        "priority",
        "error",
    ),
)
TRIAL_COLUMNS = (
    *("id", "ordinal", "point_id", "repetition", "block", "status", "attempt", "trust", "trust_reasons", "is_counted"),
    *("seed", "engine", "engine_version", "engine_elapsed_s", "started_at", "finished_at", "error"),
)


def runs_table(
    unit: UnitOfWork,
    principal: Principal,
    *,
    statuses: Sequence[Status],
    text: str | None,
    created_by: uuid.UUID | None,
    recipe: str | None,
) -> Table:
    """The newest runs that fit."""
    items = _every(
        lambda cursor: runs.list_runs(
            unit,
            principal,
            statuses=statuses,
            text=text,
            created_by=created_by,
            recipe=recipe,
            cursor=cursor,
            limit=MAX_LIMIT,
        )
    )
    return Table(RUN_COLUMNS, [_run_row(item) for item in items])


def _every(page: Callable[[str | None], Page[Item]]) -> list[Item]:
    items: list[Item] = []
    cursor: str | None = None
    while len(items) < ROWS_MAX:
        found = page(cursor)
        items += found.items
        cursor = found.next_cursor
        if cursor is None:
            break
    return items[:ROWS_MAX]


def _run_row(run: RunListItem) -> list[Any]:
    counts = run.status_counts
    return [
        *(str(run.id), run.name, run.status, run.origin, _name(run.agent), _name(run.created_by)),
        *(_instant(run.created_at), _instant(run.started_at), _instant(run.finished_at)),
        *(run.point_count, run.trial_count, counts.succeeded, counts.failed + counts.crashed),
        *(str(run.plan_id) if run.plan_id else None, run.plan_version, run.priority, run.error and run.error.code),
    ]


def _name(ref: Any) -> str | None:
    return ref.name if ref else None


def _instant(at: Any) -> str | None:
    return at.isoformat() if at else None


def trials_table(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> Table:
    """In execution order, parameters in columns of their own; raises NotFound."""
    items = _every(
        lambda cursor: runs.list_trials(unit, principal, run_id, statuses=[], cursor=cursor, limit=MAX_LIMIT)
    )
    parameters = columns_of(item.parameters for item in items)
    return Table(
        [*TRIAL_COLUMNS, *parameters],
        [[*_trial_row(item), *(item.parameters.get(name) for name in parameters)] for item in items],
    )


def _trial_row(trial: TrialItem) -> list[Any]:
    return [
        *(
            str(trial.id),
            trial.ordinal,
            str(trial.point_id),
            trial.repetition,
            trial.block,
            trial.status,
            trial.attempt,
        ),
        *(trial.trust, " ".join(reason.code for reason in trial.trust_reasons) or None, trial.is_counted),
        *(trial.seed, trial.engine, trial.engine_version, trial.engine_elapsed_s),
        *(_instant(trial.started_at), _instant(trial.finished_at), trial.error and trial.error.code),
    ]


def points_table(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> Table:
    """Raises NotFound."""
    return results.points_table(unit, principal, run_id)


def seconds_table(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Raises NotFound."""
    return results.seconds_table(unit, principal, trial_id, attempt)


def telemetry_table(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Raises NotFound."""
    return telemetry.telemetry_table(unit, principal, trial_id, attempt)


def events_table(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Raises NotFound."""
    return telemetry.events_table(unit, principal, trial_id, attempt)


VALUE_COLUMNS = (
    *("series_id", "series", "point_id", "run_id", "run_name", "at", "value", "low", "high", "unit", "trials_counted"),
    *("store_version", "engine_version", "excluded"),
)


def values_table(found: SeriesValues) -> Table:
    """One line a value, of all series."""
    rows = [
        [
            *(str(line.series.id), line.series.title, str(value.point_id), str(value.run_id), value.run_name),
            *(value.at.isoformat(), value.value, value.low, value.high, found.metric.unit, value.trials_counted),
            *(value.store_version, value.engine_version, value.excluded and value.excluded.reason),
        ]
        for line in found.items
        for value in line.values
    ]
    return Table(VALUE_COLUMNS, rows)


CELL_COLUMNS = (
    *("contender", "metric", "operation", "method", "order", "base_value", "contender_value", "ratio", "low", "high"),
    *("p_value", "p_adjusted", "n_base", "n_contender", "n_pairs", "verdict", "trials_needed", "refusal"),
)


def cells_table(found: Comparison) -> Table:
    """One line a cell, the parameters that cells differ by first."""
    labels = {side.index: side.label for side in found.sides}
    rows = [
        [
            *(cell.parameters.get(name) for name in found.parameters),
            *(labels[cell.contender], cell.metric, cell.operation, cell.method, cell.order),
            *(cell.base_value, cell.contender_value, cell.ratio),
            *((cell.interval.low, cell.interval.high) if cell.interval else (None, None)),
            *(cell.p_value, cell.p_adjusted, cell.n_base, cell.n_contender, cell.n_pairs),
            *(cell.verdict, cell.trials_needed, cell.refusal and cell.refusal.code),
        ]
        for cell in found.cells
    ]
    return Table([*found.parameters, *CELL_COLUMNS], rows)
