"""Rows of users, teams, memberships, sessions and API tokens."""

import uuid
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, delete, func, or_, select, update
from sqlalchemy.orm import Session

from loadstone.models import ApiToken, Invitation, Membership, Team, User, UserSession


class Member(NamedTuple):
    user: User
    team: Team
    role: str


class SessionMember(NamedTuple):
    session: UserSession
    user: User
    team: Team
    role: str


class TokenOwner(NamedTuple):
    token: ApiToken
    user: User
    team: Team
    role: str | None
    """Null for a team's token: its stand-in is no member."""


class TeamMember(NamedTuple):
    user: User
    membership: Membership
    last_seen_at: datetime | None


class TeamSize(NamedTuple):
    team: Team
    member_count: int


def find_user(session: Session, email: str) -> User | None:
    return session.scalars(select(User).where(User.email == email)).one_or_none()


def find_team_named(session: Session, name: str) -> Team | None:
    return session.scalars(select(Team).where(Team.name == name).order_by(Team.id).limit(1)).one_or_none()


def find_membership(session: Session, user_id: uuid.UUID, team_id: uuid.UUID) -> Membership | None:
    return session.get(Membership, (team_id, user_id))


def first_member(session: Session, email: str) -> Member | None:
    """The person, if active, with the team they joined first."""
    statement = (
        select(User, Team, Membership.role)
        .join(Membership, Membership.user_id == User.id)
        .join(Team, Team.id == Membership.team_id)
        .where(User.email == email, User.deactivated_at.is_(None))
        .order_by(Membership.joined_at, Team.id)
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
        .where(
            UserSession.token_hash == token_hash,
            UserSession.expires_at > now,
            User.deactivated_at.is_(None),
        )
    )
    row = session.execute(statement).one_or_none()
    return SessionMember(*row) if row else None


def find_token(session: Session, token_hash: str, now: datetime) -> TokenOwner | None:
    statement = (
        select(ApiToken, User, Team, Membership.role)
        .join(User, User.id == ApiToken.user_id)
        .join(Team, Team.id == ApiToken.team_id)
        .outerjoin(Membership, (Membership.user_id == User.id) & (Membership.team_id == Team.id))
        .where(
            ApiToken.token_hash == token_hash,
            *_is_valid(now),
            User.deactivated_at.is_(None),
            or_(ApiToken.kind == "team", Membership.role.is_not(None)),
        )
    )
    row = session.execute(statement).one_or_none()
    return TokenOwner(*row) if row else None


def note_token_use(session: Session, token_id: uuid.UUID, now: datetime) -> None:
    session.execute(update(ApiToken).where(ApiToken.id == token_id).values(last_used_at=now))


def revoke_tokens_everywhere(session: Session, user_id: uuid.UUID, now: datetime) -> int:
    """A person's own, of all teams; returns how many could still be used."""
    revoked = session.scalars(
        update(ApiToken)
        .where(ApiToken.user_id == user_id, ApiToken.kind == "personal", *_is_valid(now))
        .values(revoked_at=now)
        .returning(ApiToken.id)
    )
    return len(revoked.all())


def count_valid_tokens(session: Session, user_id: uuid.UUID, now: datetime) -> int:
    statement = select(func.count(ApiToken.id)).where(
        ApiToken.user_id == user_id, ApiToken.kind == "personal", *_is_valid(now)
    )
    return session.scalars(statement).one()


def _is_valid(now: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return ApiToken.revoked_at.is_(None), or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > now)


def delete_session(session: Session, session_id: uuid.UUID) -> None:
    session.execute(delete(UserSession).where(UserSession.id == session_id))


def delete_expired_sessions(session: Session, now: datetime) -> None:
    session.execute(delete(UserSession).where(UserSession.expires_at <= now))


def note_session_use(session: Session, session_id: uuid.UUID, address: str, now: datetime) -> None:
    session.execute(update(UserSession).where(UserSession.id == session_id).values(last_seen_at=now, address=address))


def move_session(session: Session, session_id: uuid.UUID, team_id: uuid.UUID) -> None:
    session.execute(update(UserSession).where(UserSession.id == session_id).values(team_id=team_id))


def _sessions(now: datetime) -> Select[UserSession, User, Team]:
    return (
        select(UserSession, User, Team)
        .join(User, User.id == UserSession.user_id)
        .join(Team, Team.id == UserSession.team_id)
        .where(UserSession.expires_at > now)
        .order_by(UserSession.last_seen_at.desc(), UserSession.id)
        .limit(500)
    )


def sessions_of_user(session: Session, user_id: uuid.UUID, now: datetime) -> list[tuple[UserSession, User, Team]]:
    rows = session.execute(_sessions(now).where(UserSession.user_id == user_id))
    return [(row[0], row[1], row[2]) for row in rows]


def sessions_of_team(session: Session, team_id: uuid.UUID, now: datetime) -> list[tuple[UserSession, User, Team]]:
    rows = session.execute(_sessions(now).where(UserSession.team_id == team_id))
    return [(row[0], row[1], row[2]) for row in rows]


def get_session(session: Session, session_id: uuid.UUID) -> UserSession | None:
    return session.get(UserSession, session_id)


def delete_sessions(
    session: Session, user_id: uuid.UUID, *, team_id: uuid.UUID | None = None, but: uuid.UUID | None = None
) -> int:
    """The person's, of one team if given, without the one session that is to stay; returns how many."""
    statement = delete(UserSession).where(UserSession.user_id == user_id)
    if team_id is not None:
        statement = statement.where(UserSession.team_id == team_id)
    if but is not None:
        statement = statement.where(UserSession.id != but)
    return len(session.scalars(statement.returning(UserSession.id)).all())


