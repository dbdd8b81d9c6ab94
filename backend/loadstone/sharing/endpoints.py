"""`/api/v1/shares` for the team, and `/api/v1/shared/{token}` for whoever holds a link.

Under the token lie the very addresses that the pages read elsewhere, so that the same pages show it.
"""

import uuid
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from loadstone.db import bind_team, unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.downloads import TABLE_RESPONSES, table_response
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.pictures import PICTURE_RESPONSES, picture_response
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.http.rate_limit import TooManyAttempts
from loadstone.paging import InvalidCursor, Page
from loadstone.results import schemas as results_schemas
from loadstone.runs import schemas as runs_schemas
from loadstone.settings import get_settings
from loadstone.sharing import pictures, schemas, service, visits
from loadstone.sharing.drawing import Picture, PictureForm, Theme
from loadstone.sharing.run_chart import Curve
from loadstone.tables import TableForm

router = APIRouter(prefix="/api/v1", tags=["sharing"])


@router.post("/shares", status_code=201, responses=problems(Unauthenticated, Forbidden, NotFound))
def create_share(body: schemas.CreateShare, principal: Editor) -> schemas.CreatedShare:
    """A link to what is seen now. Its token is shown this once."""
    with unit_of_work() as unit:
        return service.create_share(unit, principal, body)


