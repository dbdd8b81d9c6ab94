"""Secrets planted in a live stack, looked for where people, logs and other processes see them.

What the api answers is searched by the backend's own tests; this is the machine: environments, command lines, logs
and the event stream.
"""

import contextlib
import json
import secrets
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil

from loadstone_local.attack.outcome import NotTried, Outcome
from loadstone_local.attack.stage import Stage, caller, steady_plan
from loadstone_local.secrets_file import free_port
from loadstone_local.servers import redis_binary

FAMILY = "planted secrets"
STREAM_S = 8.0
Planted = dict[str, str]


def attack_planted_secrets(stage: Stage) -> Iterator[Outcome]:
    with ExitStack() as held:
        planted = held.enter_context(_planted(stage))
        run = _run_of_external_target(stage, planted)
        streamed = _stream(stage, run)
        stage.wait(run, within_s=90)
        yield from _search("the event stream", {"stream": streamed}, planted)
        yield from _search("logs", _logs(stage), planted)
        yield from _search("command lines of all processes", _command_lines(), planted)
        yield from _environments(stage, planted)


@contextmanager
def _planted(stage: Stage) -> Iterator[Planted]:
    """By where each belongs: a store with a password, a channel, a share, an invitation, and the stack's own."""
    own, identity = stage.secrets(), json.loads((stage.agent_dir / "identity.json").read_text())
    planted = {
        "database password": own.postgres_password,
        "broker password": own.redis_password,
        "secret key": own.secret_key,
        "agent token": identity["token"],
        "agent's broker credential": identity["broker_url"].partition("//")[2].partition("@")[0].rpartition(":")[2],
        "admin's token": json.loads((stage.state / "demo.json").read_text())["api_token"],
        "admin's password": json.loads((stage.state / "demo.json").read_text())["password"],
        "target password": f"canary-target-{secrets.token_hex(12)}",
        "channel address": f"canary{secrets.token_hex(12)}",
    }
    invitation = stage.admin.post("/invitations", json={"role": "viewer"}).raise_for_status().json()
    planted["invitation"] = invitation["token"]
    address = f"https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/{planted['channel address'][:24]}"
    planted["channel address"] = planted["channel address"][:24]
    stage.admin.post("/notification-channels", json={"name": "planted", "kind": "slack", "address": address})
    with _store_with_password(planted["target password"]) as port:
        yield {**planted, "_port": str(port)}


@contextmanager
def _store_with_password(password: str) -> Iterator[int]:
    """An external target on loopback; its password stands in a private file."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="loadstone-attack-") as folder:
        settings = Path(folder) / "redis.conf"
        settings.touch(mode=0o600)
        settings.write_text(f'bind 127.0.0.1\nport {port}\nrequirepass {password}\nsave ""\ndir {folder}\n')
        with subprocess.Popen([str(redis_binary()), str(settings)], stdout=subprocess.DEVNULL) as server:
            try:
                yield port
            finally:
                server.terminate()


def _run_of_external_target(stage: Stage, planted: Planted) -> str:
    body = {"name": "planted", "kind": "redis", "mode": "external", "host": "127.0.0.1", "port": int(planted["_port"]),
            "password": planted["target password"]}  # fmt: skip
    made = stage.editor.post("/targets", json=body)
    if made.status_code != 201:
        raise NotTried(f"the target with a password was refused: {made.text[:300]}")
    plan = steady_plan({"target_id": made.json()["id"]}, 3, name="planted", reset="none")
    answer = stage.submit(plan)
    if answer.status_code != 201:
        raise NotTried(f"the plan with a password was refused: {answer.text[:300]}")
    return str(answer.json()["id"])


def _stream(stage: Stage, run_id: str) -> str:
    """What a viewer's live page hears in some seconds."""
    made = stage.admin.post("/tokens", json={"name": "viewer", "kind": "team", "scope": "read"}).raise_for_status()
    heard, until = [], time.monotonic() + STREAM_S
    address = f"/runs/{run_id}/events"
    with (
        caller(stage.live.stack, made.json()["token"]) as viewer,
        contextlib.suppress(httpx2.HTTPError),
        viewer.stream("GET", address, timeout=STREAM_S) as answer,
    ):
        for line in answer.iter_lines():
            heard.append(line)
            if time.monotonic() > until:
                break
    if not heard:
        raise NotTried("the event stream said nothing")
    return "\n".join(heard)


def _logs(stage: Stage) -> dict[str, str]:
    files = sorted((stage.state / "log").glob("*"))
    return {path.name: path.read_text(errors="replace") for path in files}


def _command_lines() -> dict[str, str]:
    found = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            found[f"{process.pid} {process.name()}"] = " ".join(process.cmdline())
    return found


def _search(where: str, texts: dict[str, str], planted: Planted) -> Iterator[Outcome]:
    for name, secret in planted.items():
        if name.startswith("_"):
            continue
        found = [title for title, text in texts.items() if secret in text]
        yield Outcome(FAMILY, f"find the {name} in {where}", f"{len(texts)} searched", bool(found), ", ".join(found))


SERVICE_SECRETS = {"database password", "broker password", "secret key"}
"""The api and control read them from their environment; nothing on the agent's side may have them."""


def _environments(stage: Stage, planted: Planted) -> Iterator[Outcome]:
    agent = stage.live.service("loadstone-agent")
    at_agent = {agent.pid, *(one.pid for one in agent.children(recursive=True))}
    texts: dict[str, dict[str, str]] = {"the agent's side": {}, "the service": {}}
    for process in stage.live.family():
        with contextlib.suppress(psutil.Error):
            side = "the agent's side" if process.pid in at_agent else "the service"
            texts[side][f"{process.pid} {process.name()}"] = json.dumps(process.environ())
    for side, found in texts.items():
        allowed: set[str] = SERVICE_SECRETS if side == "the service" else set()
        sought: dict[str, Any] = {name: value for name, value in planted.items() if name not in allowed}
        yield from _search(f"environments of {side}", found, sought)
