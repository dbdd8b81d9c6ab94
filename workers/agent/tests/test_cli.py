"""`loadstone-agent` on the command line, and its settings."""

import os
import stat
from collections.abc import Iterator

import pytest
import structlog
from loadstone_agent.api import NO_PATIENCE
from loadstone_agent.cli import app
from loadstone_agent.cpus import shared_cpu_warning, split_cpus
from loadstone_agent.identity import identity_path, load_identity
from loadstone_agent.settings import AgentSettings, get_settings
from loadstone_agent.worker import lock_agent_dir
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.processes import free_port
from typer.testing import CliRunner, Result


@pytest.fixture(autouse=True)
def environment(settings: AgentSettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LOADSTONE_AGENT_DIR", str(settings.agent_dir))
    monkeypatch.setenv("LOADSTONE_ENGINE", settings.engine)
    get_settings.cache_clear()
    yield
    structlog.reset_defaults()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_enroll_keeps_the_identity_for_its_owner_only(api: ApiInMemory, settings: AgentSettings) -> None:
    result = run("enroll", "--url", api.url, "--token", "lse_good", "--name", "box", "--label", "rack=7")
    assert result.exit_code == 0, result.output
    identity = load_identity(settings.agent_dir)
    assert (identity.name, identity.queue, identity.url) == ("box", "agent.a1", api.url)
    assert stat.S_IMODE(identity_path(settings.agent_dir).stat().st_mode) == 0o600


def test_a_spent_token_is_told_with_its_code(api: ApiInMemory, settings: AgentSettings) -> None:
    result = run("enroll", "--url", api.url, "--token", "lse_spent", "--name", "box")
    assert result.exit_code == 1
    assert "enrollment_invalid" in result.output
    assert not identity_path(settings.agent_dir).exists()


def test_a_host_that_is_not_enrolled_says_how_to(settings: AgentSettings) -> None:
    result = run("start")
    assert result.exit_code == 1
    assert "loadstone-agent enroll" in result.output


def test_a_second_agent_in_the_same_directory_is_refused(settings: AgentSettings) -> None:
    lock = lock_agent_dir(settings)
    result = run("start")
    os.close(lock)
    assert result.exit_code == 1
    assert "already" in result.output


def test_stores_shows_what_can_be_started() -> None:
    output = run("stores").output
    assert "memcached" in output
    assert "/redis-server" in output


def test_doctor_finds_engine_cpus_and_disk() -> None:
    result = run("doctor")
    assert result.exit_code == 0, result.output
    for word in ("engine   loadstone-engine", "cpus     stores", "MiB free"):
        assert word in result.output


def test_doctor_fails_where_the_engine_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADSTONE_ENGINE", "/nowhere/engine")
    get_settings.cache_clear()
    result = run("doctor")
    assert result.exit_code == 1
    assert "LOADSTONE_ENGINE" in result.output


def test_cpu_lists_are_read_as_the_kernel_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADSTONE_AGENT_STORE_CPUS", "0,2-4")
    monkeypatch.setenv("LOADSTONE_AGENT_ENGINE_CPUS", "")
    settings = AgentSettings()
    assert settings.agent_store_cpus == [0, 2, 3, 4]
    assert settings.agent_engine_cpus is None


@pytest.mark.parametrize(
    ("allowed", "store", "engine"),
    [({0}, [0], [0]), ({0, 1}, [0], [1]), ({3, 5, 7}, [3], [5, 7]), ({0, 1, 2, 3}, [0, 1], [2, 3])],
)
def test_stores_and_engine_share_a_cpu_only_when_there_is_one(
    monkeypatch: pytest.MonkeyPatch, allowed: set[int], store: list[int], engine: list[int]
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: allowed)
    split = split_cpus(AgentSettings())
    assert (split.store, split.engine) == (store, engine)
    assert (shared_cpu_warning(split.store, split.engine) is not None) == (len(allowed) == 1)


def test_an_api_that_is_away_is_told_with_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setattr("loadstone_agent.api.SHORT", NO_PATIENCE)
    result = run("enroll", "--url", url, "--token", "lse_good", "--name", "box")
    assert result.exit_code == 1
    assert url in result.output
