"""What the account endpoints take and give."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from loadstone.principal import Role


class SignIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    email: str = Field(max_length=320)
    password: str = Field(max_length=1000)


class UserRef(BaseModel):
    id: uuid.UUID
    name: str


class CurrentUser(BaseModel):
    id: uuid.UUID
    email: str
    name: str


class CurrentTeam(BaseModel):
    id: uuid.UUID
    name: str


class Me(BaseModel):
    user: CurrentUser
    team: CurrentTeam
    role: Role


@dataclass(frozen=True)
class OpenedSession:
    me: Me
    token: str
    expires_at: datetime


class CreateApiToken(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=100)
    expires_at: AwareDatetime | None = None


class ApiTokenItem(BaseModel):
    id: uuid.UUID
    name: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class CreatedApiToken(ApiTokenItem):
    token: str
    """Shown this once."""
