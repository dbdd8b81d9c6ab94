"""Telemetry as an agent tells it, made up."""

import time
from typing import Any

from loadstone_contracts.telemetry import HostSecond, TelemetryEvent, TelemetrySecond

SECOND_NS = 1_000_000_000
MEBIBYTE = 1024 * 1024


def host(**changes: Any) -> HostSecond:
    shares = {"user": 0.5, "system": 0.2, "interrupt": 0.0, "iowait": 0.05, "steal": 0.05, "idle": 0.2}
    rates = ("disk_read_bytes", "disk_written_bytes", "network_received_bytes", "network_sent_bytes")
    more = ("loopback_bytes", "context_switches", "swapped_bytes")
    values = {
        **{f"cpu_{kind}_share": share for kind, share in shares.items()},
        **{f"{name}_per_s": 1000.0 for name in (*rates, *more)},
        "memory_available_bytes": 8 << 30,
    }
    return HostSecond.model_validate(values | changes)


def second(seq: int, **changes: Any) -> TelemetrySecond:
    values: dict[str, Any] = {
        "seq": seq,
        "phase": "measure",
        "at_unix_ns": time.time_ns() + seq * SECOND_NS,
        "duration_ns": SECOND_NS,
        "store": {"gets_per_s": 1000.0 + seq, "evictions_per_s": 0.0, "connections": 5.0},
        "store_memory_bytes": 64 * MEBIBYTE,
        "store_children_memory_bytes": 0,
        "store_disk_bytes": 4096,
        "host": host(),
    }
    return TelemetrySecond.model_validate(values | changes)


def event(seq: int, kind: str = "save_began", **changes: Any) -> TelemetryEvent:
    values = {"seq": seq, "kind": kind, "at_unix_ns": time.time_ns(), "title": "BGSAVE began", **changes}
    return TelemetryEvent.model_validate(values)
