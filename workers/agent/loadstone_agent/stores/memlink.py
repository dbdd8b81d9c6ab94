"""Memlink: lists under keys, one port for writes and one for reads. Started where its users have built it."""

import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import psutil
from loadstone_contracts.agent_calls import StoreFacts

from loadstone_agent.errors import TargetRefused, TargetUnreachable
from loadstone_agent.stores.base import (
    ANSWER_TIMEOUT_S,
    CONNECT_TIMEOUT_S,
    MARKER_TABLE,
    MIN_CONNECTIONS,
    SPARE_CONNECTIONS,
    Endpoint,
    StoreControl,
    StoreKind,
)
from loadstone_agent.stores.options import check_options

IDLE_TIMEOUT_S = 600
"""Its own default closes connections that a slow open load leaves idle."""
STAT, CREATE_TABLE, PING, STAT_SYS, CLEAN_ALL, TABLES = 3, 4, 20, 21, 32, 33
OK, UNKNOWN_COMMAND, NO_SUCH_TABLE, TABLE_EXISTS = 0, -13, -52, -53
MARKER = MARKER_TABLE.encode() + b"\0"


class Memlink(StoreKind):
    kind = "memlink"
    binary = "memlink"
    package = "memlink"
    is_packaged = False
    protocols = ("memlink", "memlink_0_3")
    listeners = 3
    reads_at = 1
    """Writes first, which is where control speaks; reads; replication."""
    by_hand = "build Memlink from its sources and put memlink on the PATH, no package has it"

    def connect(self, endpoint: Endpoint) -> "MemlinkControl":
        return MemlinkControl(endpoint)

    def installed_version(self, printed: str) -> str:
        return printed.strip()

    def version_of(self, options: Mapping[str, str]) -> str:  # noqa: ARG002 - it tells none
        """It would take any argument for its configuration file, and start."""
        return "unknown"

    def last_words(self, options: Mapping[str, str]) -> str:  # noqa: ARG002 - written from the arguments
        """Its only argument is a file: the lines that stand as arguments here are written into one."""
        return (
            'mkdir -p data && program="$1" && shift && { printf "%s\\n" "$@"; echo "data_dir = $PWD/data"; '
            'echo "log_name = $PWD/memlink.log"; echo "log_error_name = $PWD/memlink.error.log"; } > memlink.conf '
            '&& set -- "$program" "$PWD/memlink.conf"'
        )

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        check_options(self.kind, "Memlink", options)
        write_port, read_port, sync_port = ports
        needed = max(MIN_CONNECTIONS, connections + SPARE_CONNECTIONS)
        # 0.5 reads `host`, 0.3 `ip`; each passes over what it does not know.
        lines = {"host": "127.0.0.1", "ip": "127.0.0.1", "read_port": read_port, "write_port": write_port,
                 "sync_port": sync_port, "is_daemon": "no", "role": "master", "write_binlog": "yes", "log_level": 1,
                 "max_core": 0, "block_data_count": "100", "block_data_reduce": "0", "block_clean_cond": "0.5",
                 "block_clean_start": 3, "block_clean_num": 1}  # fmt: skip
        chosen = {"max_conn": str(needed), "timeout": str(IDLE_TIMEOUT_S), "thread_num": "4", **options}
        return [f"{name} = {value}" for name, value in {**lines, **chosen}.items()]

    def read_port_of(self, endpoint: Endpoint) -> int:
        """Of an external target: the one below the port of writes is Memlink's own default."""
        return endpoint.read_port or endpoint.port - 1


@contextmanager
def _faults_of(endpoint: Endpoint) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TargetUnreachable(
            f"Memlink at {endpoint} does not answer: check the address, both ports and that it is running.", str(error)
        ) from error


class MemlinkControl(StoreControl):
    """Two connections, of which the one for reads is opened when it is needed.

    Memlink knows neither databases nor users: on an external one everything belongs to the target.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        with _faults_of(endpoint):
            self._writes = _open(endpoint.host, endpoint.port)
            self._reads: socket.socket | None = None

    def _ask(self, command: int, parameters: bytes = b"", *, writes: bool = False) -> tuple[int, bytes]:
        """The code and what follows it. Raises TargetUnreachable."""
        with _faults_of(self.endpoint):
            if not writes and self._reads is None:
                port = Memlink().read_port_of(self.endpoint)
                self._reads = _open(self.endpoint.host, port)
            link = self._writes if writes else self._reads
            assert link is not None
            link.sendall(struct.pack("<IB", 1 + len(parameters), command) + parameters)
            (length,) = struct.unpack("<I", _receive(link, 4))
            body = _receive(link, length)
        return struct.unpack_from("<h", body)[0], body[2:]

    def ping(self) -> None:
        code, _ = self._ask(PING)
        if code != OK:
            raise TargetRefused(f"Memlink at {self.endpoint} answers a ping with {code}: exchange its two ports.")

    def process_id(self) -> int:
        """Of whoever listens at its port on this host: the protocol does not tell."""
        listening = (one for one in psutil.net_connections("tcp4") if one.status == psutil.CONN_LISTEN)
        return next((one.pid or 0 for one in listening if one.laddr.port == self.endpoint.port), 0)

    def version(self) -> str:
        """It does not tell: tables are what 0.5 has and 0.3 does not."""
        return "0.3" if self._ask(TABLES)[0] == UNKNOWN_COMMAND else "0.5"

    def facts(self) -> StoreFacts:
        """It reports no configuration: what it was started with stands in the command line."""
        return StoreFacts(kind="memlink", version=self.version(), settings={})

    def is_empty(self) -> bool:
        return self.keys_held() == 0

    def keys_held(self) -> int:
        _, system = self._ask(STAT_SYS)
        return int(struct.unpack_from("<I", system)[0])

    def has_marker(self) -> bool:
        """A table without keys; 0.3 has no tables, and no flush that would need one."""
        return self._ask(STAT, MARKER + b"k\0")[0] not in (NO_SUCH_TABLE, UNKNOWN_COMMAND) and self.version() == "0.5"

    def write_marker(self) -> None:
        code, _ = self._ask(CREATE_TABLE, MARKER + bytes([1, 0, 1, 0]), writes=True)
        if code not in (OK, TABLE_EXISTS):
            raise TargetRefused(f"Memlink at {self.endpoint} answers a new table with {code}.")

    def flush(self) -> None:
        code, _ = self._ask(CLEAN_ALL, writes=True)
        if code == UNKNOWN_COMMAND:
            raise TargetRefused(f"Memlink at {self.endpoint} is 0.3 and cannot be emptied: reset it by a restart.")
        if code != OK:
            raise TargetRefused(f"Memlink at {self.endpoint} answers a flush with {code}.")

    def close(self) -> None:
        self._writes.close()
        if self._reads is not None:
            self._reads.close()


def _open(host: str, port: int) -> socket.socket:
    link = socket.create_connection((host, port), CONNECT_TIMEOUT_S)
    link.settimeout(ANSWER_TIMEOUT_S)
    return link


def _receive(link: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = link.recv(count - len(data))
        if not part:
            raise ConnectionResetError("the connection was closed in the middle of an answer")
        data += part
    return data
