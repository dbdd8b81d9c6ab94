"""Whether percentiles are those of theory when the server stands still for 1 s in every 10 s."""

import json
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from figures import show
from stores import CLIENT_CORE, SERVER_CORE, on_core

SERVICE_MS, STALL_MS, PERIOD_MS = 1, 1000, 10_000
RATE_PER_S = 2000
SECONDS = 20
# What a stall holds up is 2,000 arrivals; of these 400 are under way, the rest waits within the engine.
CONNECTIONS, PIPELINE = 10, 40
LARGEST_ERROR = 0.02
THEORY_MS = {"p50": 1.0, "p95": 501.0, "p99": 901.0, "p999": 991.0, "max": 1001.0}


@contextmanager
def programmed_server(program: Path, store: str) -> Iterator[int]:
    command = on_core(SERVER_CORE, [str(program), store, str(SERVICE_MS), str(STALL_MS), str(PERIOD_MS)])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


def measure(engine: Path, port: int, store: str) -> dict[str, float]:
    command = [
        str(engine), "run", "--target", f"{store}://127.0.0.1:{port}", "--no-prefill", "--rate", str(RATE_PER_S),
        "--connections", str(CONNECTIONS), "--pipeline", str(PIPELINE), "--seconds", str(SECONDS), "--json",
    ]  # fmt: skip
    done = subprocess.run(on_core(CLIENT_CORE, command), check=True, capture_output=True, text=True)
    summary = json.loads(done.stdout)
    found = {name: value / 1e6 for name, value in summary["operations"]["get"]["response_time_ns"].items()}
    return {**found, "dropped": summary["offered"] - summary["answered"]}


def bench_stalls(engine: Path, program: Path, repeats: int) -> None:
    setting = f"{SERVICE_MS} ms of service, 1 s stall every 10 s, open loop {RATE_PER_S}/s for {SECONDS} s"
    for store in ("memcached", "redis"):
        runs = []
        for _ in range(repeats):
            with programmed_server(program, store) as port:
                runs.append(measure(engine, port, store))
        for name, theory_ms in THEORY_MS.items():
            error = statistics.median(abs(run[name] / theory_ms - 1) for run in runs)
            found_ms = statistics.median(run[name] for run in runs)
            method = f"median of {name} against {theory_ms:.0f} ms ({found_ms:.2f} ms found); {setting}; {store}"
            show(f"engine.stall_error.{store}.{name}", error, "ratio", LARGEST_ERROR, method, repeats)
        dropped = sum(run["dropped"] for run in runs)
        show(f"engine.stall_dropped.{store}", dropped, "arrivals", 0, f"offered less answered; {setting}", repeats)
