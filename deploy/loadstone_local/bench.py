"""`make bench`: what Loadstone claims about itself, measured, one JSON line a figure. It reports; it never fails.

`python -m loadstone_local.bench [NAME ...]` runs only the named parts (`PARTS` and `LONG_PARTS`).
"""

import datetime
import json
import os
import secrets
import shlex
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx2
from loadstone_agent.stores.private_prefix import find_private, private_launcher

from loadstone_local.attack.classes import CLASSES, attack_all
from loadstone_local.console import say
from loadstone_local.packages import install_missing
from loadstone_local.paths import ENGINE, REPOSITORY, in_venv
from loadstone_local.scratch_stack import ScratchStack, scratch_stack
from loadstone_local.store_servers import CACHE

TERMINAL = {"succeeded", "failed", "cancelled", "crashed"}
CLICKS = 7
OVERHEAD_LIMIT = 1.05
CLICK_LIMIT_S = 1.0
ENGINE_BENCH = "workers/engine/bench/engine_bench.py"

ENGINE_PEERS = ["redis-benchmark", "memcslap", "sysbench", "mysqlslap"]
ENGINE_STORES = ["valkey", "ferretdb"]
ENDED_BY_CTRL_C = 128 + signal.SIGINT

Plan = dict[str, Any]


def report(name: str, value: float, unit: str, limit: float, method: str, n: int) -> None:
    """One figure; `holds` says whether the value is at most the limit."""
    line = {"name": name, "value": round(value, 4), "unit": unit, "limit": limit, "holds": value <= limit,
            "method": method, "n": n}  # fmt: skip
    say(json.dumps(line))


def _plan(connections: list[int], trials: int, seconds: float, rest_s: float) -> Plan:
    return {
        "name": "bench",
        "targets": [{"kind": "memcached", "profile": "default"}, {"kind": "redis", "profile": "none"}],
        "workload": {
            "dataset": {"key_count": 10_000, "value_size": {"kind": "fixed", "bytes": 100}},
            "operations": [{"kind": "get", "weight": 9}, {"kind": "set", "weight": 1}],
        },
        "load": {"kind": "closed", "connections": 1},
        "axes": [{"parameter": "connections", "values": connections}],
        "trials_per_point": trials,
        "rest_s": rest_s,
        "reset": "restart",
        "stop": {"seconds": seconds},
    }


def _client(stack: ScratchStack) -> httpx2.Client:
    token = json.loads(stack.demo_file.read_text())["api_token"]
    headers = {"Authorization": f"Bearer {token}"}
    return httpx2.Client(base_url=f"{stack.url}/api/v1", headers=headers, timeout=30, trust_env=False)


def _run_to_end(client: httpx2.Client, plan: Plan) -> dict[str, Any]:
    answer = client.post("/runs", json={"plan": plan})
    run: dict[str, Any] = answer.raise_for_status().json()
    while run["status"] not in TERMINAL:
        time.sleep(0.2)
        run = client.get(f"/runs/{run['id']}").raise_for_status().json()
    return run


def _trials(client: httpx2.Client, run_id: str) -> list[dict[str, Any]]:
    page = client.get(f"/runs/{run_id}/trials", params={"limit": 100}).raise_for_status().json()["items"]
    return [client.get(f"/trials/{trial['id']}").raise_for_status().json() for trial in page]


def _seconds(instant: str) -> float:
    return datetime.datetime.fromisoformat(instant).timestamp()


def _service_overhead(client: httpx2.Client) -> None:
    plan = _plan([1, 4, 16, 64], trials=3, seconds=5, rest_s=0)
    run = _run_to_end(client, plan)
    trials = _trials(client, run["id"])
    engine_s = sum(trial["engine_elapsed_s"] for trial in trials)
    wall_s = _seconds(run["finished_at"]) - _seconds(run["created_at"])
    method = (
        f"run created to run finished ({wall_s:.1f} s) over the sum of engine process times ({engine_s:.1f} s); "
        f"2 targets x 4 connections x 3 trials of 5 s, store restarted and reloaded each time; {run['status']}"
    )
    report("service_wall_over_engine_time", wall_s / engine_s, "ratio", OVERHEAD_LIMIT, method, len(trials))


