"""A limit of memory for all processes of a store: a control group where this host lets us make one."""

import os
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")
PREFIX = "loadstone-"


@dataclass(frozen=True)
class MemoryController:
    """Where control groups with a limit of memory can be made."""

    parent: Path
    version: int

    @property
    def title(self) -> str:
        return f"cgroup v{self.version}"

    def make_group(self, limit_bytes: int) -> "MemoryGroup":
        """Raises OSError."""
        folder = self.parent / f"{PREFIX}{uuid.uuid4().hex}"
        folder.mkdir()
        group = MemoryGroup(folder, self.version, limit_bytes)
        try:
            group.set_limit()
        except OSError:
            group.remove()
            raise
        return group


@dataclass(frozen=True)
class MemoryGroup:
    folder: Path
    version: int
    limit_bytes: int

    def set_limit(self) -> None:
        if self.version == 2:
            (self.folder / "memory.max").write_text(str(self.limit_bytes))
            _write_if_there(self.folder / "memory.swap.max", "0")
        else:
            (self.folder / "memory.limit_in_bytes").write_text(str(self.limit_bytes))
            # Memory and swap together: no swap on top.
            _write_if_there(self.folder / "memory.memsw.limit_in_bytes", str(self.limit_bytes))

    def has_killed(self) -> bool:
        """Whether the kernel killed one of its processes because the limit was reached."""
        name = "memory.events" if self.version == 2 else "memory.oom_control"
        with suppress(OSError):
            rows = (line.split() for line in (self.folder / name).read_text().splitlines())
            return any(row[0] == "oom_kill" and int(row[1]) > 0 for row in rows)
        return False

    def remove(self) -> None:
        """Its processes are dead; nothing happens where one is not."""
        with suppress(OSError):
            self.folder.rmdir()


def find_memory_controller() -> MemoryController | None:
    """Version 2 before version 1; None where this user may make no group."""
    unified = next((path for path in _unified_parents() if _is_usable(path, "memory.max")), None)
    if unified is not None:
        return MemoryController(unified, 2)
    legacy = MOUNT / "memory"
    return MemoryController(legacy, 1) if _is_usable(legacy, "memory.limit_in_bytes") else None


def _unified_parents() -> list[Path]:
    """From the parent of our own group up: a group with processes in it can have no limited children."""
    if not (MOUNT / "cgroup.controllers").exists():
        return []
    own = next((line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")), "/")
    folder = MOUNT / own.strip("/")
    return [*folder.parents][: len(folder.relative_to(MOUNT).parts)] or [MOUNT]


def _is_usable(parent: Path, needed: str) -> bool:
    """By trying: what may be made and what is delegated cannot be told from permissions alone."""
    probe = parent / f"{PREFIX}probe-{uuid.uuid4().hex}"
    try:
        probe.mkdir()
    except OSError:
        return False
    try:
        return os.access(probe / needed, os.W_OK)
    finally:
        probe.rmdir()


def _write_if_there(path: Path, text: str) -> None:
    with suppress(OSError):
        path.write_text(text)


def sweep_groups() -> None:
    """Removes groups that dead agents left; one with processes in it refuses."""
    controller = find_memory_controller()
    if controller is not None:
        for folder in controller.parent.glob(f"{PREFIX}*"):
            with suppress(OSError):
                folder.rmdir()
