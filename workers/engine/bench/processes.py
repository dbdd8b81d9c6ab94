"""Programs that the bench starts: each on a core of its own, and gone with the bench however that ends."""

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

SERVER_CORE = 0
CLIENT_CORE = 1
PR_SET_PDEATHSIG = 1
FIRST = -20
LIBC = ctypes.CDLL(None)


class ClientFailed(Exception):
    """A client that ended otherwise than well, or whose operations the server has not seen."""


def start(core: int, command: list[str], is_urgent: bool = False, **options: Any) -> subprocess.Popen[Any]:
    """The process is the command's own from the first instruction on, so that its resource usage is too.

    One that is urgent goes before others of the machine, where we may say so.
    """

    def settle() -> None:
        os.sched_setaffinity(0, {core})
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if is_urgent and os.geteuid() == 0:
            _go_first()

    # The bench has one thread: what runs between fork and exec waits for nobody.
    return subprocess.Popen(command, preexec_fn=settle, **options)  # noqa: PLW1509


def _go_first() -> None:
    """Linux shares a core among sessions before it looks at single processes."""
    os.setsid()
    os.setpriority(os.PRIO_PROCESS, 0, FIRST)
    group = Path("/proc/self/autogroup")
    if group.exists():
        group.write_text(str(FIRST))


def run_to_end(core: int, command: list[str], given: str = "") -> tuple[str, Any]:
    """What it printed, and its resource usage.

    Errors: `ClientFailed`.
    """
    # Files and not pipes: nobody has to read while it runs.
    with tempfile.TemporaryFile("w+") as asked, tempfile.TemporaryFile("w+", errors="replace") as said:
        asked.write(given)
        asked.seek(0)
        with tempfile.TemporaryFile("w+", errors="replace") as complained:
            process = start(core, command, stdin=asked, stdout=said, stderr=complained)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            complained.seek(0)
            complaint = complained.read()[-500:]
        said.seek(0)
        if process.returncode != 0:
            raise ClientFailed(f"ended with {process.returncode}: {shlex.join(command)}: {complaint}")
        return said.read(), usage


def find_program(*names: str) -> str | None:
    """The first that is on PATH, in /usr/sbin, or in the newest of PostgreSQL's folders."""
    postgres = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    folders = [os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", *map(str, postgres)]
    places = (shutil.which(name, path=os.pathsep.join(folders)) for name in names)
    return next((place for place in places if place), None)
