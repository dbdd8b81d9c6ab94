"""What does collecting telemetry cost, of one core?

The CPU time of the collecting thread (counters, /proc, data directory, one line of JSON into a file) over the time it
ran, on each store that this machine has, while the store holds data and 16 connections. One JSON line: the dearest.
"""

import json
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from loadstone_agent.errors import AgentError
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent.telemetry.collector import TelemetryCollector
from loadstone_contracts.agent_calls import TargetKind

SECONDS = 20.0
CONNECTIONS = 16
LIMIT_SHARE = 0.01
OPTIONS: dict[TargetKind, dict[str, str]] = {
    "memcached": {"memory_mb": "64"},
    "redis": {"save": "", "appendonly": "yes", "appendfsync": "everysec"},
    "mariadb": {},
    "postgresql": {},
}


def collecting_share(store: ManagedStore, spool: Path) -> tuple[float, int]:
    """CPU seconds a second of the collecting thread, and how many records it wrote."""
    with spool.open("wb", buffering=0) as file, ExitStack() as idle:
        for _ in range(CONNECTIONS):
            idle.enter_context(store.kind.control(store.endpoint)).ping()
        collector = TelemetryCollector(store.kind, store.endpoint, store, lambda line: file.write(line) and None)
        began_at = time.monotonic()
        with collector:
            time.sleep(SECONDS)
        share = collector.cpu_s / (time.monotonic() - began_at)
    return share, spool.read_bytes().count(b"\n")


def main() -> int:
    shares: dict[str, float] = {}
    records = 0
    with tempfile.TemporaryDirectory(prefix="loadstone-bench-") as folder:
        root = Path(folder)
        # Servers run as another user, who must be able to pass through.
        root.chmod(0o711)
        for kind, options in OPTIONS.items():
            try:
                store = launch(
                    LaunchPlan(KINDS[kind], options, CONNECTIONS, [], root / "stores", "nobody"), lambda: None
                )
            except AgentError as fault:
                print(f"left out: {kind}: {fault}", file=sys.stderr)
                continue
            try:
                shares[kind], written = collecting_share(store, root / f"{kind}.ndjson")
                records += written
            finally:
                store.stop()
    told = ", ".join(f"{kind} {share:.2%}" for kind, share in shares.items())
    value = max(shares.values())
    method = f"CPU time of the collecting thread over {SECONDS:.0f} s on each store ({told}); the dearest is the value"
    line = {"name": "telemetry_overhead", "value": round(value, 5), "unit": "cores", "limit": LIMIT_SHARE,
            "holds": value <= LIMIT_SHARE, "method": method, "n": records}  # fmt: skip
    print(json.dumps(line))
    return 0


if __name__ == "__main__":
    sys.exit(main())
