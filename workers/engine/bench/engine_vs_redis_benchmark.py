"""What an operation costs the client: the engine against a bare loop and against its peers, on one machine.

Stores run on core 0, the client on core 1. Operations are counted by the server, CPU is the client process's own
(user and system, from wait4). Clients take turns and their order is reversed from round to round; a ratio is taken
within each round, so that the machine's mood of that moment is in both of its sides. On the loopback most of a
client's CPU is the kernel's, in `send`, and holds the server's receive path. Prints one JSON line a figure and exits
0 whether or not limits hold.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from clients import Cell, Cost, Tools, commands, engine_command, prefill, run_client
from figures import show
from stalls import bench_stalls
from stores import Memcached, Redis, Server

FOLDER = Path(__file__).parents[1]
ENGINE = FOLDER / "target" / "release" / "loadstone-engine"
MOST_EXPENSIVE_RATIO = 0.85
TRIAL_OPERATIONS = 50_000
PARTS = ("cells", "stalls")

CELLS = [
    *(Cell(store, operation, size, 1, 1, 1.10)
      for store in ("memcached", "redis") for operation in ("get", "set") for size in (100, 1024)),
    Cell("redis", "get", 100, 16, 1, 1.3),
    Cell("redis", "set", 100, 16, 1, 1.3),
    Cell("memcached", "get", 100, 1, 16, 1.1),
    Cell("redis", "get", 100, 1, 16, 1.1),
    Cell("memcached", "get", 100, 16, 1, None),
]  # fmt: skip
TEXT_GETS_US = 1.6


def find_tools(engine: Path) -> Tools:
    """The bare loop stands beside the engine once it has been built."""
    if not engine.exists():
        raise SystemExit("the engine is not built: cargo build --release")
    cargo = shutil.which("cargo")
    if cargo:
        build = [cargo, "build", "--release", "--locked", "--quiet", "-p", "loadstone-bench", "--examples"]
        target = {"CARGO_TARGET_DIR": str(engine.parents[1].resolve())}
        subprocess.run(build, cwd=FOLDER, check=False, env={**os.environ, **target})
    bare_loop = engine.parent / "examples" / "bench_limit"
    if not bare_loop.exists():
        print("no bare loop: neither built nor a cargo to build it with", file=sys.stderr)
        return Tools(engine, None)
    return Tools(engine, bare_loop)


def measure_cell(tools: Tools, cell: Cell, server: Server, repeats: int, seconds: float) -> dict[str, list[Cost]]:
    """Rounds of all clients in turn, each for about `seconds`."""
    prefill(tools, cell, server.port)
    if isinstance(server, Redis):
        server.fill_for_redis_benchmark(cell.value_bytes)
    trial = run_client(engine_command(tools, cell, server.port, TRIAL_OPERATIONS, "--no-prefill"), server, cell)
    clients = commands(tools, cell, server.port, int(trial.rate_per_s * seconds))
    costs: dict[str, list[Cost]] = {name: [] for name in clients}
    for number in range(repeats):
        for name in list(clients)[:: 1 if number % 2 == 0 else -1]:
            costs[name].append(run_client(clients[name], server, cell))
    return costs


def ratio(own: list[Cost], other: list[Cost]) -> float:
    return statistics.median(a.cpu_us / b.cpu_us for a, b in zip(own, other, strict=True))


def report_cell(cell: Cell, costs: dict[str, list[Cost]]) -> None:
    for name, own in costs.items():
        value = statistics.median(cost.cpu_us for cost in own)
        limit = TEXT_GETS_US if name == "engine" and cell.limit is None else None
        method = f"median client CPU (wait4) per operation counted by the server; {cell.text}"
        show(f"engine.cpu_us.{cell.name}.{name}", value, "us", limit, method, len(own))
        rate = statistics.median(cost.rate_per_s for cost in own)
        show(f"engine.rate.{cell.name}.{name}", rate, "1/s", None, f"median over wall time; {cell.text}", len(own))
    for name, others in costs.items():
        if name == "engine":
            continue
        limit = cell.limit if name == "bare_loop" else 1.0
        method = f"median over rounds of client CPU per operation, engine / {name}; {cell.text}"
        value = ratio(costs["engine"], others)
        show(f"engine.cpu_ratio.{cell.name}.to_{name}", value, "ratio", limit, method, len(others))


def bench_cells(tools: Tools, wanted: str, repeats: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as directory:
        servers: dict[str, Server] = {"memcached": Memcached(), "redis": Redis(directory)}
        try:
            for cell in CELLS:
                if wanted in cell.name:
                    report_cell(cell, measure_cell(tools, cell, servers[cell.store], repeats, seconds))
            if wanted == "":
                bench_across(tools, servers, repeats, seconds)
        finally:
            for server in servers.values():
                server.stop()


def bench_across(tools: Tools, servers: dict[str, Server], repeats: int, seconds: float) -> None:
    """The engine on memcached against redis-benchmark on Redis: the nearest peer of the nearest store."""
    on_memcached, on_redis = CELLS[0], CELLS[4]
    for cell in (on_memcached, on_redis):
        prefill(tools, cell, servers[cell.store].port)
    memcached, redis = servers["memcached"], servers["redis"]
    trial = run_client(engine_command(tools, on_redis, redis.port, TRIAL_OPERATIONS, "--no-prefill"), redis, on_redis)
    operations = int(trial.rate_per_s * seconds)
    own = commands(tools, on_memcached, memcached.port, operations)["engine"]
    peer = commands(tools, on_redis, redis.port, operations)["redis_benchmark"]
    costs: dict[str, list[Cost]] = {"own": [], "peer": []}
    for _ in range(repeats):
        costs["own"].append(run_client(own, memcached, on_memcached))
        costs["peer"].append(run_client(peer, redis, on_redis))
    method = f"median over rounds of client CPU, engine on memcached / redis-benchmark on Redis; {on_memcached.text}"
    value = ratio(costs["own"], costs["peer"])
    show("engine.cpu_ratio.engine_memcached", value, "ratio", MOST_EXPENSIVE_RATIO, method, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", type=Path, default=ENGINE)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--cells", default="", help="only cells with this in their names")
    parser.add_argument("--part", choices=PARTS, action="append", help="only these parts")
    arguments = parser.parse_args()
    if (os.cpu_count() or 1) < 2:
        print("not measured: client and server need a core each", file=sys.stderr)
        return
    tools = find_tools(arguments.engine)
    parts = arguments.part or PARTS
    if "cells" in parts:
        bench_cells(tools, arguments.cells, arguments.repeats, arguments.seconds)
    if "stalls" in parts and tools.bare_loop is not None:
        bench_stalls(arguments.engine, tools.bare_loop.with_name("programmed_server"), 1)


if __name__ == "__main__":
    main()
