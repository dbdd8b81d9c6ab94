"""Reads store and host once a second, on one thread, while a trial's engine runs; everything goes to the spool.

Seconds lie on the engine's own: the grid begins anew with every phase, and a phase's end is read at once, in full.
What cannot be read is left out. Nothing here ends a trial.
"""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from loadstone_contracts.engine_plan import PhaseName
from loadstone_contracts.model import Message
from loadstone_contracts.telemetry import TelemetryEvent, TelemetrySecond

from loadstone_agent.errors import DiskFull
from loadstone_agent.stores.base import Endpoint, StoreKind
from loadstone_agent.stores.launch import ManagedStore
from loadstone_agent.telemetry.counters import CounterRates, CounterReader
from loadstone_agent.telemetry.disk import DiskMeter
from loadstone_agent.telemetry.events import Noted, StoreWatch
from loadstone_agent.telemetry.host import LEAST_SPAN_S, HostMeter
from loadstone_agent.telemetry.locality import listening_process
from loadstone_agent.telemetry.process import ProcessMeter, ProcessReading

log = structlog.get_logger()

SECOND_S = 1.0
END_WITHIN_S = 2.0
"""A store that does not answer any more must not hold up the end of its trial."""
MOST_EVENTS = 1_000
"""A trial that notes more is one long event."""


@dataclass(frozen=True)
class _Turn:
    """The engine enters `phase`, or leaves the one it is in."""

    phase: PhaseName | None
    at_unix_ns: int


class TelemetryCollector:
    """`write` takes one record, a line of JSON; it may raise DiskFull, which ends the collecting."""

    def __init__(
        self, kind: StoreKind, endpoint: Endpoint, managed: ManagedStore | None, write: Callable[[bytes], None]
    ) -> None:
        self._managed = managed
        self._write = write
        self._reader = CounterReader(kind, endpoint)
        self._rates = CounterRates(kind.kind)
        self._watch = StoreWatch(kind.kind)
        self._endpoint = endpoint
        self._process: ProcessMeter | None = None
        self._disk = DiskMeter(managed.directory) if managed else None
        self._turns: queue.SimpleQueue[_Turn | None] = queue.SimpleQueue()
        self._phase: PhaseName | None = None
        self._seq = self._event_seq = 0
        self._told_kill_at_s: float | None = None
        self._has_told_death = False
        self.cpu_s = 0.0
        """Of this thread: what the collecting has cost."""
        self._thread = threading.Thread(target=self._collect, name="telemetry", daemon=True)

    def __enter__(self) -> "TelemetryCollector":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._turns.put(None)
        self._thread.join(END_WITHIN_S)

    def enter_phase(self, phase: PhaseName, at_unix_ns: int) -> None:
        """From any thread."""
        self._turns.put(_Turn(phase, at_unix_ns))

    def leave_phase(self, at_unix_ns: int) -> None:
        """From any thread."""
        self._turns.put(_Turn(None, at_unix_ns))

    def _collect(self) -> None:
        try:
            self._prepare()
            self._go_round()
        except DiskFull as error:
            # The next sample says so to the trial.
            log.warning("telemetry_ended", error=error.detail)
        except Exception:
            log.exception("telemetry_fault")
        finally:
            self._reader.close()
            self.cpu_s = time.thread_time()

    def _prepare(self) -> None:
        if self._managed is None:
            pid = listening_process(self._endpoint)
            self._process = ProcessMeter(pid) if pid else None
        self._host = HostMeter()
        self._oom_kills = self._host.oom_kills
        raw = self._reader.read()
        self._rates.take(raw, time.monotonic())
        self._read_at_s = time.time()
        self._watch.look(raw, self._read_at_s)

    def _go_round(self) -> None:
        due_at = time.monotonic() + SECOND_S
        while True:
            try:
                turn = self._turns.get(timeout=max(0.0, due_at - time.monotonic()))
            except queue.Empty:
                self._read_second()
                # The next on the grid, without those that a slow reading has missed.
                due_at += SECOND_S * (1 + max(0.0, (time.monotonic() - due_at) // SECOND_S))
                continue
            # A phase that begins where another ended was read a moment ago.
            if turn is None or turn.phase is None or time.time() - self._read_at_s >= LEAST_SPAN_S:
                self._read_second(is_turn=True)
            if turn is None:
                return self._note_all(self._watch.end(time.time()))
            self._phase = turn.phase
            due_at = time.monotonic() + SECOND_S - min(SECOND_S, max(0.0, time.time() - turn.at_unix_ns / 1e9))

    def _read_second(self, is_turn: bool = False) -> None:
        """`is_turn`: a phase begins or ends, or the trial does."""
        raw = self._reader.read()
        now, at_s = time.monotonic(), time.time()
        process = self._read_process(is_turn)
        host = self._host.read()
        second = TelemetrySecond(
            seq=self._seq,
            phase=self._phase,
            at_unix_ns=int(at_s * 1e9),
            duration_ns=max(1, int((at_s - self._read_at_s) * 1e9)),
            ends_phase=is_turn and self._phase is not None,
            store=self._rates.take(raw, now),
            store_memory_bytes=process.memory_bytes,
            store_children_memory_bytes=process.children_memory_bytes,
            store_disk_bytes=self._disk.read(is_turn) if self._disk else None,
            store_cpu_cores=process.cpu_cores,
            host=host,
        )
        self._put(second)
        self._seq += 1
        self._read_at_s = at_s
        self._note_all(self._watch.look(raw, at_s))
        self._note_ends(at_s)

    def _read_process(self, is_turn: bool) -> ProcessReading:
        managed = self._managed
        # A store that was killed and started again goes on as another process.
        if managed is not None and managed.process_id != (self._process.pid if self._process else None):
            self._process = ProcessMeter(managed.process_id) if managed.process_id else None
        return self._process.read(is_turn) if self._process else ProcessReading()

    def _note_ends(self, at_s: float) -> None:
        if self._host.oom_kills > self._oom_kills:
            self._oom_kills = self._host.oom_kills
            detail = "The kernel killed a process on this host."
            self._note(Noted("out_of_memory", at_s, "Out of memory", detail))
        killed_at_s = self._managed.killed_at_s if self._managed else None
        if killed_at_s is not None and killed_at_s != self._told_kill_at_s:
            self._told_kill_at_s = killed_at_s
            self._note(Noted("store_killed", killed_at_s, "The store was killed", "SIGKILL, as the plan asks for."))
        if self._managed is not None and self._managed.has_died() and not self._has_told_death:
            self._has_told_death = True
            self._note(Noted("store_died", at_s, "The store died"))

    def _note_all(self, found: list[Noted]) -> None:
        for noted in found:
            self._note(noted)

    def _note(self, noted: Noted) -> None:
        if self._event_seq < MOST_EVENTS:
            self._put(
                TelemetryEvent(
                    seq=self._event_seq,
                    kind=noted.kind,
                    at_unix_ns=int(noted.at_s * 1e9),
                    title=noted.title,
                    detail=noted.detail,
                    duration_s=noted.duration_s,
                )
            )
            self._event_seq += 1

    def _put(self, record: Message) -> None:
        self._write(record.model_dump_json().encode() + b"\n")