@router.get("/shares", responses=problems(Unauthenticated, InvalidCursor))
def list_shares(
    principal: Reader,
    kind: schemas.ShareKind | None = None,
    subject_id: uuid.UUID | None = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[schemas.ShareItem]:
    """The team's links, newest first; `subject_id` is a run, a saved comparison or a dashboard."""
    with unit_of_work() as unit:
        return service.list_shares(unit, principal, kind=kind, subject_id=subject_id, cursor=cursor, limit=limit)


@router.delete("/shares/{share_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def revoke_share(share_id: uuid.UUID, principal: Editor) -> None:
    """It shows nothing from now on; may be repeated."""
    with unit_of_work() as unit:
        service.revoke_share(unit, principal, share_id)


UNLOCK_COOKIE = "loadstone_share"
Token = Annotated[str, Path(max_length=100)]
VISIT_PROBLEMS = problems(service.ShareLocked, NotFound, service.ShareExpired, service.ShareRevoked)


def _find_visit(token: Token, request: Request) -> service.Visit:
    with unit_of_work(every_team=True) as unit:
        return service.open_share(unit, token, request.cookies.get(UNLOCK_COOKIE))


async def open_share(visit: Annotated[service.Visit, Depends(_find_visit)]) -> service.Visit:
    """Raises what `service.open_share` raises. Asynchronous, so that the binding reaches the endpoint."""
    bind_team(visit.share.team_id)
    return visit


Visitor = Annotated[service.Visit, Depends(open_share)]
"""Somebody with a valid link. Nothing but GET routes and the password take one."""

shared_router = APIRouter(prefix="/api/v1/shared/{token}", tags=["shared"], responses=VISIT_PROBLEMS)


@shared_router.get("")
def get_share(visitor: Visitor) -> schemas.SharedView:
    """What the link shows. Counts as one view."""
    with unit_of_work() as unit:
        return service.describe(unit, visitor)


@shared_router.post("/unlock", responses=problems(service.SharePasswordWrong, TooManyAttempts))
def unlock_share(token: Token, body: schemas.Unlock, request: Request, response: Response) -> None:
    """Keeps the password's answer in a cookie that goes to this link's addresses only, for twelve hours."""
    address = request.client.host if request.client else "unknown"
    with unit_of_work(every_team=True) as unit:
        unlocked = service.unlock(unit, token, body.password, address)
    response.set_cookie(
        UNLOCK_COOKIE,
        unlocked.token,
        expires=unlocked.expires_at,
        path=f"/api/v1/shared/{token}",
        httponly=True,
        samesite="lax",
        secure=get_settings().secure_cookies,
    )


@shared_router.get("/runs/{run_id}")
def get_shared_run(run_id: uuid.UUID, visitor: Visitor) -> runs_schemas.Run:
    with unit_of_work() as unit:
        return visits.get_run(unit, visitor, run_id)


@shared_router.get("/runs/{run_id}/points")
def list_shared_points(run_id: uuid.UUID, visitor: Visitor) -> results_schemas.PointList:
    with unit_of_work() as unit:
        return visits.list_points(unit, visitor, run_id)


@shared_router.get("/runs/{run_id}/points.{form}", response_class=Response, responses=TABLE_RESPONSES)
def export_shared_points(run_id: uuid.UUID, form: TableForm, visitor: Visitor) -> Response:
    with unit_of_work() as unit:
        table = visits.points_table(unit, visitor, run_id)
    return table_response(table, form, f"{run_id}-points")


@shared_router.get("/runs/{run_id}/trials", responses=problems(InvalidCursor))
def list_shared_trials(
    run_id: uuid.UUID, visitor: Visitor, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[runs_schemas.TrialItem]:
    with unit_of_work() as unit:
        return visits.list_trials(unit, visitor, run_id, cursor=cursor, limit=limit)


@shared_router.get("/runs/{run_id}/trials.{form}", response_class=Response, responses=TABLE_RESPONSES)
def export_shared_trials(run_id: uuid.UUID, form: TableForm, visitor: Visitor) -> Response:
    with unit_of_work() as unit:
        table = visits.trials_table(unit, visitor, run_id)
    return table_response(table, form, f"{run_id}-trials")


@shared_router.get("/trials/{trial_id}")
def get_shared_trial(trial_id: uuid.UUID, visitor: Visitor) -> results_schemas.Trial:
    with unit_of_work() as unit:
        return visits.get_trial(unit, visitor, trial_id)


MaxPoints = Annotated[int, Query(ge=10, le=20_000)]
Attempt = Annotated[int | None, Query(ge=1, le=1_000)]


@shared_router.get("/trials/{trial_id}/samples")
def list_shared_samples(
    trial_id: uuid.UUID, visitor: Visitor, max_points: MaxPoints = 2_000, attempt: Attempt = None
) -> results_schemas.SampleList:
    with unit_of_work() as unit:
        return visits.list_samples(unit, visitor, trial_id, attempt=attempt, max_points=max_points)


@shared_router.get("/trials/{trial_id}/samples.{form}", response_class=Response, responses=TABLE_RESPONSES)
def export_shared_samples(trial_id: uuid.UUID, form: TableForm, visitor: Visitor, attempt: Attempt = None) -> Response:
    with unit_of_work() as unit:
        table = visits.seconds_table(unit, visitor, trial_id, attempt)
    return table_response(table, form, f"{trial_id}-samples")


Width = Annotated[int, Query(ge=200, le=2_400)]
Height = Annotated[int, Query(ge=120, le=1_600)]


@shared_router.get("/chart.{form}", response_class=Response, responses=PICTURE_RESPONSES)
def get_shared_chart(
    form: PictureForm,
    visitor: Visitor,
    request: Request,
    width: Width = 800,
    height: Height = 450,
    theme: Theme = "light",
    curve: Curve = "throughput",
) -> Response:
    """The chart of the link as it was seen, with the figures of now; `curve` is which of a run's charts."""
    with unit_of_work() as unit:
        how = Picture(form, width, height, theme)
        content = pictures.picture(unit, visitor, pictures.Wanted(curve), how)
    return picture_response(request, content, form, is_public=visitor.share.password_hash is None)


@shared_router.get("/badge.svg", response_class=Response, responses=PICTURE_RESPONSES)
def get_badge(visitor: Visitor, request: Request, curve: Curve = "throughput") -> Response:
    """Label and figure, such as `memcached get | 412k ops/s`."""
    with unit_of_work() as unit:
        content = pictures.badge(unit, visitor, pictures.Wanted(curve))
    return picture_response(request, content, "svg", is_public=visitor.share.password_hash is None)
