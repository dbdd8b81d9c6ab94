"""Browser sessions: listed, revoked, moved to another team; and the password that opens them."""

import uuid
from datetime import UTC, datetime
from typing import Literal

from loadstone.accounts import repository
from loadstone.accounts.passwords import hash_password, is_password_right
from loadstone.accounts.schemas import (
    ChangePassword,
    CurrentTeam,
    PasswordChanged,
    SessionItem,
    Sessions,
    TeamItem,
    Teams,
    UserRef,
)
from loadstone.accounts.sign_in_limit import count_attempt
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import AppError, Forbidden, NotFound
from loadstone.models import Team, User, UserSession
from loadstone.principal import Principal, as_role

Whose = Literal["mine", "team"]


class WrongPassword(AppError):
    code = "wrong_password"
    status = 403
    title = "The current password is wrong"


def list_sessions(unit: UnitOfWork, principal: Principal, whose: Whose) -> Sessions:
    """One's own in all teams, or as an admin everyone's in this team, last seen first; raises Forbidden."""
    now = datetime.now(UTC)
    if whose == "mine":
        rows = repository.sessions_of_user(unit.session, principal.user_id, now)
    elif principal.role == "admin":
        rows = repository.sessions_of_team(unit.session, principal.team_id, now)
    else:
        raise Forbidden("Only admins of the team may see the sessions of its members.")
    return Sessions(items=[_render(*row, current=principal.session_id) for row in rows])


def revoke_session(unit: UnitOfWork, principal: Principal, session_id: uuid.UUID) -> None:
    """One's own, or as an admin one that is open in this team; raises NotFound."""
    row = repository.get_session(unit.session, session_id)
    is_mine = row is not None and row.user_id == principal.user_id
    is_under_me = row is not None and principal.role == "admin" and row.team_id == principal.team_id
    if row is None or not (is_mine or is_under_me):
        raise NotFound("There is no such session.")
    repository.delete_session(unit.session, row.id)
    audit.record(unit, principal, "session_revoked", "session", row.id, {"user_id": str(row.user_id)})


def change_password(unit: UnitOfWork, principal: Principal, change: ChangePassword, address: str) -> PasswordChanged:
    """Ends all other sessions of the person, and their tokens where that is asked for.

    Raises WrongPassword, TooManyAttempts.
    """
    count_attempt(address, principal.email)
    user = repository.get_person(unit.session, principal.user_id)
    if user is None or not is_password_right(change.current_password, user.password_hash):
        raise WrongPassword("Type the password you signed in with.", path="current_password")
    user.password_hash = hash_password(change.new_password)
    ended = repository.delete_sessions(unit.session, user.id, but=principal.session_id)
    now = datetime.now(UTC)
    revoked = repository.revoke_tokens_everywhere(unit.session, user.id, now) if change.revoke_tokens else 0
    done = PasswordChanged(
        sessions_ended=ended,
        tokens_revoked=revoked,
        tokens_valid=repository.count_valid_tokens(unit.session, user.id, now),
    )
    audit.record(unit, principal, "password_changed", "user", user.id, done.model_dump())
    return done


def list_teams(unit: UnitOfWork, principal: Principal) -> Teams:
    """All that the person belongs to, by name. A token is of its own team only."""
    found = repository.teams_of(unit.session, principal.user_id)
    items = [
        TeamItem(id=team.id, name=team.name, role=as_role(role), is_current=team.id == principal.team_id)
        for team, role in found
    ]
    if principal.session_id is None:
        current = TeamItem(id=principal.team_id, name=principal.team_name, role=principal.role, is_current=True)
        return Teams(items=[current])
    return Teams(items=items)


def switch_team(unit: UnitOfWork, principal: Principal, team_id: uuid.UUID) -> None:
    """Moves the session; raises NotFound for a team the person does not belong to."""
    assert principal.session_id is not None, "the route asks for a person"
    if repository.find_membership(unit.session, principal.user_id, team_id) is None:
        raise NotFound("You belong to no such team.")
    repository.move_session(unit.session, principal.session_id, team_id)


def _render(row: UserSession, user: User, team: Team, *, current: uuid.UUID | None) -> SessionItem:
    return SessionItem(
        id=row.id,
        user=UserRef(id=user.id, name=user.name),
        team=CurrentTeam(id=team.id, name=team.name),
        user_agent=row.user_agent,
        address=row.address,
        created_at=row.created_at,
        last_seen_at=row.last_seen_at,
        expires_at=row.expires_at,
        is_current=row.id == current,
    )
