"""What an operation costs the client: the engine against a bare loop and against its peers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cells import CELLS, Cell
from clients import BARE_LOOPS, EVENT_LOOPS, Client, engine_client, own_clients, peer_clients, prefill, run_client
from databases import FerretDb, MySql, Postgres
from figures import show, tell
from peers import PEERS, find_peers
from processes import ClientFailed
from rounds import Cost, in_turn, median_cpu_us, median_rate_per_s, ratio_of_rounds
from stores import Memcached, Redis, Server
from work import Work

MOST_EXPENSIVE_RATIO = 0.85
DATABASES: dict[str, type[MySql | Postgres | FerretDb]] = {"mysql": MySql, "postgres": Postgres, "ferretdb": FerretDb}


@dataclass(frozen=True)
class Bench:
    """How cells are measured: every client of a cell `repeats` times, for about so many seconds each."""

    engine: Path
    peers: Mapping[str, list[str]]
    folder: Path
    repeats: int
    seconds: float


def missing(store: str) -> str | None:
    """What to do where a store cannot be started."""
    return DATABASES[store].missing() if store in DATABASES else None


@contextmanager
def serving(store: str, folder: Path) -> Iterator[Server]:
    server: Server
    if store in DATABASES:
        server = DATABASES[store](folder / store)
    else:
        server = Memcached(folder / store) if store == "memcached" else Redis(folder / store)
    try:
        yield server
    finally:
        server.stop()


def _work(bench: Bench, cell: Cell, server: Server) -> Work:
    """As much as the engine does in the bench's seconds, when every key is there that any client asks for."""
    few = Work(cell, server, cell.least_operations, bench.folder)
    prefill(bench.engine, few)
    if isinstance(server, Redis):
        server.fill_for_redis_benchmark(cell)
    if isinstance(server, Memcached):
        server.fill_for_mc_crusher(cell)
    # The few are over before the program has well begun: a second trial says how fast it is.
    enough = few
    for _ in range(2):
        trial = run_client(engine_client(bench.engine, enough, "epoll"))
        operations = max(int(trial.rate_per_s * bench.seconds), cell.least_operations)
        enough = replace(enough, operations=operations)
    return enough


def measure_in_turn(clients: Mapping[str, Client], repeats: int, name: str) -> dict[str, list[Cost]]:
    """Rounds of all clients. One that fails is told and left out."""
    costs: dict[str, list[Cost]] = {client: [] for client in clients}
    for number in range(repeats):
        for client in in_turn(list(costs), number):
            try:
                costs[client].append(run_client(clients[client]))
            except ClientFailed as failure:
                del costs[client]
                tell(f"engine.client_failed.{name}.{client}", str(failure))
    return costs


def limit_over(cell: Cell, own: str, other: str) -> float | None:
    """Ratios are limited over the bare loop of the same kind, and over peers."""
    if other in BARE_LOOPS:
        return cell.over_bare if EVENT_LOOPS[own] == other.removeprefix("bare_") else None
    return cell.over_peer[1] if cell.over_peer and cell.over_peer[0] == other else 1.0


def _text(cell: Cell, client: Client) -> str:
    return f"{cell.text}; {client.note}" if client.note else cell.text


def report_cell(cell: Cell, clients: Mapping[str, Client], costs: Mapping[str, list[Cost]]) -> None:
    for name, own in costs.items():
        limit = cell.limit_us if name in EVENT_LOOPS else None
        less = ", less what it needs to start" if clients[name].start_cpu_s else ""
        method = f"median client CPU (wait4{less}) per operation counted by the server; {_text(cell, clients[name])}"
        show(f"engine.cpu_us.{cell.name}.{name}", median_cpu_us(own), "us", limit, method, len(own))
        method = f"median operations over wall time; {cell.text}"
        show(f"engine.rate.{cell.name}.{name}", median_rate_per_s(own), "1/s", None, method, len(own))
    for own_name in (name for name in EVENT_LOOPS if name in costs):
        for other in (name for name in costs if name not in EVENT_LOOPS):
            value, rounds = ratio_of_rounds(costs[own_name], costs[other]), len(costs[own_name])
            method = (
                f"median over rounds of client CPU per operation, {own_name} / {other}; {_text(cell, clients[other])}"
            )
            limit = limit_over(cell, own_name, other)
            show(f"engine.cpu_ratio.{cell.name}.{own_name}_to_{other}", value, "ratio", limit, method, rounds)


def bench_cell(bench: Bench, cell: Cell, server: Server) -> None:
    try:
        work = _work(bench, cell, server)
        clients = own_clients(bench.engine, work) | peer_clients(bench.peers, work)
    except ClientFailed as failure:
        return tell(f"engine.cell_failed.{cell.name}", str(failure))
    return report_cell(cell, clients, measure_in_turn(clients, bench.repeats, cell.name))


def bench_across(bench: Bench) -> None:
    """The engine on memcached against redis-benchmark on Redis: the nearest peer of the nearest store."""
    if "redis-benchmark" not in bench.peers:
        return
    with serving("memcached", bench.folder / "across") as memcached, serving("redis", bench.folder / "across") as redis:
        peer = peer_clients(bench.peers, _work(bench, Cell("redis", "get"), redis))["redis-benchmark"]
        work = _work(bench, Cell("memcached", "get"), memcached)
        clients = {"own": engine_client(bench.engine, work, "epoll"), "peer": peer}
        costs = measure_in_turn(clients, bench.repeats, "across")
    method = f"median over rounds of client CPU, engine on memcached / redis-benchmark on Redis; {work.cell.text}"
    value = ratio_of_rounds(costs["own"], costs["peer"])
    show("engine.cpu_ratio.engine_memcached", value, "ratio", MOST_EXPENSIVE_RATIO, method, bench.repeats)


def bench_cells(
    engine: Path, folder: Path, wanted: str, named: Mapping[str, str], repeats: int, seconds: float
) -> None:
    bench = Bench(engine, find_peers(named), folder, repeats, seconds)
    for peer in PEERS:
        if peer.name not in bench.peers:
            tell(f"engine.peer_missing.{peer.name}", f"not on this machine: {peer.remedy}; or --peer {peer.name}=PATH")
    cells = [cell for cell in CELLS if wanted in cell.name]
    for store in dict.fromkeys(cell.store for cell in cells):
        if remedy := missing(store):
            tell(f"engine.store_missing.{store}", f"not on this machine: {remedy}")
            continue
        with serving(store, folder) as server:
            for cell in (cell for cell in cells if cell.store == store):
                bench_cell(bench, cell, server)
    if wanted in ("", "across"):
        bench_across(bench)
