"""`/api/v1/session`, `/me` and `/tokens`."""

import uuid

from fastapi import APIRouter, Request, Response

from loadstone.accounts import service
from loadstone.accounts.schemas import ApiTokenItem, CreateApiToken, CreatedApiToken, Me, SignIn
from loadstone.accounts.sign_in_limit import TooManyAttempts
from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import SESSION_COOKIE, Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import Page
from loadstone.settings import get_settings

router = APIRouter(prefix="/api/v1", tags=["account"])


@router.post("/session", responses=problems(service.WrongCredentials, Forbidden, TooManyAttempts))
def sign_in(body: SignIn, request: Request, response: Response) -> Me:
    address = request.client.host if request.client else "unknown"
    with unit_of_work(every_team=True) as unit:
        opened = service.open_session(unit, body, address, request.headers.get("user-agent", ""))
    response.set_cookie(
        SESSION_COOKIE,
        opened.token,
        expires=opened.expires_at,
        httponly=True,
        samesite="lax",
        secure=get_settings().secure_cookies,
    )
    return opened.me


@router.delete("/session", status_code=204, responses=problems(Unauthenticated, Forbidden))
def sign_out(principal: Reader, response: Response) -> None:
    with unit_of_work() as unit:
        service.close_session(unit, principal)
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax", secure=get_settings().secure_cookies)


@router.get("/me", responses=problems(Unauthenticated))
def get_me(principal: Reader) -> Me:
    return service.describe(principal)


@router.get("/tokens", responses=problems(Unauthenticated))
def list_tokens(principal: Reader, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Page[ApiTokenItem]:
    with unit_of_work() as unit:
        return service.list_tokens(unit, principal, cursor, limit)


@router.post("/tokens", status_code=201, responses=problems(Unauthenticated, Forbidden))
def create_token(body: CreateApiToken, principal: Editor) -> CreatedApiToken:
    with unit_of_work() as unit:
        return service.create_token(unit, principal, body)


@router.delete("/tokens/{token_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def revoke_token(token_id: uuid.UUID, principal: Editor) -> None:
    with unit_of_work() as unit:
        service.revoke_token(unit, principal, token_id)
