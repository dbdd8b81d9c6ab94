"""The stores that load engines are measured on: each on the servers' core, each counting its own operations."""

import os
import pwd
import shutil
import socket
import subprocess
import time
from abc import ABC, abstractmethod

SERVER_CORE = 0
CLIENT_CORE = 1
KEY_COUNT = 100_000


class Server(ABC):
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

    @abstractmethod
    def count(self, operation: str) -> int:
        """What the store itself says how often it did `operation`."""

    def stop(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()


class Memcached(Server):
    def __init__(self) -> None:
        port = free_port()
        user = ["-u", unprivileged_user()] if os.geteuid() == 0 else []
        command = [find("memcached"), "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-m", "512", "-t", "1", *user]
        super().__init__(command, port)

    def count(self, operation: str) -> int:
        """Operations so far; of a multi-get every key is one."""
        counter = "STAT cmd_set " if operation == "set" else "STAT cmd_get "
        for line in self.ask(b"stats\r\n", b"END\r\n").splitlines():
            if line.startswith(counter):
                return int(line.split()[2])
        raise SystemExit("memcached does not count its operations")


class Redis(Server):
    def __init__(self, directory: str) -> None:
        port = free_port()
        options = ["--bind", "127.0.0.1", "--port", str(port), "--dir", directory, "--save", "", "--appendonly", "no"]
        super().__init__([find("redis-server"), *options], port)

    def count(self, operation: str) -> int:
        """Commands so far."""
        for line in self.ask(b"INFO commandstats\r\n", b"\r\n\r\n").splitlines():
            if line.startswith(f"cmdstat_{operation}:"):
                return int(line.split("calls=")[1].split(",")[0])
        return 0

    def fill_for_redis_benchmark(self, value_bytes: int) -> None:
        """Writes every key that redis-benchmark asks for, so that its GETs carry values as the engine's do."""
        value = "x" * value_bytes
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
