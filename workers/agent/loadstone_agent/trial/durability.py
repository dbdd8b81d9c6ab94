"""A check of durability: the store is killed under its load, and what it had acknowledged is read back."""

import subprocess
import threading
import time
from pathlib import Path

from loadstone_contracts.durability import DurabilityReport, KillRequest
from loadstone_contracts.engine_events import PhaseEvent
from loadstone_contracts.engine_plan import EnginePlan
from pydantic import BaseModel, ValidationError

from loadstone_agent.engines.native import NativeEngine
from loadstone_agent.errors import BadPlan, EngineInternal, TargetLost
from loadstone_agent.stores.launch import ManagedStore
from loadstone_agent.trial.interruption import Interruption

JOURNAL = "acknowledged.journal"
AUDIT_PLAN = "audit-plan.json"


class _Audit(BaseModel):
    """What `loadstone-engine audit` prints."""

    acknowledged: int
    keys: int
    kept: int
    newer: int
    lost: int
    torn: int
    errors: int
    lost_window_ns: int | None


class CrashCheck:
    """Waits for the measure phase, kills the store, and after the engine's end starts it again and audits it."""

    def __init__(self, request: KillRequest, store: ManagedStore, folder: Path, interruption: Interruption) -> None:
        self._store = store
        self._folder = folder
        self._interruption = interruption
        self._killed = threading.Event()
        self._timer = threading.Timer(request.kill_after_s, self._kill)

    def journalled(self, plan: EnginePlan) -> EnginePlan:
        return plan.model_copy(update={"journal": str(self._folder / JOURNAL)})

    def hear(self, event: PhaseEvent) -> None:
        """Of the engine: the time to the kill counts from the start of the measure phase."""
        if event.phase == "measure" and event.state == "started":
            self._timer.start()

    def _kill(self) -> None:
        self._killed.set()
        self._store.kill()

    def judge_loss(self, loss: TargetLost | None) -> None:
        """That the target was lost is what was asked for, if it was killed before. Raises BadPlan and TargetLost."""
        self._timer.cancel()
        if self._killed.is_set():
            return
        if loss is not None:
            raise loss
        raise BadPlan("The measurement ended before the store was to be killed: let it last longer than that.")

    def audit(self, engine: NativeEngine, plan: EnginePlan) -> DurabilityReport:
        """Raises StoreStartFailed, EngineMissing, EngineInternal and TrialInterrupted."""
        started_at = time.monotonic()
        self._store.start_again(self._interruption.check)
        restart_s = time.monotonic() - started_at
        path = self._folder / AUDIT_PLAN
        path.write_text(plan.model_dump_json(), encoding="utf-8")
        audit = self._ask(engine.audit_command(path, self._folder / JOURNAL))
        return DurabilityReport(**audit.model_dump(), restart_s=restart_s)

    def _ask(self, command: list[str]) -> _Audit:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        with self._interruption.acting(process.kill):
            printed, log = process.communicate()
        self._interruption.check()
        try:
            return _Audit.model_validate_json(printed)
        except ValidationError as error:
            message = (
                f"The audit of the journal ended with code {process.returncode}: report its last lines as a fault."
            )
            detail = (printed[-2000:] + b"\n" + log[-2000:]).decode("utf-8", "replace")
            raise EngineInternal(message, detail) from error
