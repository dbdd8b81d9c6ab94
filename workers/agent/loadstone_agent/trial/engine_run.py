"""One engine process of a trial, from its plan to the verdict on how it ended."""

import signal
from collections.abc import Callable
from pathlib import Path

from loadstone_contracts.agent_calls import TrialError
from loadstone_contracts.engine_events import (
    EXIT_STOPPED,
    EngineEvent,
    ErrorEvent,
    HelloEvent,
    PhaseEvent,
    SampleEvent,
    SummaryEvent,
    WarningEvent,
)
from loadstone_contracts.engine_plan import EnginePlan

from loadstone_agent.engines.base import Engine, EngineEnding, EngineRun
from loadstone_agent.errors import (
    AgentError,
    BadPlan,
    EngineInternal,
    EngineKilled,
    TargetLost,
    TargetRefused,
    TargetUnreachable,
)
from loadstone_agent.spool import Spool
from loadstone_agent.telemetry.collector import TelemetryCollector
from loadstone_agent.trial.interruption import Interruption
from loadstone_agent.trial.record import TrialRecord
from loadstone_agent.trial.sender import SampleSender
from loadstone_agent.trial.target import ReadyTarget

FAULTS: dict[str, type[AgentError]] = {
    "bad_plan": BadPlan,
    "cpus_unavailable": BadPlan,
    "target_unreachable": TargetUnreachable,
    "target_refused": TargetRefused,
    "target_lost": TargetLost,
    "engine_internal": EngineInternal,
}
DEATH_NOTICE_S = 0.5
"""The engine can see a store's connection close before its keeper has reaped it."""


class MeasuredRun:
    """Reads an engine's events into spool and record."""

    def __init__(self, spool: Spool, sender: SampleSender, record: TrialRecord, telemetry: TelemetryCollector) -> None:
        self._spool = spool
        self._sender = sender
        self._record = record
        self._telemetry = telemetry
        self._fault: ErrorEvent | None = None
        self.on_phase: Callable[[PhaseEvent], None] | None = None
        """Hears where the engine is, from the thread that reads it."""

    def conduct(
        self, engine: Engine, plan: EnginePlan, cwd: Path, target: ReadyTarget, interruption: Interruption
    ) -> None:
        """Raises AgentError and TrialInterrupted; the engine is dead when this returns."""
        run = engine.start(plan, cwd)
        try:
            with interruption.acting(run.stop):
                ending = self._read_to_the_end(run, target)
        finally:
            run.stop()
            self._record.engine_elapsed_s = run.ending().elapsed_s
            self._record.command_lines += run.command_lines
        interruption.check()
        if target.managed is not None and target.managed.has_died(DEATH_NOTICE_S if self._fault else 0.0):
            raise target.managed.death()
        self._judge(ending)

    def _read_to_the_end(self, run: EngineRun, target: ReadyTarget) -> EngineEnding:
        if target.managed is not None:
            target.managed.when_it_dies(run.stop)
        try:
            for line, event in run.events():
                self._take(line, event)
                if isinstance(event, PhaseEvent) and event.phase == "prefill" and event.state == "finished":
                    target.drop_page_cache()
        finally:
            if target.managed is not None:
                target.managed.when_it_dies(None)
        return run.ending()

    def _take(self, line: bytes, event: EngineEvent) -> None:
        match event:
            case SampleEvent():
                self._spool.samples.append(line)
                self._sender.notify()
            case PhaseEvent():
                self._note_phase(event)
            case HelloEvent():
                self._record.hello = event
            case WarningEvent():
                self._record.warn(TrialError(code=event.code, message=event.message))
            case SummaryEvent():
                self._record.summary = event
            case ErrorEvent():
                self._fault = event

    def _note_phase(self, event: PhaseEvent) -> None:
        if event.state == "started":
            self._telemetry.enter_phase(event.phase, event.at_unix_ns)
        else:
            self._telemetry.leave_phase(event.at_unix_ns)
        if self.on_phase is not None:
            self.on_phase(event)

    def _judge(self, ending: EngineEnding) -> None:
        if self._fault is not None:
            where = f" (at {self._fault.path})" if self._fault.path else ""
            raise FAULTS[self._fault.code](self._fault.message + where, ending.log_tail)
        if ending.exit_code < 0:
            name = signal.Signals(-ending.exit_code).name
            message = f"The engine was killed by {name}: check the host's memory and who sends signals, then run again."
            raise EngineKilled(message, ending.log_tail)
        if ending.exit_code == EXIT_STOPPED:
            raise EngineKilled("The engine was stopped by a signal that was not the agent's: run it again.")
        if ending.exit_code != 0 or self._record.summary is None:
            message = f"The engine ended with code {ending.exit_code} and no result: report its last lines as a fault."
            raise EngineInternal(message, ending.log_tail)
