"""`/api/v1/traces`: the file itself is the body of the upload."""

import uuid
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import Page
from loadstone.principal import Principal
from loadstone.traces import service
from loadstone.traces.schemas import UploadedTrace

router = APIRouter(prefix="/api/v1", tags=["traces"])

CSV = "text/csv"
CSV_BODY: dict[str, Any] = {"content": {CSV: {"schema": {"type": "string"}}}}


@router.get("/traces", responses=problems(Unauthenticated))
def list_traces(principal: Reader, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Page[UploadedTrace]:
    with unit_of_work() as unit:
        return service.list_traces(unit, principal, cursor, limit)


@router.post(
    "/traces",
    status_code=201,
    openapi_extra={"requestBody": {"required": True, **CSV_BODY}},
    responses={
        **problems(Unauthenticated, Forbidden, service.TraceUnreadable),
        200: {"model": UploadedTrace, "description": "The team has this file already; this is it."},
    },
)
async def upload_trace(
    request: Request, response: Response, principal: Editor, name: Annotated[str, Query(min_length=1, max_length=200)]
) -> UploadedTrace:
    """Lines of `time,operation,key,size`: seconds from 0, sorted; the size in bytes or nothing. Kept by its SHA-256."""
    content = await request.body()
    kept = await run_in_threadpool(_keep, principal, content, name)
    response.status_code = 201 if kept.is_new else 200
    return kept.trace


def _keep(principal: Principal, content: bytes, name: str) -> service.Kept:
    read = service.read_trace(content)
    with unit_of_work() as unit:
        return service.keep_trace(unit, principal, read, name)


@router.get("/traces/{trace_id}", responses=problems(Unauthenticated, NotFound))
def get_trace(trace_id: uuid.UUID, principal: Reader) -> UploadedTrace:
    with unit_of_work() as unit:
        return service.get_trace(unit, principal, trace_id)


@router.get(
    "/traces/{trace_id}/content",
    response_class=Response,
    responses={**problems(Unauthenticated, NotFound), 200: {"description": "The file as uploaded.", **CSV_BODY}},
)
def download_trace(trace_id: uuid.UUID, principal: Reader) -> Response:
    with unit_of_work() as unit:
        digest, content = service.named_content(unit, principal, trace_id)
    name = f'attachment; filename="loadstone-trace-{digest[:12]}.csv"'
    return Response(content, media_type=CSV, headers={"Content-Encoding": "gzip", "Content-Disposition": name})


@router.delete("/traces/{trace_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def archive_trace(trace_id: uuid.UUID, principal: Editor) -> None:
    """Plans and runs that name it can still replay it."""
    with unit_of_work() as unit:
        service.archive_trace(unit, principal, trace_id)
