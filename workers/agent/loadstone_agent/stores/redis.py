"""Redis, and Valkey as far as it is spoken to like Redis."""

import re
import ssl
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import redis
from loadstone_contracts.agent_calls import StoreFacts, TargetKind
from loadstone_contracts.engine_plan import StoreProtocol, Tls
from redis.backoff import NoBackoff
from redis.connection import Connection, ConnectionPool, SSLConnection
from redis.exceptions import AuthenticationError, AuthorizationError, RedisError, ResponseError
from redis.retry import Retry

from loadstone_agent.errors import StoreTooOld, TargetRefused, TargetUnreachable
from loadstone_agent.stores.base import (
    CONNECT_TIMEOUT_S,
    MARKER_KEY,
    MIN_CONNECTIONS,
    SPARE_CONNECTIONS,
    Endpoint,
    StoreControl,
    StoreKind,
    numbers_in,
)
from loadstone_agent.stores.options import check_options
from loadstone_agent.tls import client_context

T = TypeVar("T")

ADMIN = "admin"
USERS_FILE = "users.acl"
FIRST_WITH_USERS = 6
POWERS = (
    "-@all",
    *("+@keyspace", "+@read", "+@write", "+@string", "+@bitmap", "+@hyperloglog", "+@list", "+@hash", "+@set"),
    *("+@sortedset", "+@geo", "+@stream", "+@pubsub", "+@transaction", "+@connection"),
    # Commands that reach the configuration, files, other servers or other clients.
    *("-@admin", "-@dangerous"),
    # Not the sandbox of Lua either: it has been left by several faults, and a script is a program.
    "-@scripting",
    # Dangerous because they are slow or remove data, and both is the workload's own affair here.
    *("+keys", "+sort", "+flushdb", "+flushall"),
    # Workloads that wait for replicas, of which a managed store has none, get their answer at once.
    "+wait",
)
"""What the engine may do: categories named one by one, so that a command nobody has looked at is refused."""
SECRETS = {"requirepass", "masterauth", "tls-key-file-pass", "tls-client-key-file-pass"}


class Redis(StoreKind):
    kind: ClassVar[TargetKind] = "redis"
    title: ClassVar[str] = "Redis"
    admin_user = ADMIN
    binary = "redis-server"
    package = "redis-server"
    protocols = ("redis", "redis_resp3")
    external_protocols: ClassVar[tuple[StoreProtocol, ...]] = ("redis_cluster",)

    def memory_options(self, limit_bytes: int) -> Mapping[str, str]:
        return {"maxmemory": str(limit_bytes)}

    def database_of(self, endpoint: Endpoint) -> int | None:
        return None if endpoint.database is None else int(endpoint.database)

    def private_files(self, admin_password: str) -> Mapping[str, str]:
        """The engine is the default user, who signs in by saying nothing."""
        users = (f"user default on nopass ~* &* {' '.join(POWERS)}", f"user {ADMIN} on >{admin_password} ~* &* +@all")
        return {USERS_FILE: "".join(f"{user}\n" for user in users)}

    def connect(self, endpoint: Endpoint) -> "RedisControl":
        return RedisControl(endpoint)

    def installed_version(self, printed: str) -> str:
        found = re.search(r"\bv=(\S+)", printed)
        return found[1] if found else printed.strip()

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        check_options(self.kind, self.title, options)
        _check_age(self.title, self.find_binary(options))
        needed = max(MIN_CONNECTIONS, connections + SPARE_CONNECTIONS)
        # The keeper starts it in the data directory, whose parents its user may not be allowed to enter.
        arguments = ["--bind", "127.0.0.1", "--port", str(ports[0]), "--dir", "./", "--daemonize", "no"]
        arguments += ["--aclfile", f"./{USERS_FILE}"]
        for name, value in {"maxclients": str(needed), **options}.items():
            arguments += [f"--{name}", value]
        return arguments


@cache
def _version_at(binary: str, _changed_ns: int) -> str:
    printed = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10).stdout
    return Redis().installed_version(printed)


def _check_age(title: str, binary: str) -> None:
    """Raise StoreTooOld for a server without users: a client of it could do all that its admin can."""
    version = _version_at(binary, Path(binary).stat().st_mtime_ns)
    if version.partition(".")[0].isdecimal() and int(version.partition(".")[0]) < FIRST_WITH_USERS:
        raise StoreTooOld(
            f"{title} {version} knows no users, so its commands cannot be limited: "
            f"install version {FIRST_WITH_USERS} or newer on this agent host."
        )


