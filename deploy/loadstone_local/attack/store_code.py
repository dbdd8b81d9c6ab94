"""Layer three: arbitrary code runs inside a store. It must reach nothing but its own data directory."""

import json
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from loadstone_local.attack.attack_agent import AttackAgent, write_hostile_program
from loadstone_local.attack.outcome import NotTried, Outcome
from loadstone_local.attack.stage import Stage, plan_of
from loadstone_local.live_stack import wait_until_gone
from loadstone_local.secrets_file import free_port

FORKS = 2560
"""More threads than any store needs at the connections that a plan may ask for here."""
OUTLIVING = ("child", "daemon", "daemon that ignores signals", "own namespaces")
Report = dict[str, dict[str, Any]]


class Ambush:
    """What lies in wait on the host for one trial: marks, victims, ports; and how each attack is judged by them."""

    def __init__(self, stage: Stage, agent: AttackAgent) -> None:
        self.stage, self.agent = stage, agent
        nonce = secrets.token_hex(6)
        self.file_mark = f"loadstone-mark-{nonce}"
        self.process_mark = f"loadstone-outlived-{nonce}"
        self.private_mark = f"private-{secrets.token_hex(12)}"
        self.outside = agent.home / "agent/outside"
        self.victim = subprocess.Popen(["/bin/sleep", "600"], user=agent.uid, extra_groups=None)
        self.listens = {
            "another port of loopback": ("127.0.0.1", free_port()),
            "every address": ("0.0.0.0", free_port()),
        }
        self.neighbor = agent.directory / "stores/neighbor"
        self.setuid = agent.home / "bin/id"
        self._plant()

    def _plant(self) -> None:
        """Private files of the agent's user, in every place that the agent keeps such files."""
        self.outside.mkdir(mode=0o700)
        (self.outside / "kept").write_text(self.private_mark)
        os.chown(self.outside, self.agent.uid, -1)
        for folder in (self.agent.directory / "spool-refused", self.agent.directory / "traces"):
            self._plant_in(folder, self.agent.uid)
        # As another store of the same user leaves its files.
        self._plant_in(self.neighbor, pwd.getpwnam("nobody").pw_uid if self.agent.uid == 0 else self.agent.uid)
        shutil.copyfile(shutil.which("id") or "/usr/bin/id", self.setuid)
        self.setuid.chmod(0o4755 if os.geteuid() == 0 else 0o755)

    def _plant_in(self, folder: Path, uid: int) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark = folder / "planted"
        mark.write_text(self.private_mark)
        mark.chmod(0o600)
        for path in (folder, mark):
            os.chown(path, uid, -1)

    def config(self) -> dict[str, Any]:
        home, known, state = self.agent.directory, self.stage.secrets(), self.stage.state
        pids = [process.pid for process in self.agent.processes()][:2]
        trees = {"the spool": home / "spool", "refused spools": home / "spool-refused", "traces": home / "traces",
                 "the agent's folder": home, "its neighbor": self.neighbor}  # fmt: skip
        writes = {"templates": home / "templates", "the agent's folder": home, "the spool": home / "spool",
                  "installed servers": home / "servers", "stores": home / "stores", "its neighbor": self.neighbor,
                  "/tmp": "/tmp", "/var/tmp": "/var/tmp", "/dev/shm": "/dev/shm", "/etc/cron.d": "/etc/cron.d",
                  "programs": self.agent.home / "bin", "the canaries": self.stage.canaries.folder}  # fmt: skip
        templates = sorted((home / "templates").glob("*")) if (home / "templates").exists() else []
        writes |= {f"the template {path.name}": path for path in templates[:2]}
        config = {
            "environment_mark": self.agent.environment_canary,
            "file_mark": self.file_mark,
            "process_mark": self.process_mark,
            "forks": FORKS,
            "agent_pids": pids,
            "reads": {"the identity": home / "identity.json", "the installation's secrets": state / "secrets.json",
                      "the admin's token": state / "demo.json", "the broker's settings": state / "redis/redis.conf",
                      "/etc/shadow": "/etc/shadow"},
            "trees": trees,
            "writes": writes,
            "overwrites": {"its own program": self.agent.hostile_program, "the engine": self.agent.home / "bin/engine",
                           "the identity": home / "identity.json"},
            "victims": {"a process of the agent's user": self.victim.pid},
            "outside": [self.outside, home / "spool"],
            "setuid_program": self.setuid,
            "ports": {"the broker": known.redis_port, "the database": known.postgres_port,
                      "the api": int(self.stage.live.stack.url.rsplit(":", 1)[1])},
            "greetings": {"the broker": "PING\r\n", "the api": "GET /healthz HTTP/1.0\r\n\r\n"},
            "listens": self.listens,
            "outliving": OUTLIVING,
        }  # fmt: skip
        return json.loads(json.dumps(config, default=str))  # type: ignore[no-any-return]

    def secrets(self) -> list[str]:
        """None of them may be in what the store got hold of."""
        identity, known = self.agent.identity, self.stage.secrets()
        return [identity["token"], identity["broker_url"], self.agent.environment_canary, self.private_mark,
                known.redis_password, known.postgres_password, known.secret_key, "root:"]  # fmt: skip

    def knock(self) -> dict[str, bool]:
        """Whether somebody answers on the ports that only the attacker would open."""
        return {name: _answers(port) for name, (_, port) in self.listens.items()}

    def marked_files(self) -> list[str]:
        """Files that the store wrote outside its data directory."""
        roots = [self.agent.home, self.stage.canaries.folder, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"),
                 Path("/etc/cron.d"), self.neighbor]  # fmt: skip
        found: set[str] = set()
        for root in roots:
            # Two levels are as deep as it writes; /tmp may hold the world.
            for pattern in (self.file_mark, f"*/{self.file_mark}", f"*/*/{self.file_mark}"):
                with suppress(OSError):
                    found.update(str(path) for path in root.glob(pattern) if not self._is_its_own(path))
        return sorted(found)

    def _is_its_own(self, path: Path) -> bool:
        """In a data directory, other than the neighbor's."""
        return path.parent.parent == self.agent.directory / "stores" and path.parent != self.neighbor

    def outlived(self) -> list[psutil.Process]:
        return [one for one in psutil.process_iter() if self.process_mark in " ".join(_words(one))]

    def clean(self) -> None:
        self.victim.kill()
        self.victim.wait()
        shutil.rmtree(self.neighbor, ignore_errors=True)
        for process in self.outlived():
            process.kill()
        for path in self.marked_files():
            Path(path).unlink(missing_ok=True)


