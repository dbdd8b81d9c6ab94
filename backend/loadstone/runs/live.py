"""The live stream's frames, and the word over Redis that the table has a new one.

A publication says nothing but "look": whoever could forge one causes one read of the table and no more.
"""

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


class Publisher:
    """Wake the listeners; never raises. After a failure the broker is left alone for a moment."""

    def __init__(self, broker_url: str) -> None:
        self._redis = Redis.from_url(
            broker_url,
            socket_timeout=BROKER_TIMEOUT_S,
            socket_connect_timeout=BROKER_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
        )
        self._silent_until = 0.0

    def wake(self, run_id: uuid.UUID) -> None:
        """Make the run's readers look into the table now."""
        if time.monotonic() < self._silent_until:
            return
        try:
            self._redis.publish(channel(run_id), b"")
        except RedisError as error:
            self._silent_until = time.monotonic() + SILENCE_AFTER_FAILURE_S
            log.warning("event_unpublished", run_id=str(run_id), error=str(error))


@cache
def publisher() -> Publisher:
    return Publisher(get_settings().broker_url)
