"""Whether percentiles are true when the server stands still for 1 s in every 10 s, over every protocol.

They are held against theory, and against what the server did: when its answers left, less the schedule of the
arrivals, more the way back. On a quiet machine the two agree; on a busy one the server itself is late and theory does
not know. The 1 ms of service is what a client sees that only sends and receives: the server has measured the way to it
and answers so much earlier. Some servers live in one thread that never sleeps and some engines share the other core.
Their stalls come one after another; while one stands still, the others do not notice.
"""

import itertools
import json
import math
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figures import show, tell
from processes import CLIENT_CORE, SERVER_CORE, ClientFailed, run_to_end, start

SERVICE_MS, STALL_MS, PERIOD_MS = 1, 1000, 10_000
RATE_PER_S = 2000
SECONDS = 10
# What a stall holds up is 2,000 arrivals; of these 400 are under way, the rest waits within the engine.
CONNECTIONS, PIPELINE = 10, 40
AT_ONCE = 4
# Longer than a stall and what it has held up. The rest after whole periods of arrivals keeps those of engines that
# share a core apart: an arrival and the answer to the one before the last come at the same time.
APART_NS = 1_300_000_000 + 1_000_000_000 // RATE_PER_S // AT_ONCE
# An engine that connects to a server needs this long at most.
READY_NS = 500_000_000
LARGEST_ERROR = 0.02
QUANTILES = {"p50": 0.5, "p99": 0.99, "p999": 0.999, "max": 1.0}
THEORY_MS = {"p50": 1.0, "p99": 901.0, "p999": 991.0, "max": 1001.0}