def attack_with_store_code(stage: Stage, agent: AttackAgent) -> Iterator[Outcome]:
    who = "root" if agent.uid == 0 else "an ordinary user"
    with _ambush(stage, agent) as (ambush, run_id):
        port = _port_of(stage, agent, run_id)
        report = _report(port)
        during = ambush.knock()
        stage.admin.post(f"/runs/{run_id}/cancel")
        stage.wait(run_id, within_s=60)
        time.sleep(2)
        yield from _judge(ambush, report, during, f"store code under {who}")


@contextmanager
def _ambush(stage: Stage, agent: AttackAgent) -> Iterator[tuple[Ambush, str]]:
    """A trial of the hostile store, which takes its time, so that it can try everything."""
    ambush = Ambush(stage, agent)
    write_hostile_program(agent.home, ambush.config())
    load = {"kind": "open", "connections": 1, "rate_per_s": 500, "arrivals": "constant"}
    plan = plan_of([stage.target_of("memcached")], [{"kind": "get", "weight": 1}], name="store code", load=load,
                   stop={"operations": 3000}, timeout_ms=60_000)  # fmt: skip
    answer = stage.submit(plan, agent_selector=agent.selector)
    if answer.status_code != 201:
        raise NotTried(f"the plan with the hostile store was refused: {answer.text[:500]}")
    run_id = answer.json()["id"]
    try:
        yield ambush, run_id
    finally:
        stage.admin.post(f"/runs/{run_id}/cancel")
        stage.wait(run_id, within_s=60)
        ambush.clean()


