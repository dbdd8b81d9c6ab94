"""The stack that is attacked: its callers, its agents, and how a plan is submitted and waited for."""

import json
import os
import random
import secrets
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from loadstone_local import servers
from loadstone_local.attack.canaries import Canaries, set_canaries
from loadstone_local.attack.outcome import NotTried
from loadstone_local.live_stack import TERMINAL, LiveStack
from loadstone_local.paths import ENGINE, in_venv
from loadstone_local.scratch_stack import ScratchStack, scratch_stack
from loadstone_local.secrets_file import Secrets

Plan = dict[str, Any]


@dataclass
class Stage:
    """Callers of one team, an admin of another, canaries, and the seed that all choices come from."""

    live: LiveStack
    editor: httpx2.Client
    """A token of scope `run`: an editor's rank."""
    other_team: httpx2.Client
    other_email: str
    canaries: Canaries
    rng: random.Random
    is_full: bool
    _profiles: dict[str, str] = field(default_factory=dict)
    _kinds: list[str] = field(default_factory=list)

    @property
    def admin(self) -> httpx2.Client:
        return self.live.client

    @property
    def state(self) -> Path:
        return self.live.stack.state

    @property
    def agent_dir(self) -> Path:
        return self.state / "agent"

    def secrets(self) -> Secrets:
        return Secrets(**json.loads((self.state / "secrets.json").read_text()))

    def environment(self) -> dict[str, str]:
        """What `loadstone-admin` needs to reach this installation."""
        known = self.secrets()
        return {
            **os.environ,
            "LOADSTONE_DATABASE_URL": servers.database_url(known),
            "LOADSTONE_BROKER_URL": servers.broker_url(known),
            "LOADSTONE_SECRET_KEYS": known.secret_key,
        }

    def admin_command(self, *arguments: str, stdin: str | None = None) -> str:
        """The last line that `loadstone-admin` prints."""
        return run_admin(self.environment(), *arguments, stdin=stdin)

    def offered_kinds(self) -> list[str]:
        """Kinds that the stack's agent can start; asked once."""
        if not self._kinds:
            stores = [store for agent in self.live.get("/agents")["items"] for store in agent["stores"]]
            self._kinds = sorted({store["kind"] for store in stores if store["available"]})
        return self._kinds

    def target_of(self, kind: str, **fields: Any) -> Plan:
        """A managed target with the kind's first profile."""
        if not self._profiles:
            kinds = self.live.get("/store-kinds")["items"]
            self._profiles = {one["kind"]: one["profiles"][0]["name"] for one in kinds if one["profiles"]}
        return {"kind": kind, "profile": self._profiles[kind], **fields}

    def submit(self, plan: Plan, client: httpx2.Client | None = None, **fields: Any) -> httpx2.Response:
        return (client or self.editor).post("/runs", json={"plan": plan, **fields})

    def check_plain_plan(self, kind: str, operation: Plan) -> None:
        """A plan without anything hostile is let in: else a refusal would prove nothing. Raises NotTried."""
        answer = self.submit(plan_of([self.target_of(kind)], [operation], name=f"plain {kind}"))
        if answer.status_code != 201:
            raise NotTried(f"a plain plan of {kind} was refused: {answer.text[:500]}")
        run = self.wait(answer.json()["id"], within_s=180)
        if run["status"] != "succeeded":
            raise NotTried(f"a plain plan of {kind} ended {run['status']}: {self.trials(run['id'])[0]['error']}")

    def wait(self, run_id: str, within_s: float = 90, client: httpx2.Client | None = None) -> dict[str, Any]:
        """The run once it has ended. Raises NotTried when it does not."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            run: dict[str, Any] = (client or self.admin).get(f"/runs/{run_id}").raise_for_status().json()
            if run["status"] in TERMINAL:
                return run
            time.sleep(0.1)
        raise NotTried(f"run {run['name']!r} did not end within {within_s:.0f} s: {run['status_counts']}")

    def trials(self, run_id: str, client: httpx2.Client | None = None) -> list[dict[str, Any]]:
        caller = client or self.admin
        page = caller.get(f"/runs/{run_id}/trials", params={"limit": 100}).raise_for_status().json()["items"]
        return [caller.get(f"/trials/{trial['id']}").raise_for_status().json() for trial in page]


def plan_of(targets: list[Plan], operations: list[Plan], **fields: Any) -> Plan:
    """A plan that is over in a moment, so that an attack costs little but a store's start."""
    return {
        "name": "attack",
        "targets": targets,
        "workload": {
            "dataset": {"key_count": 10, "value_size": {"kind": "fixed", "bytes": 10}},
            "operations": operations,
        },
        "load": {"kind": "closed", "connections": 1},
        "axes": [],
        "trials_per_point": 1,
        "stop": {"operations": 3},
        **fields,
    }


def steady_plan(target: Plan, seconds: float, **fields: Any) -> Plan:
    """A plan that keeps one store busy for a while, so that somebody can talk to it meanwhile."""
    load = {"kind": "open", "connections": 2, "rate_per_s": 200, "arrivals": "constant"}
    operations = [{"kind": "get", "weight": 1}]
    return plan_of([target], operations, load=load, stop={"seconds": seconds}, **fields)


def run_admin(environment: Mapping[str, str], *arguments: str, stdin: str | None = None) -> str:
    command = [str(in_venv("loadstone-admin")), *arguments]
    done = subprocess.run(command, env=dict(environment), input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        raise NotTried(f"loadstone-admin {arguments[0]} failed: {done.stdout}{done.stderr}")
    return done.stdout.strip().splitlines()[-1]


def caller(stack: ScratchStack, token: str | None) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx2.Client(base_url=f"{stack.url}/api/v1", headers=headers, timeout=90, trust_env=False)


@contextmanager
def set_stage(seed: int, *, is_full: bool) -> Iterator[Stage]:
    """A scratch stack with two teams. Errors: `StepFailed` when it does not come up."""
    with ExitStack() as held:
        canaries = held.enter_context(set_canaries())
        stack = held.enter_context(scratch_stack("up"))
        admin = held.enter_context(caller(stack, json.loads(stack.demo_file.read_text())["api_token"]))
        body = {"name": "editor", "kind": "team", "scope": "run"}
        made = admin.post("/tokens", json=body).raise_for_status().json()
        editor = held.enter_context(caller(stack, made["token"]))
        live = LiveStack(stack, admin)
        stage = Stage(live, editor, admin, "other@loadstone.local", canaries, random.Random(seed), is_full)
        password = secrets.token_urlsafe(15)
        stage.admin_command("create-account", "--email", stage.other_email, "--name", "Other", "--team", "Other",
                            "--password-stdin", stdin=password)  # fmt: skip
        token = stage.admin_command("create-token", "--email", stage.other_email, "--name", "other")
        stage.other_team = held.enter_context(caller(stack, token))
        canaries.watch(stage.agent_dir / "stores")
        if not ENGINE.exists():
            raise NotTried(f"{ENGINE} is missing: run `make up` once")
        yield stage
