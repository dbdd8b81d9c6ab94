"""Who this agent is: what `enroll` was given, kept readable by its owner only."""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from loadstone_agent.errors import AgentError
from loadstone_agent.typed import typed_here


class NotEnrolled(AgentError):
    code = "not_enrolled"


class Identity(BaseModel):
    model_config = ConfigDict(frozen=True)

    agent_id: str
    name: str
    token: str
    queue: str
    broker_url: str
    """With the user of `broker_user` and its password; changed while the agent runs."""
    broker_user: str | None = None
    """None where this host was enrolled before agents had broker users of their own."""
    url: str
    """The api, without a path."""


def identity_path(agent_dir: Path) -> Path:
    return agent_dir / "identity.json"


def save_identity(agent_dir: Path, identity: Identity) -> None:
    agent_dir.mkdir(mode=0o711, parents=True, exist_ok=True)
    fresh = agent_dir / "identity.json.new"
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(identity.model_dump_json(indent=1))
    fresh.replace(identity_path(agent_dir))


def load_identity(agent_dir: Path) -> Identity:
    """Raises NotEnrolled where `enroll` was never run."""
    path = identity_path(agent_dir)
    try:
        return Identity.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        command = typed_here("loadstone-agent enroll --url URL --token TOKEN --name NAME")
        message = f"{path} is missing: enroll this host with `{command}`."
        raise NotEnrolled(message) from None
