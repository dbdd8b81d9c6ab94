"""Sends one message to one channel. Nothing here knows the database; every wait has an end."""

import hashlib
import hmac
import json
import logging
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

import apprise
import httpx2
import requests
from apprise.conversion import convert_between

from loadstone import outgoing
from loadstone.notifications import addresses

TIMEOUT_S = 10.0
EXCERPT_MAX = 500
LIMIT_S = 20.0
"""For all of it, however slowly the other side answers."""
ANSWER_BYTES_MAX = 64 * 1024
SIGNATURE_HEADER = "Loadstone-Signature"
TIMESTAMP_HEADER = "Loadstone-Timestamp"
DELIVERY_HEADER = "Loadstone-Delivery"

# It writes every message's address to the log.
logging.getLogger("apprise").setLevel(logging.CRITICAL)


@dataclass(frozen=True)
class Message:
    delivery_id: uuid.UUID
    event: str
    title: str
    text: str
    link: str | None
    created_at: datetime


@dataclass(frozen=True)
class Outcome:
    """`excerpt`: what the other side said, or why it could not be asked."""

    is_sent: bool
    excerpt: str


def send(kind: str, address: str, secret: str | None, message: Message) -> Outcome:
    """Returns within about `TIMEOUT_S`, whatever the other side does. Raises AppError for a bad address."""
    try:
        if kind == "webhook":
            with outgoing.door(LIMIT_S):
                return _post(address, secret, message)
        if kind == "email":
            url = addresses.mail_url(address)
            with outgoing.door(LIMIT_S, server=addresses.mail_server()):
                return _pass_on(url, message)
        addresses.service(kind, address)
        with outgoing.door(LIMIT_S):
            return _pass_on(address, message)
    except outgoing.NotReachable as error:
        raise addresses.AddressRefused(error.detail, path="address") from error


def _send_once(session: requests.Session, request: requests.PreparedRequest, **options: object) -> requests.Response:
    """As `requests` sends, without redirects, and of the answer the beginning alone. Elsewhere nothing changes."""
    if not outgoing.is_behind_door():
        return cast(requests.Response, _requests_send(session, request, **options))
    response: requests.Response = _requests_send(
        session, request, **(options | {"allow_redirects": False, "stream": True})
    )
    response._content = _beginning(response.iter_content(ANSWER_BYTES_MAX), ANSWER_BYTES_MAX)
    response.close()
    return response


def _without_environment(
    session: requests.Session, url: str, proxies: object, stream: object, verify: object, cert: object
) -> object:
    """A proxy of the environment would connect to what is refused here."""
    if outgoing.is_behind_door():
        session.trust_env = False
    return _requests_merge(session, url, proxies, stream, verify, cert)


# Apprise's services send by this library and leave it no choice of session. Nothing else here uses it.
_requests_send: Any = requests.Session.send
_requests_merge: Any = requests.Session.merge_environment_settings
requests.Session.send = _send_once  # type: ignore[method-assign, assignment]
requests.Session.merge_environment_settings = _without_environment  # type: ignore[method-assign, assignment]


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """`sha256=` and HMAC-SHA256 of `timestamp.body`, hexadecimal: a receiver refuses old timestamps."""
    return "sha256=" + hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()


def _body(message: Message) -> bytes:
    content = {
        "id": str(message.delivery_id),
        "event": message.event,
        "title": message.title,
        "text": message.text,
        "link": message.link,
        "created_at": message.created_at.isoformat(),
    }
    return json.dumps(content).encode()


def _post(address: str, secret: str | None, message: Message) -> Outcome:
    """Connects to the very address that was checked: a name could mean another one a moment later."""
    host, port = addresses.web_host(address)
    checked = addresses.resolve(host)
    parts = urlsplit(address)
    numeric = f"[{checked}]" if ":" in checked else checked
    url = urlunsplit((parts.scheme, f"{numeric}:{port}", parts.path or "/", parts.query, ""))
    body, timestamp = _body(message), str(int(time.time()))
    headers = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "User-Agent": "Loadstone",
        TIMESTAMP_HEADER: timestamp,
        DELIVERY_HEADER: str(message.delivery_id),
    }
    if secret is not None:
        headers[SIGNATURE_HEADER] = signature(secret, timestamp, body)
    try:
        # No redirects, no proxies of the environment: either would lead past the check.
        with (
            httpx2.Client(timeout=TIMEOUT_S, follow_redirects=False, trust_env=False) as client,
            client.stream("POST", url, content=body, headers=headers, extensions={"sni_hostname": host}) as response,
        ):
            return Outcome(response.is_success, f"HTTP {response.status_code} {_read_excerpt(response)}".strip())
    except httpx2.HTTPError as error:
        return Outcome(False, f"{type(error).__name__}: {error}"[:EXCERPT_MAX])


def _read_excerpt(response: httpx2.Response) -> str:
    held = _beginning(response.iter_raw(EXCERPT_MAX), EXCERPT_MAX)
    return held.decode(errors="replace").replace("\x00", "\ufffd")


def _beginning(chunks: Iterable[bytes], most_bytes: int) -> bytes:
    """Return the first bytes of an answer, which may be endless or arrive a byte at a time."""
    deadline = time.monotonic() + TIMEOUT_S
    held = b""
    for chunk in chunks:
        held += chunk
        if len(held) >= most_bytes or time.monotonic() > deadline:
            break
    return held[:most_bytes]


def _pass_on(url: str, message: Message) -> Outcome:
    """By the service itself: Apprise's own way passes it to threads that outlive this message and its door."""
    timeouts = f"{'&' if '?' in url else '?'}cto={TIMEOUT_S}&rto={TIMEOUT_S}"
    asset = apprise.AppriseAsset(app_id="Loadstone", app_desc="", app_url="")
    text = f"{message.text}\n\n{message.link}" if message.link else message.text
    with apprise.LogCapture(level=logging.WARNING) as said:  # type: ignore[no-untyped-call]
        service: Any = apprise.Apprise.instantiate(url + timeouts, asset=asset, suppress_exceptions=True)
        is_sent = service is not None and bool(service.notify(body=_in_format_of(service, text), title=message.title))
        heard = "" if is_sent else said.getvalue()
    return Outcome(is_sent, "sent" if is_sent else (_last_line(heard) or "The service did not take it."))


def _in_format_of(service: Any, text: str) -> str:
    converted = convert_between(apprise.NotifyFormat.TEXT, service.notify_format, content=text)  # type: ignore[no-untyped-call]
    return str(converted)


def _last_line(log: str) -> str:
    lines = [line for line in log.splitlines() if line.strip()]
    return lines[-1][-EXCERPT_MAX:] if lines else ""
