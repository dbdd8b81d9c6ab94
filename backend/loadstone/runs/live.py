"""The wire of the live stream: one frame an event, serialised once, and its way over Redis pub/sub."""

import time
import uuid
from functools import cache
from typing import Any, NamedTuple

import structlog
from pydantic_core import to_json
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from loadstone.runs.states import TERMINAL
from loadstone.settings import get_settings

log = structlog.get_logger()

BROKER_TIMEOUT_S = 1.0
"""A publication may not hold up the request that it follows; what is lost is read from the table."""
SILENCE_AFTER_FAILURE_S = 2.0


class Frame(NamedTuple):
    """One event as the browser gets it. `is_last` marks the run's terminal event."""

    seq: int
    is_last: bool
    body: bytes


def channel(run_id: uuid.UUID) -> str:
    return f"run:{run_id}"


def make_frame(seq: int, kind: str, payload: dict[str, Any]) -> Frame:
    body = b"id: %d\nevent: %s\ndata: %s\n\n" % (seq, kind.encode(), to_json(payload))
    return Frame(seq, kind == "run" and payload["status"] in TERMINAL, body)


def pack(frame: Frame) -> bytes:
    """As a pub/sub message, so that listeners forward bytes and parse no JSON."""
    return b"%d %d\n%s" % (frame.seq, frame.is_last, frame.body)


def unpack(message: bytes) -> Frame:
    head, body = message.split(b"\n", 1)
    seq, is_last = head.split(b" ")
    return Frame(int(seq), is_last == b"1", body)


class Publisher:
    """Tells whoever listens; never raises. A broker that is away is left alone for a moment."""

    def __init__(self, broker_url: str) -> None:
        self._redis = Redis.from_url(
            broker_url,
            socket_timeout=BROKER_TIMEOUT_S,
            socket_connect_timeout=BROKER_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
        )
        self._silent_until = 0.0

    def publish(self, run_id: uuid.UUID, frame: Frame) -> None:
        if time.monotonic() < self._silent_until:
            return
        try:
            self._redis.publish(channel(run_id), pack(frame))
        except RedisError as error:
            self._silent_until = time.monotonic() + SILENCE_AFTER_FAILURE_S
            log.warning("event_unpublished", run_id=str(run_id), seq=frame.seq, error=str(error))


@cache
def publisher() -> Publisher:
    return Publisher(get_settings().broker_url)
