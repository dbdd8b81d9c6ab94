"""Teams, people, their sessions and API tokens."""

import uuid
from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Team(Identified, Base):
    __tablename__ = "teams"

    name: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class User(Identified, Base):
    """A person, or the stand-in of a team's token, so that what a token makes has an author like anything else."""

    __tablename__ = "users"
    __table_args__ = (CheckConstraint("kind IN ('person', 'token')", name="kind"),)

    kind: Mapped[str] = mapped_column(default="person", server_default="person")
    email: Mapped[str] = mapped_column(unique=True)
    """Lower case."""
    name: Mapped[str]
    password_hash: Mapped[str]
    """argon2id."""
    is_instance_admin: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    deactivated_at: Mapped[datetime | None]
    """Neither password, session nor personal token opens anything from then on."""


class Membership(Base):
    __tablename__ = "memberships"
    __table_args__ = (CheckConstraint("role IN ('viewer', 'editor', 'admin')", name="role"),)

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[str]
    joined_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Invitation(Identified, Base):
    """A link that lets one person into the team, once; stored hashed, shown once."""

    __tablename__ = "invitations"
    __table_args__ = (
        Index(None, "team_id", "id"),
        CheckConstraint("role IN ('viewer', 'editor', 'admin')", name="role"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    token_hash: Mapped[str] = mapped_column(unique=True)
    email: Mapped[str | None]
    """Lower case; null where anyone who has the link may use it."""
    role: Mapped[str]
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    accepted_at: Mapped[datetime | None]
    accepted_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    revoked_at: Mapped[datetime | None]


class UserSession(Identified, Base):
    """A browser session: the cookie holds a secret, the table its SHA-256."""

    __tablename__ = "user_sessions"

    user_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    token_hash: Mapped[str] = mapped_column(unique=True)
    user_agent: Mapped[str] = mapped_column(default="")
    address: Mapped[str] = mapped_column(default="", server_default="")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]


class ApiToken(Identified, Base):
    """A person's token within one team, or the team's own; stored hashed, shown once."""

    __tablename__ = "api_tokens"
    __table_args__ = (
        Index(None, "team_id", "user_id"),
        CheckConstraint("kind IN ('personal', 'team')", name="kind"),
        CheckConstraint("scope IN ('read', 'run', 'manage')", name="scope"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    user_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    """Personal: whose it is, and it can never do more than they. Team: its stand-in, of kind `token`."""
    kind: Mapped[str] = mapped_column(default="personal", server_default="personal")
    scope: Mapped[str] = mapped_column(default="manage", server_default="manage")
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    name: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
