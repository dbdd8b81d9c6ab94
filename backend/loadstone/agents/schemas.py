"""What the agent endpoints take and give."""

import uuid
from datetime import datetime
from typing import Annotated, Literal

from loadstone_contracts.agent_calls import EngineOffer, HostInventory, HostLoad, LeaseState, StoreOffer
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

AgentState = Literal["online", "offline", "busy", "draining", "never_seen"]
Label = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class CurrentTrial(BaseModel):
    run_id: uuid.UUID
    run_name: str
    trial_id: uuid.UUID
    lease_state: LeaseState


class Agent(BaseModel):
    id: uuid.UUID
    name: str
    state: AgentState
    labels: dict[str, str]
    host_key: str
    agent_version: str | None
    inventory: HostInventory | None
    stores: list[StoreOffer]
    engines: list[EngineOffer]
    load: HostLoad | None
    is_draining: bool
    last_heartbeat_at: datetime | None
    created_at: datetime
    current: CurrentTrial | None


class PatchAgent(BaseModel):
    """What is left out stays as it is."""

    model_config = ConfigDict(extra="forbid")

    name: str | None = Field(default=None, min_length=1, max_length=100)
    labels: dict[Label, Label] | None = Field(default=None, max_length=20)
    is_draining: bool | None = None


class Enrollment(BaseModel):
    """`token` is shown this once and enrolls one agent; `command` is what to type on its host."""

    token: str
    expires_at: datetime
    command: str
