"""PostgreSQL stops while people work: everybody is told to try again, nobody that something is broken."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from loadstone.openapi import OPENAPI_FILE
from loadstone_local.paths import ordinary_user
from loadstone_local.secrets_file import free_port
from loadstone_local.servers import postgres_binaries
from loadstone_testing.database import make_worker_database
from loadstone_testing.servers import shared_postgres

START_TIMEOUT_S = 120
DOCUMENT = json.loads(OPENAPI_FILE.read_text())
NEEDS_NO_DATABASE = {"/healthz", "/api/v1/openapi.json", "/api/v1/schemas/plan.json"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with shared_postgres(tmp_path_factory.mktemp("own-cluster")) as home:
        yield home


def control(home: Path, *arguments: str) -> None:
    command = [str(postgres_binaries() / "pg_ctl"), "-D", str(home / "data"), "-w", "-l", str(home / "server.log")]
    subprocess.run([*command, *arguments], user=ordinary_user(), cwd="/", check=True, stdout=subprocess.DEVNULL)


def stop(home: Path) -> None:
    # Connections are cut in the middle of what they do.
    control(home, "-m", "immediate", "stop")


def start(home: Path) -> None:
    control(home, "-o", f"-c listen_addresses='' -c unix_socket_directories={home} -c max_connections=200", "start")


@pytest.fixture(scope="module")
def served(
    cluster: Path, redis_url: str, settings_in_environment: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx2.Client]:
    """An api with a database of its own, and a token of an admin."""
    port = free_port()
    env = {**os.environ, "LOADSTONE_DATABASE_URL": make_worker_database(cluster, "away"), "LOADSTONE_PORT": str(port)}
    admin = [sys.executable, "-m", "loadstone.admin"]
    account = ["create-account", "--email", "a@example.org", "--name", "A", "--team", "T", "--password-stdin"]
    subprocess.run([*admin, *account], env=env, input=b"correct horse battery\n", check=True, stdout=subprocess.DEVNULL)
    made = subprocess.run(
        [*admin, "create-token", "--email", "a@example.org"], env=env, check=True, capture_output=True
    )
    log = tmp_path_factory.mktemp("api") / "log"
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-m", "loadstone.main"], env=env, stderr=output)
        headers = {"Authorization": f"Bearer {made.stdout.decode().split()[-1]}"}
        try:
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as http:
                wait_until_ready(http)
                yield http
        finally:
            process.kill()
            process.wait()


def wait_until_ready(http: httpx2.Client) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        with suppress(httpx2.TransportError):
            if http.get("/readyz").status_code == 200:
                return
        time.sleep(0.1)
    pytest.fail("the api did not start")


def every_request() -> list[tuple[str, str]]:
    nobody = "00000000-0000-7000-8000-000000000000"
    return [
        (method, re.sub(r"\{(\w+)\}", "x" * 20 if "token}" in path else nobody, path))
        for path, operations in DOCUMENT["paths"].items()
        for method in operations
    ]


@pytest.mark.timeout(240)
def test_every_route_says_that_the_database_is_away(served: httpx2.Client, cluster: Path) -> None:
    assert served.get("/api/v1/me").status_code == 200
    stop(cluster)
    try:
        for method, path in every_request():
            answer = served.request(method, path, json={} if method != "get" else None)
            if path in NEEDS_NO_DATABASE:
                continue
            # What needs no database, such as a body that cannot be read, may be said without it.
            assert answer.status_code in (400, 401, 415, 422, 503), f"{method} {path}: {answer.text[:300]}"
            if answer.status_code == 503 and path != "/readyz":
                assert (answer.json()["code"], answer.headers["Retry-After"]) == ("database_away", "5"), path
            if method == "get" and path.startswith("/api/"):
                assert answer.status_code in (503, 422), f"{path}: {answer.text[:300]}"
    finally:
        start(cluster)
    wait_until_ready(served)
    assert served.get("/api/v1/me").status_code == 200, "connections are opened anew"


@pytest.mark.timeout(240)
def test_requests_that_are_cut_in_the_middle_are_told_so(served: httpx2.Client, cluster: Path) -> None:
    ends = threading.Event()
    seen: list[int] = []
    paths = ["/api/v1/targets", "/api/v1/runs", "/api/v1/me", "/api/v1/recipes", "/api/v1/queue"]

    def ask() -> None:
        while not ends.is_set():
            for path in paths:
                seen.append(served.get(path).status_code)
            answer = served.post("/api/v1/tokens", json={"name": "x"})
            seen.append(answer.status_code)

    askers = [threading.Thread(target=ask) for _ in range(4)]
    for asker in askers:
        asker.start()
    for _ in range(3):
        time.sleep(0.7)
        stop(cluster)
        time.sleep(0.3)
        start(cluster)
    time.sleep(1)
    ends.set()
    for asker in askers:
        asker.join(60)
    assert {200, 503} <= set(seen) <= {200, 201, 503}, sorted(set(seen))
