"""The public api over HTTP. Every fault becomes one sentence and an exit code."""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2

from loadstone_cli import __version__
from loadstone_cli.errors import CommandFailed, Exit
from loadstone_cli.login import Login, is_loopback, read_login
from loadstone_cli.output import note

Params = dict[str, Any] | list[tuple[str, Any]]
Item = dict[str, Any]
"""Every JSON body of the api is an object."""

PREFIX = "/api/v1"
TIMEOUT_S = 60.0
ATTEMPTS = 4
FIRST_PAUSE_S = 0.3
BUSY = {502, 503, 504}
"""What a proxy says while the api restarts."""
PAGE = 200

EXIT_OF_STATUS = {401: Exit.NO_ACCESS, 403: Exit.NO_ACCESS, 404: Exit.NOT_FOUND, 410: Exit.NOT_FOUND}
ADVICE = {
    "unauthenticated": "Type `loadstone login URL`, or set LOADSTONE_TOKEN.",
    "forbidden": "Your role or your token's scope does not reach that far.",
    "plan_changed": "Somebody saved the plan meanwhile: look at it with `loadstone plan show`, then apply again.",
}


class Api:
    """Use as a context manager. GETs are tried again while the service cannot be reached; so are POSTs, with a key."""

    def __init__(self, login: Login) -> None:
        self.url = login.url
        self._client = httpx2.Client(
            base_url=login.url + PREFIX,
            headers={"Authorization": f"Bearer {login.token}", "User-Agent": f"loadstone-cli/{__version__}"},
            timeout=TIMEOUT_S,
            follow_redirects=False,
            # A proxy from the environment cannot reach this machine's own loopback.
            trust_env=not is_loopback(login.url),
        )

    def __enter__(self) -> "Api":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, path: str, params: Params | None = None) -> Item:
        return _json(self._send("GET", path, params=params))

    def text(self, path: str, params: Params | None = None) -> str:
        return self._send("GET", path, params=params).text

    def post(self, path: str, body: Any = None) -> Item:
        """Carries an `Idempotency-Key`: however often it is tried, it is done once."""
        return _json(self._send("POST", path, json=body, headers={"Idempotency-Key": str(uuid.uuid4())}))

    def put(self, path: str, body: Any) -> Item:
        return _json(self._send("PUT", path, json=body))

    def patch(self, path: str, body: Any) -> Item:
        return _json(self._send("PATCH", path, json=body))

    def delete(self, path: str) -> None:
        self._send("DELETE", path)

    def upload(self, path: str, file: Path, media_type: str, params: Params | None = None) -> Item:
        """Streams the file; is tried once. Raises CommandFailed where there is none."""
        if not file.is_file():
            raise CommandFailed(Exit.NOT_FOUND, "no_such_file", f"There is no file {file}.")
        note(f"Sending {file.stat().st_size:,} bytes")
        with file.open("rb") as body:
            chunks = iter(partial(body.read, 1 << 16), b"")
            return _json(self._send("POST", path, params=params, content=chunks, headers={"Content-Type": media_type}))

    def download(self, path: str, target: Path) -> int:
        """Streams to a file that appears only when it is whole; returns its bytes."""
        unfinished = target.with_name(target.name + ".part")
        try:
            with self._reaching(), self._client.stream("GET", path) as response, unfinished.open("wb") as out:
                if response.status_code >= 300:
                    response.read()
                    raise failure(response)
                for chunk in response.iter_bytes():
                    out.write(chunk)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
        return target.stat().st_size

    def pages(self, path: str, params: Params | None = None, limit: int | None = None) -> Iterator[Item]:
        """Items of all pages, at most `limit` of them."""
        asked = list(params.items() if isinstance(params, dict) else params or [])
        cursor: str | None = None
        left = limit
        while left is None or left > 0:
            page = [*asked, ("limit", min(PAGE, left or PAGE)), *([("cursor", cursor)] if cursor else [])]
            answer = self.get(path, page)
            items = answer["items"][:left] if left is not None else answer["items"]
            yield from items
            left = None if left is None else left - len(items)
            cursor = answer["next_cursor"]
            if cursor is None:
                return

    @contextmanager
    def events(self, path: str, after: int, read_timeout_s: float) -> Iterator[Iterator[str]]:
        """The lines of a live stream. Raises httpx2.TransportError when it breaks: the caller reads again."""
        timeout = httpx2.Timeout(TIMEOUT_S, connect=10, read=read_timeout_s)
        with self._client.stream("GET", path, params={"after": after}, timeout=timeout) as response:
            if response.status_code in BUSY:
                raise httpx2.RemoteProtocolError("the service is not available now")
            if response.status_code >= 400:
                response.read()
                raise failure(response)
            yield response.iter_lines()

    def _send(self, method: str, path: str, **arguments: Any) -> httpx2.Response:
        pause_s = FIRST_PAUSE_S
        for attempt in range(1, ATTEMPTS + 1):
            is_last = attempt == ATTEMPTS
            with self._reaching(retry=not is_last and _may_repeat(method, arguments)):
                response = self._client.request(method, path, **arguments)
                if not (response.status_code in BUSY and method == "GET" and not is_last):
                    if response.status_code >= 300:
                        raise failure(response)
                    return response
            time.sleep(pause_s)
            pause_s *= 3
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def _reaching(self, *, retry: bool = False) -> Iterator[None]:
        try:
            yield
        except (httpx2.ConnectError, httpx2.TimeoutException, httpx2.NetworkError, httpx2.ProtocolError) as fault:
            if retry:
                return
            reason = str(fault) or type(fault).__name__
            message = f"{self.url} does not answer ({reason}): check the address and that the service runs."
            raise CommandFailed(Exit.NO_ACCESS, "unreachable", message) from None


def _may_repeat(method: str, arguments: dict[str, Any]) -> bool:
    return method in ("GET", "PUT", "DELETE") or "Idempotency-Key" in (arguments.get("headers") or {})


def _json(response: httpx2.Response) -> Item:
    """Empty for an answer without a body."""
    try:
        body = response.json() if response.content else {}
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise _not_loadstone(response)
    return body


def _not_loadstone(response: httpx2.Response) -> CommandFailed:
    message = f"{response.url.copy_with(path='/', query=None)} answers, but not as Loadstone ({response.status_code})."
    return CommandFailed(Exit.NO_ACCESS, "not_loadstone", message)


def failure(response: httpx2.Response) -> CommandFailed:
    """From problem+json; anything else did not come from the api."""
    try:
        problem = response.json()
        code, title, detail = problem["code"], problem["title"], problem["detail"]
    except (ValueError, KeyError, TypeError):
        if response.status_code in BUSY:
            message = f"The service is not available now ({response.status_code})."
            return CommandFailed(Exit.NO_ACCESS, "unavailable", message)
        return _not_loadstone(response)
    default = Exit.BROKEN if response.status_code >= 500 or response.status_code == 429 else Exit.REFUSED
    message = " ".join(part for part in (f"{title}.", detail, ADVICE.get(code)) if part)
    return CommandFailed(EXIT_OF_STATUS.get(response.status_code, default), code, message, problem)


def connect() -> Api:
    """With the login that is kept, or the environment's."""
    return Api(read_login())
