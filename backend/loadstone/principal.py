"""Who asks: a person within one team, or an agent. Services bound every query by its `team_id`."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

Role = Literal["viewer", "editor", "admin"]


def as_role(text: str) -> Role:
    """A role as the database, which knows no other, has it."""
    return cast("Role", text)


@dataclass(frozen=True)
class Principal:
    user_id: uuid.UUID
    user_name: str
    email: str
    team_id: uuid.UUID
    team_name: str
    role: Role
    session_id: uuid.UUID | None = None
    """Set when a browser's session asks, not an API token."""
    token_name: str | None = None
    """Set when an API token asks."""
    token_scope: str | None = None
    """Likewise; a person who is signed in has none."""
    token_expires_at: datetime | None = None
    is_team_token: bool = False
    """A token that belongs to the team: `user_id` is its own, of no person."""
    is_instance_admin: bool = False


@dataclass(frozen=True)
class Credentials:
    """What a request brought; at most one of the two is used, the token first."""

    bearer_token: str | None
    session_token: str | None
    address: str
    """Where the request came from."""


@dataclass(frozen=True)
class AgentPrincipal:
    """An agent that showed its token."""

    agent_id: uuid.UUID
    team_id: uuid.UUID
    name: str
    host_key: str
