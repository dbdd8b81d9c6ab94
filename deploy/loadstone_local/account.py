"""The first account, its API token and this machine's enrollment as an agent."""

import json
import os
import secrets
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2

from loadstone_local.console import StepFailed
from loadstone_local.paths import DEMO_FILE, in_venv
from loadstone_local.secrets_file import write_private

EMAIL = "admin@loadstone.local"


def read_demo_file() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(DEMO_FILE.read_text()) if DEMO_FILE.exists() else {}
    return content


def _admin(env: Mapping[str, str], *arguments: str, stdin: str | None = None) -> str:
    done = subprocess.run(
        [in_venv("loadstone-admin"), *arguments], env=dict(env), input=stdin, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise StepFailed(f"loadstone-admin {arguments[0]} failed: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def ensure_account(url: str, env: Mapping[str, str]) -> None:
    """Once: an account with a generated password, and a token for scripts, into the private demo file."""
    known = read_demo_file()
    if "api_token" in known:
        write_private(DEMO_FILE, {**known, "url": url})
        return
    password = secrets.token_urlsafe(15)
    _admin(env, "create-account", "--email", EMAIL, "--name", "Admin", "--team", "Home", "--password-stdin",
           stdin=password)  # fmt: skip
    token = _admin(env, "create-token", "--email", EMAIL, "--name", "demo").splitlines()[-1]
    made = {"url": url, "email": EMAIL, "password": password, "api_token": token, "run_id": None}
    write_private(DEMO_FILE, made)


def ensure_enrolled(url: str, env: Mapping[str, str]) -> None:
    """Once: this machine becomes an agent."""
    if (Path(env["LOADSTONE_AGENT_DIR"]) / "identity.json").exists():
        return
    token = _admin(env, "create-enrollment", "--email", EMAIL).splitlines()[-1]
    command = [
        str(in_venv("loadstone-agent")),
        "enroll",
        "--url",
        url,
        "--token",
        token,
        "--name",
        socket.gethostname(),
    ]
    done = subprocess.run(command, env=dict(env), capture_output=True, text=True)
    if done.returncode != 0:
        raise StepFailed(f"This machine could not be enrolled as an agent: {done.stdout}{done.stderr}")


def api_client(url: str) -> httpx2.Client:
    """A client of the public API with the demo's token."""
    return httpx2.Client(
        base_url=f"{url}/api/v1",
        headers={"Authorization": f"Bearer {read_demo_file()['api_token']}"},
        timeout=30,
        # A proxy of the environment has no business on loopback.
        trust_env=bool(os.environ.get("LOADSTONE_TRUST_PROXY")),
    )


async def is_agent_online(url: str) -> bool:
    try:
        with api_client(url) as client:
            answer = client.get("/agents")
            return any(agent["state"] in ("online", "busy") for agent in answer.json()["items"])
    except (httpx2.HTTPError, KeyError):
        return False
