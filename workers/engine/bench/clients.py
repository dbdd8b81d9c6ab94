"""The programs that make load on a cell, each as a command line, and what one run of them costs."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from peers import PEERS, Peer
from processes import CLIENT_CORE, ClientFailed, run_to_end
from rounds import Cost
from work import Work

BARE_LOOPS = ("bare_epoll", "bare_io_uring")
EVENT_LOOPS = {"engine_epoll": "epoll", "engine_io_uring": "io_uring"}


@dataclass(frozen=True)
class Client:
    """`start_cpu_s` is spent before the first operation by a program that starts slowly."""

    command: list[str]
    work: Work
    start_cpu_s: float = 0.0
    note: str = ""


def _flags(work: Work) -> list[str]:
    """A request for several keys is one operation of the engine."""
    cell = work.cell
    kind = f"multi_get:{cell.keys}" if cell.keys > 1 else cell.operation
    return [
        "--target", work.server.url(cell), "--mix", f"{kind}=1", "--connections", str(cell.connections),
        "--pipeline", str(cell.pipeline), "--keys", str(cell.key_count), "--value-size", str(cell.value_bytes),
        "--operations", str(max(work.operations // cell.keys, 1)), "--timeout-ms", "60000",
    ]  # fmt: skip


def engine_client(engine: Path, work: Work, event_loop: str) -> Client:
    command = [str(engine), "run", *_flags(work), "--json", "--no-prefill", "--event-loop", event_loop]
    # What is measured is the least that a client can cost, and not how exact its times are.
    gathers = work.cell.pipeline > 1 or event_loop == "io_uring"
    return Client([*command, *(["--gather-replies"] if gathers else [])], work)


def prefill(engine: Path, work: Work) -> None:
    """Every key that is asked for. Databases over one connection: writes of many rows would end in deadlocks.

    Errors: `ClientFailed` when some were not written: the replies of a cell are all of one length.
    """
    connections = work.cell.connections if work.cell.store in ("memcached", "redis") else 1
    one_request = replace(work, cell=replace(work.cell, connections=connections), operations=work.cell.keys)
    ended = run_to_end(CLIENT_CORE, [str(engine), "run", *_flags(one_request), "--json"])
    if "not written" in ended.complained:
        raise ClientFailed(f"the prefill: {ended.complained}")


def own_clients(engine: Path, work: Work) -> dict[str, Client]:
    """The engine and the bare loop, each with both ways of waiting."""
    bare = [str(engine), "bench", *_flags(work), "--no-prefill", "--repeats", "1", "--loops-alone", "--only"]
    clients = {name: Client([*bare, name], work) for name in BARE_LOOPS}
    return clients | {name: engine_client(engine, work, event_loop) for name, event_loop in EVENT_LOOPS.items()}


def peer_clients(peers: Mapping[str, list[str]], work: Work) -> dict[str, Client]:
    """Those that can do the cell's work, each with what it will read."""
    clients = {}
    for peer in PEERS:
        smaller = replace(work, operations=max(int(work.operations * peer.share), work.cell.connections))
        command = peer.build(peers[peer.name], smaller) if peer.name in peers else None
        if command is None:
            continue
        if peer.fill and (filling := peer.fill(peers[peer.name], smaller)):
            run_to_end(CLIENT_CORE, filling)
        start_cpu_s = _start_cpu_s(peer, peers[peer.name], smaller) if peer.starts_slowly else 0.0
        clients[peer.name] = Client(command, smaller, start_cpu_s, peer.note)
    return clients


def _start_cpu_s(peer: Peer, words: list[str], work: Work) -> float:
    """What a run of one operation a connection spends, the less of two."""
    command = peer.build(words, replace(work, operations=work.cell.connections))
    assert command is not None
    return min(run_to_end(CLIENT_CORE, command).cpu_s for _ in range(2))


def run_client(client: Client) -> Cost:
    """Runs a client on its core and divides its CPU time by the operations that the server has seen.

    Errors: `ClientFailed`.
    """
    work = client.work
    before = work.server.count(work.cell)
    started = time.monotonic()
    ended = run_to_end(CLIENT_CORE, client.command)
    elapsed_s = time.monotonic() - started
    operations = work.server.count(work.cell) - before
    if operations < work.operations // 10:
        raise ClientFailed(f"the server has seen {operations} of {work.operations}: {' '.join(client.command)}")
    return Cost.of(ended.cpu_s, client.start_cpu_s, operations, elapsed_s)
