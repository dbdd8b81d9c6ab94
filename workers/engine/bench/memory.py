"""How much memory the engine's process has at most, as the kernel counts it for the whole run."""

import json
from pathlib import Path
from typing import Any

from figures import show
from processes import CLIENT_CORE, run_to_end
from stores import Memcached

MOST_MIB, MOST_BYTES_A_CONNECTION = 64, 2048
MANY_CONNECTIONS = 10_000
MANY_KEYS = 1_000_000_000
SHORT_SECONDS, LONG_SECONDS = 2, 12
MOST_GROWTH = 1.02


def _limit_mib(connections: int) -> float:
    return MOST_MIB + connections * MOST_BYTES_A_CONNECTION / (1 << 20)


def _run(engine: Path, server: Memcached, connections: int, *words: str) -> tuple[dict[str, Any], float]:
    """The summary, and mebibytes resident at most."""
    command = [str(engine), "run", "--target", f"memcached://127.0.0.1:{server.port}", "--json", "--no-prefill"]
    ended = run_to_end(CLIENT_CORE, [*command, "--connections", str(connections), *words])
    return json.loads(ended.said), ended.resident_mib


def bench_memory(engine: Path, folder: Path) -> None:
    server = Memcached(folder / "memory", MANY_CONNECTIONS + 100)
    try:
        _bench_many_connections(engine, server)
        _bench_many_keys(engine, server)
        _bench_run_length(engine, server)
    finally:
        server.stop()


def _bench_many_connections(engine: Path, server: Memcached) -> None:
    words = ["--mix", "get=9,set=1", "--keys", "100000", "--seconds", "4"]
    summary, resident_mib = _run(engine, server, MANY_CONNECTIONS, *words)
    what = f"{MANY_CONNECTIONS} connections of one process to memcached, nine gets to a set, 4 s"
    method = f"resident at most (wait4), {summary['answered']} operations answered; {what}"
    name = f"connections_{MANY_CONNECTIONS}"
    show(f"engine.resident_mib.{name}", resident_mib, "MiB", _limit_mib(MANY_CONNECTIONS), method, 1)
    show(f"engine.failed.{name}", summary["failed"], "operations", 0, f"failed operations; {what}", 1)
    lost = summary["offered"] - summary["answered"] - summary["failed"] - summary["in_flight"]
    show(f"engine.lost.{name}", abs(lost), "operations", 0, f"sent less answered, failed and in flight; {what}", 1)


def _bench_many_keys(engine: Path, server: Memcached) -> None:
    words = ["--mix", "get=1", "--keys", str(MANY_KEYS), "--access", "permutation", "--seconds", "2"]
    _, resident_mib = _run(engine, server, 50, *words)
    method = f"resident at most (wait4); gets in a random permutation of {MANY_KEYS} keys, 50 connections"
    show(f"engine.resident_mib.keys_{MANY_KEYS}", resident_mib, "MiB", _limit_mib(50), method, 1)


def _bench_run_length(engine: Path, server: Memcached) -> None:
    short_mib, long_mib = (
        _run(engine, server, 50, "--mix", "get=9,set=1", "--keys", "100000", "--seconds", str(seconds))[1]
        for seconds in (SHORT_SECONDS, LONG_SECONDS)
    )
    method = (
        f"resident at most in a run of {LONG_SECONDS} s ({long_mib:.2f} MiB) over one of {SHORT_SECONDS} s "
        f"({short_mib:.2f} MiB); memcached, nine gets to a set, 50 connections"
    )
    show("engine.resident_growth", long_mib / short_mib, "ratio", MOST_GROWTH, method, 1)
