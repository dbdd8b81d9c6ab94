"""What an operation costs the client: the engine against redis-benchmark, on one machine, interleaved.

memcached and redis-server run on core 0, the client on core 1. Operations are counted by the server, CPU is the
client process's own (user and system, from wait4). A ratio is taken within each round, so that the machine's mood
of that moment is in both of its sides. Prints one JSON line a figure and exits 0 whether or not limits hold.
"""

import argparse
import json
import os
import pwd
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SERVER_CORE = 0
CLIENT_CORE = 1
CONNECTIONS = 50
KEY_COUNT = 100_000
VALUE_BYTES = 100
MOST_EXPENSIVE_RATIO = 0.85
ENGINE = Path(__file__).parents[1] / "target" / "release" / "loadstone-engine"


@dataclass(frozen=True)
class Cost:
    """One client run: CPU microseconds an operation, and operations a second of wall time."""

    cpu_us: float
    rate_per_s: float


class Server:
    """A store on the servers' core, reached over one text connection for its counters."""

    def __init__(self, arguments: list[str], port: int) -> None:
        self.port = port
        self.process = subprocess.Popen(on_core(SERVER_CORE, arguments), stdout=subprocess.DEVNULL)
        self.connection = self._connect()

    def _connect(self) -> socket.socket:
        for _ in range(200):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=10)
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise SystemExit(f"nothing listens on port {self.port}")

    def ask(self, question: bytes, end: bytes) -> str:
        """Says something and reads until `end`."""
        self.connection.sendall(question)
        answer = b""
        while not answer.endswith(end):
            piece = self.connection.recv(65536)
            if not piece:
                raise SystemExit("the store closed the connection")
            answer += piece
        return answer.decode()

    def stop(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()


class Memcached(Server):
    def __init__(self) -> None:
        port = free_port()
        user = ["-u", unprivileged_user()] if os.geteuid() == 0 else []
        command = [find("memcached"), "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-m", "256", "-t", "1", *user]
        super().__init__(command, port)

    def count_gets(self) -> int:
        for line in self.ask(b"stats\r\n", b"END\r\n").splitlines():
            if line.startswith("STAT cmd_get "):
                return int(line.split()[2])
        raise SystemExit("memcached does not count its gets")


class Redis(Server):
    def __init__(self, directory: str) -> None:
        port = free_port()
        options = ["--bind", "127.0.0.1", "--port", str(port), "--dir", directory, "--save", "", "--appendonly", "no"]
        super().__init__([find("redis-server"), *options], port)

    def count_gets(self) -> int:
        for line in self.ask(b"INFO commandstats\r\n", b"\r\n\r\n").splitlines():
            if line.startswith("cmdstat_get:"):
                return int(line.split("calls=")[1].split(",")[0])
        return 0

    def fill_for_redis_benchmark(self) -> None:
        """Writes every key that redis-benchmark asks for, so that its GETs carry values as the engine's do."""
        value = "x" * VALUE_BYTES
        for start in range(0, KEY_COUNT, 1000):
            commands = "".join(f"SET key:{index:012d} {value}\r\n" for index in range(start, start + 1000))
            self.ask(commands.encode(), b"+OK\r\n" * 1000)


def on_core(core: int, command: list[str]) -> list[str]:
    """`taskset` becomes the command, so that process and resource usage are the command's own."""
    return ["taskset", "-c", str(core), *command]


def find(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise SystemExit(f"{program} is missing: apt-get install memcached redis-server")
    return path


def unprivileged_user() -> str:
    return pwd.getpwnam("nobody").pw_name


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def run_client(command: list[str], count_gets: Callable[[], int]) -> Cost:
    """Runs a client on its core and divides its CPU time by the operations that the server has seen."""
    before = count_gets()
    started = time.monotonic()
    pinned = on_core(CLIENT_CORE, command)
    process = subprocess.Popen(pinned, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed_s = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    operations = count_gets() - before
    return Cost((usage.ru_utime + usage.ru_stime) * 1e6 / operations, operations / elapsed_s)


def engine_command(engine: Path, target: str, seconds: float, *more: str) -> list[str]:
    shape = ["--connections", str(CONNECTIONS), "--keys", str(KEY_COUNT), "--value-size", str(VALUE_BYTES)]
    what = ["--target", target, "--mix", "get=1", "--seconds", str(seconds), "--json"]
    return [str(engine), "run", *what, *shape, *more]


def redis_benchmark_command(port: int, operations: int) -> list[str]:
    shape = ["-c", str(CONNECTIONS), "-n", str(operations), "-r", str(KEY_COUNT), "-d", str(VALUE_BYTES)]
    return [find("redis-benchmark"), "-h", "127.0.0.1", "-p", str(port), "-t", "get", "-q", *shape]


def measure(engine: Path, repeats: int, seconds: float) -> dict[str, list[Cost]]:
    """Rounds of the three clients in turn, the order reversed from round to round."""
    costs: dict[str, list[Cost]] = {"engine_memcached": [], "engine_redis": [], "redis_benchmark": []}
    with tempfile.TemporaryDirectory() as directory:
        memcached, redis = Memcached(), Redis(directory)
        try:
            redis.fill_for_redis_benchmark()
            targets = {
                "engine_memcached": (f"memcached://127.0.0.1:{memcached.port}", memcached.count_gets),
                "engine_redis": (f"redis://127.0.0.1:{redis.port}", redis.count_gets),
            }
            for target, count_gets in targets.values():
                run_client(engine_command(engine, target, 0.5), count_gets)
            trial = run_client(redis_benchmark_command(redis.port, 100_000), redis.count_gets)
            clients = {
                name: (engine_command(engine, target, seconds, "--no-prefill"), count_gets)
                for name, (target, count_gets) in targets.items()
            }
            operations = int(trial.rate_per_s * seconds)
            clients["redis_benchmark"] = (redis_benchmark_command(redis.port, operations), redis.count_gets)
            for number in range(repeats):
                for name in list(clients)[:: 1 if number % 2 == 0 else -1]:
                    costs[name].append(run_client(*clients[name]))
        finally:
            memcached.stop()
            redis.stop()
    return costs


def show(name: str, value: float, unit: str, limit: float | None, method: str, n: int) -> None:
    holds = None if limit is None else value <= limit
    figure = {"name": name, "value": round(value, 3), "unit": unit, "limit": limit, "holds": holds}
    print(json.dumps({**figure, "method": method, "n": n}), flush=True)


def report(costs: dict[str, list[Cost]]) -> None:
    peers = costs["redis_benchmark"]
    setting = f"get {VALUE_BYTES} B, {CONNECTIONS} connections, no pipeline, client on one core, server on another"
    for name, own in costs.items():
        method = f"median client CPU (wait4) per operation counted by the server; {setting}"
        show(f"engine.cpu_us.{name}", statistics.median(cost.cpu_us for cost in own), "us", None, method, len(own))
        rate = statistics.median(cost.rate_per_s for cost in own)
        method = f"median operations per second of wall time; {setting}"
        show(f"engine.rate.{name}", rate, "1/s", None, method, len(own))
    for name, limit in (("engine_memcached", MOST_EXPENSIVE_RATIO), ("engine_redis", None)):
        ratios = [own.cpu_us / peer.cpu_us for own, peer in zip(costs[name], peers, strict=True)]
        method = f"median over rounds of client CPU per operation, {name} / redis-benchmark GET on Redis; {setting}"
        show(f"engine.cpu_ratio.{name}", statistics.median(ratios), "ratio", limit, method, len(ratios))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", type=Path, default=ENGINE)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2.5)
    arguments = parser.parse_args()
    if not arguments.engine.exists():
        raise SystemExit("the engine is not built: cargo build --release")
    if (os.cpu_count() or 1) < 2:
        print("not measured: client and server need a core each", file=sys.stderr)
        return
    report(measure(arguments.engine, arguments.repeats, arguments.seconds))


if __name__ == "__main__":
    main()
