"""What the account endpoints take and give."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from loadstone.principal import Role

TokenScope = Literal["read", "run", "manage"]
TokenKind = Literal["personal", "team"]
InvitationState = Literal["open", "accepted", "expired", "revoked"]

PersonName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
TeamName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Email = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=320, pattern=r"^[^@\s\x00]+@[^@\s\x00]+$"),
    AfterValidator(str.lower),
]
NewPassword = Annotated[str, StringConstraints(min_length=10, max_length=1000)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SignIn(Strict):
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
    """What may be done: a token's scope can hold it below the person's role."""
    is_instance_admin: bool


@dataclass(frozen=True)
class OpenedSession:
    me: Me
    token: str
    expires_at: datetime


class CreateApiToken(Strict):
    name: str = Field(min_length=1, max_length=100)
    kind: TokenKind = "personal"
    scope: TokenScope | None = None
    """As much as the caller may do, where it is not said."""
    expires_at: AwareDatetime | None = None


class ApiTokenItem(BaseModel):
    id: uuid.UUID
    name: str
    kind: TokenKind
    scope: TokenScope
    created_by: UserRef | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class CreatedApiToken(ApiTokenItem):
    token: str
    """Shown this once."""


class TeamItem(BaseModel):
    id: uuid.UUID
    name: str
    role: Role
    is_current: bool


class Teams(BaseModel):
    items: list[TeamItem]


class SwitchTeam(Strict):
    team_id: uuid.UUID


class SessionItem(BaseModel):
    id: uuid.UUID
    user: UserRef
    team: CurrentTeam
    user_agent: str
    address: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    is_current: bool


class Sessions(BaseModel):
    items: list[SessionItem]


class ChangePassword(Strict):
    current_password: str = Field(max_length=1000)
    new_password: NewPassword
    revoke_tokens: bool = False
    """Whether the person's API tokens end too, in all teams. Otherwise they stay valid."""


class PasswordChanged(BaseModel):
    """What became of the other ways in."""

    sessions_ended: int
    tokens_revoked: int
    tokens_valid: int
    """API tokens of the person that still open what they opened before."""


class MemberItem(BaseModel):
    user: CurrentUser
    role: Role
    joined_at: datetime
    is_deactivated: bool
    last_seen_at: datetime | None
    """Of a session in this team."""


class Members(BaseModel):
    items: list[MemberItem]


class ChangeMember(Strict):
    role: Role


class CreateInvitation(Strict):
    role: Role
    email: Email | None = None
    """Only who has this address may accept; anyone with the link where it is null."""
    expires_in_days: int = Field(default=7, ge=1, le=30)


class InvitationItem(BaseModel):
    id: uuid.UUID
    email: str | None
    role: Role
    state: InvitationState
    created_by: UserRef | None
    created_at: datetime
    expires_at: datetime
    accepted_by: UserRef | None
    accepted_at: datetime | None


class CreatedInvitation(InvitationItem):
    token: str
    url: str
    """Both are shown this once."""


class InvitationView(BaseModel):
    """What the link shows to whoever holds it."""

    team_name: str
    role: Role
    email: str | None
    has_account: bool
    """Someone with `email` is here already: they sign in first."""
    invited_by: str | None
    expires_at: datetime


class AcceptInvitation(Strict):
    """Empty when a signed-in person accepts; all three for a new one."""

    name: PersonName | None = None
    email: Email | None = None
    password: NewPassword | None = None


class InstallationTeam(BaseModel):
    id: uuid.UUID
    name: str
    created_at: datetime
    member_count: int


class WriteTeam(Strict):
    name: TeamName


class InstallationUser(BaseModel):
    id: uuid.UUID
    email: str
    name: str
    is_instance_admin: bool
    created_at: datetime
    deactivated_at: datetime | None
    teams: list[CurrentTeam]


class ChangeUser(Strict):
    is_active: bool | None = None
    is_instance_admin: bool | None = None
