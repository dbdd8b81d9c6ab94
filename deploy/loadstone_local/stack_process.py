"""The supervisor as a process of its own: start it, know whether it runs, stop it. Standard library only."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from loadstone_local.console import StepFailed, say
from loadstone_local.paths import LOGS, REPOSITORY, STACK_PID_FILE, in_venv

READY_LINE = "the stack is ready"
READY_WITHIN_S = 120.0
STOP_WITHIN_S = 45.0


def _started_at_ticks(pid: int) -> str | None:
    """The kernel's start time of a process: with the pid it names one process for good."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        return None


def _running() -> tuple[int, str] | None:
    """Pid and code fingerprint of the running stack."""
    if not STACK_PID_FILE.exists():
        return None
    known = json.loads(STACK_PID_FILE.read_text())
    if _started_at_ticks(known["pid"]) != known["started_at_ticks"]:
        STACK_PID_FILE.unlink()
        return None
    return known["pid"], known["fingerprint"]


def ensure_running(fingerprint: str) -> None:
    """Start the stack, or start it again when the code changed. Errors: `StepFailed`."""
    running = _running()
    if running is not None and running[1] == fingerprint:
        say("  it runs already")
        return
    if running is not None:
        say("  the code changed: stopping the running stack first")
        stop()
    _start(fingerprint)


def _start(fingerprint: str) -> None:
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / "stack.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [in_venv("python"), "-m", "loadstone_local.stack"],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY / "deploy")},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    content = {"pid": process.pid, "started_at_ticks": _started_at_ticks(process.pid), "fingerprint": fingerprint}
    STACK_PID_FILE.write_text(json.dumps(content))
    _follow(log, process)


def _follow(log: Path, process: subprocess.Popen[bytes]) -> None:
    """Print the supervisor's lines until it is ready."""
    deadline = time.monotonic() + READY_WITHIN_S
    shown = 0
    while time.monotonic() < deadline:
        lines = log.read_text().splitlines()
        for line in lines[shown:]:
            say(line)
        shown = len(lines)
        if any(READY_LINE in line for line in lines):
            return
        if process.poll() is not None:
            STACK_PID_FILE.unlink(missing_ok=True)
            raise StepFailed(f"the stack did not come up (exit {process.returncode}); logs: {LOGS}")
        time.sleep(0.1)
    stop()
    raise StepFailed(f"the stack was not ready within {READY_WITHIN_S:.0f} s; logs: {LOGS}")


def stop() -> bool:
    """Stop the stack and wait until it is gone. False: none was running."""
    running = _running()
    if running is None:
        return False
    pid = running[0]
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_WITHIN_S
    while _running() is not None and not _is_zombie(pid):
        if time.monotonic() > deadline:
            raise StepFailed(f"the stack (pid {pid}) did not stop within {STOP_WITHIN_S:.0f} s; logs: {LOGS}")
        time.sleep(0.1)
    STACK_PID_FILE.unlink(missing_ok=True)
    return True


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


if __name__ == "__main__":
    try:
        say("stopped" if stop() else "nothing was running")
    except StepFailed as error:
        say(f"error: {error}")
        sys.exit(1)
