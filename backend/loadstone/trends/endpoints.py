"""`/api/v1/series`, annotations and alerts."""

import uuid
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import InvalidCursor, Page
from loadstone.plans.service import PlanRefused
from loadstone.runs.schemas import Run
from loadstone.trends import alerts, schemas, service
from loadstone.trends.confirmation import ConfirmationUnderWay, NothingToConfirm
from loadstone.trends.states import AlertState, IllegalAlertState

router = APIRouter(prefix="/api/v1", tags=["trends"])

LabelFilters = Annotated[
    list[Annotated[str, Query(max_length=400)]] | None,
    Query(max_length=20, description="`name:value`; values of one name are alternatives, names must all hold."),
]
MetricName = Annotated[str, Query(max_length=100)]
OperationName = Annotated[str, Query(max_length=100)]


@router.get("/series", responses=problems(Unauthenticated, InvalidCursor, service.BadLabel, service.UnknownMetric))
def list_series(
    principal: Reader,
    q: Annotated[str | None, Query(max_length=200)] = None,
    label: LabelFilters = None,
    metric: MetricName | None = None,
    operation: OperationName | None = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[schemas.Series]:
    """The newest value first. `metric` and `operation` narrow what `last_change` may be."""
    with unit_of_work() as unit:
        return service.list_series(
            unit,
            principal,
            text=q,
            labels=label or [],
            metric=metric,
            operation=operation,
            cursor=cursor,
            limit=limit,
        )


@router.get("/series/facets", responses=problems(Unauthenticated))
def list_series_facets(principal: Reader) -> schemas.Facets:
    """Every label with its commonest values and how many series carry them."""
    with unit_of_work() as unit:
        return service.list_facets(unit, principal)


@router.get("/series/values", responses=problems(Unauthenticated, NotFound, service.UnknownMetric))
def list_series_values(
    principal: Reader,
    series_id: Annotated[list[uuid.UUID], Query(min_length=1, max_length=service.SERIES_MAX)],
    metric: MetricName = "throughput_per_s",
    operation: OperationName = "all",
    since: Annotated[AwareDatetime | None, Query(alias="from")] = None,
    until: Annotated[AwareDatetime | None, Query(alias="to")] = None,
    max_points: Annotated[int, Query(ge=8, le=2000)] = 500,
) -> schemas.SeriesValues:
    """Values of up to 60 series with their change points, exclusions and annotations."""
    with unit_of_work() as unit:
        return service.list_values(
            unit,
            principal,
            series_id,
            metric=metric,
            operation=operation,
            since=since,
            until=until,
            max_points=max_points,
        )


@router.get("/series/{series_id}", responses=problems(Unauthenticated, NotFound))
def get_series(series_id: uuid.UUID, principal: Reader) -> schemas.Series:
    with unit_of_work() as unit:
        return service.get_series(unit, principal, series_id)


@router.get("/series/{series_id}/neighbours", responses=problems(Unauthenticated, NotFound))
def get_neighbours(series_id: uuid.UUID, point_id: uuid.UUID, principal: Reader) -> schemas.Neighbours:
    """What differs between a point and the one before it."""
    with unit_of_work() as unit:
        return service.neighbours(unit, principal, series_id, point_id)


@router.post(
    "/series/{series_id}/exclusions",
    status_code=201,
    responses=problems(Unauthenticated, Forbidden, NotFound, service.PointExcluded, IdempotencyKeyReused),
)
def exclude_point(
    series_id: uuid.UUID, body: schemas.WriteExclusion, principal: Editor, once: OnceOnly
) -> schemas.Exclusion:
    """The point stays visible and judges nothing."""
    with unit_of_work() as unit:
        return once.answer(
            unit, principal, schemas.Exclusion, lambda: service.exclude_point(unit, principal, series_id, body)
        )


@router.delete(
    "/series/{series_id}/exclusions/{exclusion_id}",
    status_code=204,
    responses=problems(Unauthenticated, Forbidden, NotFound),
)
def undo_exclusion(series_id: uuid.UUID, exclusion_id: uuid.UUID, principal: Editor) -> None:
    with unit_of_work() as unit:
        service.undo_exclusion(unit, principal, series_id, exclusion_id)


@router.get("/annotations", responses=problems(Unauthenticated, InvalidCursor))
def list_annotations(
    principal: Reader, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.Annotation]:
    """The last written first."""
    with unit_of_work() as unit:
        return service.list_annotations(unit, principal, cursor, limit)


@router.post("/annotations", status_code=201, responses=problems(Unauthenticated, Forbidden, IdempotencyKeyReused))
def create_annotation(body: schemas.WriteAnnotation, principal: Editor, once: OnceOnly) -> schemas.Annotation:
    with unit_of_work() as unit:
        return once.answer(unit, principal, schemas.Annotation, lambda: service.annotate(unit, principal, body))


@router.put("/annotations/{annotation_id}", responses=problems(Unauthenticated, Forbidden, NotFound))
def change_annotation(annotation_id: uuid.UUID, body: schemas.WriteAnnotation, principal: Editor) -> schemas.Annotation:
    with unit_of_work() as unit:
        return service.change_annotation(unit, principal, annotation_id, body)


@router.delete(
    "/annotations/{annotation_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound)
)
def delete_annotation(annotation_id: uuid.UUID, principal: Editor) -> None:
    with unit_of_work() as unit:
        service.delete_annotation(unit, principal, annotation_id)


@router.get("/alerts", responses=problems(Unauthenticated, InvalidCursor))
def list_alerts(
    principal: Reader,
    state: Annotated[list[AlertState] | None, Query(max_length=6)] = None,
    owner: Literal["me"] | uuid.UUID | None = None,
    series_id: uuid.UUID | None = None,
    snoozed: bool | None = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[schemas.Alert]:
    """Newest first. `state` may be given several times."""
    with unit_of_work() as unit:
        return alerts.list_alerts(
            unit,
            principal,
            states=state or [],
            owner_id=principal.user_id if owner == "me" else owner,
            series_id=series_id,
            is_snoozed=snoozed,
            cursor=cursor,
            limit=limit,
        )


@router.get("/alerts/{alert_id}", responses=problems(Unauthenticated, NotFound))
def get_alert(alert_id: uuid.UUID, principal: Reader) -> schemas.AlertDetail:
    with unit_of_work() as unit:
        return alerts.get_alert(unit, principal, alert_id)


@router.patch(
    "/alerts/{alert_id}",
    responses=problems(Unauthenticated, Forbidden, NotFound, IllegalAlertState, alerts.NotAMember),
)
def change_alert(alert_id: uuid.UUID, body: schemas.PatchAlert, principal: Editor) -> schemas.AlertDetail:
    """State, owner and snooze; whatever is left out stays."""
    with unit_of_work() as unit:
        return alerts.change_alert(unit, principal, alert_id, body)


@router.post(
    "/alerts/{alert_id}/comments",
    status_code=201,
    responses=problems(Unauthenticated, Forbidden, NotFound, IdempotencyKeyReused),
)
def comment_on_alert(
    alert_id: uuid.UUID, body: schemas.WriteComment, principal: Editor, once: OnceOnly
) -> schemas.AlertEvent:
    with unit_of_work() as unit:
        return once.answer(unit, principal, schemas.AlertEvent, lambda: alerts.comment(unit, principal, alert_id, body))


@router.post(
    "/alerts/{alert_id}/confirm",
    status_code=201,
    responses=problems(
        Unauthenticated,
        Forbidden,
        NotFound,
        IllegalAlertState,
        ConfirmationUnderWay,
        NothingToConfirm,
        PlanRefused,
        IdempotencyKeyReused,
    ),
)
def confirm_alert(alert_id: uuid.UUID, principal: Editor, once: OnceOnly) -> Run:
    """Queues a run in a new session; the alert becomes confirmed or false by itself when that has ended."""
    with unit_of_work() as unit:
        return once.answer(unit, principal, Run, lambda: alerts.confirm(unit, principal, alert_id))
