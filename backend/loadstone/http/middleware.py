"""Plain ASGI middleware (a live stream passes through unbuffered): limits, origin check, headers, access log."""

import json
import re
import time
import uuid
from collections.abc import Mapping
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loadstone.db import NO_TEAM, bind_team
from loadstone.errors import InvalidInput
from loadstone.http.link_addresses import link_headers, without_secret
from loadstone.http.principal import SESSION_COOKIE
from loadstone.http.problems import HTTP_ERRORS, problem_response

log = structlog.get_logger()

ORIGIN_REFUSED = "origin_refused"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self'",
        "connect-src 'self'",
        # The component library writes style elements, and the page is a file that can carry no nonce of its request.
        # Styles of single elements are set from scripts, which needs no leave: one that came as text is not applied.
        "style-src 'self' 'unsafe-inline'",
        "style-src-attr 'none'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class BodyLimit:
    """Refuses a body that says it is too large before reading it, and one that does not say so while reading it."""

    def __init__(self, app: ASGIApp, max_body_bytes: int, larger: Mapping[str, int]) -> None:
        """`larger` are the limits of the few addresses that take a file."""
        self.app = app
        self.max_body_bytes = max_body_bytes
        self.larger = larger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        limit = self.larger.get(scope["path"], self.max_body_bytes)
        detail = f"Send at most {limit} bytes in one request."
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > limit:
            code, title = HTTP_ERRORS[413]
            response = problem_response(413, code, title, detail)
            return await response(scope, receive, send)
        seen_bytes = 0

        async def receive_within_limit() -> Message:
            nonlocal seen_bytes
            message = await receive()
            seen_bytes += len(message.get("body", b""))
            if seen_bytes > limit:
                raise HTTPException(413, detail)
            return message

        return await self.app(scope, receive_within_limit, send)


class SoundText:
    """Refuses JSON that holds half a character or a number that is none, before anything works with it.

    JSON's `\\ud800` alone is no character: no database stores it and no answer can repeat it. Python reads `NaN`,
    `Infinity` and `1e999` as numbers too.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "json" not in Headers(scope=scope).get("content-type", ""):
            return await self.app(scope, receive, send)
        messages: list[Message] = []
        try:
            while not messages or messages[-1].get("more_body", False):
                messages.append(await receive())
        except HTTPException as error:
            # Of BodyLimit. The app renders it where the app reads the body; here nobody else does.
            code, title = HTTP_ERRORS[error.status_code]
            response = problem_response(error.status_code, code, title, str(error.detail))
            return await response(scope, receive, send)
        body = b"".join(message.get("body", b"") for message in messages)
        fault = _text_fault(body)
        if fault is not None:
            response = problem_response(InvalidInput.status, InvalidInput.code, InvalidInput.title, fault)
            return await response(scope, receive, send)
        is_first = True

        async def receive_again() -> Message:
            nonlocal is_first
            if is_first and messages[-1]["type"] == "http.request":
                is_first = False
                return {"type": "http.request", "body": body, "more_body": False}
            return messages[-1] if messages[-1]["type"] == "http.disconnect" else await receive()

        return await self.app(scope, receive_again, send)


SUSPECT = re.compile(rb"\\u[dD][89a-fA-F]|NaN|Infinity|[0-9.][eE]\+?[0-9]{3,}\s*(?:[,}\]]|\Z)")
"""What a body must hold to be unsound. Most hold none of it and are parsed once only."""


def _text_fault(body: bytes) -> str | None:
    """None too for what is no JSON at all: whoever parses it says so."""
    if SUSPECT.search(body) is None:
        return None
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    try:
        json.dumps(parsed, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        return "A text holds half of a surrogate pair, which is no character. Send whole characters."
    except (ValueError, RecursionError):
        return "A number in it is infinite or none at all. Send finite numbers."
    return None


class OriginCheck:
    """A change asked for with a cookie must come from our own page; a token is proof enough by itself.

    What brings an `Authorization` header is never signed in by its cookie (`http.principal`), so nothing is lost by
    letting it pass.
    """

    def __init__(self, app: ASGIApp, public_url: str) -> None:
        self.app = app
        self.public_netloc = urlsplit(public_url).netloc

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_allowed(scope):
            response = problem_response(
                403, ORIGIN_REFUSED, "The request came from another site", "Open the page itself and try again."
            )
            return await response(scope, receive, send)
        return await self.app(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        has_session = f"{SESSION_COOKIE}=" in headers.get("cookie", "")
        if scope["method"] in SAFE_METHODS or "authorization" in headers or not has_session:
            return True
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site == "same-origin"
        origin = urlsplit(headers.get("origin", "")).netloc
        return bool(origin) and origin in (self.public_netloc, headers.get("host"))


class ResponseHeaders:
    """Security headers on everything; caching by what is served."""

    def __init__(self, app: ASGIApp, *, is_https: bool) -> None:
        self.app = app
        self.is_https = is_https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                own_policy = headers.get("Content-Security-Policy")
                headers.update(SECURITY_HEADERS | link_headers(scope["path"], CONTENT_SECURITY_POLICY))
                if own_policy is not None:
                    headers["Content-Security-Policy"] = own_policy
                if self.is_https:
                    headers["Strict-Transport-Security"] = "max-age=31536000"
                headers.setdefault("Cache-Control", _cache_control(scope["path"], message["status"]))
            await send(message)

        return await self.app(scope, receive, send_with_headers)


def _cache_control(path: str, status: int) -> str:
    # Vite puts a hash of the content into the name of everything under /assets.
    if path.startswith("/assets/") and status in (200, 206, 304):
        return "public, max-age=31536000, immutable"
    return "no-store" if path.startswith(("/api/", "/agent/")) else "no-cache"


class NobodyYet:
    """A request may reach no team's rows until it is known whose they are."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            bind_team(NO_TEAM)
        return await self.app(scope, receive, send)


class AccessLog:
    """One line a request, and its id bound to every line logged on the way."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        started_at = time.perf_counter()
        status = 500

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=uuid.uuid4().hex[:12])
        try:
            return await self.app(scope, receive, send_and_note)
        finally:
            elapsed_ms = round((time.perf_counter() - started_at) * 1000, 1)
            write = log.debug if status < 400 else log.info
            path = without_secret(scope["path"])
            write("request", method=scope["method"], path=path, status=status, elapsed_ms=elapsed_ms)
