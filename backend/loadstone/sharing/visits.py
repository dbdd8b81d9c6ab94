"""What a visitor reads through a link. Every function asks the link first whether the id is within its reach.

Who measured it and where stays inside: people, plans, and addresses of targets are left out.
"""

import uuid
from typing import Any

from loadstone.db import UnitOfWork
from loadstone.errors import NotFound
from loadstone.exports import service as exports
from loadstone.paging import Page
from loadstone.results import schemas as results_schemas
from loadstone.results import service as results
from loadstone.runs import schemas as runs_schemas
from loadstone.runs import service as runs
from loadstone.sharing import subjects
from loadstone.sharing.service import Visit
from loadstone.tables import Table


def _admit_run(visit: Visit, run_id: uuid.UUID) -> None:
    if run_id not in subjects.reach(visit.share).run_ids:
        raise NotFound("This link does not show that.")


def get_run(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> runs_schemas.Run:
    """Raises NotFound."""
    _admit_run(visit, run_id)
    run = runs.get_run(unit, visit.principal, run_id)
    hidden: dict[str, Any] = {"created_by": None, "plan_id": None, "plan_version": None, "agent_selector": {}}
    targets = [
        target.model_copy(update={"host": None, "port": None, "target_id": None}) for target in run.definition.targets
    ]
    return run.model_copy(update={**hidden, "definition": run.definition.model_copy(update={"targets": targets})})


def list_points(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> results_schemas.PointList:
    """Raises NotFound."""
    _admit_run(visit, run_id)
    return results.list_points(unit, visit.principal, run_id)


def list_trials(
    unit: UnitOfWork, visit: Visit, run_id: uuid.UUID, *, cursor: str | None, limit: int
) -> Page[runs_schemas.TrialItem]:
    """Raises NotFound, InvalidCursor."""
    _admit_run(visit, run_id)
    return runs.list_trials(unit, visit.principal, run_id, statuses=[], cursor=cursor, limit=limit)


def get_trial(unit: UnitOfWork, visit: Visit, trial_id: uuid.UUID) -> results_schemas.Trial:
    """Raises NotFound."""
    trial = results.get_trial(unit, visit.principal, trial_id)
    _admit_run(visit, trial.run_id)
    environment = trial.environment and {**trial.environment, "hostname": None}
    return trial.model_copy(update={"environment": environment, "command_lines": []})


def list_samples(
    unit: UnitOfWork, visit: Visit, trial_id: uuid.UUID, *, attempt: int | None, max_points: int
) -> results_schemas.SampleList:
    """Raises NotFound."""
    get_trial(unit, visit, trial_id)
    return results.list_samples(unit, visit.principal, trial_id, attempt=attempt, max_points=max_points)


def points_table(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> Table:
    """Raises NotFound."""
    _admit_run(visit, run_id)
    return exports.points_table(unit, visit.principal, run_id)


def trials_table(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> Table:
    """Raises NotFound."""
    _admit_run(visit, run_id)
    return exports.trials_table(unit, visit.principal, run_id)


def seconds_table(unit: UnitOfWork, visit: Visit, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Raises NotFound."""
    get_trial(unit, visit, trial_id)
    return exports.seconds_table(unit, visit.principal, trial_id, attempt)
