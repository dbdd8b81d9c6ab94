"""What a managed store may reach on its host, decided before it starts. Decision 0009 says why it is done this way."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from loadstone_agent.errors import SandboxMissing
from loadstone_agent.keeper import landlock
from loadstone_agent.settings import AgentSettings, get_settings
from loadstone_agent.stores.base import StoreKind


@dataclass(frozen=True)
class Confinement:
    """`is_landlocked`: whether the kernel limits the store to the paths below."""

    is_landlocked: bool
    readable: list[str]
    writable: list[str]


@cache
def _has_landlock() -> bool:
    return landlock.abi() >= landlock.ABI_MIN


def confine(kind: StoreKind, options: Mapping[str, str], *, wanted: bool = True) -> Confinement:
    """Raises SandboxMissing where a store could read what belongs to its agent."""
    settings = get_settings()
    is_landlocked = wanted and _has_landlock()
    changes_user = os.geteuid() == 0
    if not (is_landlocked or changes_user or settings.agent_allow_unconfined_stores):
        raise SandboxMissing(
            "A managed store could read this agent's token: the agent may not change users, and this kernel has no "
            "Landlock. Run the agent as root or on Linux 5.19 or newer, or set "
            "LOADSTONE_AGENT_ALLOW_UNCONFINED_STORES=1 to accept that."
        )
    program = Path(kind.find_binary(options)).resolve()
    readable = [settings.servers_dir, _installation_of(program, settings), *settings.agent_store_paths]
    return Confinement(is_landlocked, [str(path) for path in readable], list(kind.writable_paths))


def _installation_of(program: Path, settings: AgentSettings) -> Path:
    """The prefix that a server was installed under, unless the agent's own files lie below it."""
    prefix = program.parents[1] if program.parent.name in ("bin", "sbin", "libexec") else program.parent
    closed = settings.agent_dir.resolve()
    return next((path for path in (prefix, program.parent) if not closed.is_relative_to(path)), program)


def sandbox_title(user: str) -> str:
    """For a trial's environment: who the store ran as, and what held it."""
    name = user if os.geteuid() == 0 else "the agent's user"
    return f"{name}, Landlock ABI {landlock.abi()}" if _has_landlock() else f"{name}, without Landlock"