def _click_to_first_operation(client: httpx2.Client) -> None:
    delays_s = []
    plan = {**_plan([4], trials=1, seconds=0.5, rest_s=0), "targets": [{"kind": "redis", "profile": "none"}]}
    for _ in range(CLICKS):
        time.sleep(1)
        clicked_at = time.time()
        run = _run_to_end(client, plan)
        first = _trials(client, run["id"])[0]["phases"]
        started_ns = min(phase["totals"]["started_at_unix_ns"] for phase in first)
        delays_s.append(started_ns / 1e9 - clicked_at)
    method = f"POST /runs sent to the first phase's start on an idle agent; median, slowest {max(delays_s):.2f} s"
    report("click_to_first_operation", statistics.median(delays_s), "s", CLICK_LIMIT_S, method, CLICKS)


def bench_service() -> None:
    with scratch_stack("up") as stack, _client(stack) as client:
        _click_to_first_operation(client)
        _service_overhead(client)


def _run_script(path: str, *arguments: str) -> None:
    # The benches of the api stand on the tests' servers and factories.
    support = f"{REPOSITORY / 'backend/tests/support'}:{REPOSITORY / 'deploy'}"
    command = [str(in_venv("python")), str(REPOSITORY / path), *arguments]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": support})
    # Ctrl-C is the script's own, which then stops what it has started: it must not be killed meanwhile.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended = process.wait()
    signal.signal(signal.SIGINT, before)
    if ended == ENDED_BY_CTRL_C:
        raise SystemExit(ended)


def _script(path: str, *arguments: str) -> Callable[[], None]:
    return partial(_run_script, path, *arguments)


def _install_stores() -> None:
    """Into the cache of the tests. What cannot be had is named by the bench."""
    os.environ["LOADSTONE_AGENT_DIR"] = str(CACHE)
    CACHE.mkdir(mode=0o711, exist_ok=True)
    for kind in ENGINE_STORES:
        command = [str(in_venv("loadstone-agent")), "stores", "install", kind]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            sys.stderr.write(f"{kind} cannot be had here: {done.stderr.strip()[-1000:]}\n")


def _found_peers() -> list[str]:
    """What lies in the cache and not on PATH, as words for the bench."""
    found = find_private("valkey-server", "valkey-benchmark")
    for program in CACHE.glob("servers/ferretdb-*/ferretdb"):
        os.environ.setdefault("LOADSTONE_BENCH_FERRETDB", str(program))
    return ["--peer", f"valkey-benchmark={shlex.join(private_launcher(found))}"] if found else []


def bench_engine() -> None:
    """Every cell, beside the peers that can be had; those that cannot are named by the bench."""
    install_missing(ENGINE_PEERS)
    _install_stores()
    _run_script(ENGINE_BENCH, "--engine", str(ENGINE), *_found_peers())


SANDBOX_BENCH = "workers/agent/bench/sandbox_cost.py"


def bench_security() -> None:
    """Every attack in its full form; a figure a class, then what the classes measured."""
    record = attack_all(list(CLASSES), secrets.randbelow(2**32), is_full=True)
    for figure in [*record.counts(), *record.figures]:
        say(figure.line())
    _run_script(SANDBOX_BENCH, "--engine", str(ENGINE))
    for fault in record.faults:
        sys.stderr.write(f"{fault}\n")


PARTS: dict[str, Callable[[], None]] = {
    "engine": _script(ENGINE_BENCH, "--engine", str(ENGINE), "--part", "cells", "--cells", "across"),
    "pages": _script("backend/bench/pages_at_scale.py"),
    "ingest": _script("backend/bench/ingest.py"),
    "watchers": _script("backend/bench/live_watchers.py"),
    "telemetry": _script("workers/agent/bench/telemetry_overhead.py"),
    "statistics": _script("backend/bench/verdict_rates", "--repetitions", "200"),
    "service": bench_service,
}


# Minutes long, so only when asked for by name.
LONG_PARTS: dict[str, Callable[[], None]] = {"engine-full": bench_engine}


def main(names: list[str]) -> int:
    for name in names:
        if name in LONG_PARTS:
            LONG_PARTS[name]()
    for name, part in PARTS.items():
        if not names or name in names:
            part()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
