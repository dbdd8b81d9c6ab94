"""What does the sandbox of managed stores cost?

Starts, throughput, p99 and CPU per operation of memcached and Redis with the sandbox (Landlock, no new privileges, a
control group) and without it, in pairs of random order. Throughput and p99 swing by tens of percent on a small host, so
the CPU time of client and server per operation stands beside them: it is what the sandbox could change, and steady.
JSON lines; `value` is the median over the pairs, and the method names its interval.
"""

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from loadstone_agent.stores import KINDS
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_contracts.agent_calls import TargetKind

STORES: dict[TargetKind, tuple[str, dict[str, str]]] = {
    "memcached": ("memcached", {"memory_mb": "64"}),
    "redis": ("redis", {"save": ""}),
}
CONNECTIONS = 16
START_LIMIT_S, LOAD_LIMIT = 0.05, 0.01


class Reading(NamedTuple):
    start_s: float
    throughput: float
    p99_ns: float
    cpu_ns: float
    """Of client and server together, per operation."""


@contextmanager
def started(kind: TargetKind, root: Path, *, is_confined: bool) -> Iterator[tuple[ManagedStore, float]]:
    plan = LaunchPlan(KINDS[kind], STORES[kind][1], CONNECTIONS, [], root / "stores", "nobody", is_confined=is_confined)
    began_at = time.perf_counter()
    store = launch(plan, lambda: None)
    try:
        yield store, time.perf_counter() - began_at
    finally:
        store.stop()


def read(engine: str, kind: TargetKind, root: Path, seconds: float, *, is_confined: bool) -> Reading:
    with started(kind, root, is_confined=is_confined) as (store, start_s):
        target = f"{STORES[kind][0]}://127.0.0.1:{store.load_endpoints[0].port}"
        command = [engine, "run", "--target", target, "--mix", "get=9,set=1", "--connections", str(CONNECTIONS),
                   "--keys", "10000", "--seconds", str(seconds), "--json"]  # fmt: skip
        before_s = store.cpu_s()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        answer: dict[str, Any] = json.loads(done.stdout)
        cpu_s = answer["engine_cpu_s"] + store.cpu_s() - before_s
    # The prefill's share of the server's CPU is the same on both sides.
    p99 = answer["operations"]["get"]["response_time_ns"]["p99"]
    return Reading(start_s, answer["answered"] / answer["elapsed_s"], p99, cpu_s / answer["answered"] * 1e9)


def interval_of_median(values: list[float]) -> tuple[float, float]:
    """Order statistics at about 95 % (David and Nagaraja 2003), whatever the distribution."""
    count = len(values)
    reach = math.ceil(0.98 * math.sqrt(count))
    ordered = sorted(values)
    return ordered[max(0, count // 2 - reach)], ordered[min(count - 1, count // 2 + reach)]


def report(name: str, differences: list[float], unit: str, limit: float, method: str) -> None:
    """`holds` compares the median; the interval says how well this host could see it."""
    value = statistics.median(differences)
    low, high = interval_of_median(differences)
    line = {"name": name, "value": round(value, 5), "unit": unit, "limit": limit, "holds": value <= limit,
            "method": f"{method}; 95 % interval of the median {low:.4f} to {high:.4f}",
            "n": len(differences)}  # fmt: skip
    print(json.dumps(line), flush=True)


def measure(engine: str, kind: TargetKind, root: Path, pairs: int, seconds: float) -> None:
    order = random.Random(11)
    readings: list[tuple[Reading, Reading]] = []
    for _ in range(pairs):
        sides = [True, False]
        order.shuffle(sides)
        pair = {side: read(engine, kind, root, seconds, is_confined=side) for side in sides}
        readings.append((pair[True], pair[False]))
    how = f"{kind}: with the sandbox against without, pairs of random order, {seconds} s of 90 % gets at {CONNECTIONS}"
    starts = [inside.start_s - outside.start_s for inside, outside in readings]
    report(f"sandbox_start_{kind}", starts, "s", START_LIMIT_S, f"{kind}: start to first answer, difference")
    lost = [1 - inside.throughput / outside.throughput for inside, outside in readings]
    report(f"sandbox_throughput_lost_{kind}", lost, "share", LOAD_LIMIT, how)
    slower = [inside.p99_ns / outside.p99_ns - 1 for inside, outside in readings]
    report(f"sandbox_p99_gained_{kind}", slower, "share", LOAD_LIMIT, how)
    dearer = [inside.cpu_ns / outside.cpu_ns - 1 for inside, outside in readings]
    report(f"sandbox_cpu_per_operation_gained_{kind}", dearer, "share", LOAD_LIMIT, how)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loadstone-bench-") as folder:
        root = Path(folder)
        root.chmod(0o711)
        for kind in STORES:
            measure(chosen.engine, kind, root, chosen.pairs, chosen.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
