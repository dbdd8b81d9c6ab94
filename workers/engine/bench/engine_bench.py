"""What an operation costs the client: the engine against a bare loop and against its peers, on one machine.

Stores run on core 0, the client on core 1. Operations are counted by the server, CPU is the client process's own
(user and system, from wait4). Clients take turns and their order is reversed from round to round; a ratio is taken
within each round, so that the machine's mood of that moment is in both of its sides. On the loopback most of a
client's CPU is the kernel's, in `send`, and holds the server's receive path. Prints one JSON line a figure and exits
0 whether or not limits hold. Figures of a cell come as soon as it is measured.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cells import CELLS, Cell
from clients import BARE_LOOPS, EVENT_LOOPS, ClientFailed, Cost, commands, engine_command, prefill, run_client
from databases import FerretDb, MySql, Postgres
from figures import show, tell
from peers import PEERS, find_peers, prepare_pgbench, prepare_sysbench
from stalls import bench_stalls
from stores import CLIENT_CORE, Memcached, Redis, Server, on_core

FOLDER = Path(__file__).parents[1]
ENGINE = FOLDER / "target" / "release" / "loadstone-engine"
MOST_EXPENSIVE_RATIO = 0.85
TRIAL_OPERATIONS = 20_000
PARTS = ("cells", "stalls", "clock")


@contextmanager
def serving(store: str, folder: Path) -> Iterator[Server | None]:
    """The store of a cell; nothing where it is not installed."""
    folder.mkdir(exist_ok=True)
    makers = {"mysql": (MySql, MySql.is_here), "postgres": (Postgres, Postgres.is_here),
              "mongodb": (FerretDb, FerretDb.is_here)}  # fmt: skip
    if store in makers:
        maker, is_here = makers[store]
        server: Server | None = maker(folder / store) if is_here() else None
    else:
        server = Memcached() if store == "memcached" else Redis(str(folder))
    try:
        yield server
    finally:
        if server is not None:
            server.stop()


def prepare(engine: Path, peers: dict[str, str], cell: Cell, server: Server) -> None:
    prefill(engine, cell, server)
    if isinstance(server, Redis):
        server.fill_for_redis_benchmark(cell.value_bytes)
    if isinstance(server, MySql) and "sysbench" in peers and "sbtest1" not in server.query("SHOW TABLES IN test"):
        subprocess.run(prepare_sysbench(peers["sysbench"], server), check=True, stdout=subprocess.DEVNULL)
    if isinstance(server, Postgres) and "pgbench" in peers:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(prepare_pgbench(peers["pgbench"], server), check=True, **quiet)


def measure_cell(
    engine: Path, peers: dict[str, str], cell: Cell, server: Server, repeats: int, seconds: float
) -> dict[str, list[Cost]]:
    """Rounds of all clients in turn, each for about `seconds`. A client that fails is told and left out."""
    prepare(engine, peers, cell, server)
    trial = run_client(engine_command(engine, cell, server, TRIAL_OPERATIONS, "epoll"), server, cell, TRIAL_OPERATIONS)
    operations = max(int(trial.rate_per_s * seconds), TRIAL_OPERATIONS)
    clients = commands(engine, peers, cell, server, operations)
    costs: dict[str, list[Cost]] = {name: [] for name in clients}
    for number in range(repeats):
        for name in list(costs)[:: 1 if number % 2 == 0 else -1]:
            try:
                costs[name].append(run_client(clients[name], server, cell, operations))
            except ClientFailed as failure:
                del costs[name]
                tell(f"engine.client_failed.{cell.name}.{name}", str(failure))
    return costs


def ratio(own: list[Cost], other: list[Cost]) -> float:
    return statistics.median(a.cpu_us / b.cpu_us for a, b in zip(own, other, strict=True))


def limit_over(cell: Cell, own: str, other: str) -> float | None:
    """Ratios are limited over the bare loop of the same kind, and over peers."""
    if other in BARE_LOOPS:
        return cell.over_bare if EVENT_LOOPS[own] == other.removeprefix("bare_") else None
    return cell.over_peer[1] if cell.over_peer and cell.over_peer[0] == other else 1.0


def report_cell(cell: Cell, costs: dict[str, list[Cost]]) -> None:
    for name, own in costs.items():
        value = statistics.median(cost.cpu_us for cost in own)
        limit = cell.limit_us if name == "engine_epoll" else None
        method = f"median client CPU (wait4) per operation counted by the server; {cell.text}"
        show(f"engine.cpu_us.{cell.name}.{name}", value, "us", limit, method, len(own))
        rate = statistics.median(cost.rate_per_s for cost in own)
        show(f"engine.rate.{cell.name}.{name}", rate, "1/s", None, f"median over wall time; {cell.text}", len(own))
    for own in (name for name in EVENT_LOOPS if name in costs):
        for other in (name for name in costs if name not in EVENT_LOOPS):
            method = f"median over rounds of client CPU per operation, {own} / {other}; {cell.text}"
            value, limit = ratio(costs[own], costs[other]), limit_over(cell, own, other)
            show(f"engine.cpu_ratio.{cell.name}.{own}_to_{other}", value, "ratio", limit, method, len(costs[own]))


def bench_cells(engine: Path, wanted: str, repeats: int, seconds: float) -> None:
    peers = find_peers()
    for peer in PEERS:
        if peer.name not in peers:
            tell(f"engine.peer_missing.{peer.name}", f"not on this machine: {peer.package}")
    with tempfile.TemporaryDirectory() as directory:
        cells = [cell for cell in CELLS if wanted in cell.name]
        for store in dict.fromkeys(cell.store for cell in cells):
            with serving(store, Path(directory) / "stores") as server:
                if server is None:
                    tell(f"engine.store_missing.{store}", "not on this machine")
                    continue
                for cell in (cell for cell in cells if cell.store == store):
                    report_cell(cell, measure_cell(engine, peers, cell, server, repeats, seconds))
        if wanted in ("", "across"):
            bench_across(engine, peers, Path(directory), repeats, seconds)


def bench_across(engine: Path, peers: dict[str, str], folder: Path, repeats: int, seconds: float) -> None:
    """The engine on memcached against redis-benchmark on Redis: the nearest peer of the nearest store."""
    if "redis-benchmark" not in peers:
        return
    on_memcached, on_redis = Cell("memcached", "get"), Cell("redis", "get")
    with serving("memcached", folder) as memcached, serving("redis", folder) as redis:
        assert memcached is not None
        assert redis is not None
        prepare(engine, peers, on_memcached, memcached)
        prepare(engine, peers, on_redis, redis)
        command = engine_command(engine, on_redis, redis, TRIAL_OPERATIONS, "epoll")
        trial = run_client(command, redis, on_redis, TRIAL_OPERATIONS)
        operations = max(int(trial.rate_per_s * seconds), TRIAL_OPERATIONS)
        own = engine_command(engine, on_memcached, memcached, operations, "epoll")
        peer = commands(engine, peers, on_redis, redis, operations)["redis-benchmark"]
        costs: dict[str, list[Cost]] = {"own": [], "peer": []}
        for _ in range(repeats):
            costs["own"].append(run_client(own, memcached, on_memcached, operations))
            costs["peer"].append(run_client(peer, redis, on_redis, operations))
    method = f"median over rounds of client CPU, engine on memcached / redis-benchmark on Redis; {on_memcached.text}"
    value = ratio(costs["own"], costs["peer"])
    show("engine.cpu_ratio.engine_memcached", value, "ratio", MOST_EXPENSIVE_RATIO, method, repeats)


def bench_clock(engine: Path) -> None:
    """The engine's own bench tells what a reading of its clock costs, beside a small cell."""
    memcached = Memcached()
    target = ["--target", f"memcached://127.0.0.1:{memcached.port}", "--keys", "1000", "--operations", "5000"]
    try:
        command = on_core(CLIENT_CORE, [str(engine), "bench", *target, "--repeats", "1", "--only", "bare_epoll"])
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        print(next(line for line in lines if "timestamp_ns" in line), flush=True)
    finally:
        memcached.stop()


