"""Everything a trial's finish will say, gathered as it becomes known."""

from dataclasses import dataclass, field
from typing import Literal

from loadstone_contracts.agent_calls import (
    FinishRequest,
    HostInventory,
    HostLoad,
    HostLoadDuring,
    StoreFacts,
    TrialError,
)
from loadstone_contracts.durability import DurabilityReport
from loadstone_contracts.engine_events import HelloEvent, SummaryEvent

from loadstone_agent.errors import AgentError, AgentRestarted
from loadstone_agent.trial.interruption import Reason

Outcome = Literal["succeeded", "failed", "cancelled", "crashed"]
MAX_WARNINGS = 100


@dataclass
class TrialRecord:
    outcome: Outcome = "failed"
    error: TrialError | None = None
    warnings: list[TrialError] = field(default_factory=list)
    hello: HelloEvent | None = None
    summary: SummaryEvent | None = None
    engine_elapsed_s: float | None = None
    load_before: HostLoad | None = None
    load_during: HostLoadDuring | None = None
    keys_held: int | None = None
    durability: DurabilityReport | None = None
    store: StoreFacts | None = None
    command_lines: list[str] = field(default_factory=list)

    def succeed(self) -> None:
        self.outcome = "succeeded"

    def fail(self, error: AgentError) -> None:
        self.outcome, self.error = "failed", error.as_trial_error()

    def interrupt(self, reason: Reason) -> None:
        if reason == "agent_stopping":
            message = "The agent was stopped during the trial: nothing to do, it is attempted again."
            self.outcome, self.error = "crashed", AgentRestarted(message).as_trial_error()
        else:
            self.outcome, self.error = "cancelled", None

    def warn(self, warning: TrialError | None) -> None:
        if warning is not None and len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(warning)

    def finish(self, fence: int, inventory: HostInventory, sample_count: int) -> FinishRequest:
        return FinishRequest(
            fence=fence,
            outcome=self.outcome,
            error=self.error,
            warnings=self.warnings,
            summary=self.summary,
            engine=self.hello.engine if self.hello else None,
            engine_version=self.hello.engine_version if self.hello else None,
            engine_elapsed_s=self.engine_elapsed_s,
            inventory=inventory,
            load_before=self.load_before,
            load_during=self.load_during,
            keys_held=self.keys_held,
            durability=self.durability,
            store=self.store,
            command_lines=self.command_lines,
            sample_count=sample_count,
        )
