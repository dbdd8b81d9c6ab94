"""`/api/v1/runs`, their trials and their live stream."""

import uuid
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import InvalidCursor, Page
from loadstone.plans.recipe_schemas import RunPublished
from loadstone.plans.service import PlanRefused
from loadstone.runs import schemas, service, waiting
from loadstone.runs.states import TERMINAL, Status
from loadstone.runs.stream import Hub

router = APIRouter(prefix="/api/v1", tags=["runs"])

Statuses = Annotated[list[Status] | None, Query(alias="status", max_length=8)]


@router.post(
    "/runs",
    status_code=201,
    responses=problems(Unauthenticated, Forbidden, NotFound, IdempotencyKeyReused, PlanRefused),
)
def submit_run(body: schemas.RunSubmit, principal: Editor, once: OnceOnly) -> schemas.Run:
    """Expands the plan into points and trials in one transaction, and rings for an agent."""
    with unit_of_work() as unit:
        return once.answer(unit, principal, schemas.Run, lambda: service.submit_run(unit, principal, body))


@router.get("/runs", responses=problems(Unauthenticated, InvalidCursor))
def list_runs(
    principal: Reader,
    status: Statuses = None,
    q: Annotated[str | None, Query(max_length=200)] = None,
    created_by: Literal["me"] | uuid.UUID | None = None,
    recipe: Annotated[str | None, Query(max_length=100)] = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[schemas.RunListItem]:
    """Newest first. `q` is looked for in the name, `recipe` is a slug; `status` may be given several times."""
    with unit_of_work() as unit:
        return service.list_runs(
            unit,
            principal,
            statuses=status or [],
            text=q,
            created_by=principal.user_id if created_by == "me" else created_by,
            recipe=recipe,
            cursor=cursor,
            limit=limit,
        )


@router.get("/runs/{run_id}", responses=problems(Unauthenticated, NotFound))
def get_run(run_id: uuid.UUID, principal: Reader) -> schemas.Run:
    with unit_of_work() as unit:
        return service.get_run(unit, principal, run_id)


@router.get("/runs/{run_id}/published", responses=problems(Unauthenticated, NotFound))
def get_published_figures(run_id: uuid.UUID, principal: Reader) -> RunPublished:
    """Of the study that the run's recipe repeats, laid onto its targets and workloads; empty without one."""
    with unit_of_work() as unit:
        return service.published_figures(unit, principal, run_id)


@router.post("/runs/{run_id}/cancel", responses=problems(Unauthenticated, Forbidden, NotFound))
def cancel_run(run_id: uuid.UUID, principal: Editor) -> schemas.Run:
    """May be repeated; a run that has ended stays as it is."""
    with unit_of_work() as unit:
        return service.cancel_run(unit, principal, run_id)


@router.patch(
    "/runs/{run_id}",
    responses=problems(Unauthenticated, Forbidden, NotFound, waiting.RunNotWaiting, waiting.RunEnded),
)
def change_run(run_id: uuid.UUID, body: schemas.ChangeRun, principal: Editor) -> schemas.Run:
    """Its agents may be chosen anew until one has begun it."""
    with unit_of_work() as unit:
        return waiting.change_run(unit, principal, run_id, body)


@router.post("/runs/{run_id}/move", responses=problems(Unauthenticated, Forbidden, NotFound, waiting.RunNotWaiting))
def move_run(run_id: uuid.UUID, body: schemas.MoveRun, principal: Editor) -> schemas.Run:
    """To right before or after another run that waits, whose priority it takes over."""
    with unit_of_work() as unit:
        return waiting.move_run(unit, principal, run_id, body)


@router.post("/runs/{run_id}/pause", responses=problems(Unauthenticated, Forbidden, NotFound, waiting.RunNotWaiting))
def pause_run(run_id: uuid.UUID, principal: Editor) -> schemas.Run:
    """A run that waits keeps its place and does not begin until it is resumed."""
    with unit_of_work() as unit:
        return waiting.pause_run(unit, principal, run_id)


@router.post("/runs/{run_id}/resume", responses=problems(Unauthenticated, Forbidden, NotFound))
def resume_run(run_id: uuid.UUID, principal: Editor) -> schemas.Run:
    with unit_of_work() as unit:
        return waiting.resume_run(unit, principal, run_id)


@router.get("/runs/{run_id}/trials", responses=problems(Unauthenticated, NotFound, InvalidCursor))
def list_trials(
    run_id: uuid.UUID, principal: Reader, status: Statuses = None, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.TrialItem]:
    """In execution order."""
    with unit_of_work() as unit:
        return service.list_trials(unit, principal, run_id, statuses=status or [], cursor=cursor, limit=limit)


STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `run`, `trial`, `sample` and `point` with JSON data; `id` is the event's number.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
    204: {"description": "The run has ended and nothing is left to tell; a browser then stops reconnecting."},
}


@router.get(
    "/runs/{run_id}/events",
    response_class=StreamingResponse,
    responses={**problems(Unauthenticated, NotFound), **STREAM_RESPONSES},
)
async def stream_events(
    run_id: uuid.UUID,
    principal: Reader,
    request: Request,
    after: Annotated[int | None, Query(ge=0)] = None,
    last_event_id: Annotated[str | None, Header(pattern=r"^[0-9]{1,18}$")] = None,
) -> Response:
    """The run's live stream after event `after` (or `Last-Event-ID`), else from now; ends with the run's last event."""
    status, last_seq = await run_in_threadpool(service.stream_position, principal, run_id)
    cursor = int(last_event_id) if last_event_id is not None else last_seq if after is None else after
    if status in TERMINAL and cursor >= last_seq:
        return Response(status_code=204)
    hub: Hub = request.app.state.live_hub
    # Proxies that collect a response before passing it on are told not to.
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(hub.listen(run_id, cursor, last_seq), media_type="text/event-stream", headers=headers)
