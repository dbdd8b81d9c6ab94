"""What a broker message may be: a known task with well-formed arguments for the queue it came from.

Everything on a queue is untrusted. `read` parses a message by hand and builds a new one from its task, arguments and
expiry, so that no other feature of Celery (callbacks, chains, time limits, retries, delivery tags) is within reach of
whoever can write to the queue.
"""

import base64
import json
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

DISPATCH = "loadstone.control.dispatch"
SWEEP = "loadstone.control.sweep"
PRUNE = "loadstone.control.prune"
ANALYSE = "loadstone.control.analyse"
DELIVER = "loadstone.control.deliver"
FIRE_SCHEDULES = "loadstone.control.fire_schedules"
SYNC_BROKER_USERS = "loadstone.control.sync_broker_users"
TRIAL = "loadstone.agent.trial"
CHECK = "loadstone.agent.check"

CONTROL_QUEUE = "control"
MAX_MESSAGE_BYTES: Final = 16 * 1024
"""Ours are below 2 KB."""


class MessageRefused(ValueError):
    """The message is dropped; the text is a short reason, without the message's own bytes."""


def agent_queue(agent_id: str) -> str:
    """Return the queue of one agent, which is also the only key its broker user may touch."""
    return f"agent.{agent_id}"


def _nothing(args: list[Any]) -> bool:
    return not args


def _one_id(args: list[Any]) -> bool:
    return len(args) == 1 and is_id(args[0])


def _id_or_nothing(args: list[Any]) -> bool:
    return _nothing(args) or _one_id(args)


def is_id(value: object) -> bool:
    """Return whether `value` is a UUID in its canonical form."""
    try:
        return isinstance(value, str) and str(uuid.UUID(value)) == value
    except ValueError:
        return False


CONTROL_TASKS: Final[Mapping[str, Callable[[list[Any]], bool]]] = {
    DISPATCH: _nothing,
    SWEEP: _nothing,
    PRUNE: _nothing,
    ANALYSE: _id_or_nothing,
    DELIVER: _nothing,
    FIRE_SCHEDULES: _nothing,
    SYNC_BROKER_USERS: _nothing,
}
AGENT_TASKS: Final[Mapping[str, Callable[[list[Any]], bool]]] = {TRIAL: _one_id, CHECK: _one_id}


def read(queue: str, raw: bytes) -> dict[str, Any]:
    """Return the message as Celery takes it, built from what was checked. Raises MessageRefused."""
    if len(raw) > MAX_MESSAGE_BYTES:
        raise MessageRefused("too large")
    message = _mapping(_parse_json(raw, "not JSON"), "not a message")
    if message.get("content-type") != "application/json" or message.get("content-encoding") != "utf-8":
        raise MessageRefused("not JSON content")
    headers = _mapping(message.get("headers"), "no headers")
    task = headers.get("task")
    tasks = CONTROL_TASKS if queue == CONTROL_QUEUE else AGENT_TASKS
    if not isinstance(task, str) or task not in tasks:
        raise MessageRefused("unknown task")
    args = _arguments(message.get("body"))
    if not tasks[task](args):
        raise MessageRefused("wrong arguments")
    return _build(queue, task, args, _expiry(headers.get("expires")))


def _parse_json(text: bytes, reason: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise MessageRefused(reason) from None


def _mapping(value: object, reason: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MessageRefused(reason)
    return value


def _arguments(body: object) -> list[Any]:
    try:
        decoded = base64.b64decode(body, validate=True) if isinstance(body, str) else b""
    except ValueError:
        raise MessageRefused("bad base64") from None
    match _parse_json(decoded, "body is not JSON"):
        case [list() as args, dict() as keywords, _] if not keywords:
            return args
    raise MessageRefused("wrong arguments")


def _expiry(value: object) -> str | None:
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(str(value))
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        raise MessageRefused("bad expiry") from None


def _build(queue: str, task: str, args: list[Any], expires: str | None) -> dict[str, Any]:
    """Return a message of Celery's protocol 2 with ids of its own."""
    message_id = str(uuid.uuid4())
    links = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
    return {
        "body": base64.b64encode(json.dumps([args, {}, links]).encode()).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {
            "lang": "py",
            "task": task,
            "id": message_id,
            "root_id": message_id,
            "parent_id": None,
            "group": None,
            "retries": 0,
            "timelimit": [None, None],
            "eta": None,
            "expires": expires,
            "ignore_result": True,
        },
        "properties": {
            "correlation_id": message_id,
            "reply_to": "",
            "priority": 0,
            "body_encoding": "base64",
            "delivery_tag": str(uuid.uuid4()),
            "delivery_info": {"exchange": "", "routing_key": queue},
        },
    }
