"""The managed stores of one run that live on between its trials, and leftovers of dead agents."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import structlog
from loadstone_contracts.agent_calls import Reset

from loadstone_agent.settings import AgentSettings
from loadstone_agent.stores.directories import wipe_quietly
from loadstone_agent.stores.groups import end_group
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent.stores.placement import DATA_FOLDER

log = structlog.get_logger()


class StoreSession:
    """Stores by (run, instance key). Closing it stops them all."""

    def __init__(self) -> None:
        self._stores: dict[tuple[str, str], ManagedStore] = {}

    def close_other_runs(self, run_id: str) -> None:
        for key in [key for key in self._stores if key[0] != run_id]:
            self._stores.pop(key).stop()

    def close(self) -> None:
        while self._stores:
            self._stores.popitem()[1].stop()

    def obtain(
        self, key: tuple[str, str], reset: Reset, plan: LaunchPlan, check_interrupt: Callable[[], None]
    ) -> tuple[ManagedStore, bool]:
        """The store, and whether it is fresh (and so empty). Raises StoreDied when a kept store is gone."""
        kept = self._stores.get(key)
        if kept is not None and kept.has_died():
            self.discard(key)
            raise kept.death()
        if kept is not None and reset != "restart":
            if plan.cpus:
                kept.pin(plan.cpus)
            return kept, False
        self.discard(key)
        self._stores[key] = launch(plan, check_interrupt)
        return self._stores[key], True

    def discard(self, key: tuple[str, str]) -> None:
        store = self._stores.pop(key, None)
        if store is not None:
            store.stop()


def sweep_host(settings: AgentSettings) -> None:
    """What dead agents left: data directories with their control groups, templates that were cut short."""
    elsewhere = (folder / DATA_FOLDER for folder in settings.agent_data_directories.values())
    for data_root in (settings.stores_dir, *elsewhere):
        sweep_leftovers(data_root)
    for unfinished in settings.templates_dir.glob("*.[0-9]*"):
        shutil.rmtree(unfinished, ignore_errors=True)


def sweep_leftovers(data_root: Path) -> None:
    """Removes data directories whose keeper was killed; a living keeper holds a lock on its directory."""
    if not data_root.exists():
        return
    for directory in data_root.iterdir():
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            log.warning("leftover_store_removed", directory=str(directory))
            end_group(directory.name)
            wipe_quietly(directory)
        finally:
            os.close(descriptor)
