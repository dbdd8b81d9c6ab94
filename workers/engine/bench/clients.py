"""The programs that make load on a cell, each as a command line, and what one run of them costs."""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cells import CONNECTIONS, Cell
from databases import Database, FerretDb
from peers import PEERS
from stores import CLIENT_CORE, KEY_COUNT, Server, on_core

BARE_LOOPS = ("bare_epoll", "bare_io_uring")
EVENT_LOOPS = {"engine_epoll": "epoll", "engine_io_uring": "io_uring"}


class ClientFailed(Exception):
    """A client that ended otherwise than well, or whose operations the server has not seen."""


@dataclass(frozen=True)
class Cost:
    """One client run: CPU microseconds an operation, and operations a second of wall time."""

    cpu_us: float
    rate_per_s: float


def _flags(cell: Cell, server: Server, operations: int) -> list[str]:
    """`operations` are keys: a request for several is one operation of the engine."""
    kind = f"multi_get:{cell.keys}" if cell.keys > 1 else cell.operation
    url = server.url if isinstance(server, Database) else f"{cell.scheme}://127.0.0.1:{server.port}"
    return [
        "--target", url, "--mix", f"{kind}=1", "--connections", str(CONNECTIONS), "--pipeline", str(cell.pipeline),
        "--keys", str(KEY_COUNT), "--value-size", str(cell.value_bytes),
        "--operations", str(max(operations // cell.keys, 1)), "--timeout-ms", "60000",
    ]  # fmt: skip


def engine_command(engine: Path, cell: Cell, server: Server, operations: int, event_loop: str) -> list[str]:
    return [str(engine), "run", *_flags(cell, server, operations), "--json", "--no-prefill", "--event-loop", event_loop]


def prefill(engine: Path, cell: Cell, server: Server) -> None:
    command = [str(engine), "run", *_flags(cell, server, cell.keys), "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def commands(engine: Path, peers: dict[str, str], cell: Cell, server: Server, operations: int) -> dict[str, list[str]]:
    """Every client on this machine that can do the cell's work."""
    bare = [str(engine), "bench", *_flags(cell, server, operations), "--no-prefill", "--repeats", "1", "--only"]
    found = {name: [*bare, name] for name in BARE_LOOPS}
    for name, event_loop in EVENT_LOOPS.items():
        found[name] = engine_command(engine, cell, server, operations, event_loop)
    for peer in PEERS:
        command = peer.build(peers[peer.name], cell, server, operations) if peer.name in peers else None
        if command is not None:
            found[peer.name] = command
    return found


def _operations(server: Server, cell: Cell, wanted: int) -> Callable[[], int]:
    """What the server counts from now on; where it counts nothing, what was asked for."""
    if isinstance(server, FerretDb):
        return lambda: wanted
    counter = "mget" if cell.keys > 1 and cell.store == "redis" else cell.operation
    factor = cell.keys if counter == "mget" else 1
    before = server.count(counter)
    return lambda: (server.count(counter) - before) * factor


def run_client(command: list[str], server: Server, cell: Cell, wanted: int) -> Cost:
    """Runs a client on its core and divides its CPU time by the operations that the server has seen.

    Errors: `ClientFailed`.
    """
    count = _operations(server, cell, wanted)
    started = time.monotonic()
    pinned = on_core(CLIENT_CORE, command)
    process = subprocess.Popen(pinned, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed_s = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise ClientFailed(f"ended with {process.returncode}: {' '.join(command)}")
    operations = count()
    if operations < wanted // 2:
        raise ClientFailed(f"the server has seen {operations} of {wanted} operations: {' '.join(command)}")
    return Cost((usage.ru_utime + usage.ru_stime) * 1e6 / operations, operations / elapsed_s)