def build_programmed_server(engine: Path) -> Path | None:
    """The server with programmed delays stands beside the engine once it has been built."""
    cargo = shutil.which("cargo")
    if cargo:
        build = [cargo, "build", "--release", "--locked", "--quiet", "-p", "loadstone-bench", "--examples"]
        target = {"CARGO_TARGET_DIR": str(engine.parents[1].resolve())}
        subprocess.run(build, cwd=FOLDER, check=False, env={**os.environ, **target})
    program = engine.parent / "examples" / "programmed_server"
    return program if program.exists() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", type=Path, default=ENGINE)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--cells", default="", help="only cells with this in their names; across: the last figure")
    parser.add_argument("--part", choices=PARTS, action="append", help="only these parts")
    arguments = parser.parse_args()
    if (os.cpu_count() or 1) < 2:
        print("not measured: client and server need a core each", file=sys.stderr)
        return
    if not arguments.engine.exists():
        raise SystemExit("the engine is not built: cargo build --release")
    parts = arguments.part or PARTS
    if "clock" in parts:
        bench_clock(arguments.engine)
    if "cells" in parts:
        bench_cells(arguments.engine, arguments.cells, arguments.repeats, arguments.seconds)
    if "stalls" in parts and (program := build_programmed_server(arguments.engine)) is not None:
        bench_stalls(arguments.engine, program, 1)


if __name__ == "__main__":
    main()
