"""Looks into /proc: what still runs, and since when."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    """A zombie is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def processes_with(text: str) -> list[int]:
    """By command line or by working folder: a keeper gets its orders on its stdin."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    ours = [pid for pid in pids if pid != os.getpid() and is_alive(pid)]
    return [pid for pid in ours if text in command_line(pid) or text in _folder(pid)]


def _folder(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return ""


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        # A thread may end between being listed and being read.
        with suppress(OSError):
            for child in task.read_text().split():
                found += [int(child), *descendants(int(child))]
    return found


def program_of(pid: int) -> str | None:
    """Its first fifteen letters, as the kernel keeps them; None once it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None


def wait_until(is_so: Callable[[], object], within_s: float = 60.0, what: str = "it") -> float:
    """How long it took. Where no promise is on trial, the limit only tells a busy machine from one that hangs."""
    began_at = time.monotonic()
    while not is_so():
        assert time.monotonic() - began_at < within_s, f"{what} did not come true within {within_s} s"
        time.sleep(0.005)
    return time.monotonic() - began_at


def freeze(pid: int) -> None:
    """Returns when its last thread stands still: on a busy machine one may go on for a while after the signal."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: set(_states(pid)) <= {"T"}, what=f"{pid} standing still")


def _states(pid: int) -> list[str]:
    return [path.read_text().rpartition(")")[2].split()[0] for path in Path(f"/proc/{pid}/task").glob("*/stat")]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
