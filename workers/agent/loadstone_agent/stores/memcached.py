"""memcached, over its text protocol."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from loadstone_contracts.agent_calls import StoreFacts
from pymemcache.client.base import Client
from pymemcache.exceptions import MemcacheError, MemcacheUnexpectedCloseError

from loadstone_agent.errors import TargetRefused, TargetUnreachable
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

FLAGS = {
    "memory_mb": "-m",
    "threads": "-t",
    "connections": "-c",
    "max_item_size": "-I",
    "slab_growth_factor": "-f",
    "max_requests_per_event": "-R",
}
SWITCHES = {"disable_evictions": "-M", "disable_cas": "-C"}
EXTENDED = {"hash_power": "hashpower", "hash_algorithm": "hash_algorithm"}


class Memcached(StoreKind):
    kind = "memcached"
    binary = "memcached"
    package = "memcached"
    protocols = ("memcached", "memcached_meta", "memcached_binary")

    def memory_options(self, limit_bytes: int) -> Mapping[str, str]:
        """Of its items: tables and connections come on top."""
        return {"memory_mb": str(limit_bytes // 2**20)}

    def connect(self, endpoint: Endpoint) -> "MemcachedControl":
        return MemcachedControl(endpoint)

    @property
    def version_flag(self) -> str:
        return "-V"

    def installed_version(self, printed: str) -> str:
        return printed.rsplit(maxsplit=1)[-1]

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        check_options(self.kind, "memcached", options)
        needed = max(MIN_CONNECTIONS, connections + SPARE_CONNECTIONS)
        arguments = ["-l", "127.0.0.1", "-p", str(ports[0]), "-U", "0"]
        for name, value in {"connections": str(needed), **options}.items():
            arguments += _rendered(name, value)
        return arguments


def _rendered(name: str, value: str) -> list[str]:
    if name in SWITCHES:
        return [SWITCHES[name]] if value == "true" else []
    return [FLAGS[name], value] if name in FLAGS else ["-o", f"{EXTENDED[name]}={value}"]


@contextmanager
def _faults_of(endpoint: Endpoint) -> Iterator[None]:
    try:
        yield
    except (OSError, MemcacheUnexpectedCloseError) as error:
        raise TargetUnreachable(
            f"memcached at {endpoint} does not answer: check the address, the port and that it is running.", str(error)
        ) from error
    except MemcacheError as error:
        raise TargetRefused(
            f"memcached at {endpoint} refused a command: check user, password and what this client may do.", str(error)
        ) from error


class MemcachedControl(StoreControl):
    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._client = Client(
            (endpoint.host, endpoint.port),
            connect_timeout=CONNECT_TIMEOUT_S,
            timeout=endpoint.answer_timeout_s,
            no_delay=True,
            tls_context=client_context(endpoint.tls) if endpoint.tls else None,
        )
        if endpoint.username is not None:
            # ASCII authentication: the first command of a connection is a set whose value is the credentials.
            credentials = f"{endpoint.username} {endpoint.password or ''}"
            self._ask(lambda: self._client.set("auth", credentials, noreply=False))

    def _ask(self, command: Callable[[], T]) -> T:
        with _faults_of(self.endpoint):
            return command()

    def ping(self) -> None:
        self.version()

    def version(self) -> str:
        return str(self._ask(self._client.version).decode())

    def process_id(self) -> int:
        return int(self._stats()["pid"])

    def facts(self) -> StoreFacts:
        return StoreFacts(kind="memcached", version=self.version(), settings=self._stats("settings"))

    def is_empty(self) -> bool:
        return int(self._stats()["curr_items"]) == 0

    def keys_held(self) -> int | None:
        return int(self._stats()["curr_items"])

    def counters(self, wanted: Collection[str]) -> Mapping[str, float]:  # noqa: ARG002 - it tells all or nothing
        return numbers_in(self._stats())

    def has_marker(self) -> bool:
        return self._ask(lambda: self._client.get(MARKER_KEY)) is not None

    def write_marker(self) -> None:
        self._ask(lambda: self._client.set(MARKER_KEY, b"1", noreply=False))

    def flush(self) -> None:
        self._ask(lambda: self._client.flush_all(noreply=False))

    def close(self) -> None:
        self._client.close()

    def _stats(self, group: str = "") -> dict[str, str]:
        """As the server words it: the client's own `stats` turns some values into Python's."""
        command = f"stats {group}".strip().encode()
        answer: Any = self._ask(lambda: self._client.raw_command(command, end_tokens=b"END\r\n"))
        rows = (
            line.split(" ", 2) for line in answer.decode("utf-8", "replace").splitlines() if line.startswith("STAT ")
        )
        return {row[1]: row[2] if len(row) > 2 else "" for row in rows}
