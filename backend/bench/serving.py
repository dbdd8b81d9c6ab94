"""What benches of the api share: servers of their own, the api as a process, and one JSON line a figure.

They are started by `python -m loadstone_local.bench`, which knows where the tests' support code lies.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from cryptography.fernet import Fernet
from loadstone_local.secrets_file import free_port
from loadstone_testing.database import make_worker_database
from loadstone_testing.servers import own_redis, shared_postgres

START_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Servers:
    """A PostgreSQL cluster and a Redis that end with the bench."""

    postgres_home: Path
    broker_url: str
    secret_key: str

    def make_database(self, name: str) -> str:
        """Migrated; returns its url."""
        return make_worker_database(self.postgres_home, name)

    def environment(self, database_url: str) -> dict[str, str]:
        """`LOADSTONE_*` for a process that works on that database."""
        return {
            "LOADSTONE_DATABASE_URL": database_url,
            "LOADSTONE_BROKER_URL": self.broker_url,
            "LOADSTONE_SECRET_KEYS": self.secret_key,
        }


@dataclass(frozen=True)
class Api:
    """One api process; `client` brings the token, if one was given."""

    url: str
    pid: int
    client: httpx2.Client

    def cpu_s(self) -> float:
        """User and system time that the process has used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def own_servers() -> Iterator[Servers]:
    with (
        tempfile.TemporaryDirectory(prefix="loadstone-bench-") as folder,
        shared_postgres(Path(folder)) as home,
        own_redis() as broker_url,
    ):
        yield Servers(home, broker_url, Fernet.generate_key().decode())


@contextmanager
def served(servers: Servers, database_url: str, token: str | None = None) -> Iterator[Api]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, **servers.environment(database_url), "LOADSTONE_PORT": str(port)}
    process = subprocess.Popen([sys.executable, "-m", "loadstone.main"], env=environment, stderr=subprocess.DEVNULL)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with httpx2.Client(base_url=url, headers=headers, timeout=120, trust_env=False) as client:
            _wait_until_ready(client)
            yield Api(url, process.pid, client)
    finally:
        process.terminate()
        process.wait(20)


def _wait_until_ready(client: httpx2.Client) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            client.get("/readyz").raise_for_status()
        except httpx2.HTTPError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def report(name: str, value: float, unit: str, limit: float, method: str, n: int) -> None:
    """One figure; it holds when the value is at most the limit."""
    figure = {"name": name, "value": round(value, 4), "unit": unit, "limit": limit, "holds": value <= limit}
    print(json.dumps(figure | {"method": method, "n": n}), flush=True)