class _NamedTlsConnection(SSLConnection):
    """redis-py checks a certificate against the address only; a target may go by another name."""

    def __init__(self, tls: Tls, **options: Any) -> None:
        super().__init__(**options)
        self._tls = tls

    def _wrap_socket_with_ssl(self, sock: Any) -> ssl.SSLSocket:
        return client_context(self._tls).wrap_socket(sock)


@contextmanager
def _faults_of(endpoint: Endpoint) -> Iterator[None]:
    try:
        yield
    except (AuthenticationError, AuthorizationError, ResponseError) as error:
        raise TargetRefused(
            f"Redis at {endpoint} refused a command: check user, password and what this user may do.", str(error)
        ) from error
    except (RedisError, OSError) as error:
        raise TargetUnreachable(
            f"Redis at {endpoint} does not answer: check the address, the port, TLS and that it is running.", str(error)
        ) from error


class RedisControl(StoreControl):
    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        tls: dict[str, Any] = {"tls": endpoint.tls} if endpoint.tls else {}
        self._pool = ConnectionPool(
            connection_class=_NamedTlsConnection if endpoint.tls else Connection,
            host=endpoint.host,
            port=endpoint.port,
            username=endpoint.username,
            password=endpoint.password,
            db=int(endpoint.database or 0),
            # Servers before 6 know no other.
            protocol=2,
            decode_responses=True,
            encoding_errors="replace",
            socket_connect_timeout=CONNECT_TIMEOUT_S,
            socket_timeout=endpoint.answer_timeout_s,
            retry=Retry(NoBackoff(), 0),
            **tls,
        )
        self._redis = redis.Redis(connection_pool=self._pool)

    def _ask(self, command: Callable[[], T]) -> T:
        with _faults_of(self.endpoint):
            return command()

    def ping(self) -> None:
        self._ask(self._redis.ping)

    def process_id(self) -> int:
        return int(self._server()["process_id"])

    def version(self) -> str:
        return _version_of(self._server())

    def facts(self) -> StoreFacts:
        server = self._server()
        settings = self._ask(lambda: self._redis.config_get("*"))
        shown = {str(name): "(set)" if name in SECRETS and value else str(value) for name, value in settings.items()}
        kind = "valkey" if "valkey_version" in server else "redis"
        return StoreFacts(kind=kind, version=_version_of(server), settings=shown)

    def is_empty(self) -> bool:
        return self._ask(self._redis.dbsize) == 0

    def keys_held(self) -> int | None:
        return int(self._ask(self._redis.dbsize))

    def counters(self, wanted: Collection[str]) -> Mapping[str, float]:  # noqa: ARG002 - it tells all or nothing
        answer = self._ask(self._redis.info)
        nested = [(name, held) for name, held in answer.items() if isinstance(held, dict)]
        return {
            **numbers_in(answer),
            "keys": float(sum(held["keys"] for name, held in nested if name.startswith("db"))),
            # Not told before the first one.
            "errorstat_OOM": 0.0,
            **{name: float(held["count"]) for name, held in nested if name.startswith("errorstat_")},
            "rdb_last_bgsave_failed": float(answer.get("rdb_last_bgsave_status") == "err"),
            "aof_last_bgrewrite_failed": float(answer.get("aof_last_bgrewrite_status") == "err"),
        }

    def has_marker(self) -> bool:
        return bool(self._ask(lambda: self._redis.exists(MARKER_KEY)))

    def write_marker(self) -> None:
        self._ask(lambda: self._redis.set(MARKER_KEY, "1"))

    def write_fault(self) -> str | None:
        """It refuses writes once a log or a snapshot could not be written."""
        told = self._ask(lambda: self._redis.info("persistence"))
        names = ("aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status")
        failed = [f"{name}:{told[name]}" for name in names if told.get(name, "ok") != "ok"]
        return ", ".join(failed) or None

    def flush(self) -> None:
        """This database only: on an external target the others may be somebody else's."""
        self._ask(self._redis.flushdb)

    def close(self) -> None:
        self._pool.disconnect()

    def _server(self) -> dict[str, Any]:
        return dict(self._ask(lambda: self._redis.info("server")))


def _version_of(server: Mapping[str, Any]) -> str:
    return str(server.get("valkey_version") or server["redis_version"])
