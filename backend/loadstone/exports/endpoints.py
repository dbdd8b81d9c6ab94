"""`/api/v1/<list>.csv` and `<list>.json`: the whole list, as a file."""

import sys
import uuid
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import AwareDatetime

from loadstone.comparisons import service as comparisons
from loadstone.comparisons.sides import SideEmpty, SidesAmbiguous
from loadstone.db import unit_of_work
from loadstone.errors import NotFound, Unauthenticated
from loadstone.exports import service
from loadstone.http.downloads import TABLE_RESPONSES, table_response
from loadstone.http.principal import Reader
from loadstone.http.problems import problems
from loadstone.runs.states import Status
from loadstone.tables import TableForm
from loadstone.trends import service as trends

router = APIRouter(prefix="/api/v1", tags=["exports"])

Attempt = Annotated[int | None, Query(ge=1, le=1_000)]


@router.get("/runs.{form}", response_class=Response, responses={**problems(Unauthenticated), **TABLE_RESPONSES})
def export_runs(
    form: TableForm,
    principal: Reader,
    status: Annotated[list[Status] | None, Query(max_length=8)] = None,
    q: Annotated[str | None, Query(max_length=200)] = None,
    created_by: Literal["me"] | uuid.UUID | None = None,
    recipe: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """The newest 10,000 that fit the filters of the list."""
    with unit_of_work() as unit:
        table = service.runs_table(
            unit,
            principal,
            statuses=status or [],
            text=q,
            created_by=principal.user_id if created_by == "me" else created_by,
            recipe=recipe,
        )
    return table_response(table, form, "runs")


RESPONSES = {**problems(Unauthenticated, NotFound), **TABLE_RESPONSES}


@router.get("/runs/{run_id}/points.{form}", response_class=Response, responses=RESPONSES)
def export_points(run_id: uuid.UUID, form: TableForm, principal: Reader) -> Response:
    """One line an operation; `all` is the merge over operations."""
    with unit_of_work() as unit:
        table = service.points_table(unit, principal, run_id)
    return table_response(table, form, f"{run_id}-points")


@router.get("/runs/{run_id}/trials.{form}", response_class=Response, responses=RESPONSES)
def export_trials(run_id: uuid.UUID, form: TableForm, principal: Reader) -> Response:
    """In execution order."""
    with unit_of_work() as unit:
        table = service.trials_table(unit, principal, run_id)
    return table_response(table, form, f"{run_id}-trials")


@router.get("/trials/{trial_id}/samples.{form}", response_class=Response, responses=RESPONSES)
def export_samples(trial_id: uuid.UUID, form: TableForm, principal: Reader, attempt: Attempt = None) -> Response:
    """Every second of the last attempt (or of `attempt`), one line an operation; nothing is thinned."""
    with unit_of_work() as unit:
        table = service.seconds_table(unit, principal, trial_id, attempt)
    return table_response(table, form, f"{trial_id}-samples")


@router.get("/trials/{trial_id}/telemetry.{form}", response_class=Response, responses=RESPONSES)
def export_telemetry(trial_id: uuid.UUID, form: TableForm, principal: Reader, attempt: Attempt = None) -> Response:
    """Store and host, one line a second; columns `store.NAME` are the store's counters, `host.NAME` the host's."""
    with unit_of_work() as unit:
        table = service.telemetry_table(unit, principal, trial_id, attempt)
    return table_response(table, form, f"{trial_id}-telemetry")


@router.get("/trials/{trial_id}/telemetry-events.{form}", response_class=Response, responses=RESPONSES)
def export_events(trial_id: uuid.UUID, form: TableForm, principal: Reader, attempt: Attempt = None) -> Response:
    """Snapshots, log rewrites, evictions, checkpoints: one line each."""
    with unit_of_work() as unit:
        table = service.events_table(unit, principal, trial_id, attempt)
    return table_response(table, form, f"{trial_id}-events")


@router.get(
    "/comparisons/{comparison_id}/cells.{form}",
    response_class=Response,
    responses={**RESPONSES, **problems(SideEmpty, SidesAmbiguous, comparisons.ComparisonTooLarge)},
)
def export_comparison(comparison_id: uuid.UUID, form: TableForm, principal: Reader) -> Response:
    """The cells of a saved comparison with the trials that count now."""
    with unit_of_work() as unit:
        table = service.cells_table(comparisons.get_comparison(unit, principal, comparison_id).result)
    return table_response(table, form, f"{comparison_id}-cells")


@router.get(
    "/series/values.{form}",
    response_class=Response,
    responses={**RESPONSES, **problems(trends.UnknownMetric)},
)
def export_series_values(
    form: TableForm,
    principal: Reader,
    series_id: Annotated[list[uuid.UUID], Query(min_length=1, max_length=trends.SERIES_MAX)],
    metric: Annotated[str, Query(max_length=100)] = "throughput_per_s",
    operation: Annotated[str, Query(max_length=100)] = "all",
    since: Annotated[AwareDatetime | None, Query(alias="from")] = None,
    until: Annotated[AwareDatetime | None, Query(alias="to")] = None,
) -> Response:
    """Every value of up to 60 series; nothing is thinned."""
    with unit_of_work() as unit:
        found = trends.list_values(
            unit,
            principal,
            series_id,
            metric=metric,
            operation=operation,
            since=since,
            until=until,
            max_points=sys.maxsize,
        )
    return table_response(service.values_table(found), form, "series")
