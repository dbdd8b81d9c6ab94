"""`/api/v1/schedules`."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query

from loadstone.db import unit_of_work
from loadstone.errors import AppError, Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import InvalidCursor, Page
from loadstone.schedules import schemas, service
from loadstone.schedules.calendar import CronInvalid, ScheduleNeverFires, TimeZoneUnknown

router = APIRouter(prefix="/api/v1", tags=["schedules"])

WRITE_ERRORS: tuple[type[AppError], ...] = (Unauthenticated, Forbidden, NotFound, CronInvalid, TimeZoneUnknown)
States = Annotated[list[schemas.State] | None, Query(alias="state", max_length=4)]


@router.get("/schedules", responses=problems(Unauthenticated, InvalidCursor))
def list_schedules(
    principal: Reader,
    q: Annotated[str | None, Query(max_length=200)] = None,
    plan_id: uuid.UUID | None = None,
    state: States = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[schemas.Schedule]:
    """Newest first. `q` is looked for in the name; `state` may be given several times."""
    with unit_of_work() as unit:
        return service.list_schedules(
            unit, principal, text=q, plan_id=plan_id, states=state or [], cursor=cursor, limit=limit
        )


@router.post(
    "/schedules/preview", responses=problems(Unauthenticated, CronInvalid, TimeZoneUnknown, ScheduleNeverFires)
)
def preview_schedule(body: schemas.PreviewSchedule, _principal: Reader) -> schemas.SchedulePreview:
    """The next five due times, before anything is saved."""
    return service.preview_schedule(body)


@router.post(
    "/schedules",
    status_code=201,
    responses=problems(*WRITE_ERRORS, ScheduleNeverFires, IdempotencyKeyReused),
)
def create_schedule(body: schemas.WriteSchedule, principal: Editor, once: OnceOnly) -> schemas.Schedule:
    with unit_of_work() as unit:
        return once.answer(unit, principal, schemas.Schedule, lambda: service.create_schedule(unit, principal, body))


@router.get("/schedules/{schedule_id}", responses=problems(Unauthenticated, NotFound))
def get_schedule(schedule_id: uuid.UUID, principal: Reader) -> schemas.Schedule:
    with unit_of_work() as unit:
        return service.get_schedule(unit, principal, schedule_id)


@router.put(
    "/schedules/{schedule_id}",
    responses=problems(*WRITE_ERRORS, ScheduleNeverFires, service.ScheduleChanged),
)
def change_schedule(schedule_id: uuid.UUID, body: schemas.ChangeSchedule, principal: Editor) -> schemas.Schedule:
    """A paused schedule stays paused; a broken or ended one is active again."""
    with unit_of_work() as unit:
        return service.change_schedule(unit, principal, schedule_id, body)


@router.delete("/schedules/{schedule_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def delete_schedule(schedule_id: uuid.UUID, principal: Editor) -> None:
    """With the list of its firings; its runs stay."""
    with unit_of_work() as unit:
        service.delete_schedule(unit, principal, schedule_id)


@router.post(
    "/schedules/{schedule_id}/pause", responses=problems(Unauthenticated, Forbidden, NotFound, service.ScheduleEnded)
)
def pause_schedule(schedule_id: uuid.UUID, principal: Editor) -> schemas.Schedule:
    with unit_of_work() as unit:
        return service.pause_schedule(unit, principal, schedule_id)


@router.post(
    "/schedules/{schedule_id}/resume", responses=problems(Unauthenticated, Forbidden, NotFound, ScheduleNeverFires)
)
def resume_schedule(schedule_id: uuid.UUID, principal: Editor) -> schemas.Schedule:
    """From now on: what was due meanwhile is not made up for."""
    with unit_of_work() as unit:
        return service.resume_schedule(unit, principal, schedule_id)


@router.post(
    "/schedules/{schedule_id}/run-now",
    responses=problems(Unauthenticated, Forbidden, NotFound, IdempotencyKeyReused),
)
def run_schedule_now(schedule_id: uuid.UUID, principal: Editor, once: OnceOnly) -> schemas.Firing:
    """By the same rules of overlap; a refusal is told in the firing."""
    with unit_of_work() as unit:
        return once.answer(unit, principal, schemas.Firing, lambda: service.run_now(unit, principal, schedule_id))


@router.get("/schedules/{schedule_id}/firings", responses=problems(Unauthenticated, NotFound, InvalidCursor))
def list_firings(
    schedule_id: uuid.UUID, principal: Reader, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.Firing]:
    """The latest due time first."""
    with unit_of_work() as unit:
        return service.list_firings(unit, principal, schedule_id, cursor, limit)