@dataclass(frozen=True)
class Case:
    protocol: str
    event_loop: str

    @property
    def name(self) -> str:
        return f"{self.protocol}.{self.event_loop}"

    def plan(self, port: int, start_at_unix_ns: int) -> str:
        is_memlink = self.protocol.startswith("memlink")
        address = {"kind": "tcp", "host": "127.0.0.1", "port": port}
        # Memlink answers one request at a time on each connection, and reads on a port of their own.
        connections, pipeline = (CONNECTIONS * PIPELINE, 1) if is_memlink else (CONNECTIONS, PIPELINE)
        return json.dumps({
            "version": 1, "seed": 1,
            "target": {"protocol": self.protocol, "address": address, "read_address": address if is_memlink else None},
            "dataset": {"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}},
            "operations": [{"kind": "range_first" if is_memlink else "get", "weight": 1}],
            "load": {"kind": "open", "rate_per_s": RATE_PER_S, "connections": connections, "pipeline": pipeline},
            "phases": [{"name": "measure", "stop": {"seconds": SECONDS}}],
            "event_loop": self.event_loop, "start_at_unix_ns": start_at_unix_ns,
        })  # fmt: skip


@dataclass(frozen=True)
class Percentiles:
    """One run: by name, in milliseconds, as the engine tells them and as they were; arrivals that got no answer."""

    told_ms: dict[str, float]
    true_ms: dict[str, float]
    dropped: int
    path_us: float

    def errors(self, right_ms: dict[str, float]) -> dict[str, float]:
        return {name: self.told_ms[name] / right_ms[name] - 1 for name in QUANTILES}


def percentiles_ms(answered_at_unix_ns: Sequence[int], started_at_unix_ns: int) -> dict[str, float]:
    """Of the times from each arrival, as the schedule has it, to the answer that left in its place."""
    times_ms = sorted(
        (at - started_at_unix_ns - number * 1e9 / RATE_PER_S) / 1e6
        for number, at in enumerate(sorted(answered_at_unix_ns))
    )
    return {name: times_ms[math.ceil(quantile * len(times_ms)) - 1] for name, quantile in QUANTILES.items()}


def _read(summary: str, answers: Sequence[int], path_us: float) -> Percentiles:
    totals = json.loads(summary.splitlines()[-1])["phases"][0]
    told = totals["operations"][0]["response_time_ns"]
    told_ms = {name: told[name] / 1e6 for name in QUANTILES}
    true_ms = percentiles_ms(answers, totals["started_at_unix_ns"])
    return Percentiles(told_ms, true_ms, totals["offered"] - totals["answered"], path_us)


def _run_engines(engine: Path, cases: Sequence[Case], ports: Sequence[int], folder: Path) -> list[str]:
    """What each has said at its end."""
    running = []
    start_at_unix_ns = time.time_ns() + READY_NS
    for number, (case, port) in enumerate(zip(cases, ports, strict=True)):
        plan, said = folder / f"{case.name}.plan", folder / f"{case.name}.events"
        plan.write_text(case.plan(port, start_at_unix_ns + number * APART_NS))
        with plan.open() as given, said.open("w") as told:
            running.append((said, start(CLIENT_CORE, [str(engine), "run"], is_urgent=True, stdin=given, stdout=told)))
    for said, process in running:
        if process.wait() != 0:
            raise ClientFailed(f"the engine ended with {process.returncode}: {said.read_text()[-500:]}")
    return [said.read_text() for said, _ in running]


def measure(engine: Path, program: Path, cases: Sequence[Case]) -> list[Percentiles]:
    settings = [str(number) for number in (SERVICE_MS, STALL_MS, PERIOD_MS, CLIENT_CORE)]
    command = [str(program), *settings, *(case.protocol for case in cases)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with (
        tempfile.TemporaryDirectory() as folder,
        start(SERVER_CORE, command, is_urgent=True, **pipes) as server,
    ):
        assert server.stdout is not None
        path_us = int(server.stdout.readline()) / 1000
        ports = [int(server.stdout.readline()) for _ in cases]
        summaries = _run_engines(engine, cases, ports, Path(folder))
        answers: dict[int, list[int]] = {port: [] for port in ports}
        for line in server.communicate()[0].splitlines():
            port, at_unix_ns = map(int, line.split())
            answers[port].append(at_unix_ns)
    return [_read(summary, answers[port], path_us) for summary, port in zip(summaries, ports, strict=True)]


def _report(case: Case, run: Percentiles, at_once: int) -> None:
    setting = f"{SERVICE_MS} ms of service, 1 s stall every 10 s, open loop {RATE_PER_S}/s for {SECONDS} s"
    beside = f"{at_once} engines share a core" if at_once > 1 else "one engine on a core"
    setting = f"{setting}; {beside}; the way, {run.path_us:.0f} us, is part of the service"
    for name, kind, right_ms in (
        ("stall_error", "theory", THEORY_MS),
        ("stall_error_to_truth", "the schedule and what the server sent", run.true_ms),
    ):
        errors = run.errors(right_ms)
        each = ", ".join(
            f"{quantile} {error:+.2%} ({run.told_ms[quantile]:.2f} for {right_ms[quantile]:.2f} ms)"
            for quantile, error in errors.items()
        )
        method = f"largest deviation of response time from {kind}: {each}; {setting}"
        largest = max(abs(error) for error in errors.values())
        show(f"engine.{name}.{case.name}", largest, "ratio", LARGEST_ERROR, method, 1)
    show(f"engine.stall_dropped.{case.name}", run.dropped, "arrivals", 0, f"offered less answered; {setting}", 1)


def bench_stalls(engine: Path, program: Path, wanted: Sequence[str] | None, at_once: int = AT_ONCE) -> None:
    described = json.loads(run_to_end(CLIENT_CORE, [str(engine), "describe"]).said)
    protocols = [entry["protocol"] for entry in described["protocols"]]
    schema: dict[str, Any] = json.loads(run_to_end(CLIENT_CORE, [str(engine), "schema", "plan"]).said)
    pairs = itertools.product(protocols, schema["$defs"]["EventLoop"]["enum"])
    cases = [Case(protocol, event_loop) for protocol, event_loop in pairs if not wanted or protocol in wanted]
    for begin in range(0, len(cases), at_once):
        together = cases[begin : begin + at_once]
        try:
            runs = measure(engine, program, together)
        except ClientFailed as failure:
            tell(f"engine.stall_error.{'+'.join(case.name for case in together)}", str(failure))
            continue
        for case, run in zip(together, runs, strict=True):
            _report(case, run, len(together))
