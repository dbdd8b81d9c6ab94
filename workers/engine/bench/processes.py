"""Programs that the bench starts: each on a core of its own, and gone with the bench however that ends."""

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, NamedTuple

SERVER_CORE = 0
CLIENT_CORE = 1
PR_SET_PDEATHSIG = 1
FIRST = -20
LONGEST_S = 90
LIBC = ctypes.CDLL(None)


class ClientFailed(Exception):
    """A client that ended otherwise than well, or whose operations the server has not seen."""


class Ended(NamedTuple):
    """What a program printed, and what CPU time the process itself has used."""

    said: str
    complained: str
    cpu_s: float


def start(core: int, command: list[str], is_urgent: bool = False, **options: Any) -> subprocess.Popen[Any]:
    """The process is the command's own from the first instruction on, so that its resource usage is too.

    One that is urgent goes before others of the machine, where we may say so.
    """

    def settle() -> None:
        os.sched_setaffinity(0, {core})
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if is_urgent and os.geteuid() == 0:
            _go_first()

    # No other thread runs meanwhile: what happens between fork and exec waits for nobody.
    return subprocess.Popen(command, preexec_fn=settle, **options)  # noqa: PLW1509


def _go_first() -> None:
    """Linux shares a core among sessions before it looks at single processes."""
    os.setsid()
    os.setpriority(os.PRIO_PROCESS, 0, FIRST)
    group = Path("/proc/self/autogroup")
    if group.exists():
        group.write_text(str(FIRST))


def run_to_end(core: int, command: list[str]) -> Ended:
    """Waits for a command's end, for `LONGEST_S` at most.

    Errors: `ClientFailed` with its last words.
    """
    # Files and not pipes: nobody has to read while it runs.
    with (
        tempfile.TemporaryFile("w+", errors="replace") as said,
        tempfile.TemporaryFile("w+", errors="replace") as complained,
    ):
        process = start(core, command, stdin=subprocess.DEVNULL, stdout=said, stderr=complained)
        guard = threading.Timer(LONGEST_S, process.kill)
        guard.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            guard.cancel()
            guard.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        complained.seek(0)
        complaint = complained.read()[-2000:]
        if process.returncode != 0:
            raise ClientFailed(f"ended with {process.returncode}: {shlex.join(command)}: {complaint[-500:]}")
        return Ended(said.read(), complaint, usage.ru_utime + usage.ru_stime)


def find_program(*names: str) -> str | None:
    """The first that is on PATH, in /usr/sbin, or in the newest of PostgreSQL's folders."""
    postgres = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    folders = [os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", *map(str, postgres)]
    places = (shutil.which(name, path=os.pathsep.join(folders)) for name in names)
    return next((place for place in places if place), None)
