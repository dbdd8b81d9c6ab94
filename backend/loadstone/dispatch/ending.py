"""How an attempt ends: its trial, its holds, its point and its run, in one transaction."""

from datetime import UTC, datetime
from typing import Any

from loadstone.db import UnitOfWork
from loadstone.dispatch import repository
from loadstone.dispatch.outcomes import GIVE_UP_AFTER, gave_up_code
from loadstone.models import Lease, Run, Trial
from loadstone.results import service as results
from loadstone.runs import service as runs
from loadstone.runs.states import Status
from loadstone.settings import get_settings

NO_REASON = {"error_code": "no_reason_given", "error_message": "The agent gave no reason; look at its log."}


def end_attempt(
    unit: UnitOfWork, run: Run, trial: Trial, lease: Lease | None, status: Status, values: dict[str, Any]
) -> None:
    """`values` are the trial's columns; the run is locked, the lease no longer active."""
    if lease is not None:
        repository.release_holds(unit.session, lease.id)
    if status in (Status.FAILED, Status.CRASHED):
        values = {**NO_REASON, **values}
    if status is Status.CRASHED and trial.attempt < get_settings().max_attempts:
        _attempt_again(unit, run, trial, values)
    else:
        runs.change_trial(unit, run, trial, status, finished_at=datetime.now(UTC), **values)
        _conclude(unit, run, trial)
    runs.settle(unit, run)


def _attempt_again(unit: UnitOfWork, run: Run, trial: Trial, values: dict[str, Any]) -> None:
    """The next attempt measures anew; of this one a warning remains."""
    note = {
        "code": values["error_code"],
        "message": f"Attempt {trial.attempt} did not end by itself: {values['error_message']}",
        "detail": values.get("error_detail") or "",
    }
    runs.change_trial(unit, run, trial, Status.CRASHED, error_code=note["code"], error_message=note["message"])
    runs.change_trial(
        unit,
        run,
        trial,
        Status.QUEUED,
        claimed_at=None,
        started_at=None,
        error_code=None,
        error_message=None,
        warnings=[*trial.warnings, note],
    )


def _conclude(unit: UnitOfWork, run: Run, trial: Trial) -> None:
    if trial.status == Status.SUCCEEDED:
        results.count_trial(unit, run, trial)
    if trial.status in (Status.FAILED, Status.CRASHED):
        _give_up_target(unit, run, trial)


def _give_up_target(unit: UnitOfWork, run: Run, trial: Trial) -> None:
    """A target that is dead from the start costs three trials, not hours."""
    target_index = repository.point_target(unit.session, trial)
    code = gave_up_code(repository.first_outcomes(unit.session, run.id, target_index, GIVE_UP_AFTER))
    if code is not None:
        message = (
            f"Not tried: the first {GIVE_UP_AFTER} trials of this target failed alike. {trial.error_message or ''}"
        )
        runs.end_queued(unit, run, Status.FAILED, target_index=target_index, error=(code, message.strip()))
