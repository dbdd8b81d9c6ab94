"""Whole lists as tables; the pages of the api hold at most 200 rows of them."""

import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from loadstone.db import UnitOfWork
from loadstone.paging import MAX_LIMIT, Page
from loadstone.principal import Principal
from loadstone.results import service as results
from loadstone.runs import service as runs
from loadstone.runs.schemas import RunListItem, TrialItem
from loadstone.runs.states import Status
from loadstone.tables import Table, columns_of

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
    *("id", "ordinal", "point_id", "repetition", "block", "status", "attempt", "trust", "trust_reasons"),
    *("seed", "engine", "engine_version", "engine_elapsed_s", "started_at", "finished_at", "error"),
)


def runs_table(
    unit: UnitOfWork,
    principal: Principal,
    *,
    statuses: Sequence[Status],
    text: str | None,
    created_by: uuid.UUID | None,
) -> Table:
    """The newest runs that fit."""
    items = _every(
        lambda cursor: runs.list_runs(
            unit, principal, statuses=statuses, text=text, created_by=created_by, cursor=cursor, limit=MAX_LIMIT
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
        *(trial.trust, " ".join(reason.code for reason in trial.trust_reasons) or None),
        *(trial.seed, trial.engine, trial.engine_version, trial.engine_elapsed_s),
        *(_instant(trial.started_at), _instant(trial.finished_at), trial.error and trial.error.code),
    ]


def points_table(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> Table:
    """Raises NotFound."""
    return results.points_table(unit, principal, run_id)


def seconds_table(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Raises NotFound."""
    return results.seconds_table(unit, principal, trial_id, attempt)
