"""A real api on loopback with a real database, and the command line as a person calls it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

import httpx2
import pytest
from fastapi.testclient import TestClient
from loadstone_local.secrets_file import free_port
from loadstone_testing.callers import Caller

sys.path.insert(0, str(Path(__file__).parent / "support"))

from loadstone_cli_testing.calling import CommandLine


@pytest.fixture(scope="session")
def api_url(settings_in_environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A process of its own: what it logs is not what the command line says."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    env = {**os.environ, "LOADSTONE_PORT": str(port)}
    log_file = tmp_path_factory.mktemp("api") / "log"
    with log_file.open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "loadstone.main"], env=env, stdout=log, stderr=log)
        try:
            wait_until_ready(url, process, log_file)
            yield url
        finally:
            process.terminate()
            process.wait(60)


def wait_until_ready(url: str, process: "subprocess.Popen[bytes]", log_file: Path) -> None:
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(httpx2.TransportError):
            if httpx2.get(f"{url}/readyz", trust_env=False).status_code == 200:
                return
        time.sleep(0.1)
    pytest.fail(f"the api did not start: {log_file.read_text()}")


@pytest.fixture
def signed_out(api_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Nobody is signed in; the configuration is this test's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("LOADSTONE_URL", raising=False)
    monkeypatch.delenv("LOADSTONE_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    return CommandLine(monkeypatch)


@pytest.fixture
def loadstone(signed_out: CommandLine, client: Caller, api_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Signed in by the environment, as an admin of the team."""
    monkeypatch.setenv("LOADSTONE_URL", api_url)
    monkeypatch.setenv("LOADSTONE_TOKEN", client.token)
    return signed_out


@pytest.fixture
def remote(client: Caller, api_url: str) -> Iterator[Caller]:
    """The same admin, calling the process that the command line calls."""
    with httpx2.Client(base_url=api_url, timeout=30, trust_env=False) as http:
        yield Caller(cast("TestClient", http), client.principal, client.token)


@pytest.fixture
def plan_file(tmp_path: Path) -> Callable[..., str]:
    """Writes the text to a file and gives its name."""

    def write(text: str, name: str = "plan.yaml") -> str:
        (tmp_path / name).write_text(text)
        return name

    return write