def _tokens(team_id: uuid.UUID, user_id: uuid.UUID, kind: str) -> Select[ApiToken]:
    statement = select(ApiToken).where(
        ApiToken.team_id == team_id, ApiToken.kind == kind, ApiToken.revoked_at.is_(None)
    )
    return statement.where(ApiToken.user_id == user_id) if kind == "personal" else statement


def list_tokens(
    session: Session, team_id: uuid.UUID, user_id: uuid.UUID, kind: str, before: uuid.UUID | None, limit: int
) -> list[ApiToken]:
    statement = _tokens(team_id, user_id, kind).order_by(ApiToken.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(ApiToken.id < before)
    return list(session.scalars(statement))


def find_token_by_id(
    session: Session, team_id: uuid.UUID, user_id: uuid.UUID, kind: str, token_id: uuid.UUID
) -> ApiToken | None:
    return session.scalars(_tokens(team_id, user_id, kind).where(ApiToken.id == token_id)).one_or_none()


def revoke_personal_tokens(session: Session, team_id: uuid.UUID, user_id: uuid.UUID, now: datetime) -> None:
    session.execute(
        update(ApiToken)
        .where(ApiToken.team_id == team_id, ApiToken.user_id == user_id, ApiToken.kind == "personal")
        .where(ApiToken.revoked_at.is_(None))
        .values(revoked_at=now)
    )


def teams_of(session: Session, user_id: uuid.UUID) -> list[tuple[Team, str]]:
    statement = (
        select(Team, Membership.role)
        .join(Membership, Membership.team_id == Team.id)
        .where(Membership.user_id == user_id)
        .order_by(Team.name, Team.id)
    )
    return [(row[0], row[1]) for row in session.execute(statement)]


def list_members(session: Session, team_id: uuid.UUID) -> list[TeamMember]:
    last_seen = (
        select(func.max(UserSession.last_seen_at))
        .where(UserSession.user_id == User.id, UserSession.team_id == team_id)
        .scalar_subquery()
    )
    statement = (
        select(User, Membership, last_seen)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.team_id == team_id)
        .order_by(User.name, User.id)
    )
    return [TeamMember(*row) for row in session.execute(statement)]


def lock_admins(session: Session, team_id: uuid.UUID) -> list[uuid.UUID]:
    """Active admins of the team; nobody else changes its admins until the commit."""
    session.execute(select(Team.id).where(Team.id == team_id).with_for_update())
    statement = (
        select(User.id)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.team_id == team_id, Membership.role == "admin", User.deactivated_at.is_(None))
    )
    return list(session.scalars(statement))


def list_invitations(session: Session, team_id: uuid.UUID, before: uuid.UUID | None, limit: int) -> list[Invitation]:
    statement = select(Invitation).where(Invitation.team_id == team_id).order_by(Invitation.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(Invitation.id < before)
    return list(session.scalars(statement))


def find_invitation(session: Session, team_id: uuid.UUID, invitation_id: uuid.UUID) -> Invitation | None:
    return session.scalars(
        select(Invitation).where(Invitation.team_id == team_id, Invitation.id == invitation_id)
    ).one_or_none()


def invitation_by_token(session: Session, token_hash: str, *, lock: bool = False) -> tuple[Invitation, Team] | None:
    statement = (
        select(Invitation, Team).join(Team, Team.id == Invitation.team_id).where(Invitation.token_hash == token_hash)
    )
    row = session.execute(statement.with_for_update(of=Invitation) if lock else statement).one_or_none()
    return (row[0], row[1]) if row else None


def list_teams(session: Session, before: uuid.UUID | None, limit: int) -> list[TeamSize]:
    size = select(func.count()).select_from(Membership).where(Membership.team_id == Team.id).scalar_subquery()
    statement = select(Team, size).order_by(Team.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(Team.id < before)
    return [TeamSize(*row) for row in session.execute(statement)]


def get_team(session: Session, team_id: uuid.UUID) -> Team | None:
    return session.get(Team, team_id)


def list_users(session: Session, text: str | None, before: uuid.UUID | None, limit: int) -> list[User]:
    """People, newest first, whose name or address holds `text`."""
    statement = select(User).where(User.kind == "person").order_by(User.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(User.id < before)
    if text:
        statement = statement.where(
            or_(User.email.icontains(text, autoescape=True), User.name.icontains(text, autoescape=True))
        )
    return list(session.scalars(statement))


def get_person(session: Session, user_id: uuid.UUID) -> User | None:
    return session.scalars(select(User).where(User.id == user_id, User.kind == "person")).one_or_none()


def teams_of_users(session: Session, user_ids: list[uuid.UUID]) -> list[tuple[uuid.UUID, Team]]:
    statement = (
        select(Membership.user_id, Team)
        .join(Team, Team.id == Membership.team_id)
        .where(Membership.user_id.in_(user_ids))
        .order_by(Team.name, Team.id)
    )
    return [(row[0], row[1]) for row in session.execute(statement)]


def lock_instance_admins(session: Session) -> list[uuid.UUID]:
    """Active ones; the rows stay as they are until the commit."""
    statement = select(User.id).where(User.is_instance_admin, User.deactivated_at.is_(None)).order_by(User.id)
    return list(session.scalars(statement.with_for_update()))


def is_anyone_there(session: Session) -> bool:
    return session.scalar(select(User.id).where(User.kind == "person").limit(1)) is not None


def user_names(session: Session, user_ids: set[uuid.UUID]) -> dict[uuid.UUID, str]:
    rows = session.execute(select(User.id, User.name).where(User.id.in_(user_ids)))
    return {row.id: row.name for row in rows}
