"""A control group for each store: everything in it ends together, and its memory and processes have a limit."""

import os
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from loadstone_agent.keeper.processes import kill_group, remove_groups

MOUNT = Path("/sys/fs/cgroup")
PREFIX = "loadstone-"
AGENT_GROUP = "loadstone-agent"
"""Where an agent moves itself inside a group that was delegated to it."""
MEMORY_FILES = {1: "memory.limit_in_bytes", 2: "memory.max"}


@dataclass(frozen=True)
class Hierarchy:
    """A place where this agent may make control groups."""

    parent: Path
    version: int
    limits_memory: bool
    limits_processes: bool

    @property
    def title(self) -> str:
        return f"cgroup v{self.version}"


@dataclass(frozen=True)
class StoreGroup:
    """One store's group in each hierarchy."""

    folders: tuple[tuple[Hierarchy, Path], ...]

    @property
    def paths(self) -> list[str]:
        return [str(folder) for _, folder in self.folders]

    @property
    def limits_processes(self) -> bool:
        return any(hierarchy.limits_processes for hierarchy, _ in self.folders)

    def kill(self) -> None:
        for path in self.paths:
            kill_group(path)

    def has_run_out_of_memory(self) -> bool:
        """Whether the kernel killed one of its processes because the limit was reached."""
        for hierarchy, folder in self.folders:
            name = "memory.events" if hierarchy.version == 2 else "memory.oom_control"
            with suppress(OSError):
                rows = (line.split() for line in (folder / name).read_text().splitlines())
                if any(row[0] == "oom_kill" and int(row[1]) > 0 for row in rows):
                    return True
        return False

    def remove(self) -> None:
        """Its processes are dead. A group that still has one stays."""
        remove_groups(self.paths)


def make_group(name: str, processes_max: int, memory_limit_bytes: int | None) -> StoreGroup:
    """One in every hierarchy that this agent may use, which may be none. Raises OSError."""
    group = StoreGroup(tuple((hierarchy, hierarchy.parent / f"{PREFIX}{name}") for hierarchy in find_hierarchies()))
    try:
        for hierarchy, folder in group.folders:
            folder.mkdir()
            if hierarchy.limits_processes:
                (folder / "pids.max").write_text(str(processes_max))
            if hierarchy.limits_memory and memory_limit_bytes is not None:
                _limit_memory(folder, hierarchy.version, memory_limit_bytes)
    except OSError:
        group.remove()
        raise
    return group


def _limit_memory(folder: Path, version: int, limit_bytes: int) -> None:
    (folder / MEMORY_FILES[version]).write_text(str(limit_bytes))
    # No swap on top. Version 1 counts memory and swap together.
    name, swap = ("memory.swap.max", 0) if version == 2 else ("memory.memsw.limit_in_bytes", limit_bytes)
    with suppress(OSError):
        (folder / name).write_text(str(swap))


def memory_limiter() -> Hierarchy | None:
    """Where a limit of memory can be kept; None where this agent can limit none."""
    return next((hierarchy for hierarchy in find_hierarchies() if hierarchy.limits_memory), None)


@cache
def find_hierarchies() -> tuple[Hierarchy, ...]:
    """By trying: what may be made and what is delegated can't be read from permissions alone.

    Version 2 comes first, because it kills a whole group at once. Version 1 adds the limits that version 2 lacks on a
    host that has both.
    """
    found = next((found for path in _unified_parents() if (found := _probe(path, 2)) is not None), None)
    hierarchies = [found] if found is not None else []
    for name in ("memory", "pids"):
        missing = not any(one.limits_memory if name == "memory" else one.limits_processes for one in hierarchies)
        legacy = _probe(MOUNT / name, 1) if missing else None
        if legacy is not None:
            hierarchies.append(legacy)
    return tuple(hierarchies)


def _unified_parents() -> list[Path]:
    """From the most capable to the least: a group that has processes in it can have no limited children."""
    mount = next((path for path in (MOUNT, MOUNT / "unified") if (path / "cgroup.controllers").exists()), None)
    if mount is None:
        return []
    own = mount / _own_group().strip("/")
    if own.name == AGENT_GROUP:
        return [own.parent]
    return [*own.parents][: len(own.relative_to(mount).parts)] or [mount]


def _own_group() -> str:
    rows = Path("/proc/self/cgroup").read_text().splitlines()
    return next((line[3:] for line in rows if line.startswith("0::")), "/")


def _probe(parent: Path, version: int) -> Hierarchy | None:
    probe = parent / f"{PREFIX}probe-{uuid.uuid4().hex}"
    try:
        probe.mkdir()
    except OSError:
        return None
    try:
        if not os.access(probe / "cgroup.procs", os.W_OK):
            return None
        limits_memory = os.access(probe / MEMORY_FILES[version], os.W_OK)
        return Hierarchy(parent, version, limits_memory, os.access(probe / "pids.max", os.W_OK))
    finally:
        probe.rmdir()


def settle_in_delegated_group() -> None:
    """Moves this agent into a leaf of the group that systemd delegated to it, so that stores get groups beside it.

    A group with processes of its own can't give controllers to its children. Nothing happens without delegation.
    """
    if os.geteuid() == 0 or not (MOUNT / "cgroup.controllers").exists():
        return
    own = MOUNT / _own_group().strip("/")
    if own.name == AGENT_GROUP or not os.access(own / "cgroup.procs", os.W_OK):
        return
    leaf = own / AGENT_GROUP
    with suppress(OSError):
        leaf.mkdir(exist_ok=True)
        for process_id in (own / "cgroup.procs").read_text().split():
            (leaf / "cgroup.procs").write_text(process_id)
        for controller in ("memory", "pids"):
            with suppress(OSError):
                (own / "cgroup.subtree_control").write_text(f"+{controller}")
    find_hierarchies.cache_clear()


def end_group(name: str) -> None:
    """Kills what a dead agent's store left running, and removes its group."""
    for hierarchy in find_hierarchies():
        folder = str(hierarchy.parent / f"{PREFIX}{name}")
        kill_group(folder)
        remove_groups([folder])
