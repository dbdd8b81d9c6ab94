"""What the agent needs of any engine: an offer, and a run that yields events."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loadstone_contracts.agent_calls import EngineOffer
from loadstone_contracts.engine_events import EngineEvent
from loadstone_contracts.engine_plan import EnginePlan


@dataclass(frozen=True)
class EngineEnding:
    exit_code: int
    """Negative: killed by that signal."""
    elapsed_s: float
    """Process start to exit."""
    log_tail: str


class EngineRun(ABC):
    """A running engine. Raises EngineInternal for output that is not of the contract."""

    command_lines: list[str]
    """What was started, for a person to read; grows until the run has ended."""

    @abstractmethod
    def events(self) -> Iterator[tuple[bytes, EngineEvent]]:
        """Each event with the line it came in; ends when the engine has closed its output."""

    @abstractmethod
    def stop(self) -> None:
        """Asks, then kills: dead within about a second. From any thread, any number of times."""

    @abstractmethod
    def ending(self) -> EngineEnding:
        """Waits for the exit."""


class Engine(ABC):
    @abstractmethod
    def offer(self) -> EngineOffer:
        """Raises EngineMissing."""

    @abstractmethod
    def start(self, plan: EnginePlan, cwd: Path) -> EngineRun:
        """Raises EngineMissing."""
