"""Commands that people are told to type: they reach this agent, whoever copies them."""

import os
import pwd
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from loadstone_agent.settings import get_settings
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.mysql_distribution import MYSQL_DISTRIBUTIONS
from loadstone_agent.typed import typed_here

INSTALL = "loadstone-agent stores install mysql"
PERSON = ("ann", 1000, "/bin/bash")
SERVICE = ("loadstone-agent", 998, "/usr/sbin/nologin")
ROOT = ("root", 0, "/bin/bash")


def live_as(monkeypatch: pytest.MonkeyPatch, account: tuple[str, int, str], *, has_sudo: bool) -> None:
    name, number, shell = account
    entry = pwd.struct_passwd((name, "x", number, number, "", "/", shell))
    monkeypatch.setattr(pwd, "getpwuid", lambda _: entry)
    monkeypatch.setattr(shutil, "which", lambda program, **_: "/usr/bin/sudo" if has_sudo else None)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: "/opt/loadstone/bin")


def live_in(monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
    monkeypatch.setenv("LOADSTONE_AGENT_DIR", str(directory))
    get_settings.cache_clear()


@pytest.mark.parametrize(
    ("account", "has_sudo", "before"),
    [
        (PERSON, True, ""),
        (SERVICE, True, "sudo -u loadstone-agent "),
        (SERVICE, False, "runuser -u loadstone-agent -- "),
        (ROOT, True, "sudo "),
        (ROOT, False, ""),
    ],
)
def test_a_command_goes_to_the_agents_user_and_directory(
    monkeypatch: pytest.MonkeyPatch, account: tuple[str, int, str], has_sudo: bool, before: str
) -> None:
    live_as(monkeypatch, account, has_sudo=has_sudo)
    live_in(monkeypatch, Path("/var/lib/an agent"))
    told = f"{before}env LOADSTONE_AGENT_DIR='/var/lib/an agent' /opt/loadstone/bin/{INSTALL}"
    assert typed_here(INSTALL) == told
    assert typed_here("apt-get install -y memcached") == f"{'sudo ' if has_sudo else ''}apt-get install -y memcached"
    assert typed_here("it comes with the agent") == "it comes with the agent"


def test_the_usual_directory_is_named_only_where_another_user_types(monkeypatch: pytest.MonkeyPatch) -> None:
    live_in(monkeypatch, Path.home() / ".loadstone-agent")
    live_as(monkeypatch, PERSON, has_sudo=True)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: "/usr/local/bin")
    assert typed_here(INSTALL) == INSTALL
    live_as(monkeypatch, SERVICE, has_sudo=True)
    assert "LOADSTONE_AGENT_DIR=" in typed_here(INSTALL)


@pytest.fixture
def directory(monkeypatch: pytest.MonkeyPatch, passable_dir: Path) -> Path:
    folder = passable_dir / "an agent"
    live_in(monkeypatch, folder)
    return folder


def in_a_fresh_shell(command: str) -> "subprocess.CompletedProcess[str]":
    """As another terminal has it: without the agent's environment."""
    environment = {"HOME": str(Path.home()), "PATH": os.defpath}
    return subprocess.run(["/bin/sh", "-c", command], env=environment, capture_output=True, text=True)


def test_the_remedy_of_a_missing_store_fills_the_directory_of_the_agent_that_told_it(directory: Path) -> None:
    smallest = MYSQL_DISTRIBUTIONS[-1]
    if not smallest.cached.exists():
        pytest.skip(f"MySQL's archive is not on this host; to get it: {KINDS['mysql'].remedy}")
    version = smallest.version
    offer = KINDS["mysql"].offers()[0]
    assert not offer.available
    done = in_a_fresh_shell(f"{offer.remedy} --version {version}")
    assert done.returncode == 0, done.stderr
    assert str(directory) in done.stdout
    assert "no agent is enrolled there" in done.stderr
    here, other = KINDS["mysql"].offers()
    assert (here.available, here.version, Path(str(here.binary)).parents[2]) == (True, version, directory / "servers")
    assert (other.available, other.version) == (False, MYSQL_DISTRIBUTIONS[0].version)
    assert str(other.remedy).endswith(f"{INSTALL} --version {other.version}")


def test_an_account_without_a_home_gets_one_below_its_agent(directory: Path) -> None:
    """Maven and Go keep there what they fetch."""
    told = typed_here("loadstone-agent stores install memlink")
    done = in_a_fresh_shell(f"HOME=/nonexistent {told}")
    assert "put memlink on the PATH" in done.stderr
    assert (directory / "home").is_dir()
