"""The agents' users in Redis: what each may do, and how Redis is brought to what the table `broker_users` says.

An agent's user may take messages off its own queue, and nothing else. The rules use Redis 6.2's syntax only.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, NamedTuple

import structlog
from loadstone_contracts.notifications import agent_queue
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import NoPermissionError, RedisError, ResponseError
from redis.retry import Retry

from loadstone.errors import AppError
from loadstone.settings import get_settings

log = structlog.get_logger()

PREFIX: Final = "loadstone-agent-"
COMMANDS: Final = frozenset({"+brpop", "+ping", "+select"})
"""What a worker sends: see the test that lets one work under ACL LOG. AUTH and HELLO are always allowed."""
MAX_CONNECTIONS: Final = 16
"""A worker has three. More would use up the connections that all agents share."""
TIMEOUT_S: Final = 2.0
OTHER_RULES: Final = ("~", "%", "&", "+", "#", "(", ">", "nopass", "allkeys", "allchannels", "allcommands")
"""What a rule begins with that grants something."""


class BrokerUnavailable(AppError):
    code = "broker_unavailable"
    status = 503
    title = "The broker does not answer"


class BrokerAclRefused(AppError):
    code = "broker_acl_refused"
    status = 503
    title = "The broker refuses to manage users"


class User(NamedTuple):
    """A Redis user as it shall be."""

    name: str
    queue: str
    password_hash: str

    def rules(self) -> list[str]:
        """Return the rules from nothing on: `reset` takes away whatever the user had."""
        grants = sorted(COMMANDS)
        return ["reset", "on", f"#{self.password_hash}", "resetchannels", f"~{self.queue}", "-@all", *grants]

    def is_as_listed(self, rules: Iterable[str]) -> bool:
        """Return whether a line of ACL LIST grants just this."""
        wanted = {f"#{self.password_hash}", f"~{self.queue}", *COMMANDS}
        listed = set(rules)
        return "on" in listed and wanted == {rule for rule in listed if rule.startswith(OTHER_RULES)}


def user_name(user_id: uuid.UUID) -> str:
    return f"{PREFIX}{user_id}"


def make_user(user_id: uuid.UUID, agent_id: uuid.UUID, password_hash: str) -> User:
    return User(user_name(user_id), agent_queue(str(agent_id)), password_hash)


@cache
def _client(broker_url: str) -> Any:
    """Return a client that keeps its connections: it must still have one when agents have taken the rest."""
    return Redis.from_url(
        broker_url,
        decode_responses=True,
        socket_timeout=TIMEOUT_S,
        socket_connect_timeout=TIMEOUT_S,
        # A connection that Redis ended meanwhile is opened again; every command here may be repeated.
        retry=Retry(NoBackoff(), 1),
    )


@contextmanager
def _broker() -> Iterator[Any]:
    """Raises BrokerUnavailable, BrokerAclRefused."""
    try:
        yield _client(get_settings().broker_url)
    except (NoPermissionError, ResponseError) as error:
        raise BrokerAclRefused(
            f"Redis answered {str(error)[:200]!r}. Give the user of LOADSTONE_BROKER_URL the commands ACL and CLIENT: "
            'runbook, "Broker users".'
        ) from error
    except RedisError as error:
        raise BrokerUnavailable("Redis can't be reached. Try again when it is back.") from error


def put(user: User) -> None:
    """Create or replace a user. Raises BrokerUnavailable, BrokerAclRefused."""
    with _broker() as client:
        client.execute_command("ACL", "SETUSER", user.name, *user.rules())


def remove(names: Iterable[str]) -> None:
    """Delete users, which ends their connections. Raises BrokerUnavailable, BrokerAclRefused."""
    with _broker() as client:
        client.execute_command("ACL", "DELUSER", *names)


def remove_later(names: Iterable[str]) -> Callable[[], None]:
    """Return what removes them after a commit; the sweep does it where that fails."""
    doomed = list(names)

    def action() -> None:
        if not doomed:
            return
        try:
            remove(doomed)
        except AppError as error:
            log.warning("broker_users_not_removed", code=error.code, error=error.detail)

    return action


def sync(users: Iterable[User]) -> Counter[str]:
    """Make Redis have these agents' users and no others; returns how many were put, removed and disconnected.

    Raises BrokerUnavailable, BrokerAclRefused.
    """
    wanted = {user.name: user for user in users}
    with _broker() as client:
        listed = _listed(client)
        missing = [user for name, user in wanted.items() if name not in listed or not user.is_as_listed(listed[name])]
        surplus = sorted(listed.keys() - wanted.keys())
        pipe = client.pipeline(transaction=False)
        for user in missing:
            pipe.execute_command("ACL", "SETUSER", user.name, *user.rules())
        if surplus:
            pipe.execute_command("ACL", "DELUSER", *surplus)
        crowds = _crowds(client)
        for name in crowds:
            pipe.execute_command("CLIENT", "KILL", "USER", name)
        pipe.execute()
    return Counter(put=len(missing), removed=len(surplus), disconnected=len(crowds))


def _listed(client: Any) -> Mapping[str, list[str]]:
    """The agents' users that Redis has, with their rules."""
    lines = [line.split() for line in client.execute_command("ACL", "LIST")]
    return {words[1]: words[2:] for words in lines if words[1].startswith(PREFIX)}


def _crowds(client: Any) -> list[str]:
    """Agents' users with more connections than a worker has."""
    connections = Counter(entry.get("user", "") for entry in client.client_list())
    return sorted(name for name, count in connections.items() if name.startswith(PREFIX) and count > MAX_CONNECTIONS)
