"""Looks for change points after each run, and passes what it finds on as alerts."""

import uuid

from loadstone.db import UnitOfWork
from loadstone.models import Series
from loadstone.trends import ingest
from loadstone.trends.repository import ingest as repository

SWEEP_RUNS = 20


def unanalysed_runs(unit: UnitOfWork) -> list[uuid.UUID]:
    """Runs that have ended and that nobody has taken into their series yet."""
    return list(repository.unanalysed_runs(unit.session, SWEEP_RUNS))


def analyse_run(unit: UnitOfWork, run_id: uuid.UUID) -> bool:
    """Takes the run's points into their series and judges those; false when there was nothing to do."""
    run = repository.try_lock_unanalysed(unit.session, run_id)
    if run is None:
        return False
    for series in ingest.take_points(unit, run):
        judge_series(unit, series, run.id)
    repository.mark_analysed(unit.session, run.id)
    return True


def judge_series(unit: UnitOfWork, series: Series, run_id: uuid.UUID | None) -> None:
    """Looks at the series' newest segment of every metric that is watched."""
