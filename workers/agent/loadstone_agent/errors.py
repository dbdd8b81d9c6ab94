"""Faults with a stable code and one sentence that says what to do."""

from typing import ClassVar

from loadstone_contracts.agent_calls import TrialError

MAX_DETAIL_CHARS = 4000


def last_chars(text: str) -> str:
    """The end of `text`: the last log lines say why something died."""
    return text.strip()[-MAX_DETAIL_CHARS:]


class AgentError(Exception):
    """A fault that ends a trial or a check; `message` is the sentence a person reads."""

    code: ClassVar[str] = "agent_internal"

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.detail = last_chars(detail)

    def as_trial_error(self) -> TrialError:
        return TrialError(code=self.code, message=self.message, detail=self.detail)


class AgentInternal(AgentError):
    code = "agent_internal"


class AgentRestarted(AgentError):
    code = "agent_restarted"


class BadPlan(AgentError):
    code = "bad_plan"


class DiskFull(AgentError):
    code = "disk_full"


class EngineHung(AgentError):
    code = "engine_hung"


class EngineInternal(AgentError):
    code = "engine_internal"


class EngineKilled(AgentError):
    code = "engine_killed"


class EngineMissing(AgentError):
    code = "engine_missing"


class FlushRefused(AgentError):
    code = "flush_refused"


class PlacementRefused(AgentError):
    code = "placement_refused"


class PluginMissing(AgentError):
    code = "plugin_missing"


class PortTaken(AgentError):
    code = "port_taken"


class SandboxMissing(AgentError):
    code = "sandbox_missing"


class StoreDied(AgentError):
    code = "store_died"


class StoreDiskFull(AgentError):
    code = "store_disk_full"


class StoreMissing(AgentError):
    code = "store_missing"


class StoreOutOfMemory(AgentError):
    code = "store_out_of_memory"


class StoreStartFailed(AgentError):
    code = "store_start_failed"


class StoreTooOld(AgentError):
    code = "store_too_old"


class TargetLost(AgentError):
    code = "target_lost"


class TargetNotAllowed(AgentError):
    code = "target_not_allowed"


class TargetRefused(AgentError):
    code = "target_refused"


class TargetUnreachable(AgentError):
    code = "target_unreachable"


class TraceMissing(AgentError):
    code = "trace_missing"


class VersionMismatch(AgentError):
    code = "version_mismatch"


class SamplesRefused(AgentError):
    code = "samples_refused"