def _port_of(stage: Stage, agent: AttackAgent, run_id: str) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for process in psutil.process_iter():
            words = _words(process)
            if str(agent.hostile_program) in words and "-p" in words:
                return int(words[words.index("-p") + 1])
        time.sleep(0.05)
    told = [(trial["status"], trial["error"]) for trial in stage.trials(run_id)]
    raise NotTried(f"the hostile store did not start: {told}")


def _words(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return list(process.cmdline())
    return []


def _report(port: int) -> Report:
    """What the hostile store says that it got, once it has tried everything."""
    deadline = time.monotonic() + 240
    told: dict[str, Any] = {}
    while time.monotonic() < deadline:
        with suppress(OSError, ValueError), closing(socket.create_connection(("127.0.0.1", port), timeout=5)) as link:
            link.sendall(b"attack-report\r\n")
            told = json.loads(link.makefile("rb").readline())
            if told["done"]:
                return dict(told["report"])
        time.sleep(0.2)
    raise NotTried(f"the hostile store did not finish its attacks: it tried {list(told.get('report', {}))}")


def _judge(ambush: Ambush, report: Report, during: dict[str, bool], family: str) -> Iterator[Outcome]:
    marked, outlived = ambush.marked_files(), [" ".join(_words(one)) for one in ambush.outlived()]
    after = ambush.knock()
    writes = ambush.config()["writes"] | ambush.config()["overwrites"]
    for name, result in report.items():
        got = str(result.get("got", ""))
        seen = ""
        if name.startswith(("read ", "reach ")):
            found = [secret for secret in ambush.secrets() if secret in got]
            seen = "a secret was read" if found else ""
        elif name.startswith(("write into ", "append to ")):
            target = writes[name.split(" ", 2)[2]]
            written = [path for path in marked if Path(path).parent == Path(target)]
            seen = f"{written[0]} is there" if written else "it was changed" if _was_changed(ambush, target) else ""
        elif name.startswith("kill "):
            seen = "it was killed" if ambush.victim.poll() is not None else ""
        elif name.startswith("outlive "):
            mark = name.removeprefix("outlive the trial as ").replace(" ", "-")
            seen = "it still runs" if any(f"{ambush.process_mark}-{mark} " in line for line in outlived) else ""
        elif name.startswith("listen on "):
            where = name.removeprefix("listen on ")
            seen = "it answered during the trial" if during[where] else "it answers" if after[where] else ""
        else:
            seen = _judge_rest(ambush, name, got)
        yield Outcome(family, name, name, bool(seen), seen or str(result.get("error") or got)[:120])


def _judge_rest(ambush: Ambush, name: str, got: str) -> str:
    if name.startswith("trace "):
        return "attached" if got == "attached" else ""
    if name == "plant links":
        kept = ambush.outside / "kept"
        return "" if kept.exists() and ambush.agent.process.poll() is None else "the wipe followed a link"
    if name in ("run a setuid program", "become root"):
        return "it was root" if got == "0" else ""
    if name == "fork without end":
        return f"{got} processes at once" if got == str(FORKS) else ""
    if name == "leave the control group":
        return got
    if name.startswith("connect to "):
        return f"it answered: {got[:60]!r}" if got else ""
    raise NotTried(f"nobody judges the attack {name!r}")


def _was_changed(ambush: Ambush, target: str) -> bool:
    path = Path(target)
    return path.is_file() and path.read_bytes().endswith(ambush.file_mark.encode())


def _answers(port: int) -> bool:
    with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), timeout=1)):
        return True
    return False


def nothing_left(agent: AttackAgent) -> list[str]:
    """Data directories and processes of the agent's that outlived all its trials."""
    stores = agent.directory / "stores"
    left = [f"the data directory {path}" for path in stores.glob("*")] if stores.exists() else []
    children = [one for one in agent.processes() if str(agent.hostile_program) in " ".join(_words(one))]
    return left + [f"process {one.pid}" for one in wait_until_gone(children, within_s=5)]
