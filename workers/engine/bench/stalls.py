"""Whether percentiles are true when the server stands still for 1 s in every 10 s, over every protocol.

They are held against theory, and against what the server did: when its answers left, less the schedule of the
arrivals. On a quiet machine the two agree; on a busy one the server itself is late and theory does not know.
"""

import itertools
import json
import math
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figures import show
from stores import CLIENT_CORE, SERVER_CORE, on_core

SERVICE_MS, STALL_MS, PERIOD_MS = 1, 1000, 10_000
RATE_PER_S = 2000
SECONDS = 10
# What a stall holds up is 2,000 arrivals; of these 400 are under way, the rest waits within the engine.
CONNECTIONS, PIPELINE = 10, 40
LARGEST_ERROR = 0.02
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999, "max": 1.0}
THEORY_MS = {"p50": 1.0, "p95": 501.0, "p99": 901.0, "p999": 991.0, "max": 1001.0}


@dataclass(frozen=True)
class Percentiles:
    """One run: by name, in milliseconds, as the engine tells them and as they were."""

    told_ms: dict[str, float]
    true_ms: dict[str, float]
    dropped: int


def _plan(protocol: str, port: int, event_loop: str | None) -> str:
    is_memlink = protocol.startswith("memlink")
    address = {"kind": "tcp", "host": "127.0.0.1", "port": port}
    # Memlink answers one request at a time on each connection, and reads on a port of their own.
    connections, pipeline = (CONNECTIONS * PIPELINE, 1) if is_memlink else (CONNECTIONS, PIPELINE)
    return json.dumps({
        "version": 1, "seed": 1,
        "target": {"protocol": protocol, "address": address, "read_address": address if is_memlink else None},
        "dataset": {"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}},
        "operations": [{"kind": "range_first" if is_memlink else "get", "weight": 1}],
        "load": {"kind": "open", "rate_per_s": RATE_PER_S, "connections": connections, "pipeline": pipeline},
        "phases": [{"name": "measure", "stop": {"seconds": SECONDS}}],
        **({"event_loop": event_loop} if event_loop else {}),
    })  # fmt: skip


def _ask(engine: Path, *words: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(subprocess.run([engine, *words], check=True, capture_output=True).stdout)
    return answer


def _event_loops(engine: Path) -> list[str | None]:
    loops = _ask(engine, "schema", "plan")["$defs"].get("EventLoop")
    return list(loops["enum"]) if loops else [None]


def _true_ms(answered_at_unix_ns: list[int], started_at_unix_ns: int) -> dict[str, float]:
    times_ms = sorted(
        (at - started_at_unix_ns - number * 1e9 / RATE_PER_S) / 1e6 for number, at in enumerate(answered_at_unix_ns)
    )
    return {name: times_ms[math.ceil(quantile * len(times_ms)) - 1] for name, quantile in QUANTILES.items()}


def measure(engine: Path, program: Path, protocol: str, event_loop: str | None) -> Percentiles:
    times = [str(SERVICE_MS), str(STALL_MS), str(PERIOD_MS)]
    command = on_core(SERVER_CORE, [str(program), protocol, *times])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        client = on_core(CLIENT_CORE, [str(engine), "run"])
        done = subprocess.run(
            client, input=_plan(protocol, port, event_loop), check=True, capture_output=True, text=True
        )
        answers, _ = server.communicate()
    totals = json.loads(done.stdout.splitlines()[-1])["phases"][0]
    told = totals["operations"][0]["response_time_ns"]
    true_ms = _true_ms([int(line) for line in answers.split()], totals["started_at_unix_ns"])
    told_ms = {name: told[name] / 1e6 for name in QUANTILES}
    return Percentiles(told_ms, true_ms, totals["offered"] - totals["answered"])


def bench_stalls(engine: Path, program: Path, repeats: int) -> None:
    setting = f"{SERVICE_MS} ms of service, 1 s stall every 10 s, open loop {RATE_PER_S}/s for {SECONDS} s"
    protocols = [entry["protocol"] for entry in _ask(engine, "describe")["protocols"]]
    for protocol, event_loop in itertools.product(protocols, _event_loops(engine)):
        store = f"{protocol}.{event_loop}" if event_loop else protocol
        runs = [measure(engine, program, protocol, event_loop) for _ in range(repeats)]
        for name in QUANTILES:
            told_ms = statistics.median(run.told_ms[name] for run in runs)
            for kind, right_ms in (
                ("theory", THEORY_MS[name]),
                ("truth", statistics.median(run.true_ms[name] for run in runs)),
            ):
                method = f"{name} as told, {told_ms:.2f} ms, against {kind}, {right_ms:.2f} ms; {setting}; {store}"
                error = abs(told_ms / right_ms - 1)
                show(f"engine.stall_error.{store}.{name}.to_{kind}", error, "ratio", LARGEST_ERROR, method, repeats)
        dropped = sum(run.dropped for run in runs)
        show(f"engine.stall_dropped.{store}", dropped, "arrivals", 0, f"offered less answered; {setting}", repeats)
