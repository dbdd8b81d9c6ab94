"""One run of a foreign engine: prefill by our engine, the load by the program, events of the contract."""

import hashlib
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from loadstone_contracts.engine_events import (
    EXIT_STOPPED,
    EngineEvent,
    ErrorEvent,
    HelloEvent,
    PhaseEvent,
    PhaseTotals,
    SampleEvent,
    SummaryEvent,
    WarningEvent,
)
from loadstone_contracts.engine_load import ClosedLoad
from loadstone_contracts.engine_plan import EnginePhase, EnginePlan

from loadstone_agent.engines.base import Engine, EngineEnding, EngineRun
from loadstone_agent.engines.job import PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, phase_totals
from loadstone_agent.engines.tool import Tool, ToolEnd
from loadstone_agent.errors import EngineInternal, TargetUnreachable

if TYPE_CHECKING:
    from loadstone_agent.engines.adapter import Adapter

SERVICE_TIMES = (
    "What stands as response time is service time: {title} starts its clock when it sends, and a request that waits "
    "behind a slow one is not counted as late."
)


@dataclass
class _State:
    """What the thread that stops a run has to know."""

    is_stopped: bool = False
    tool: Tool | None = None
    prefill: EngineRun | None = None
    log_tail: str = ""
    exit_code: int = 0


@dataclass
class _Phases:
    totals: list[PhaseTotals] = field(default_factory=list)
    seq: int = 0


