"""Our own engine: `loadstone-engine run`, plan on stdin, events on stdout."""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast, get_args

from loadstone_contracts.agent_calls import EngineOffer
from loadstone_contracts.engine_events import EngineEvent, parse_event
from loadstone_contracts.engine_plan import EnginePlan, StoreProtocol
from pydantic import BaseModel, ValidationError

from loadstone_agent.engines.base import Engine, EngineEnding, EngineRun
from loadstone_agent.errors import EngineInternal, EngineMissing

MAX_LINE_BYTES = 8 * 1024 * 1024
TERM_GRACE_S = 1.0
EXIT_GRACE_S = 5.0
"""For an engine that has closed its output and does not end."""
LOG_LINES = 50


class _Protocol(BaseModel):
    protocol: str
    operations: list[str]


class _Description(BaseModel):
    engine: str
    engine_version: str
    protocols: list[_Protocol]


class NativeEngine(Engine):
    def __init__(self, program: str) -> None:
        self._program = program

    def _find(self) -> str:
        found = shutil.which(self._program)
        if found is None:
            message = f"The engine {self._program} is not on this host: build it (`cargo build --release` in "
            raise EngineMissing(message + "workers/engine) and set LOADSTONE_ENGINE to its path.")
        return found

    def offer(self) -> EngineOffer:
        described = subprocess.run([self._find(), "describe"], capture_output=True, timeout=10, check=True).stdout
        engine = _Description.model_validate_json(described)
        # What this engine can and this agent has no words for yet is not offered.
        protocols = [entry for entry in engine.protocols if entry.protocol in get_args(StoreProtocol)]
        return EngineOffer(
            name=engine.engine,
            version=engine.engine_version,
            protocols=[cast(StoreProtocol, entry.protocol) for entry in protocols],
            operations=sorted({operation for entry in protocols for operation in entry.operations}),
        )

    def start(self, plan: EnginePlan, cwd: Path) -> "NativeRun":
        return NativeRun([self._find(), "run", "--die-with-stdin"], plan, cwd)

    def audit_command(self, plan: Path, journal: Path) -> list[str]:
        """Prints what has become of the writes that the journal holds. Raises EngineMissing."""
        return [self._find(), "audit", "--plan", str(plan), "--journal", str(journal)]


class NativeRun(EngineRun):
    def __init__(self, command: list[str], plan: EnginePlan, cwd: Path) -> None:
        self.command_lines = [" ".join(command)]
        self._log: deque[bytes] = deque(maxlen=LOG_LINES)
        self._started_at = time.monotonic()
        self._exited_at: float | None = None
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            # A group of its own, so that one signal reaches all of it and a terminal's Ctrl-C none.
            start_new_session=True,
        )
        self._log_reader = threading.Thread(target=self._read_log, name="engine-log", daemon=True)
        self._log_reader.start()
        self._send(plan)

    def _send(self, plan: EnginePlan) -> None:
        assert self._process.stdin is not None
        # An engine that is already dead says why by its exit.
        with suppress(BrokenPipeError):
            self._process.stdin.write(plan.model_dump_json().encode() + b"\n")
            self._process.stdin.flush()

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stderr:
            while line := stderr.readline(4096):
                self._log.append(line)

    def events(self) -> Iterator[tuple[bytes, EngineEvent]]:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(MAX_LINE_BYTES):
            try:
                event = parse_event(line)
            except ValidationError as error:
                # A killed engine leaves half a line; its exit says what happened.
                if not line.endswith(b"\n") and len(line) < MAX_LINE_BYTES:
                    return
                shown = line[:500].decode("utf-8", "replace")
                message = "The engine wrote a line that is no event: engine and agent must be of the same version."
                raise EngineInternal(message, f"{shown}\n{str(error)[:1500]}") from error
            yield line, event
        self._await_exit()

    def stop(self) -> None:
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(TERM_GRACE_S)
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _await_exit(self) -> int:
        try:
            code = self._process.wait(EXIT_GRACE_S)
        except subprocess.TimeoutExpired:
            self.stop()
            code = self._process.wait()
        self._exited_at = self._exited_at or time.monotonic()
        return code

    def ending(self) -> EngineEnding:
        code = self._await_exit()
        assert self._exited_at is not None
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._log_reader.join(1.0)
        log_tail = b"".join(self._log).decode("utf-8", "replace")
        return EngineEnding(code, self._exited_at - self._started_at, log_tail)
