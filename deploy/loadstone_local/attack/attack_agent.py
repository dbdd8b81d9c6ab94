"""A second agent, whose host is the attacker's: its PATH offers a hostile store, and its engine's plans are kept.

It runs as whoever runs the attack, or as an ordinary user, since both must hold.
"""

import json
import os
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psutil

from loadstone_local.attack.outcome import NotTried
from loadstone_local.attack.stage import Stage
from loadstone_local.live_stack import wait_until_gone
from loadstone_local.paths import ENGINE, REPOSITORY, VENV, in_venv

ORDINARY_UID = 58_117
"""Nobody's: an ordinary user without an entry anywhere, as in a container."""
READY_WITHIN_S = 40.0
HOSTILE_STORE = Path(__file__).with_name("hostile_store.py")
WRAPPER = """#!/bin/sh
# Keeps what the engine is told, credentials of the store included, and becomes the engine otherwise.
if [ "$1" = run ]; then
    pipe="{plans}.$$"
    mkfifo "$pipe"
    exec 3<&0
    tee -a "{plans}" <&3 >"$pipe" 2>/dev/null 3<&- &
    exec <"$pipe" 3<&-
    rm "$pipe"
fi
exec "{engine}" "$@"
"""


@dataclass
class AttackAgent:
    """`environment_canary` stands in the agent's environment, where secrets of a host stand."""

    home: Path
    uid: int
    name: str
    process: "subprocess.Popen[bytes]"
    environment_canary: str
    agent_id: str = ""
    _offset: int = field(default=0)

    @property
    def directory(self) -> Path:
        return self.home / "agent"

    @property
    def identity(self) -> dict[str, Any]:
        known: dict[str, Any] = json.loads((self.directory / "identity.json").read_text())
        return known

    @property
    def selector(self) -> dict[str, Any]:
        return {"agent_id": self.agent_id}

    @property
    def hostile_program(self) -> Path:
        return self.home / "bin/memcached"

    def processes(self) -> list[psutil.Process]:
        """The agent's own and all that it started."""
        try:
            main = psutil.Process(self.process.pid)
            family: list[psutil.Process] = [main, *main.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []
        return family

    def engine_plan(self, within_s: float = 40) -> dict[str, Any]:
        """The newest plan that an engine was given since the last call. Raises NotTried."""
        deadline = time.monotonic() + within_s
        kept = self.home / "plans/plans.ndjson"
        while time.monotonic() < deadline:
            lines = kept.read_bytes()[self._offset :].splitlines(keepends=True) if kept.exists() else []
            if lines and lines[-1].endswith(b"\n"):
                self._offset += sum(map(len, lines))
                plan: dict[str, Any] = json.loads(lines[-1])
                return plan
            time.sleep(0.05)
        raise NotTried(f"{self.name} gave no engine a plan within {within_s:.0f} s")


def write_hostile_program(home: Path, config: dict[str, Any]) -> None:
    """In one step: a store may start at any moment."""
    draft = home / "bin/.memcached"
    draft.write_text(HOSTILE_STORE.read_text().replace("@CONFIG@", json.dumps(config)))
    draft.chmod(0o755)
    draft.replace(home / "bin/memcached")


def _is_open_to_all(path: Path) -> bool:
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in path.parents)


def ordinary_python() -> str:
    """A Python of this one's version that every user may start: a venv's own may lie in somebody's home."""
    minor = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (Path(sys.executable).resolve(), Path("/usr/bin") / minor, Path("/usr/local/bin") / minor):
        if candidate.exists() and _is_open_to_all(candidate.resolve()):
            return str(candidate)
    raise NotTried(f"no {minor} can be started by an ordinary user here: install one in /usr")


def _command(uid: int, home: Path) -> tuple[list[str], dict[str, str]]:
    if uid == os.geteuid():
        return [str(in_venv("loadstone-agent")), "start"], {}
    packages = sysconfig.get_path("purelib", vars={"base": str(VENV), "platbase": str(VENV)})
    if not _is_open_to_all(Path(packages)):
        raise NotTried(f"an ordinary user cannot enter {packages}: move the checkout")
    # Wanted by redis-py before Python 3.11.3, which a system's own Python may be and the venv's is not.
    shim = home / "bin/async_timeout.py"
    shim.write_text("from asyncio import timeout as timeout\n")
    path = [packages, *(str(REPOSITORY / "workers" / part) for part in ("agent", "contracts")), str(shim.parent)]
    words = [ordinary_python(), "-c", "from loadstone_agent.cli import app; app()", "start"]
    return words, {"PYTHONPATH": ":".join(path), "PYTHONDONTWRITEBYTECODE": "1"}


