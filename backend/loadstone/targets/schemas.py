"""What the target endpoints take and give, and a target's snapshot in a run."""

import uuid
from datetime import datetime
from typing import Literal

from loadstone_contracts.agent_calls import CheckFinishRequest, Placement, TargetKind
from loadstone_contracts.engine_plan import StoreProtocol, Tls
from pydantic import BaseModel, ConfigDict, Field, SecretStr

Mode = Literal["managed", "external"]
ADDRESS = ("host", "port", "read_host", "read_port", "plugin_port")
"""Of an external target: all that says where it is."""
CheckStatus = Literal["queued", "claimed", "succeeded", "failed"]


class TargetSnapshot(BaseModel):
    """A target as it was when the run was submitted. Credentials are not part of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    index: int
    name: str
    kind: str
    mode: Mode
    profile: str | None
    options: dict[str, str]
    """Overrides of the profile's options."""
    target_id: uuid.UUID | None
    host: str | None
    port: int | None
    protocol: StoreProtocol | None = None
    """None in runs from before it could be chosen: the kind's first."""
    read_port: int | None = None
    read_host: str | None = None
    plugin_port: int | None = None
    placement: Placement = Placement()
    server_version: str | None = None
    """The one that profile and options name, where an agent can hold several."""


class WriteTarget(BaseModel):
    """A managed target has a profile and options, an external one an address.

    `password` is never shown again: left out of a PUT it stays, null removes it.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=100)
    kind: TargetKind
    mode: Mode
    protocol: StoreProtocol | None = None
    """None is the kind's first."""
    profile: str | None = Field(default=None, max_length=100)
    options: dict[str, str] = Field(default_factory=dict, max_length=100)
    host: str | None = Field(default=None, max_length=255, pattern=r"^[A-Za-z0-9._:-]+$")
    port: int | None = Field(default=None, ge=1, le=65535)
    read_port: int | None = Field(default=None, ge=1, le=65535)
    """Of a Memlink, where it is not the one below `port`, which takes writes; of another store that of a replica."""
    read_host: str | None = Field(default=None, max_length=255, pattern=r"^[A-Za-z0-9._:-]+$")
    """Of a replica that reads go to; null is `host`."""
    plugin_port: int | None = Field(default=None, ge=1, le=65535)
    """Where the memcached plugin of an external MySQL listens; `port` speaks SQL, which tells what the server does."""
    placement: Placement | None = None
    """Of a managed target: cores, memory, disk. Null is the agent's own choice."""
    username: str | None = Field(default=None, min_length=1, max_length=255)
    database: str | None = Field(default=None, max_length=64, pattern=r"^[A-Za-z0-9_$-]+$")
    """By name, or Redis' by number; null is the usual one."""
    password: SecretStr | None = Field(default=None, min_length=1, max_length=1000)
    tls: Tls | None = None
    flush_allowed: bool = False


class AgentRef(BaseModel):
    id: uuid.UUID
    name: str


class TargetCheck(BaseModel):
    id: uuid.UUID
    status: CheckStatus
    agent: AgentRef
    result: CheckFinishRequest | None
    created_at: datetime
    finished_at: datetime | None


class CreateTargetCheck(BaseModel):
    """Without an agent, the first one online asks."""

    model_config = ConfigDict(extra="forbid")

    agent_id: uuid.UUID | None = None


class Target(BaseModel):
    id: uuid.UUID
    name: str
    kind: TargetKind
    mode: Mode
    protocol: StoreProtocol | None
    profile: str | None
    options: dict[str, str]
    host: str | None
    port: int | None
    read_port: int | None
    read_host: str | None
    plugin_port: int | None
    placement: Placement
    username: str | None
    has_password: bool
    database: str | None
    tls: Tls | None
    flush_allowed: bool
    created_at: datetime
    updated_at: datetime
    last_check: TargetCheck | None
