"""What a person at the terminal reads: one line a step, its duration, and its output when it failed."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_print_lock = threading.Lock()


class StepFailed(Exception):
    """A step did not work; the message says what to do next."""


def say(text: str) -> None:
    with _print_lock:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def run_quietly(
    title: str, command: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Run `command`; silent when it works, its whole output when it does not.

    Errors: `StepFailed` naming the command.
    """
    started = time.monotonic()
    say(f"  … {title}")
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        say(done.stdout[-20_000:] + done.stderr[-20_000:])
        words = " ".join(str(word) for word in command)
        raise StepFailed(f"{title} failed (exit {done.returncode}): {words}")
    say(f"  ✓ {title} ({time.monotonic() - started:.1f} s)")


def run_side_by_side(steps: Sequence[Callable[[], None]]) -> None:
    """Run independent steps at once; wait for all; raise the first failure."""
    failures: list[Exception] = []

    def run(step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:  # noqa: BLE001 - raised again below, in the main thread
            failures.append(error)

    threads = [threading.Thread(target=run, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
