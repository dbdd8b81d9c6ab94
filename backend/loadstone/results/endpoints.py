"""`/runs/{id}/points`, `/trials/{id}` and its seconds."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query

from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.results import decisions, latency, schemas, service, telemetry, telemetry_schemas

router = APIRouter(prefix="/api/v1", tags=["results"], responses=problems(Unauthenticated, NotFound))

DEFAULT_POINTS = 2_000
"""Charts stay smooth up to here."""


@router.get("/runs/{run_id}/points")
def list_points(run_id: uuid.UUID, principal: Reader) -> schemas.PointList:
    with unit_of_work() as unit:
        return service.list_points(unit, principal, run_id)


@router.get("/trials/{trial_id}")
def get_trial(trial_id: uuid.UUID, principal: Reader) -> schemas.Trial:
    with unit_of_work() as unit:
        return service.get_trial(unit, principal, trial_id)


@router.post(
    "/trials/{trial_id}/decisions",
    status_code=201,
    responses=problems(
        Forbidden,
        decisions.TrialNotMeasured,
        decisions.DecisionChangesNothing,
        decisions.TrialImported,
        IdempotencyKeyReused,
    ),
)
def decide_on_trial(trial_id: uuid.UUID, body: schemas.DecideTrial, principal: Editor, once: OnceOnly) -> schemas.Trial:
    """Overrules the trust verdict; the point is merged anew."""
    with unit_of_work() as unit:
        return once.answer(unit, principal, schemas.Trial, lambda: decisions.decide(unit, principal, trial_id, body))


@router.delete(
    "/trials/{trial_id}/decisions/{decision_id}",
    responses=problems(Forbidden, decisions.DecisionUndone, decisions.TrialImported),
)
def undo_decision_on_trial(trial_id: uuid.UUID, decision_id: uuid.UUID, principal: Editor) -> schemas.Trial:
    """The trust verdict holds again; the decision stays in the trial's history."""
    with unit_of_work() as unit:
        return decisions.undo(unit, principal, trial_id, decision_id)


@router.get("/trials/{trial_id}/samples")
def list_samples(
    trial_id: uuid.UUID,
    principal: Reader,
    max_points: Annotated[int, Query(ge=10, le=20_000)] = DEFAULT_POINTS,
    attempt: Annotated[int | None, Query(ge=1, le=1_000)] = None,
) -> schemas.SampleList:
    """The seconds of the last attempt, or of `attempt`. Down-sampling keeps each bucket's extremes."""
    with unit_of_work() as unit:
        return service.list_samples(unit, principal, trial_id, attempt=attempt, max_points=max_points)


@router.get("/trials/{trial_id}/telemetry")
def list_telemetry(
    trial_id: uuid.UUID,
    principal: Reader,
    max_points: Annotated[int, Query(ge=100, le=20_000)] = DEFAULT_POINTS,
    attempt: Annotated[int | None, Query(ge=1, le=1_000)] = None,
) -> telemetry_schemas.TelemetryList:
    """The store's counters, its memory and disk, and the host, second by second, with what happened meanwhile.

    Of the last attempt, or of `attempt`. Down-sampling keeps the extremes of every line.
    """
    with unit_of_work() as unit:
        return telemetry.list_telemetry(unit, principal, trial_id, attempt=attempt, max_points=max_points)


Operation = Annotated[str, Query(min_length=1, max_length=100)]


@router.get("/points/{point_id}/spectrum")
def get_spectrum(
    point_id: uuid.UUID, principal: Reader, operation: Operation = "all", kind: schemas.TimeKind = "response"
) -> schemas.Spectrum:
    """At most 200 steps. An operation that the point has not gives none."""
    with unit_of_work() as unit:
        return latency.point_spectrum(unit, principal, point_id, operation=operation, kind=kind)


@router.get("/trials/{trial_id}/heatmap", responses=problems(latency.TrialTooLong))
def get_heat_map(
    trial_id: uuid.UUID,
    principal: Reader,
    operation: Operation | None = None,
    kind: schemas.TimeKind = "response",
    max_columns: Annotated[int, Query(ge=10, le=600)] = 200,
) -> schemas.HeatMap:
    """Of all operations together unless one is named."""
    with unit_of_work() as unit:
        return latency.trial_heat_map(
            unit, principal, trial_id, operation=operation, kind=kind, max_columns=max_columns
        )
