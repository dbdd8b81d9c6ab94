"""How much memory the engine's process has at most, as the kernel counts it for the whole run."""

import json
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from figures import show, tell
from processes import CLIENT_CORE, ClientFailed, start
from stores import Memcached

MOST_MIB, MOST_BYTES_A_CONNECTION = 64, 2048
MANY_CONNECTIONS = 10_000
MANY_KEYS = 1_000_000_000
SHORT_SECONDS, LONG_SECONDS = 2, 12
MOST_GROWTH = 1.02
LOOK_S = 0.01


def _limit_mib(connections: int) -> float:
    return MOST_MIB + connections * MOST_BYTES_A_CONNECTION / (1 << 20)


def _run(engine: Path, server: Memcached, connections: int, *words: str) -> tuple[dict[str, Any], float]:
    """The summary, and mebibytes resident at most.

    Resource usage would say how large the process was before it became the engine: a copy of this one.
    """
    command = [str(engine), "run", "--target", f"memcached://127.0.0.1:{server.port}", "--json", "--no-prefill"]
    with tempfile.TemporaryFile("w+") as said:
        process = start(CLIENT_CORE, [*command, "--connections", str(connections), *words], stdout=said)
        resident_mib = 0.0
        while process.poll() is None:
            resident_mib = max(resident_mib, _resident_mib(process.pid))
            time.sleep(LOOK_S)
        if process.returncode != 0:
            raise ClientFailed(f"the engine ended with {process.returncode}")
        said.seek(0)
        return json.load(said), resident_mib


def _resident_mib(pid: int) -> float:
    """At most, since the program began; nothing while it is not yet the engine or no longer there."""
    name, high = Path(f"/proc/{pid}/comm"), re.compile(r"^VmHWM:\s+(\d+) kB", re.M)
    found = high.search(Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found and not name.read_text().startswith("python") else 0.0


def bench_memory(engine: Path, folder: Path) -> None:
    server = Memcached(folder / "memory", MANY_CONNECTIONS + 100)
    try:
        _bench_many_connections(engine, server)
        _bench_many_keys(engine, server)
        _bench_run_length(engine, server)
    except ClientFailed as failure:
        tell("engine.resident_mib", str(failure))
    finally:
        server.stop()


def _bench_many_connections(engine: Path, server: Memcached) -> None:
    words = ["--mix", "get=9,set=1", "--keys", "100000", "--seconds", "4"]
    summary, resident_mib = _run(engine, server, MANY_CONNECTIONS, *words)
    what = f"{MANY_CONNECTIONS} connections of one process to memcached, nine gets to a set, 4 s"
    method = f"resident at most (VmHWM), {summary['answered']} operations answered; {what}"
    name = f"connections_{MANY_CONNECTIONS}"
    show(f"engine.resident_mib.{name}", resident_mib, "MiB", _limit_mib(MANY_CONNECTIONS), method, 1)
    show(f"engine.failed.{name}", summary["failed"], "operations", 0, f"failed operations; {what}", 1)
    lost = summary["offered"] - summary["answered"] - summary["failed"] - summary["in_flight"]
    show(f"engine.lost.{name}", abs(lost), "operations", 0, f"sent less answered, failed and in flight; {what}", 1)


def _bench_many_keys(engine: Path, server: Memcached) -> None:
    words = ["--mix", "get=1", "--keys", str(MANY_KEYS), "--access", "permutation", "--seconds", "2"]
    _, resident_mib = _run(engine, server, 50, *words)
    method = f"resident at most (VmHWM); gets in a random permutation of {MANY_KEYS} keys, 50 connections"
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