class AdapterRun(EngineRun):
    def __init__(self, adapter: "Adapter", native: Engine, plan: EnginePlan, scratch: Path) -> None:
        """Raises EngineMissing."""
        self._adapter, self._native, self._plan, self._scratch = adapter, native, plan, scratch
        self._found = adapter.find()
        self._state = _State()
        self._phases = _Phases()
        self._began_at = time.monotonic()
        scratch.mkdir(mode=0o700, parents=True)
        self._jobs = [
            PhaseJob(plan, phase, scratch / phase.name, self._found) for phase in plan.phases if phase.name != "prefill"
        ]
        self.command_lines: list[str] = []

    def events(self) -> Iterator[tuple[bytes, EngineEvent]]:
        for event in self._events():
            yield event.model_dump_json().encode() + b"\n", event

    def _events(self) -> Iterator[EngineEvent]:
        info = self._adapter.info
        plan_hash = hashlib.sha256(self._plan.model_dump_json(exclude={"target": {"password"}}).encode()).hexdigest()
        yield self._hello(plan_hash)
        yield WarningEvent(code="service_times", message=SERVICE_TIMES.format(title=info.title))
        if self._adapter.data_note:
            yield WarningEvent(code="own_data", message=self._adapter.data_note)
        if self._plan.phases[0].name == "prefill":
            yield from self._own_prefill(self._plan.phases[0]) if info.own_data else self._prefill()
        self._await_start()
        for job in self._jobs:
            if self._state.is_stopped or self._state.exit_code:
                return
            yield from self._phase(job)
        if not self._state.is_stopped and not self._state.exit_code:
            missing = list(info.missing)
            yield SummaryEvent(plan_hash=plan_hash, stopped=False, phases=self._phases.totals, missing=missing)

    def _hello(self, plan_hash: str) -> HelloEvent:
        return HelloEvent(
            schema_version=1,
            engine=self._adapter.info.name,
            engine_version=self._found.version,
            plan_hash=plan_hash,
            pid=0,
            threads=self._adapter.threads(self._plan),
            cpus=self._plan.cpus,
        )

    def _prefill(self) -> Iterator[EngineEvent]:
        """By our engine, so that every engine finds the same data."""
        phases = [phase for phase in self._plan.phases if phase.name == "prefill"]
        load = ClosedLoad(connections=self._plan.load.connections)
        plan = self._plan.model_copy(update={"phases": phases, "start_at_unix_ns": None, "load": load})
        run = self._native.start(plan, self._scratch)
        self._state.prefill = run
        if self._state.is_stopped:
            run.stop()
        for _, event in run.events():
            match event:
                case SampleEvent():
                    self._phases.seq += 1
                    yield event
                case PhaseEvent() | WarningEvent() | ErrorEvent():
                    yield event
                case SummaryEvent():
                    self._phases.totals += event.phases
        ending = run.ending()
        self._state.exit_code, self._state.log_tail = ending.exit_code, ending.log_tail

    def _own_prefill(self, phase: EnginePhase) -> Iterator[EngineEvent]:
        job = PhaseJob(self._plan, phase, self._scratch / phase.name, self._found)
        job.scratch.mkdir(mode=0o700)
        command = self._adapter.prefill_command(job)
        if command is None:
            return
        self.command_lines.append(command.shown)
        yield PhaseEvent(phase="prefill", state="started", at_unix_ns=time.time_ns())
        tool = self._state.tool = Tool(command, job.scratch, self._plan.cpus, self._adapter.reach(job))
        try:
            for _ in tool.lines():
                if self._state.is_stopped:
                    break
        finally:
            tool.stop()
            end = tool.end()
            self._state.log_tail = end.log_tail
        if end.exit_code != 0 and not self._state.is_stopped:
            raise self._adapter.explain_exit(end)
        yield PhaseEvent(phase="prefill", state="finished", at_unix_ns=time.time_ns())

    def _await_start(self) -> None:
        start_at_ns = self._plan.start_at_unix_ns or 0
        while not self._state.is_stopped and (left_ns := start_at_ns - time.time_ns()) > 0:
            time.sleep(min(left_ns / 1e9, 0.05))

    def _phase(self, job: PhaseJob) -> Iterator[EngineEvent]:
        job.scratch.mkdir(mode=0o700)
        command = self._adapter.command(job)
        self.command_lines.append(command.shown)
        reader = self._adapter.reader(job)
        started_at_ns = time.time_ns()
        yield PhaseEvent(phase=job.phase.name, state="started", at_unix_ns=started_at_ns)
        tool = Tool(command, job.scratch, self._plan.cpus, self._adapter.reach(job))
        self._state.tool = tool
        if self._state.is_stopped:
            tool.stop()
        try:
            for line in tool.lines():
                for second in reader.read(line):
                    yield self._sample(job, second)
        finally:
            tool.stop()
            end = tool.end()
            self._state.log_tail = end.log_tail
        if self._state.is_stopped:
            return
        if end.exit_code != 0:
            raise self._adapter.explain_exit(end)
        for second in reader.rest():
            yield self._sample(job, second)
        result = self._checked(job, reader.result(end), end)
        threads = self._adapter.threads(self._plan)
        totals = phase_totals(job.phase.name, started_at_ns, result, end.cpu_ns, job.in_flight, threads)
        self._phases.totals.append(totals)
        yield PhaseEvent(phase=job.phase.name, state="finished", at_unix_ns=time.time_ns())

    def _checked(self, job: PhaseJob, result: PhaseResult, end: ToolEnd) -> PhaseResult:
        """Some programs end with 0 however little they did."""
        title = self._adapter.info.title
        done = sum(one.count + one.failed for one in result.tallies)
        if done == 0:
            raise TargetUnreachable(f"{title} got no answer at all: see its last lines.", end.log_tail)
        if job.operations is not None and done < job.operations:
            message = f"{title} ended after {done} of {job.operations} operations: see its last lines."
            raise EngineInternal(message, end.log_tail)
        return result

    def _sample(self, job: PhaseJob, second: Second) -> SampleEvent:
        seq, self._phases.seq = self._phases.seq, self._phases.seq + 1
        return SampleEvent(
            seq=seq,
            phase=job.phase.name,
            at_unix_ns=time.time_ns(),
            elapsed_ns=second.elapsed_ns,
            duration_ns=second.duration_ns,
            in_flight=job.in_flight or 0,
            operations=[one.numbers() for one in second.tallies],
        )

    def stop(self) -> None:
        self._state.is_stopped = True
        for running in (self._state.prefill, self._state.tool):
            if running is not None:
                running.stop()

    def ending(self) -> EngineEnding:
        shutil.rmtree(self._scratch, ignore_errors=True)
        code = self._state.exit_code or (EXIT_STOPPED if self._state.is_stopped else 0)
        return EngineEnding(code, time.monotonic() - self._began_at, self._state.log_tail)
