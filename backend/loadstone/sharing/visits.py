"""What a visitor reads through a link. Every function asks the link first whether the id is within its reach.

Who measured it and where stays inside: people, plans, and addresses of targets are left out.
"""

import uuid
from typing import Any

from loadstone.comparisons import schemas as comparisons_schemas
from loadstone.comparisons.run_verdict import run_verdict
from loadstone.db import UnitOfWork
from loadstone.errors import NotFound
from loadstone.exports import service as exports
from loadstone.paging import Page
from loadstone.plans.recipe_schemas import RunPublished
from loadstone.results import latency, telemetry, telemetry_schemas
from loadstone.results import schemas as results_schemas
from loadstone.results import service as results
from loadstone.runs import schemas as runs_schemas
from loadstone.runs import service as runs
from loadstone.sharing import repository, subjects
from loadstone.sharing.redaction import without_people
from loadstone.sharing.service import Visit
from loadstone.tables import Table
from loadstone.targets.schemas import ADDRESS


def _admit_run(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> None:
    if run_id not in subjects.reach(unit, visit.share, visit.principal).run_ids:
        raise NotFound("This link does not show that.")


def get_run(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> runs_schemas.Run:
    """Raises NotFound."""
    _admit_run(unit, visit, run_id)
    run = without_people(runs.get_run(unit, visit.principal, run_id))
    hidden: dict[str, Any] = {"plan_id": None, "plan_version": None, "agent_selector": {}}
    targets = [target.model_copy(update=dict.fromkeys((*ADDRESS, "target_id"))) for target in run.definition.targets]
    return run.model_copy(update={**hidden, "definition": run.definition.model_copy(update={"targets": targets})})


def list_points(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> results_schemas.PointList:
    """Raises NotFound."""
    _admit_run(unit, visit, run_id)
    return results.list_points(unit, visit.principal, run_id)


def published_figures(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> RunPublished:
    """Raises NotFound. Whoever published them is named: nobody of the team."""
    _admit_run(unit, visit, run_id)
    return runs.published_figures(unit, visit.principal, run_id)


def list_trials(
    unit: UnitOfWork, visit: Visit, run_id: uuid.UUID, *, cursor: str | None, limit: int
) -> Page[runs_schemas.TrialItem]:
    """Raises NotFound, InvalidCursor."""
    _admit_run(unit, visit, run_id)
    return without_people(runs.list_trials(unit, visit.principal, run_id, statuses=[], cursor=cursor, limit=limit))


def get_trial(unit: UnitOfWork, visit: Visit, trial_id: uuid.UUID) -> results_schemas.Trial:
    """Raises NotFound."""
    trial = results.get_trial(unit, visit.principal, trial_id)
    _admit_run(unit, visit, trial.run_id)
    environment = trial.environment and {**trial.environment, "hostname": None}
    return without_people(trial).model_copy(update={"environment": environment, "command_lines": []})


def list_samples(
    unit: UnitOfWork, visit: Visit, trial_id: uuid.UUID, *, attempt: int | None, max_points: int
) -> results_schemas.SampleList:
    """Raises NotFound."""
    get_trial(unit, visit, trial_id)
    return results.list_samples(unit, visit.principal, trial_id, attempt=attempt, max_points=max_points)


def list_telemetry(
    unit: UnitOfWork, visit: Visit, trial_id: uuid.UUID, *, attempt: int | None, max_points: int
) -> telemetry_schemas.TelemetryList:
    """Raises NotFound."""
    get_trial(unit, visit, trial_id)
    return telemetry.list_telemetry(unit, visit.principal, trial_id, attempt=attempt, max_points=max_points)


def points_table(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> Table:
    """Raises NotFound."""
    _admit_run(unit, visit, run_id)
    return exports.points_table(unit, visit.principal, run_id)


def trials_table(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> Table:
    """Raises NotFound."""
    _admit_run(unit, visit, run_id)
    return exports.trials_table(unit, visit.principal, run_id)


def seconds_table(unit: UnitOfWork, visit: Visit, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Raises NotFound."""
    get_trial(unit, visit, trial_id)
    return exports.seconds_table(unit, visit.principal, trial_id, attempt)


def telemetry_table(unit: UnitOfWork, visit: Visit, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Raises NotFound."""
    get_trial(unit, visit, trial_id)
    return exports.telemetry_table(unit, visit.principal, trial_id, attempt)


def events_table(unit: UnitOfWork, visit: Visit, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Raises NotFound."""
    get_trial(unit, visit, trial_id)
    return exports.events_table(unit, visit.principal, trial_id, attempt)


def get_verdict(unit: UnitOfWork, visit: Visit, run_id: uuid.UUID) -> comparisons_schemas.RunVerdict:
    """Raises NotFound."""
    _admit_run(unit, visit, run_id)
    return run_verdict(unit, visit.principal, run_id)


def get_spectrum(
    unit: UnitOfWork, visit: Visit, point_id: uuid.UUID, *, operation: str, kind: results_schemas.TimeKind
) -> results_schemas.Spectrum:
    """Raises NotFound."""
    run_id = repository.run_of_point(unit.session, visit.principal.team_id, point_id)
    _admit_run(unit, visit, run_id or point_id)
    return latency.point_spectrum(unit, visit.principal, point_id, operation=operation, kind=kind)


def get_heat_map(
    unit: UnitOfWork,
    visit: Visit,
    trial_id: uuid.UUID,
    *,
    operation: str | None,
    kind: results_schemas.TimeKind,
    max_columns: int,
) -> results_schemas.HeatMap:
    """Raises NotFound, TrialTooLong."""
    get_trial(unit, visit, trial_id)
    return latency.trial_heat_map(
        unit, visit.principal, trial_id, operation=operation, kind=kind, max_columns=max_columns
    )
