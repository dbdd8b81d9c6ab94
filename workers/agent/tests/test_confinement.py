"""Code that runs inside a managed store reaches nothing of its agent, whoever the agent runs as."""

import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loadstone_agent.errors import AgentError, SandboxMissing, StoreStartFailed
from loadstone_agent.keeper import landlock
from loadstone_agent.settings import get_settings
from loadstone_agent.stores import KINDS, confinement, resources
from loadstone_agent.stores.directories import user_ids
from loadstone_agent.stores.groups import find_hierarchies
from loadstone_agent.stores.launch import LaunchPlan, launch
from loadstone_agent_testing import hostile_store
from loadstone_agent_testing.processes import free_port, processes_with

SECRET = f"planted-{uuid.uuid4().hex}"
INTERPRETER = shutil.which("python3", path="/usr/bin:/usr/local/bin")
FORKS = 600
"""More than a store of few connections may start, and few enough to end quickly where nothing stops them."""

pytestmark = [
    pytest.mark.skipif(landlock.abi() < landlock.ABI_MIN, reason="this kernel has no Landlock"),
    pytest.mark.skipif(INTERPRETER is None, reason="no python3 in /usr/bin runs a hostile store as another user"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root starts agents as several users"),
]


class Canary:
    """A server beside the agent, such as its broker; counts who got through."""

    def __init__(self) -> None:
        self.visitors = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                self._server.accept()[0].close()
            except OSError:
                return
            self.visitors += 1

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()


@pytest.fixture
def canary() -> Iterator[Canary]:
    canary = Canary()
    yield canary
    canary.close()


def agents_folder(root: Path, owner: int) -> dict[str, Path]:
    """What an agent keeps, each with the secret in it, readable by the agent alone."""
    kept = {
        "identity": root / "identity.json",
        "spool": root / "spool/lease-1/samples.ndjson",
        "template": root / "templates/mariadb-1/data",
        "another store": root / "stores/another/dump.rdb",
        "trace": root / "traces/t.csv",
        "home": root / "home/.ssh/id_ed25519",
    }
    for path in kept.values():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(SECRET)
        path.chmod(0o600)
    for path in [root, *root.rglob("*")]:
        os.chown(path, owner, owner)
    root.chmod(0o711)
    return kept


def attack(root: Path, owner: pwd.struct_passwd, canary: Canary, *, forks: int = 0) -> tuple[dict[str, str], str]:
    """What the hostile store saw, and the mark of the processes it left behind."""
    kept = agents_folder(root, owner.pw_uid)
    mark = f"mark-{uuid.uuid4().hex}"
    bystander = subprocess.Popen(["sleep", "60"], user=owner.pw_uid, env={"TOKEN": SECRET})
    orders: dict[str, Any] = {
        "read": [*map(str, kept.values()), "/etc/shadow"],
        "list": [str(root), str(root / "templates"), str(root / "stores")],
        "write": [str(path.with_name("planted")) for path in kept.values()] + [f"/tmp/{mark}", f"/var/tmp/{mark}"],
        "processes": [bystander.pid],
        "connect": [canary.port],
        "listen": [free_port()],
        "forks": forks,
        "mark": mark,
    }
    program = root / "memlink"
    # The orders stand in the program: beside it they could not be read.
    source = Path(hostile_store.__file__).read_text().replace('"{}"', repr(json.dumps(orders)))
    program.write_text(f"#!{INTERPRETER}\n{source}")
    program.chmod(0o755)
    try:
        seen = launched_by(owner, root)
        assert bystander.poll() is None, "the store killed a process of its agent's user"
    finally:
        bystander.kill()
        bystander.wait()
    planted = [path for path in orders["write"] if Path(path).exists()]
    assert planted == []
    assert SECRET not in json.dumps(seen)
    assert canary.visitors == 0
    return seen, mark


def launched_by(owner: pwd.struct_passwd, root: Path) -> dict[str, str]:
    """By a copy of this process that has become `owner`: the tests' own interpreter may be closed to others."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(owner.pw_gid)
            os.setuid(owner.pw_uid)
            os.write(writer, launch_as_agent(root).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        seen: dict[str, str] = json.loads(answer.read())
    os.waitpid(pid, 0)
    assert "error" not in seen, seen
    return seen


def launch_as_agent(root: Path) -> str:
    os.environ |= {"PATH": f"{root}:/usr/bin:/bin", "LOADSTONE_AGENT_DIR": str(root), "HOME": str(root / "home")}
    get_settings.cache_clear()
    find_hierarchies.cache_clear()
    sys.executable = str(INTERPRETER)
    plan = LaunchPlan(KINDS["memlink"], {}, 4, [], root / "stores", "nobody", templates=root / "templates")
    try:
        launch(plan, lambda: None).stop()
    except AgentError as error:
        line = next((line for line in error.detail.splitlines() if line.startswith("{")), None)
        return line or json.dumps({"error": f"{error.code}: {error.message} {error.detail}"})
    return json.dumps({"error": "the hostile store answered"})


@pytest.mark.parametrize("agent_user", ["root", "daemon"])
def test_a_store_that_was_taken_over_reaches_nothing_of_its_agent(
    passable_dir: Path, canary: Canary, agent_user: str
) -> None:
    owner = pwd.getpwnam(agent_user)
    seen, mark = attack(passable_dir, owner, canary)
    assert seen["privileges"] == "1"
    assert seen["user"] == str(pwd.getpwnam("nobody" if agent_user == "root" else agent_user).pw_uid)
    refused = {what for what, answer in seen.items() if answer.startswith("refused")}
    touching = ("read ", "list ", "write ", "environ ", "memory ", "kill ", "connect ", "listen ", "dropped ")
    assert {what for what in seen if what.startswith(touching)} <= refused
    assert next(answer for what, answer in seen.items() if what.startswith("attach")) == "-1"
    assert processes_with(mark) == [], "what the store left behind outlived it"
    assert not list((passable_dir / "stores").glob("[0-9a-f]" * 32))


@pytest.mark.skipif(not any(one.limits_processes for one in find_hierarchies()), reason="no pids control group here")
def test_a_store_can_start_only_so_many_processes(
    passable_dir: Path, canary: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "MIN_CONNECTIONS", 64)
    monkeypatch.setattr(resources, "SPARE_FILES", 64)
    seen, _ = attack(passable_dir, pwd.getpwnam("root"), canary, forks=FORKS)
    assert 0 < int(seen["forks"]) < 2 * (64 + 64)


def test_a_store_never_runs_as_root() -> None:
    with pytest.raises(StoreStartFailed, match="LOADSTONE_STORE_USER"):
        user_ids("root")


def test_an_agent_that_can_confine_nothing_refuses_managed_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "_has_landlock", lambda: False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SandboxMissing, match="LOADSTONE_AGENT_ALLOW_UNCONFINED_STORES"):
        confinement.confine(KINDS["redis"], {})
    monkeypatch.setenv("LOADSTONE_AGENT_ALLOW_UNCONFINED_STORES", "1")
    get_settings.cache_clear()
    assert not confinement.confine(KINDS["redis"], {}).is_landlocked


def test_a_server_in_a_home_folder_opens_no_more_than_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its prefix would be the folder that the agent keeps its token in."""
    program = tmp_path / "bin/redis-server"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("LOADSTONE_AGENT_DIR", str(tmp_path / ".loadstone-agent"))
    get_settings.cache_clear()
    assert str(tmp_path) not in confinement.confine(KINDS["redis"], {}).readable
    assert str(program.parent) in confinement.confine(KINDS["redis"], {}).readable
