"""A store's processes, from /proc: the server that was started, and what it forks."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from loadstone_agent.telemetry.budget import Budget
from loadstone_agent.telemetry.host import LEAST_SPAN_S, PAGE_BYTES

MEMORY_SHARE = 0.003
"""Of one core: a child's own memory is known only by a walk over its pages."""
CPU_SHARE = 0.002
"""Of one core: a server that forks for each connection has hundreds of children to look at."""
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class ProcessReading:
    memory_bytes: int | None = None
    children_memory_bytes: int | None = None
    cpu_cores: float | None = None


class ProcessMeter:
    """`read` gives nothing for a process that is gone."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._memory_budget = Budget(MEMORY_SHARE)
        self._cpu_budget = Budget(CPU_SHARE)
        self._cpu_s: dict[int, float] = {}
        self._cpu_at = 0.0

    def read(self, thorough: bool) -> ProcessReading:
        """`thorough`: whatever it costs."""
        try:
            memory_bytes = _resident_bytes(self.pid)
            children = _descendants(self.pid)
        except OSError:
            return ProcessReading()
        cpu_cores = None
        if thorough or self._cpu_budget.allows():
            with self._cpu_budget.spending():
                cpu_cores = self._cpu_cores([self.pid, *children])
        if not children:
            return ProcessReading(memory_bytes, 0, cpu_cores)
        if not thorough and not self._memory_budget.allows():
            return ProcessReading(memory_bytes, None, cpu_cores)
        with self._memory_budget.spending():
            return ProcessReading(memory_bytes, _added_bytes(self.pid, children), cpu_cores)

    def _cpu_cores(self, pids: list[int]) -> float | None:
        """CPU seconds a second since the reading before, of the processes that are there."""
        now = time.monotonic()
        if now - self._cpu_at < LEAST_SPAN_S:
            return None
        before, span_s, is_first = self._cpu_s, now - self._cpu_at, self._cpu_at == 0.0
        self._cpu_s, self._cpu_at = {pid: _cpu_seconds(pid) for pid in pids}, now
        if is_first:
            return None
        used_s = sum(max(0.0, used - before.get(pid, 0.0)) for pid, used in self._cpu_s.items())
        return used_s / span_s


def _resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE_BYTES


def _cpu_seconds(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK_S
    return 0.0


def _descendants(pid: int) -> list[int]:
    """Forked by a main thread, at any depth: that is how every store here makes its children."""
    # Not by psutil, which looks at every process of the host for it.
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_bytes().split()]
    found = list(children)
    for child in children:
        with suppress(OSError):
            found += _descendants(child)
    return found


def _added_bytes(pid: int, children: list[int]) -> int | None:
    """What the children hold beyond the server's own memory.

    Proportional set sizes of all of them add up to the pages that there are; the server's own are taken off. So a
    page that a fork shares with its parent is counted once, and one that was copied since twice, as it is held twice.
    Pages of files are left out: other servers of the same program share them, which makes them count for less here.
    """
    try:
        held = _proportional_bytes(pid) + sum(_proportional_or_none(child) for child in children)
        own = _sum_of(Path(f"/proc/{pid}/status"), b"RssAnon:", b"RssShmem:")
    except OSError:
        # Without the right to look into processes of others (a container without SYS_PTRACE).
        return None
    return max(0, held - own)


def _proportional_or_none(pid: int) -> int:
    """A child that has ended meanwhile holds nothing."""
    try:
        return _proportional_bytes(pid)
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _proportional_bytes(pid: int) -> int:
    return _sum_of(Path(f"/proc/{pid}/smaps_rollup"), b"Pss_Anon:", b"Pss_Shmem:")


def _sum_of(path: Path, *names: bytes) -> int:
    """In bytes, of lines such as `RssAnon:  1234 kB`."""
    return sum(int(line.split()[1]) * 1024 for line in path.read_bytes().splitlines() if line.startswith(names))
