"""Every error leaves as `application/problem+json` with a stable code, and every route documents its own."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from loadstone.db import DATABASE_AWAY, is_statement_timeout
from loadstone.errors import AppError, InvalidInput, Unauthenticated
from loadstone.http.rate_limit import TooManyAttempts

log = structlog.get_logger()

PROBLEM_MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 100
"""Faults listed one by one: a hostile body may hold a million."""

HTTP_ERRORS = {
    400: ("malformed_body", "The request cannot be read"),
    404: ("not_found", "Not found"),
    405: ("method_not_allowed", "This address does not know that method"),
    413: ("body_too_large", "The body is too large"),
    415: ("unsupported_media_type", "Send JSON"),
}


RETRY_AFTER_S = 5


class DatabaseAway(AppError):
    """The database cannot be reached, is starting or ending, or has no connection left for this request."""

    code = "database_away"
    status = 503
    title = "The database does not answer"


class TooSlow(AppError):
    code = "too_slow"
    status = 503
    title = "The database took too long"


class FieldError(BaseModel):
    """`path` is the field's place in the body, such as `axes[0].values[2]`."""

    path: str
    code: str
    message: str


class Problem(BaseModel):
    """RFC 9457, with a stable `code`."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    path: str | None = None
    errors: list[FieldError] | None = None


def problem_response(
    status: int, code: str, title: str, detail: str, headers: dict[str, str] | None = None, **extra: Any
) -> JSONResponse:
    content = {"type": f"urn:loadstone:error:{code}", "title": title, "status": status, "code": code, "detail": detail}
    content |= {key: value for key, value in extra.items() if value is not None}
    return JSONResponse(content, status, headers=headers, media_type=PROBLEM_MEDIA_TYPE)


def problems(*errors: type[AppError]) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that may raise `errors`."""
    codes: dict[int, list[str]] = {}
    for error in errors:
        codes.setdefault(error.status, []).append(error.code)
    return {status: documented(names) for status, names in codes.items()}


def common_problems() -> dict[int | str, dict[str, Any]]:
    """What any route of the api may answer."""
    codes = {status: HTTP_ERRORS[status][0] for status in (400, 413, 415)}
    codes[TooManyAttempts.status] = TooManyAttempts.code
    codes[DatabaseAway.status] = DatabaseAway.code
    codes |= {InvalidInput.status: InvalidInput.code, AppError.status: AppError.code}
    return {status: documented([code]) for status, code in codes.items()}


def documented(codes: Sequence[str]) -> dict[str, Any]:
    """A response that is a problem with one of these codes."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        "description": " or ".join(f"`{code}`" for code in codes),
        "content": {PROBLEM_MEDIA_TYPE: {"schema": schema}},
    }


def register_problem_renderers(app: FastAPI) -> None:
    app.add_exception_handler(AppError, _render_app_error)
    app.add_exception_handler(RequestValidationError, _render_invalid_input)
    app.add_exception_handler(HTTPException, _render_http_error)
    app.add_exception_handler(UnicodeEncodeError, _render_half_character)
    for error in DATABASE_AWAY:
        app.add_exception_handler(error, _render_database_away)
    app.add_exception_handler(Exception, _render_unknown)


def _render_app_error(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, AppError)
    if error.status >= 500:
        log.error("request_failed", code=error.code, detail=error.detail)
    headers = {"WWW-Authenticate": "Bearer"} if error.status == Unauthenticated.status else None
    if error.status == DatabaseAway.status:
        headers = {"Retry-After": str(RETRY_AFTER_S)}
    return problem_response(
        error.status, error.code, error.title, error.detail, headers, path=error.path, **error.extra
    )


def _render_http_error(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code, title = HTTP_ERRORS.get(error.status_code, ("http_error", "The request was refused"))
    headers = dict(error.headers) if error.headers else None
    return problem_response(error.status_code, code, title, str(error.detail), headers)


def _render_database_away(_request: Request, error: Exception) -> JSONResponse:
    """Whatever was under way was rolled back: asking again does no harm."""
    log.error("database_away", error=str(error))
    told: AppError = DatabaseAway("Nothing was changed. Try again in a few seconds.")
    if is_statement_timeout(error):
        told = TooSlow("Nothing was changed. Ask for less, or try again when there is less to do.")
    headers = {"Retry-After": str(RETRY_AFTER_S)}
    return problem_response(told.status, told.code, told.title, told.detail, headers)


def _render_half_character(request: Request, error: Exception) -> JSONResponse:
    """Text that no UTF-8 exists for, wherever it came from; what bodies of JSON bring is refused at the door."""
    assert isinstance(error, UnicodeEncodeError)
    if error.reason != "surrogates not allowed":
        return _render_unknown(request, error)
    detail = "A text holds half of a surrogate pair, which is no character. Send whole characters."
    return problem_response(InvalidInput.status, InvalidInput.code, InvalidInput.title, detail)


def _render_unknown(_request: Request, error: Exception) -> JSONResponse:
    log.error("request_crashed", exc_info=error)
    return problem_response(500, AppError.code, AppError.title, "The fault is logged. Try again, or ask who runs this.")


def _render_invalid_input(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    if any(item["type"] == "json_invalid" for item in error.errors()):
        code, title = HTTP_ERRORS[400]
        return problem_response(400, code, title, "The body is not valid JSON.")
    errors = [
        FieldError(path=json_path(item["loc"], error.body, item["type"]), code=item["type"], message=item["msg"])
        for item in islice(error.errors(), MAX_ERRORS)
    ]
    detail = "; ".join(f"{item.path}: {item.message}" if item.path else item.message for item in errors[:3])
    return problem_response(
        InvalidInput.status,
        InvalidInput.code,
        InvalidInput.title,
        detail,
        errors=[item.model_dump() for item in errors],
    )


def json_path(location: Sequence[int | str], body: Any, error_type: str) -> str:
    """`("body", "axes", 0, "values")` as `axes[0].values`, without the names of union members pydantic adds."""
    path = ""
    current = body
    for place, part in enumerate(location[1:], start=2):
        known = (isinstance(current, dict) and part in current) or (isinstance(current, list) and isinstance(part, int))
        is_missing_field = place == len(location) and error_type == "missing"
        if location[0] == "body" and not known and not is_missing_field:
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
        if known:
            current = current[part] if not isinstance(part, int) or part < len(current) else None
    return path
