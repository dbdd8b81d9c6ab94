"""The host's own counters, from /proc."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from loadstone_contracts.telemetry import HostSecond

LEAST_SPAN_S = 0.2
"""CPU time is counted in hundredths of a second: shorter spans say nothing."""
CPU_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


@dataclass(frozen=True)
class _Reading:
    at: float
    cpu: dict[str, int]
    amounts: dict[str, float]
    """Counters, by the name of the rate that they become."""


class HostMeter:
    def __init__(self) -> None:
        self._last = _read()
        self.oom_kills = _vmstat()["oom_kill"]
        """Processes that the kernel has killed for want of memory since the host was started."""

    def read(self) -> HostSecond | None:
        """Since the reading before; None when that was a moment ago."""
        if time.monotonic() - self._last.at < LEAST_SPAN_S:
            return None
        before, now = self._last, _read()
        self._last = now
        self.oom_kills = int(now.amounts["oom_kills_per_s"])
        ticks = {name: max(0, now.cpu[name] - before.cpu[name]) for name in CPU_FIELDS}
        all_ticks = sum(ticks.values()) or 1
        span_s = now.at - before.at
        rates = {name: max(0.0, now.amounts[name] - before.amounts[name]) / span_s for name in now.amounts}
        del rates["oom_kills_per_s"]
        return HostSecond(
            cpu_user_share=(ticks["user"] + ticks["nice"]) / all_ticks,
            cpu_system_share=ticks["system"] / all_ticks,
            cpu_interrupt_share=(ticks["irq"] + ticks["softirq"]) / all_ticks,
            cpu_iowait_share=ticks["iowait"] / all_ticks,
            cpu_steal_share=ticks["steal"] / all_ticks,
            cpu_idle_share=ticks["idle"] / all_ticks,
            memory_available_bytes=_memory_available_bytes(),
            **rates,
        )


def _read() -> _Reading:
    cpu: dict[str, int] = {}
    switches = 0
    # By hand: the file is long on large hosts, and psutil would read it twice.
    with Path("/proc/stat").open() as file:
        for line in file:
            if line.startswith("cpu "):
                cpu = dict(zip(CPU_FIELDS, map(int, line.split()[1:9]), strict=False))
            elif line.startswith("ctxt "):
                switches = int(line.split()[1])
                break
    disk = psutil.disk_io_counters()
    virtual = _vmstat()
    amounts = {
        "disk_read_bytes_per_s": disk.read_bytes if disk else 0,
        "disk_written_bytes_per_s": disk.write_bytes if disk else 0,
        "context_switches_per_s": switches,
        "swapped_bytes_per_s": (virtual["pswpin"] + virtual["pswpout"]) * PAGE_BYTES,
        "oom_kills_per_s": virtual["oom_kill"],
        **_network(),
    }
    return _Reading(time.monotonic(), cpu, amounts)


PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
WANTED_VIRTUAL = frozenset({"pswpin", "pswpout", "oom_kill"})


def _vmstat() -> dict[str, int]:
    found = dict.fromkeys(WANTED_VIRTUAL, 0)
    with Path("/proc/vmstat").open() as file:
        for line in file:
            name, _, value = line.partition(" ")
            if name in WANTED_VIRTUAL:
                found[name] = int(value)
    return found


def _network() -> dict[str, float]:
    received = sent = loopback = 0
    for name, counted in psutil.net_io_counters(pernic=True).items():
        if name == "lo":
            loopback = counted.bytes_recv
        else:
            received += counted.bytes_recv
            sent += counted.bytes_sent
    return {
        "network_received_bytes_per_s": received,
        "network_sent_bytes_per_s": sent,
        "loopback_bytes_per_s": loopback,
    }


def _memory_available_bytes() -> int:
    with Path("/proc/meminfo").open() as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 0
