"""The engine against a bare loop that only makes the system calls, against its peers, and against theory.

Prints one JSON line a figure and exits 0 whether or not limits hold: `value` in `unit`; `limit` is the most that it may
be, where there is one, and `holds` whether it is; `method` says how it was measured and `n` from how many runs. What
was not measured is a line too, without a value and with the reason as its method.

clock   one reading of the engine's clock.
threads operations for each second of CPU with two threads on two cores over those with one (at least 0.9).
cells   client CPU per operation (`cpu_us`), operations a second of wall time (`rate`), and the engine's CPU over that
        of another (`cpu_ratio`), by store, operation and bytes of a value. Stores run on core 0, the client on core 1.
        Operations are counted by the server, CPU is the client process's own (user and system, wait4). Clients take
        turns and their order is reversed from round to round; a ratio is the median of each round's ratio, so that the
        machine's mood of that moment is in both of its sides. On the loopback most of a client's CPU is the kernel's,
        in `send`, and holds the server's receive path.
memory  what the engine's process has resident at most.
stalls  whether percentiles are true when a server stands still.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cell_bench import bench_cells
from figures import show, tell
from memory import bench_memory
from processes import CLIENT_CORE, SERVER_CORE, ClientFailed, run_to_end
from stalls import bench_stalls
from stores import Memcached

FOLDER = Path(__file__).parents[1]
ENGINE = FOLDER / "target" / "release" / "loadstone-engine"
PARTS = ("clock", "threads", "cells", "memory", "stalls")


def show_own(engine: Path, folder: Path, figure: str, *words: str) -> None:
    """A figure that the engine's own bench tells, on memcached."""
    memcached = Memcached(folder / figure)
    target = ["--target", f"memcached://127.0.0.1:{memcached.port}", "--keys", "1000"]
    try:
        lines = run_to_end(CLIENT_CORE, [str(engine), "bench", *target, *words]).said.splitlines()
    except ClientFailed as failure:
        return tell(f"engine.bench.{figure}", str(failure))
    finally:
        memcached.stop()
    told = [line for line in lines if json.loads(line)["name"] == f"engine.bench.{figure}"]
    if not told:
        tell(f"engine.bench.{figure}", "this engine's bench does not tell it: build a newer one")
    for line in told:
        print(line, flush=True)
    return None


def bench_clock(engine: Path, folder: Path) -> None:
    show_own(engine, folder, "timestamp_ns", "--operations", "5000", "--repeats", "1", "--only", "bare_epoll")


def bench_threads(engine: Path, folder: Path) -> None:
    """A thread on each of two cores; the server has to share one of them, so CPU and not wall time is compared."""
    cores = f"{SERVER_CORE},{CLIENT_CORE}"
    words = ["--threads", "2", "--cpus", cores, "--operations", "40000", "--repeats", "5", "--only", "engine_epoll"]
    show_own(engine, folder, "threads_scaling", *words)


def build_programmed_server(engine: Path) -> Path | None:
    """The server with programmed delays stands beside the engine once it has been built."""
    cargo = shutil.which("cargo", path=f"{os.environ.get('PATH', '')}:{Path.home()}/.cargo/bin")
    if cargo:
        build = [cargo, "build", "--release", "--locked", "--quiet", "-p", "loadstone-bench", "--examples"]
        target = {"CARGO_TARGET_DIR": str(engine.parents[1].resolve())}
        subprocess.run(build, cwd=FOLDER, check=False, env={**os.environ, **target})
    program = engine.parent / "examples" / "programmed_server"
    return program if program.exists() else None


def bench(arguments: argparse.Namespace, folder: Path) -> None:
    engine, parts = arguments.engine, arguments.part or PARTS
    begun = time.monotonic()
    if "clock" in parts:
        bench_clock(engine, folder)
    if "threads" in parts:
        bench_threads(engine, folder)
    if "cells" in parts:
        bench_cells(engine, folder, arguments.cells, dict(arguments.peer), arguments.repeats, arguments.seconds)
    if "memory" in parts:
        bench_memory(engine, folder)
    if "stalls" in parts and (program := build_programmed_server(engine)) is not None:
        bench_stalls(engine, program, arguments.protocol)
    show("engine.bench_s", time.monotonic() - begun, "s", None, f"wall time of {', '.join(parts)}", 1)


def _named(word: str) -> tuple[str, str]:
    name, equals, command = word.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("write NAME=COMMAND")
    return name, command


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", type=Path, default=ENGINE)
    parser.add_argument("--repeats", type=int, default=5, help="rounds of a cell")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a client's run in a cell, about")
    parser.add_argument("--cells", default="", help="only cells with this in their names; across: the last figure")
    parser.add_argument("--protocol", action="append", help="only these in the stalls")
    parser.add_argument("--part", choices=PARTS, action="append", help="only these parts")
    parser.add_argument("--peer", type=_named, action="append", default=[], metavar="NAME=COMMAND",
                        help="where a peer is that is not on PATH; of ycsb the folder")  # fmt: skip
    return parser.parse_args()


def main() -> None:
    arguments = _arguments()
    if (os.cpu_count() or 1) < 2:
        print("not measured: client and server need a core each", file=sys.stderr)
        return
    if not arguments.engine.exists():
        raise SystemExit("the engine is not built: cargo build --release")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # Everything that is started ends with its `with`.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="loadstone-bench-") as directory:
        # Databases run as another user.
        Path(directory).chmod(0o755)
        os.environ["TMPDIR"] = tempfile.tempdir = directory
        try:
            bench(arguments, Path(directory))
        except KeyboardInterrupt:
            sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
