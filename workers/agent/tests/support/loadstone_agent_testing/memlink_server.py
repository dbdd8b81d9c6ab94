"""A Memlink server of our own, written from what is known of its protocol: tables, lists, two ports.

Run as a program it takes what the real one takes, a configuration file, so that it can stand in for it as a managed
store: no package has the real one.
"""

import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

OK, UNKNOWN_COMMAND, NO_SUCH_KEY, NO_SUCH_TABLE, TABLE_EXISTS = 0, -13, -14, -52, -53
IS_THERE = 1
"""The first bit of an entry's attributes."""


class State:
    def __init__(self) -> None:
        self.tables: dict[bytes, tuple[int, list[int]]] = {}
        """Size of values and widths of attributes."""
        self.lists: dict[tuple[bytes, bytes], list[bytes]] = {}
        self.lock = threading.Lock()


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def take(self, count: int) -> bytes:
        part, self.data = self.data[:count], self.data[count:]
        return part

    def text(self) -> bytes:
        part, _, self.data = self.data.partition(b"\0")
        return part

    def number(self, form: str) -> int:
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def value(self) -> bytes:
        return self.take(self.number("<B"))

    def attributes(self) -> list[int]:
        return [self.number("<I") for _ in range(self.number("<B"))]


def _create_table(state: State, body: Reader) -> tuple[int, bytes]:
    name, size, widths = body.text(), body.number("<B"), body.attributes()
    if name in state.tables:
        return TABLE_EXISTS, b""
    state.tables[name] = size, widths
    return OK, b""


def _insert(state: State, body: Reader, at: int | None) -> tuple[int, bytes]:
    table, key, value = body.text(), body.text(), body.value()
    body.attributes()
    place = body.number("<i") if at is None else at
    if table not in state.tables:
        return NO_SUCH_TABLE, b""
    entries = state.lists.setdefault((table, key), [])
    entries.insert(len(entries) if place < 0 else place, value.ljust(state.tables[table][0], b"\0"))
    return OK, b""


def _range(state: State, body: Reader) -> tuple[int, bytes]:
    table, key, _kind = body.text(), body.text(), body.number("<B")
    body.attributes()
    first, count = body.number("<i"), body.number("<i")
    if table not in state.tables:
        return NO_SUCH_TABLE, b""
    entries = state.lists.get((table, key))
    if entries is None:
        return NO_SUCH_KEY, b""
    found = entries[first : first + count]
    size, widths = state.tables[table]
    attributes = IS_THERE.to_bytes(-(-(2 + sum(widths)) // 8), "little")
    head = bytes([size, len(attributes), len(widths), *widths])
    return OK, head + b"".join(value + attributes for value in found) + struct.pack("<i", len(found))


def _count(state: State, body: Reader) -> tuple[int, bytes]:
    table, key = body.text(), body.text()
    entries = state.lists.get((table, key))
    return (NO_SUCH_KEY, b"") if entries is None else (OK, struct.pack("<ii", len(entries), 0))


def _stat(state: State, body: Reader) -> tuple[int, bytes]:
    table, key = body.text(), body.text()
    if table not in state.tables:
        return NO_SUCH_TABLE, b""
    return (OK, bytes(28)) if (table, key) in state.lists else (NO_SUCH_KEY, b"")


def _clean_all(state: State, _body: Reader) -> tuple[int, bytes]:
    state.tables.clear()
    state.lists.clear()
    return OK, b""


def _stat_sys(state: State, _body: Reader) -> tuple[int, bytes]:
    return OK, struct.pack("<II", len(state.lists), sum(map(len, state.lists.values()))) + bytes(60)


Command = Callable[[State, Reader], tuple[int, bytes]]
READS: dict[int, Command] = {3: _stat, 12: _range, 14: _count, 20: lambda *_: (OK, b""), 21: _stat_sys,
                             33: lambda *_: (OK, b"")}  # fmt: skip
WRITES: dict[int, Command] = {
    4: _create_table,
    8: lambda state, body: _insert(state, body, None),
    15: lambda state, body: _insert(state, body, 0),
    17: lambda state, body: _insert(state, body, -1),
    32: _clean_all,
}


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int, state: State, commands: dict[int, Command]) -> None:
        super().__init__(("127.0.0.1", port), _Connection)
        self.state = state
        self.commands = commands


class _Connection(socketserver.BaseRequestHandler):
    server: Server

    def handle(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.request.makefile("rb") as requests:
            while len(head := requests.read(4)) == 4:
                self._answer(requests.read(struct.unpack("<I", head)[0]))

    def _answer(self, request: bytes) -> None:
        command = self.server.commands.get(request[0])
        with self.server.state.lock:
            code, payload = command(self.server.state, Reader(request[1:])) if command else (UNKNOWN_COMMAND, b"")
        self.request.sendall(struct.pack("<Ih", 2 + len(payload), code) + payload)


def serve(read_port: int, write_port: int) -> list[Server]:
    state = State()
    servers = [Server(read_port, state, READS), Server(write_port, state, WRITES)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    return servers


def main(file: str) -> None:
    rows = (line.partition("=") for line in Path(file).read_text().splitlines())
    told: dict[str, Any] = {name.strip(): value.strip() for name, _, value in rows}
    assert told["is_daemon"] == "no"
    assert Path(told["data_dir"]).is_dir()
    serve(int(told["read_port"]), int(told["write_port"]))
    # The port of replication, which nobody uses here.
    with socket.create_server(("127.0.0.1", int(told["sync_port"]))):
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
