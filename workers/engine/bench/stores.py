"""The stores that load engines are measured on: each on the servers' core, each counting its own operations."""

import os
import pwd
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path

from cells import Cell
from processes import SERVER_CORE, find_program, start

# What redis-benchmark and mc-crusher ask for, so that their gets carry values as the engine's do.
MC_CRUSHER_PREFIX = "k0000000000"
FILL_AT_ONCE = 1000


class Server(ABC):
    """A store on the servers' core, reached over one text connection for its counters. It logs into its folder."""

    def __init__(self, folder: Path, command: list[str], port: int) -> None:
        self.folder, self.port = folder, port
        self.log = folder / "server.log"
        with self.log.open("wb") as log:
            self.process = start(SERVER_CORE, command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.connection = self._connect()
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    @staticmethod
    def make_folder(folder: Path) -> None:
        """Other users must be able to reach it and to write into it."""
        folder.mkdir(parents=True)
        folder.chmod(0o777)

    def _connect(self) -> socket.socket:
        for _ in range(500):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=10)
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.02)
        raise SystemExit(f"nothing listens on port {self.port}: {self.log.read_text(errors='replace')[-1000:]}")

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

    @abstractmethod
    def count(self, cell: Cell) -> int:
        """What the store itself says how many operations like the cell's it has done; of many keys each is one."""

    def url(self, cell: Cell) -> str:
        """For the engine's `--target`."""
        return f"{cell.scheme}://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """As at Ctrl-C: a server that is killed leaves its shared memory behind."""
        self.connection.close()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Memcached(Server):
    def __init__(self, folder: Path, most_connections: int = 1024) -> None:
        self.make_folder(folder)
        port = free_port()
        user = ["-u", unprivileged_user()] if os.geteuid() == 0 else []
        options = ["-l", "127.0.0.1", "-p", str(port), "-U", "0", "-m", "512", "-t", "1", "-c", str(most_connections)]
        super().__init__(folder, [found("memcached"), *options, *user], port)

    def count(self, _cell: Cell) -> int:
        """Gets and sets: some clients write what they will read."""
        counters = dict(line.split()[1:3] for line in self.ask(b"stats\r\n", b"END\r\n").splitlines()[:-1])
        return int(counters["cmd_get"]) + int(counters["cmd_set"])

    def fill_for_mc_crusher(self, cell: Cell) -> None:
        """The keys that it does not pad to the length of the engine's; all others are the engine's."""
        value = "x" * cell.value_bytes
        for begin in range(0, cell.key_count // 10, FILL_AT_ONCE):
            commands = "".join(
                f"set {MC_CRUSHER_PREFIX}{index} 0 0 {len(value)}\r\n{value}\r\n"
                for index in range(begin, begin + FILL_AT_ONCE)
            )
            self.ask(commands.encode(), b"STORED\r\n" * FILL_AT_ONCE)


class Redis(Server):
    def __init__(self, folder: Path) -> None:
        self.make_folder(folder)
        port = free_port()
        options = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder), "--save", "", "--appendonly", "no"]
        super().__init__(folder, [found("redis-server"), *options], port)

    def count(self, cell: Cell) -> int:
        """Commands that read or write a record, YCSB's among them."""
        keys_of = {"get": 1, "set": 1, "mget": cell.keys, "hgetall": 1}
        operations = 0
        for line in self.ask(b"INFO commandstats\r\n", b"\r\n\r\n").splitlines():
            name, _, figures = line.removeprefix("cmdstat_").partition(":calls=")
            operations += keys_of.get(name, 0) * int(figures.split(",")[0] or 0)
        return operations

    def fill_for_redis_benchmark(self, cell: Cell) -> None:
        value = "x" * cell.value_bytes
        for begin in range(0, cell.key_count, FILL_AT_ONCE):
            commands = "".join(f"SET key:{index:012d} {value}\r\n" for index in range(begin, begin + FILL_AT_ONCE))
            self.ask(commands.encode(), b"+OK\r\n" * FILL_AT_ONCE)


def found(program: str) -> str:
    path = find_program(program)
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
