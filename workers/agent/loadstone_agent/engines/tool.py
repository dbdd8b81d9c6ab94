"""A foreign program under its supervisor: its lines as they come, bounded, and what it cost."""

import os
import re
import select
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from loadstone_agent.engines import supervisor
from loadstone_agent.errors import EngineHung, EngineInternal

MAX_LINE_BYTES = 1024 * 1024
MAX_OUTPUT_BYTES = 256 * 1024 * 1024
TAIL_BYTES = 8192
TICK_S = 0.25
IDLE_LIMIT_S = 60.0
"""A load generator that neither writes nor uses any CPU for so long waits for something that will not come."""
STOP_TIMEOUT_S = 4.0
LINE_END = re.compile(rb"[\r\n]+")


@dataclass(frozen=True)
class Command:
    """No shell ever sees it. `environment` holds what must not stand in a command line."""

    arguments: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    given: Path | None = None
    """What it reads on stdin; nothing when left out."""

    @property
    def shown(self) -> str:
        return " ".join(self.arguments)


@dataclass(frozen=True)
class Reach:
    """What a program of somebody else's may touch beside its scratch folder."""

    port: int
    """The target's; it may connect to no other."""
    readable: list[Path]

    @property
    def text(self) -> str:
        return "\n".join([str(self.port), *map(str, self.readable)])


@dataclass(frozen=True)
class ToolEnd:
    exit_code: int
    """Negative: killed by that signal."""
    cpu_ns: int
    elapsed_ns: int
    log_tail: str


class Tool:
    """One running program. `stop` may come from any thread, any number of times."""

    def __init__(self, command: Command, cwd: Path, cpus: list[int], reach: Reach | None) -> None:
        """Without `reach` the program may do what the agent's user may."""
        reader, writer = os.pipe()
        # No site packages: half the start time, and nothing to interfere.
        python = [sys.executable, "-I", "-S", supervisor.__file__]
        given = str(command.given or os.devnull)
        arguments = [str(writer), ",".join(map(str, cpus)), given, reach.text if reach else "", *command.arguments]
        base = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", os.defpath), "HOME": str(cwd)}
        self._process = subprocess.Popen(
            [*python, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**base, **command.environment},
            pass_fds=(writer,),
            start_new_session=True,
        )
        os.close(writer)
        self._report = reader
        self._tail: deque[bytes] = deque(maxlen=200)
        self._log_reader = threading.Thread(target=self._read_log, name="engine-log", daemon=True)
        self._log_reader.start()

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stderr:
            while line := stderr.readline(4096):
                self._tail.append(line)

    def lines(self) -> Iterator[str | None]:
        """Each line (a carriage return ends one too), and None at least every quarter of a second.

        Ends when the program has closed its output. Raises EngineInternal for output without bounds, EngineHung.
        """
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        watch = _IdleWatch(self._process.pid)
        kept, total = b"", 0
        while True:
            if not select.select([output], [], [], TICK_S)[0]:
                watch.check()
                yield None
                continue
            data = os.read(output, 65536)
            total += len(data)
            watch.reset()
            *whole, kept = LINE_END.split(kept + data) if data else [kept, b""]
            if len(kept) > MAX_LINE_BYTES or total > MAX_OUTPUT_BYTES:
                raise EngineInternal("The engine wrote without end: see the first of it.", _text(kept or data)[:2000])
            yield from (self._keep(line) for line in whole if line.strip())
            if not data:
                return
            yield None

    def _keep(self, line: bytes) -> str:
        self._tail.append(line[:1000] + b"\n")
        return _text(line)

    def stop(self) -> None:
        """The program and its children are dead when this returns."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # The program dies with its supervisor (PR_SET_PDEATHSIG).
            self._process.kill()
            self._process.wait()

    def end(self) -> ToolEnd:
        """Waits for the exit; a program that closed its output and stays is stopped."""
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.stop()
        self.stop()
        told = os.read(self._report, 100).split()
        os.close(self._report)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._log_reader.join(1.0)
        code, cpu_ns, elapsed_ns = (int(word) for word in told) if told else (-9, 0, 0)
        return ToolEnd(code, cpu_ns, elapsed_ns, self.log_tail)

    @property
    def log_tail(self) -> str:
        return _text(b"".join(self._tail)[-TAIL_BYTES:])


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


class _IdleWatch:
    """Has the program written or used CPU lately?"""

    def __init__(self, supervisor_pid: int) -> None:
        self._pid = supervisor_pid
        self._cpu_s = 0.0
        self._since = time.monotonic()

    def reset(self) -> None:
        self._since = time.monotonic()

    def check(self) -> None:
        """Raises EngineHung."""
        if time.monotonic() - self._since < IDLE_LIMIT_S:
            return
        cpu_s = self._used_s()
        if cpu_s <= self._cpu_s:
            message = (
                f"The engine did nothing for {IDLE_LIMIT_S:.0f} s: see whether the target answers, then run again."
            )
            raise EngineHung(message)
        self._cpu_s = cpu_s
        self.reset()

    def _used_s(self) -> float:
        try:
            found = psutil.Process(self._pid).children(recursive=True)
            return sum(float(sum(one.cpu_times()[:2])) for one in found)
        except psutil.Error:
            return 0.0
