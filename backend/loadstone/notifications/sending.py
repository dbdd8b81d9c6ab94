"""Sends one message to one channel. Nothing here knows the database; every wait has an end."""

import hashlib
import hmac
import json
import logging
import time
import uuid
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit, urlunsplit

import apprise
import httpx2

from loadstone.notifications import addresses

TIMEOUT_S = 10.0
EXCERPT_MAX = 500
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
    if kind == "webhook":
        return _post(address, secret, message)
    url = addresses.mail_url(address) if kind == "email" else address
    if kind != "email":
        addresses.service(kind, address)
    return _pass_on(url, message)


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
    """The beginning of an answer, which may be endless or come drop by drop."""
    deadline = time.monotonic() + TIMEOUT_S
    held = b""
    for chunk in response.iter_raw(EXCERPT_MAX):
        held += chunk
        if len(held) >= EXCERPT_MAX or time.monotonic() > deadline:
            break
    return held[:EXCERPT_MAX].decode(errors="replace").replace("\x00", "\ufffd")


def _pass_on(url: str, message: Message) -> Outcome:
    timeouts = f"{'&' if '?' in url else '?'}cto={TIMEOUT_S}&rto={TIMEOUT_S}"
    sender = apprise.Apprise(asset=apprise.AppriseAsset(app_id="Loadstone", app_desc="", app_url=""))
    text = f"{message.text}\n\n{message.link}" if message.link else message.text
    with apprise.LogCapture(level=logging.WARNING) as said:  # type: ignore[no-untyped-call]
        is_sent = sender.add(url + timeouts) and bool(
            sender.notify(body=text, title=message.title, body_format=apprise.NotifyFormat.TEXT)
        )
        heard = "" if is_sent else said.getvalue()
    return Outcome(is_sent, "sent" if is_sent else (_last_line(heard) or "The service did not take it."))


def _last_line(log: str) -> str:
    lines = [line for line in log.splitlines() if line.strip()]
    return lines[-1][-EXCERPT_MAX:] if lines else ""
