"""The programs that make load, each as a command line, and what one run of them costs."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from stores import CLIENT_CORE, KEY_COUNT, Server, find, on_core

CONNECTIONS = 50


@dataclass(frozen=True)
class Cell:
    """One kind of work. `limit` is the most that the engine may cost over the bare loop."""

    store: str
    operation: str
    value_bytes: int
    pipeline: int
    keys: int
    limit: float | None

    @property
    def name(self) -> str:
        depth = f".pipeline_{self.pipeline}" if self.pipeline > 1 else ""
        width = f".keys_{self.keys}" if self.keys > 1 else ""
        return f"{self.store}.{self.operation}_{self.value_bytes}{depth}{width}"

    @property
    def text(self) -> str:
        what = f"{self.operation} {self.value_bytes} B on {self.store}, {CONNECTIONS} connections"
        return f"{what}, pipeline {self.pipeline}, {self.keys} keys a request, client and server on a core each"


@dataclass(frozen=True)
class Cost:
    """One client run: CPU microseconds an operation, and operations a second of wall time."""

    cpu_us: float
    rate_per_s: float


@dataclass(frozen=True)
class Tools:
    """Where our own programs are; the bare loop only where it has been built."""

    engine: Path
    bare_loop: Path | None


def engine_command(tools: Tools, cell: Cell, port: int, operations: int, *more: str) -> list[str]:
    """`operations` are keys: a request for several is one operation of the engine."""
    kind = f"multi_get:{cell.keys}" if cell.keys > 1 else cell.operation
    return [
        str(tools.engine), "run", "--target", f"{cell.store}://127.0.0.1:{port}", "--mix", f"{kind}=1", "--json",
        "--connections", str(CONNECTIONS), "--pipeline", str(cell.pipeline), "--keys", str(KEY_COUNT),
        "--value-size", str(cell.value_bytes), "--operations", str(operations // cell.keys), *more,
    ]  # fmt: skip


def prefill(tools: Tools, cell: Cell, port: int) -> None:
    subprocess.run(engine_command(tools, cell, port, cell.keys), check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)  # fmt: skip


def _bare_loop_command(tools: Tools, cell: Cell, port: int, operations: int) -> list[str]:
    kind = "multi-get" if cell.keys > 1 else cell.operation
    return [
        str(tools.bare_loop), cell.store, str(port), kind, "--connections", str(CONNECTIONS),
        "--pipeline", str(cell.pipeline), "--keys-per-request", str(cell.keys), "--keys", str(KEY_COUNT),
        "--value-size", str(cell.value_bytes), "--requests", str(operations // cell.keys),
    ]  # fmt: skip


def _redis_benchmark_command(cell: Cell, port: int, operations: int) -> list[str]:
    shape = ["-c", str(CONNECTIONS), "-n", str(operations), "-r", str(KEY_COUNT), "-d", str(cell.value_bytes)]
    what = ["-t", cell.operation, "-P", str(cell.pipeline), "-q"]
    return [find("redis-benchmark"), "-h", "127.0.0.1", "-p", str(port), *shape, *what]


def _memtier_command(cell: Cell, port: int, operations: int) -> list[str]:
    protocol = "memcache_text" if cell.store == "memcached" else "redis"
    ratio = "1:0" if cell.operation == "set" else "0:1"
    each = operations // CONNECTIONS
    return [
        "memtier_benchmark", "-s", "127.0.0.1", "-p", str(port), "-P", protocol, "-t", "1", "-c", str(CONNECTIONS),
        "-n", str(each), "--ratio", ratio, "-d", str(cell.value_bytes), f"--pipeline={cell.pipeline}",
        f"--key-maximum={KEY_COUNT}", "--hide-histogram",
    ]  # fmt: skip


def _memslap_command(program: str, cell: Cell, port: int, operations: int) -> list[str]:
    each = operations // CONNECTIONS
    return [program, "-s", f"127.0.0.1:{port}", f"--concurrency={CONNECTIONS}", f"--execute-number={each}",
            f"--test={cell.operation}", "--tcp-nodelay"]  # fmt: skip


def commands(tools: Tools, cell: Cell, port: int, operations: int) -> dict[str, list[str]]:
    """Every client on this machine that can do the cell's work."""
    found = {"engine": engine_command(tools, cell, port, operations, "--no-prefill")}
    if tools.bare_loop is not None:
        found["bare_loop"] = _bare_loop_command(tools, cell, port, operations)
    if cell.store == "redis" and cell.keys == 1:
        found["redis_benchmark"] = _redis_benchmark_command(cell, port, operations)
    if shutil.which("memtier_benchmark") and cell.keys == 1:
        found["memtier_benchmark"] = _memtier_command(cell, port, operations)
    memslap = shutil.which("memcslap") or shutil.which("memslap")
    if memslap and cell.store == "memcached" and cell.pipeline == 1 and cell.keys == 1:
        found["memcslap"] = _memslap_command(memslap, cell, port, operations)
    return found


def run_client(command: list[str], server: Server, cell: Cell) -> Cost:
    """Runs a client on its core and divides its CPU time by the operations that the server has seen."""
    counter = "mget" if cell.keys > 1 and cell.store == "redis" else cell.operation
    factor = cell.keys if counter == "mget" else 1
    before = server.count(counter)
    started = time.monotonic()
    pinned = on_core(CLIENT_CORE, command)
    process = subprocess.Popen(pinned, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed_s = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    operations = (server.count(counter) - before) * factor
    return Cost((usage.ru_utime + usage.ru_stime) * 1e6 / operations, operations / elapsed_s)
