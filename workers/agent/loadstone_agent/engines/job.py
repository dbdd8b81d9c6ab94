"""What an adapter is given for one phase."""

from dataclasses import dataclass
from pathlib import Path

from loadstone_contracts.engine_plan import EnginePhase, EnginePlan, TcpAddress


@dataclass(frozen=True)
class Found:
    """A program of this host."""

    binary: str
    version: str
    extra: tuple[str, ...] = ()


@dataclass(frozen=True)
class PhaseJob:
    """One phase for a program to carry out. `scratch` is a folder of its own."""

    plan: EnginePlan
    phase: EnginePhase
    scratch: Path
    found: Found

    @property
    def address(self) -> TcpAddress:
        assert isinstance(self.plan.target.address, TcpAddress)
        return self.plan.target.address

    @property
    def connections(self) -> int:
        return self.plan.load.connections

    @property
    def in_flight(self) -> int | None:
        """What a closed loop keeps in flight."""
        load = self.plan.load
        return load.connections * load.pipeline if load.kind == "closed" else None

    @property
    def seconds(self) -> float | None:
        return self.phase.stop.seconds if self.phase.stop else None

    @property
    def operations(self) -> int | None:
        return self.phase.stop.operations if self.phase.stop else None

    @property
    def operations_each(self) -> int:
        """Of one connection, rounded up: some programs count by connection."""
        return -(-(self.operations or 0) // self.connections)

    @property
    def fixed_value_bytes(self) -> int:
        size = self.plan.dataset.value_size
        assert size.kind == "fixed", "the table of engines lets no other size through"
        return size.bytes

    @property
    def is_reconnecting(self) -> bool:
        return self.plan.load.requests_per_connection == 1

    def secret_file(self, name: str, text: str) -> Path:
        path = self.scratch / name
        path.touch(mode=0o600)
        path.write_text(text)
        return path
