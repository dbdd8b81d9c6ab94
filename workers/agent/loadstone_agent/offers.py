"""What this host can start and run, noticed while the agent runs."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import structlog
from loadstone_contracts.agent_calls import EngineOffer, StoreOffer

from loadstone_agent.engines.catalog import EngineCatalog
from loadstone_agent.settings import AgentSettings
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.base import SYSTEM_PROGRAMS
from loadstone_agent.stores.mysql import SYSTEM_PREFIXES

log = structlog.get_logger()

PACKAGES = Path("/var/lib/dpkg/status")
"""Rewritten when a package has come or gone."""


class HostOffers:
    def __init__(self, settings: AgentSettings, engines: EngineCatalog) -> None:
        self._engines = engines
        # A folder changes when a program comes into it or leaves it, whoever does that.
        programs = [Path(folder) for folder in f"{os.environ.get('PATH', os.defpath)}{SYSTEM_PROGRAMS}".split(":")]
        self._watched = (
            *(*programs, PACKAGES, SYSTEM_PREFIXES, settings.servers_dir, settings.engines_dir),
            Path(settings.engine),
        )
        self._seen: tuple[int | None, ...] | None = None
        self._stores: list[StoreOffer] = []
        self._found: list[EngineOffer] = []

    def read(self) -> tuple[list[StoreOffer], list[EngineOffer]]:
        """Programs are asked for their versions only when something has changed: a trial may be under way."""
        now = tuple(_changed_at_ns(self._watched))
        if now != self._seen:
            try:
                self._stores = [offer for kind in KINDS.values() for offer in kind.offers()]
                self._found = self._engines.offers()
                self._seen = now
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                # Half installed, or too busy to answer: what was known stays until the next heartbeat asks again.
                log.warning("offers_unread", error=str(error))
        return self._stores, self._found


def _changed_at_ns(paths: Iterable[Path]) -> Iterable[int | None]:
    for path in paths:
        try:
            yield path.stat().st_mtime_ns
        except OSError:
            yield None
