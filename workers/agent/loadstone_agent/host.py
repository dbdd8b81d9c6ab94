"""The host as a result depends on it: what it is, and what else it is doing."""

import os
import platform
import resource
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import psutil
from loadstone_contracts.agent_calls import DataDirectory, HostInventory, HostLoad, HostLoadDuring

from loadstone_agent.cpus import as_cpu_list

NO_DIRECTORIES: Mapping[str, Path] = MappingProxyType({})
QUIET_WINDOW_S = 0.05
"""Five ticks of the kernel's CPU accounting; shorter windows say nothing."""


def _first_line(path: str) -> str | None:
    try:
        return Path(path).read_text().split("\n", 1)[0].strip() or None
    except OSError:
        return None


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Hardware", "cpu model"):
            return " ".join(value.split())
    return platform.machine()


def _operating_system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def host_key() -> str:
    """Stable identity of the host, shared by every agent on it."""
    return _first_line("/etc/machine-id") or _first_line("/var/lib/dbus/machine-id") or socket.gethostname()


def _filesystem(folder: Path) -> str | None:
    """Of the mount that holds it: the longest mount point that it lies under."""
    held = [part for part in psutil.disk_partitions(all=True) if folder.is_relative_to(part.mountpoint)]
    return max(held, key=lambda part: len(part.mountpoint)).fstype if held else None


def take_inventory(data_directories: Mapping[str, Path] = NO_DIRECTORIES) -> HostInventory:
    cpu_model, cpu_count = _cpu_model(), len(os.sched_getaffinity(0))
    memory_bytes = int(psutil.virtual_memory().total)
    return HostInventory(
        hostname=socket.gethostname(),
        cpu_model=cpu_model,
        cpu_count=cpu_count,
        cpu_governor=_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        memory_bytes=memory_bytes,
        kernel=platform.release(),
        operating_system=_operating_system(),
        python_version=platform.python_version(),
        cpus=as_cpu_list(sorted(os.sched_getaffinity(0))),
        data_directories=[
            DataDirectory(name=name, filesystem=_filesystem(folder)) for name, folder in data_directories.items()
        ],
        agent_class=f"{cpu_model}, {cpu_count} CPUs, {round(memory_bytes / 2**30)} GiB",
    )


class LoadMeter:
    """CPU use of the whole host between `mark` and `read`, seen while the agent itself is quiet."""

    def __init__(self) -> None:
        self.mark()

    def mark(self) -> None:
        self._marked_at = time.monotonic()
        self._times = psutil.cpu_times()

    def read(self) -> HostLoad:
        """Waits until the window is wide enough to mean something."""
        time.sleep(max(0.0, self._marked_at + QUIET_WINDOW_S - time.monotonic()))
        now = psutil.cpu_times()
        idle_s = now.idle + now.iowait - self._times.idle - self._times.iowait
        # Guest time is counted in user time already.
        all_s = sum(now[:8]) - sum(self._times[:8])
        return HostLoad(
            load_1min=os.getloadavg()[0],
            cpu_busy_share=min(1.0, max(0.0, 1.0 - idle_s / all_s)) if all_s > 0 else 0.0,
            memory_available_bytes=int(psutil.virtual_memory().available),
            swap_used_bytes=int(psutil.swap_memory().used),
        )


class TrialMeter:
    """What the host does from now on until `read`, and how much of it is the trial's own."""

    def __init__(self, store_cpu_s: Callable[[], float] | None) -> None:
        """`store_cpu_s` counts the CPU seconds of a store that this agent started."""
        self._store_cpu_s = store_cpu_s
        self._times = psutil.cpu_times()
        self._own_s = self._own()
        self._swapped = _swapped_bytes()

    def _own(self) -> float:
        """CPU seconds of agent, engine (once it has been waited for) and store."""
        parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        store_s = self._store_cpu_s() if self._store_cpu_s else 0.0
        return sum(part.ru_utime + part.ru_stime for part in parts) + store_s

    def read(self) -> HostLoadDuring:
        now, before = psutil.cpu_times(), self._times
        all_s = max(sum(now[:8]) - sum(before[:8]), 1e-9)
        steal_s = now.steal - before.steal
        idle_s = now.idle + now.iowait - before.idle - before.iowait
        busy_s = all_s - idle_s - steal_s
        others_s = busy_s - (self._own() - self._own_s)
        return HostLoadDuring(
            cpu_busy_share=_share(busy_s / all_s),
            steal_share=_share(steal_s / all_s),
            others_busy_share=_share(others_s / all_s) if self._store_cpu_s else None,
            swapped_bytes=max(0, _swapped_bytes() - self._swapped),
        )


def _share(share: float) -> float:
    """Counters of one moment are read one after the other: a little below 0 or above 1 is possible."""
    return min(1.0, max(0.0, share))


def _swapped_bytes() -> int:
    swap = psutil.swap_memory()
    return int(swap.sin + swap.sout)
