"""`GET /api/v1/runs/{run_id}/bundle` and `POST /api/v1/bundles`."""

import tempfile
import uuid
from typing import IO, Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from loadstone.bundles import errors, service
from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.principal import Principal
from loadstone.runs import schemas

router = APIRouter(prefix="/api/v1", tags=["bundles"])

ZIP = "application/zip"
ZIP_BODY: dict[str, Any] = {"content": {ZIP: {"schema": {"type": "string", "format": "binary"}}}}
IN_MEMORY_BYTES = 1024 * 1024
"""Smaller bundles touch no disk."""


@router.get(
    "/runs/{run_id}/bundle",
    response_class=StreamingResponse,
    responses={
        **problems(Unauthenticated, NotFound, errors.RunNotOver),
        200: {"description": "A zip with a manifest of checksums; see `bundles/format.py`.", **ZIP_BODY},
    },
)
def export_bundle(run_id: uuid.UUID, principal: Reader) -> Response:
    """Everything that the run rests on: plan, seed, environments, store configurations, histograms, samples."""
    with unit_of_work() as unit:
        service.check_exportable(unit, principal, run_id)
    headers = {"Content-Disposition": f'attachment; filename="loadstone-{run_id}.zip"'}
    return StreamingResponse(service.export_bundle(principal, run_id), media_type=ZIP, headers=headers)


@router.post(
    "/bundles",
    status_code=201,
    openapi_extra={"requestBody": {"required": True, **ZIP_BODY}},
    responses={
        **problems(
            Unauthenticated,
            Forbidden,
            errors.BundleRefused,
            errors.BundleFilesUnexpected,
            errors.BundleTooLarge,
            errors.BundleVersionUnknown,
            errors.BundleChecksumWrong,
            errors.BundleRowInvalid,
            errors.BundleInconsistent,
        ),
        200: {"model": schemas.Run, "description": "It was imported before; this is the run that came of it."},
    },
)
async def import_bundle(
    request: Request, response: Response, principal: Editor, *, join_series: bool = False
) -> schemas.Run:
    """A read-only run of `origin` `imported`. Its points enter series only with `join_series`."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as file:
        async for chunk in request.stream():
            file.write(chunk)
        file.seek(0)
        imported = await run_in_threadpool(_import, principal, file, join_series)
    response.status_code = 201 if imported.is_new else 200
    return imported.run


def _import(principal: Principal, file: IO[bytes], join_series: bool) -> service.Imported:
    with unit_of_work() as unit:
        return service.import_bundle(unit, principal, file, join_series=join_series)
