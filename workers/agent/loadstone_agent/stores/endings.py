"""Why a store did not start, or died: told by what it logged and how it went."""

import signal
from dataclasses import dataclass

from loadstone_agent.errors import (
    AgentError,
    BadPlan,
    PluginMissing,
    StoreDied,
    StoreDiskFull,
    StoreOutOfMemory,
    StoreStartFailed,
)

OPTION_REFUSALS = (
    "FATAL CONFIG FILE ERROR",
    "unknown variable",
    "Error while setting value",
    "Unknown/unsupported storage engine",
    "unrecognized configuration parameter",
    "invalid value for",
    "Error parsing command line",
)
"""How Redis, MySQL and MariaDB, PostgreSQL and MongoDB say that they do not like an option."""
PLUGIN_FAULTS = ("Can't open shared library", "Couldn't load plugin")
DISK_FULL = ("No space left on device", "Disk is full", "disk is full")
KEEPER_KILLED = "its keeper was killed"


@dataclass(frozen=True)
class Ending:
    """`code` as the keeper tells it, negative for a signal; None when the keeper itself was killed."""

    binary: str
    code: int | None
    log: str
    is_out_of_memory: bool = False

    @property
    def how(self) -> str:
        if self.code is None:
            return KEEPER_KILLED
        return f"killed by {signal.Signals(-self.code).name}" if self.code < 0 else f"exit code {self.code}"

    def is_port_taken(self) -> bool:
        return "already in use" in self.log or "EADDRINUSE" in self.log

    def start_fault(self) -> AgentError:
        if self._is_disk_full():
            return _disk_full(self.binary, "did not start", self.log)
        if any(words in self.log for words in PLUGIN_FAULTS):
            message = f"{self.binary} could not load a plugin, and knows none of its options: install the server again."
            return PluginMissing(message, self.log)
        if any(words in self.log for words in OPTION_REFUSALS):
            return BadPlan(f"{self.binary} refused its options: correct the target's options.", self.log)
        return StoreStartFailed(f"{self.binary} did not start ({self.how}): see its last log lines.", self.log)

    def death(self) -> AgentError:
        if self._is_disk_full():
            return _disk_full(self.binary, "died", self.log)
        if self.is_out_of_memory:
            message = f"{self.binary} was killed at its limit of memory: raise the target's limit, or use less data."
            return StoreOutOfMemory(message, self.log)
        message = f"{self.binary} died during the trial ({self.how}): see its last log lines, its memory and options."
        return StoreDied(message, self.log)

    def _is_disk_full(self) -> bool:
        return any(words in self.log for words in DISK_FULL)


def _disk_full(binary: str, what: str, log: str) -> StoreDiskFull:
    message = f"{binary} {what}: the disk of its data directory is full. Free some space, or choose another directory."
    return StoreDiskFull(message, log)
