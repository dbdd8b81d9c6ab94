"""Comparisons, trends and dashboards through a link, at the addresses that their pages read elsewhere."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from pydantic import AwareDatetime

from loadstone.comparisons import schemas as comparisons_schemas
from loadstone.comparisons.service import ComparisonTooLarge
from loadstone.comparisons.sides import SideEmpty, SidesAmbiguous
from loadstone.dashboards import schemas as dashboards_schemas
from loadstone.db import unit_of_work
from loadstone.http.downloads import TABLE_RESPONSES, table_response
from loadstone.http.problems import problems
from loadstone.paging import Page
from loadstone.runs import schemas as runs_schemas
from loadstone.runs.states import Status
from loadstone.sharing import figures
from loadstone.sharing.endpoints.visitor import PREFIX, VISIT_PROBLEMS, Visitor
from loadstone.tables import TableForm
from loadstone.trends import schemas as trends_schemas
from loadstone.trends import service as trends

router = APIRouter(prefix=PREFIX, tags=["shared"], responses=VISIT_PROBLEMS)


EVALUATION = problems(SideEmpty, SidesAmbiguous, ComparisonTooLarge)


@router.post("/comparisons/evaluate", response_model=comparisons_schemas.Comparison, responses=EVALUATION)
def evaluate_shared_comparison(body: comparisons_schemas.ComparisonDefinition, visitor: Visitor) -> Response:
    """Of the link's sides only; metrics, margin and confidence may be others."""
    with unit_of_work() as unit:
        found = figures.evaluate(unit, visitor, body)
    return Response(found.model_dump_json(), media_type="application/json")


@router.get("/comparisons/{comparison_id}", responses=EVALUATION)
def get_shared_comparison(comparison_id: uuid.UUID, visitor: Visitor) -> comparisons_schemas.SavedComparison:
    with unit_of_work() as unit:
        return figures.get_comparison(unit, visitor, comparison_id)


Label = Annotated[str, Query(max_length=400)]
Name = Annotated[str, Query(max_length=100)]


@router.get("/series")
def list_shared_series(
    visitor: Visitor, label: Annotated[list[Label] | None, Query(max_length=20)] = None
) -> Page[trends_schemas.Series]:
    """Those that the link shows; with labels, those that a panel of its dashboard shows by these very labels."""
    with unit_of_work() as unit:
        return figures.list_series(unit, visitor, label or [])


class ValuesQuery:
    """What of which series; the same as `/series/values` takes."""

    def __init__(
        self,
        series_id: Annotated[list[uuid.UUID], Query(min_length=1, max_length=trends.SERIES_MAX)],
        metric: Name = "throughput_per_s",
        operation: Name = "all",
        since: Annotated[AwareDatetime | None, Query(alias="from")] = None,
        until: Annotated[AwareDatetime | None, Query(alias="to")] = None,
    ) -> None:
        self.wanted = figures.Values(tuple(series_id), metric, operation, since, until)


Values = Annotated[ValuesQuery, Depends(ValuesQuery)]
VALUES_PROBLEMS = problems(trends.UnknownMetric)


@router.get("/series/values", responses=VALUES_PROBLEMS)
def list_shared_values(
    visitor: Visitor, query: Values, max_points: Annotated[int, Query(ge=8, le=2000)] = 500
) -> trends_schemas.SeriesValues:
    with unit_of_work() as unit:
        return figures.list_values(unit, visitor, query.wanted, max_points)


@router.get("/series/values.{form}", response_class=Response, responses={**TABLE_RESPONSES, **VALUES_PROBLEMS})
def export_shared_values(visitor: Visitor, query: Values, form: TableForm) -> Response:
    with unit_of_work() as unit:
        table = figures.values_table(unit, visitor, query.wanted)
    return table_response(table, form, "series")


@router.get("/series/{series_id}")
def get_shared_series(series_id: uuid.UUID, visitor: Visitor) -> trends_schemas.Series:
    with unit_of_work() as unit:
        return figures.get_series(unit, visitor, series_id)


@router.get("/series/{series_id}/neighbours")
def get_shared_neighbours(series_id: uuid.UUID, point_id: uuid.UUID, visitor: Visitor) -> trends_schemas.Neighbours:
    with unit_of_work() as unit:
        return figures.get_neighbours(unit, visitor, series_id, point_id)


@router.get("/dashboards/{dashboard_id}")
def get_shared_dashboard(dashboard_id: uuid.UUID, visitor: Visitor) -> dashboards_schemas.Dashboard:
    with unit_of_work() as unit:
        return figures.get_dashboard(unit, visitor, dashboard_id)


@router.get("/runs")
def list_shared_runs(
    visitor: Visitor,
    plan_id: uuid.UUID,
    status: Annotated[list[Status] | None, Query(max_length=8)] = None,  # noqa: ARG001
    limit: Annotated[int, Query(ge=1, le=1)] = 1,  # noqa: ARG001
) -> Page[runs_schemas.RunListItem]:
    """The newest run of a plan that a panel of the dashboard follows."""
    with unit_of_work() as unit:
        return figures.latest_run(unit, visitor, plan_id)
