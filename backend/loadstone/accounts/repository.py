"""Rows of users, teams, memberships, sessions and API tokens."""

import uuid
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Select, delete, or_, select, update
from sqlalchemy.orm import Session

from loadstone.models import ApiToken, Membership, Team, User, UserSession


class Member(NamedTuple):
    user: User
    team: Team
    role: str


class SessionMember(NamedTuple):
    session: UserSession
    user: User
    team: Team
    role: str


class TokenMember(NamedTuple):
    token: ApiToken
    user: User
    team: Team
    role: str


def find_user(session: Session, email: str) -> User | None:
    return session.scalars(select(User).where(User.email == email)).one_or_none()


def find_team_named(session: Session, name: str) -> Team | None:
    return session.scalars(select(Team).where(Team.name == name).order_by(Team.id).limit(1)).one_or_none()


def find_membership(session: Session, user_id: uuid.UUID, team_id: uuid.UUID) -> Membership | None:
    return session.get(Membership, (team_id, user_id))


def first_member(session: Session, email: str) -> Member | None:
    """The person with the team they joined first."""
    statement = (
        select(User, Team, Membership.role)
        .join(Membership, Membership.user_id == User.id)
        .join(Team, Team.id == Membership.team_id)
        .where(User.email == email)
        .order_by(Team.id)
        .limit(1)
    )
    row = session.execute(statement).one_or_none()
    return Member(*row) if row else None


def find_session(session: Session, token_hash: str, now: datetime) -> SessionMember | None:
    statement = (
        select(UserSession, User, Team, Membership.role)
        .join(User, User.id == UserSession.user_id)
        .join(Team, Team.id == UserSession.team_id)
        .join(Membership, (Membership.user_id == User.id) & (Membership.team_id == Team.id))
        .where(UserSession.token_hash == token_hash, UserSession.expires_at > now)
    )
    row = session.execute(statement).one_or_none()
    return SessionMember(*row) if row else None


def find_token(session: Session, token_hash: str, now: datetime) -> TokenMember | None:
    statement = (
        select(ApiToken, User, Team, Membership.role)
        .join(User, User.id == ApiToken.user_id)
        .join(Team, Team.id == ApiToken.team_id)
        .join(Membership, (Membership.user_id == User.id) & (Membership.team_id == Team.id))
        .where(
            ApiToken.token_hash == token_hash,
            ApiToken.revoked_at.is_(None),
            or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > now),
        )
    )
    row = session.execute(statement).one_or_none()
    return TokenMember(*row) if row else None


def note_token_use(session: Session, token_id: uuid.UUID, now: datetime) -> None:
    session.execute(update(ApiToken).where(ApiToken.id == token_id).values(last_used_at=now))


def delete_session(session: Session, session_id: uuid.UUID) -> None:
    session.execute(delete(UserSession).where(UserSession.id == session_id))


def delete_expired_sessions(session: Session, now: datetime) -> None:
    session.execute(delete(UserSession).where(UserSession.expires_at <= now))


def _own_tokens(team_id: uuid.UUID, user_id: uuid.UUID) -> Select[ApiToken]:
    return select(ApiToken).where(
        ApiToken.team_id == team_id, ApiToken.user_id == user_id, ApiToken.revoked_at.is_(None)
    )


def list_tokens(
    session: Session, team_id: uuid.UUID, user_id: uuid.UUID, before: uuid.UUID | None, limit: int
) -> list[ApiToken]:
    statement = _own_tokens(team_id, user_id).order_by(ApiToken.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(ApiToken.id < before)
    return list(session.scalars(statement))


def find_own_token(session: Session, team_id: uuid.UUID, user_id: uuid.UUID, token_id: uuid.UUID) -> ApiToken | None:
    return session.scalars(_own_tokens(team_id, user_id).where(ApiToken.id == token_id)).one_or_none()


def user_names(session: Session, user_ids: set[uuid.UUID]) -> dict[uuid.UUID, str]:
    rows = session.execute(select(User.id, User.name).where(User.id.in_(user_ids)))
    return {row.id: row.name for row in rows}