def _make_home(uid: int) -> Path:
    """Folders that the agent owns, a wrapper of the engine, and the hostile store under the name of memcached."""
    home = Path(tempfile.mkdtemp(prefix="loadstone-attack-", dir="/var/tmp"))
    home.chmod(0o755)
    for name, mode in (("agent", 0o711), ("plans", 0o700), ("bin", 0o755)):
        folder = home / name
        folder.mkdir()
        folder.chmod(mode)
    wrapper = home / "bin/engine"
    wrapper.write_text(WRAPPER.format(plans=home / "plans/plans.ndjson", engine=ENGINE))
    wrapper.chmod(0o755)
    for name in ("agent", "plans"):
        os.chown(home / name, uid, uid if uid != os.geteuid() else -1)
    return home


@contextmanager
def attack_agent(stage: Stage, uid: int) -> Iterator[AttackAgent]:
    """Enrolled in the attacked team, online when this returns; nothing of it is left behind."""
    name = f"attack-{'root' if uid == 0 else 'ordinary'}-{secrets.token_hex(3)}"
    home = _make_home(uid)
    command, extra = _command(uid, home)
    servers = stage.agent_dir / "servers"
    if servers.exists():
        (home / "agent/servers").symlink_to(servers.resolve(), target_is_directory=True)
    canary = f"canary-environment-{secrets.token_hex(12)}"
    environment = {
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "HOME": str(home / "agent"),
        "LANG": "C.UTF-8",
        "LOADSTONE_AGENT_DIR": str(home / "agent"),
        "LOADSTONE_ENGINE": str(home / "bin/engine"),
        "LOADSTONE_HOST_KEY": name,
        "LOADSTONE_ATTACK_CANARY": canary,
        "PYTHONUNBUFFERED": "1",
        **extra,
    }
    try:
        _enroll(stage, [*command[:-1], "enroll"], environment, uid, name)
        with (home / "agent.log").open("wb") as log:
            process = subprocess.Popen(command, env=environment, cwd="/", user=uid, group=_group(uid),
                                       extra_groups=_groups(uid), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True)  # fmt: skip
        agent = AttackAgent(home, uid, name, process, canary)
        try:
            _await_online(stage, agent)
            stage.canaries.watch(agent.directory / "stores")
            yield agent
        finally:
            _end(agent)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _group(uid: int) -> int:
    return os.getegid() if uid == os.geteuid() else uid


def _groups(uid: int) -> list[int] | None:
    return None if uid == os.geteuid() else []


def _enroll(stage: Stage, command: list[str], environment: dict[str, str], uid: int, name: str) -> None:
    token = stage.admin.post("/agent-enrollments").raise_for_status().json()["token"]
    words = [*command, "--url", stage.live.stack.url, "--token", token, "--name", name]
    done = subprocess.run(words, env=environment, cwd="/", user=uid, group=_group(uid), extra_groups=_groups(uid),
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode != 0:
        raise NotTried(f"{name} could not be enrolled: {done.stdout}{done.stderr}")


def _await_online(stage: Stage, agent: AttackAgent) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline and agent.process.poll() is None:
        for known in _agents(stage.admin):
            if known["name"] == agent.name and known["state"] in ("online", "busy"):
                agent.agent_id = known["id"]
                return
        time.sleep(0.2)
    log = (agent.home / "agent.log").read_text(errors="replace")[-2000:]
    raise NotTried(f"{agent.name} did not come online: {log}")


def _agents(client: httpx2.Client) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/agents").raise_for_status().json()["items"]
    return items


def _end(agent: AttackAgent) -> None:
    """As a host is shut down; what does not go is killed, process by process."""
    family = agent.processes()
    if agent.process.poll() is None:
        agent.process.send_signal(signal.SIGTERM)
    for process in wait_until_gone(family, within_s=15):
        process.kill()
    agent.process.wait(10)
