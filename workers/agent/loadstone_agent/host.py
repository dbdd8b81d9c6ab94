"""The host as a result depends on it: what it is, and what else it is doing."""

import os
import platform
import socket
import time
from pathlib import Path

import psutil
from loadstone_contracts.agent_calls import HostInventory, HostLoad

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


def take_inventory() -> HostInventory:
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
