"""Runs through a link: the addresses of `/api/v1/runs`, `/points` and `/trials` below its token."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query, Response

from loadstone.comparisons import schemas as comparisons_schemas
from loadstone.db import unit_of_work
from loadstone.http.downloads import TABLE_RESPONSES, table_response
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.problems import problems
from loadstone.paging import InvalidCursor, Page
from loadstone.plans.recipe_schemas import RunPublished
from loadstone.results import latency, telemetry_schemas
from loadstone.results import schemas as results_schemas
from loadstone.runs import schemas as runs_schemas
from loadstone.sharing import visits
from loadstone.sharing.endpoints.visitor import PREFIX, VISIT_PROBLEMS, Visitor
from loadstone.tables import TableForm
from loadstone.targets import service as targets
from loadstone.targets.store_kinds import StoreKinds

router = APIRouter(prefix=PREFIX, tags=["shared"], responses=VISIT_PROBLEMS)


@router.get("/runs/{run_id}")
def get_shared_run(run_id: uuid.UUID, visitor: Visitor) -> runs_schemas.Run:
    with unit_of_work() as unit:
        return visits.get_run(unit, visitor, run_id)


@router.get("/runs/{run_id}/points")
def list_shared_points(run_id: uuid.UUID, visitor: Visitor) -> results_schemas.PointList:
    with unit_of_work() as unit:
        return visits.list_points(unit, visitor, run_id)


@router.get("/runs/{run_id}/points.{form}", response_class=Response, responses=TABLE_RESPONSES)
def export_shared_points(run_id: uuid.UUID, form: TableForm, visitor: Visitor) -> Response:
    with unit_of_work() as unit:
        table = visits.points_table(unit, visitor, run_id)
    return table_response(table, form, f"{run_id}-points")


@router.get("/runs/{run_id}/published")
def get_shared_figures(run_id: uuid.UUID, visitor: Visitor) -> RunPublished:
    with unit_of_work() as unit:
        return visits.published_figures(unit, visitor, run_id)


@router.get("/store-kinds")
def list_shared_store_kinds(_visitor: Visitor) -> StoreKinds:
    """What the profiles promise: the product's own data."""
    return targets.list_store_kinds()


@router.get("/runs/{run_id}/trials", responses=problems(InvalidCursor))
def list_shared_trials(
    run_id: uuid.UUID, visitor: Visitor, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[runs_schemas.TrialItem]:
    with unit_of_work() as unit:
        return visits.list_trials(unit, visitor, run_id, cursor=cursor, limit=limit)


@router.get("/runs/{run_id}/trials.{form}", response_class=Response, responses=TABLE_RESPONSES)
def export_shared_trials(run_id: uuid.UUID, form: TableForm, visitor: Visitor) -> Response:
    with unit_of_work() as unit:
        table = visits.trials_table(unit, visitor, run_id)
    return table_response(table, form, f"{run_id}-trials")


@router.get("/trials/{trial_id}")
def get_shared_trial(trial_id: uuid.UUID, visitor: Visitor) -> results_schemas.Trial:
    with unit_of_work() as unit:
        return visits.get_trial(unit, visitor, trial_id)


MaxPoints = Annotated[int, Query(ge=10, le=20_000)]
Attempt = Annotated[int | None, Query(ge=1, le=1_000)]


@router.get("/trials/{trial_id}/samples")
def list_shared_samples(
    trial_id: uuid.UUID, visitor: Visitor, max_points: MaxPoints = 2_000, attempt: Attempt = None
) -> results_schemas.SampleList:
    with unit_of_work() as unit:
        return visits.list_samples(unit, visitor, trial_id, attempt=attempt, max_points=max_points)


@router.get("/trials/{trial_id}/samples.{form}", response_class=Response, responses=TABLE_RESPONSES)
def export_shared_samples(trial_id: uuid.UUID, form: TableForm, visitor: Visitor, attempt: Attempt = None) -> Response:
    with unit_of_work() as unit:
        table = visits.seconds_table(unit, visitor, trial_id, attempt)
    return table_response(table, form, f"{trial_id}-samples")


@router.get("/trials/{trial_id}/telemetry")
def list_shared_telemetry(
    trial_id: uuid.UUID,
    visitor: Visitor,
    max_points: Annotated[int, Query(ge=100, le=20_000)] = 2_000,
    attempt: Attempt = None,
) -> telemetry_schemas.TelemetryList:
    with unit_of_work() as unit:
        return visits.list_telemetry(unit, visitor, trial_id, attempt=attempt, max_points=max_points)


@router.get("/trials/{trial_id}/telemetry.{form}", response_class=Response, responses=TABLE_RESPONSES)
def export_shared_telemetry(
    trial_id: uuid.UUID, form: TableForm, visitor: Visitor, attempt: Attempt = None
) -> Response:
    with unit_of_work() as unit:
        table = visits.telemetry_table(unit, visitor, trial_id, attempt)
    return table_response(table, form, f"{trial_id}-telemetry")


@router.get("/trials/{trial_id}/telemetry-events.{form}", response_class=Response, responses=TABLE_RESPONSES)
def export_shared_events(trial_id: uuid.UUID, form: TableForm, visitor: Visitor, attempt: Attempt = None) -> Response:
    with unit_of_work() as unit:
        table = visits.events_table(unit, visitor, trial_id, attempt)
    return table_response(table, form, f"{trial_id}-events")


@router.get("/runs/{run_id}/verdict")
def get_shared_verdict(run_id: uuid.UUID, visitor: Visitor) -> comparisons_schemas.RunVerdict:
    with unit_of_work() as unit:
        return visits.get_verdict(unit, visitor, run_id)


Operation = Annotated[str, Query(min_length=1, max_length=100)]


@router.get("/points/{point_id}/spectrum")
def get_shared_spectrum(
    point_id: uuid.UUID, visitor: Visitor, operation: Operation = "all", kind: results_schemas.TimeKind = "response"
) -> results_schemas.Spectrum:
    with unit_of_work() as unit:
        return visits.get_spectrum(unit, visitor, point_id, operation=operation, kind=kind)


@router.get("/trials/{trial_id}/heatmap", responses=problems(latency.TrialTooLong))
def get_shared_heat_map(
    trial_id: uuid.UUID,
    visitor: Visitor,
    operation: Operation | None = None,
    kind: results_schemas.TimeKind = "response",
    max_columns: Annotated[int, Query(ge=10, le=600)] = 200,
) -> results_schemas.HeatMap:
    with unit_of_work() as unit:
        return visits.get_heat_map(unit, visitor, trial_id, operation=operation, kind=kind, max_columns=max_columns)
