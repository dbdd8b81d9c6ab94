"""The api as a process: it starts, and it stops in time with a live stream open."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from loadstone_local.secrets_file import free_port
from loadstone_testing.callers import Caller
from loadstone_testing.factories import plan_definition

START_TIMEOUT_S = 120
STOPS_WITHIN_S = 15
"""What systemd gives it (`TimeoutStopSec`)."""


@pytest.fixture
def url() -> str:
    return f"http://127.0.0.1:{free_port()}"


@pytest.fixture
def process(url: str, database: str, tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    env = {**os.environ, "LOADSTONE_PORT": url.rpartition(":")[2]}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "loadstone.main"], env=env, stderr=log)
        try:
            wait_until_ready(url, process)
            yield process
        finally:
            process.kill()
            process.wait()


def wait_until_ready(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(httpx2.TransportError):
            if httpx2.get(f"{url}/readyz").status_code == 200:
                return
        time.sleep(0.1)
    pytest.fail("the api did not start")


def test_it_stops_within_its_time_although_a_stream_is_open(
    process: "subprocess.Popen[bytes]", url: str, client: Caller, tmp_path: Path
) -> None:
    run_id = client.post("/api/v1/runs", json={"plan": plan_definition()}).json()["id"]
    opened = threading.Event()

    def watch() -> None:
        headers = {"Authorization": f"Bearer {client.token}"}
        with (
            suppress(httpx2.TransportError),
            httpx2.stream("GET", f"{url}/api/v1/runs/{run_id}/events", headers=headers, timeout=30) as response,
        ):
            opened.set()
            response.read()

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert opened.wait(60)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=STOPS_WITHIN_S)
    watcher.join(60)
    log = (tmp_path / "log").read_text()
    assert "Finished server process" in log
    assert "timeout graceful shutdown exceeded" not in log
    assert "Traceback" not in log, log


ATTEMPTS = 55
"""More than one address may make in five minutes."""


@pytest.mark.parametrize(("trusted", "status"), [("", 429), ("127.0.0.1", 401), ("192.0.2.1", 429)])
def test_only_a_proxy_that_was_named_says_whose_address_it_is(
    url: str, database: str, tmp_path: Path, trusted: str, status: int, anonymous: object
) -> None:
    """Whoever reaches the api from this machine could otherwise guess passwords as often as they like."""
    env = {**os.environ, "LOADSTONE_PORT": url.rpartition(":")[2], "LOADSTONE_TRUSTED_PROXIES": trusted}
    # uvicorn's own variable must not open what the setting keeps shut.
    env["FORWARDED_ALLOW_IPS"] = "*"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "loadstone.main"], env=env, stderr=log)
        try:
            wait_until_ready(url, process)
            for number in range(ATTEMPTS):
                headers = {"X-Forwarded-For": f"198.51.100.{number}"}
                body = {"email": f"nobody{number}@example.org", "password": "x"}
                answer = httpx2.post(f"{url}/api/v1/session", json=body, headers=headers)
            assert answer.status_code == status
        finally:
            process.kill()
            process.wait()
