"""Who brought a link, as a dependency, and what every link answers whatever it shows."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from loadstone.db import bind_team, unit_of_work
from loadstone.errors import NotFound
from loadstone.http.problems import problems
from loadstone.http.rate_limit import TooManyAttempts
from loadstone.settings import get_settings
from loadstone.sharing import schemas, service

UNLOCK_COOKIE = "loadstone_share"
PREFIX = "/api/v1/shared/{token}"
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

router = APIRouter(prefix=PREFIX, tags=["shared"], responses=VISIT_PROBLEMS)


@router.get("")
def get_share(visitor: Visitor) -> schemas.SharedView:
    """What the link shows. Counts as one view."""
    with unit_of_work() as unit:
        return service.describe(unit, visitor)


@router.post("/unlock", responses=problems(service.SharePasswordWrong, TooManyAttempts))
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
