"""Signing in and out, and the answer to "who asks?"."""

import secrets
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from loadstone.accounts import repository
from loadstone.accounts.api_tokens import effective_role
from loadstone.accounts.passwords import hash_password, is_password_right
from loadstone.accounts.schemas import CurrentTeam, CurrentUser, Me, OpenedSession, SignIn, UserRef
from loadstone.accounts.sign_in_limit import count_attempt, count_wrong_token
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork, unit_of_work
from loadstone.errors import AppError, NotFound, Unauthenticated
from loadstone.models import Membership, Team, User, UserSession
from loadstone.principal import Credentials, Principal, Role, as_role
from loadstone.settings import get_settings
from loadstone.tokens import new_token, token_hash

USE_NOTED_EVERY = timedelta(minutes=1)


class WrongCredentials(AppError):
    code = "wrong_credentials"
    status = 401
    title = "E-mail or password is wrong"


def authenticate(credentials: Credentials) -> Principal:
    """Who brought these credentials; raises Unauthenticated, TooManyAttempts."""
    with unit_of_work(every_team=True, statement_by_statement=True) as unit:
        if credentials.bearer_token is not None:
            principal = _token_principal(unit, credentials.bearer_token)
            if principal is None:
                # A right one is let in even now: what is guessed at has 256 bits, and others share the address.
                count_wrong_token(credentials.address)
                raise Unauthenticated("The API token is unknown, expired or revoked. Make a new one.")
            return principal
        if credentials.session_token is not None:
            return _session_principal(unit, credentials.session_token, credentials.address)
    raise Unauthenticated("Sign in, or send an API token as `Authorization: Bearer lst_...`.")


def _token_principal(unit: UnitOfWork, token: str) -> Principal | None:
    now = datetime.now(UTC)
    found = repository.find_token(unit.session, token_hash(token), now)
    if found is None:
        return None
    last_used_at = found.token.last_used_at
    if last_used_at is None or now - last_used_at > USE_NOTED_EVERY:
        repository.note_token_use(unit.session, found.token.id, now)
    role = effective_role(as_role(found.role) if found.role else None, found.token.scope)
    return replace(
        _principal(found.user, found.team, role),
        token_name=found.token.name,
        token_scope=found.token.scope,
        token_expires_at=found.token.expires_at,
        is_team_token=found.token.kind == "team",
        is_instance_admin=found.user.is_instance_admin and found.token.scope == "manage",
    )


def _session_principal(unit: UnitOfWork, token: str, address: str) -> Principal:
    now = datetime.now(UTC)
    found = repository.find_session(unit.session, token_hash(token), now)
    if found is None:
        raise Unauthenticated("The session has ended. Sign in again.")
    if now - found.session.last_seen_at > USE_NOTED_EVERY:
        repository.note_session_use(unit.session, found.session.id, address, now)
    return _principal(found.user, found.team, as_role(found.role), found.session.id)


def _principal(user: User, team: Team, role: Role, session_id: uuid.UUID | None = None) -> Principal:
    return Principal(
        user_id=user.id,
        user_name=user.name,
        email=user.email,
        team_id=team.id,
        team_name=team.name,
        role=role,
        session_id=session_id,
        is_instance_admin=user.is_instance_admin,
    )


def open_session(unit: UnitOfWork, sign_in: SignIn, address: str, user_agent: str) -> OpenedSession:
    """Raises WrongCredentials, TooManyAttempts."""
    email = sign_in.email.strip().lower()
    count_attempt(address, email)
    member = repository.first_member(unit.session, email)
    if not is_password_right(sign_in.password, member.user.password_hash if member else None) or member is None:
        raise WrongCredentials("Check both and try again.")
    principal = _principal(member.user, member.team, as_role(member.role))
    opened = begin_session(unit, principal, address, user_agent)
    audit.record(unit, principal, "signed_in", "user", principal.user_id, {"address": address})
    return opened


def begin_session(unit: UnitOfWork, principal: Principal, address: str, user_agent: str) -> OpenedSession:
    """For someone who has just shown who they are."""
    now = datetime.now(UTC)
    repository.delete_expired_sessions(unit.session, now)
    token = new_token("lss_")
    opened = UserSession(
        user_id=principal.user_id,
        team_id=principal.team_id,
        token_hash=token_hash(token),
        user_agent=user_agent[:300],
        address=address,
        expires_at=now + timedelta(days=get_settings().session_days),
    )
    unit.session.add(opened)
    return OpenedSession(describe(principal), token, opened.expires_at)


def close_session(unit: UnitOfWork, principal: Principal) -> None:
    if principal.session_id is not None:
        repository.delete_session(unit.session, principal.session_id)


def describe(principal: Principal) -> Me:
    return Me(
        user=CurrentUser(id=principal.user_id, email=principal.email, name=principal.user_name),
        team=CurrentTeam(id=principal.team_id, name=principal.team_name),
        role=principal.role,
        is_instance_admin=principal.is_instance_admin,
    )


def user_refs(unit: UnitOfWork, user_ids: set[uuid.UUID | None]) -> dict[uuid.UUID, UserRef]:
    """Names for `created_by`; people who are gone are left out."""
    names = repository.user_names(unit.session, {user_id for user_id in user_ids if user_id is not None})
    return {user_id: UserRef(id=user_id, name=name) for user_id, name in names.items()}


def create_account(
    unit: UnitOfWork,
    email: str,
    name: str,
    team_name: str,
    role: Role,
    password: str | None,
    *,
    is_instance_admin: bool = False,
) -> str | None:
    """A person in a team, both made when missing. Returns the generated password, None where none was generated.

    An account that exists keeps its password unless one is given, so the call can be repeated; a new one ends its
    sessions. The first person of
    an installation is its admin, and who is stays so.
    """
    email = email.strip().lower()
    generated: str | None = None
    is_first = not repository.is_anyone_there(unit.session)
    user = repository.find_user(unit.session, email)
    if user is None:
        generated = None if password else secrets.token_urlsafe(15)
        user = User(email=email, name=name, password_hash=hash_password(password or generated or ""))
        unit.session.add(user)
    elif password and not is_password_right(password, user.password_hash):
        user.password_hash = hash_password(password)
        repository.delete_sessions(unit.session, user.id)
    user.is_instance_admin = bool(user.is_instance_admin) or is_instance_admin or is_first
    team = repository.find_team_named(unit.session, team_name)
    if team is None:
        team = Team(name=team_name)
        unit.session.add(team)
    unit.session.flush()
    membership = repository.find_membership(unit.session, user.id, team.id)
    if membership is None:
        unit.session.add(Membership(team_id=team.id, user_id=user.id, role=role))
    else:
        membership.role = role
    return generated


def principal_of(unit: UnitOfWork, email: str) -> Principal:
    """The person with this address in their first team; raises NotFound."""
    member = repository.first_member(unit.session, email.strip().lower())
    if member is None:
        raise NotFound(f"Nobody has the address {email}. Make the account first.")
    return _principal(member.user, member.team, as_role(member.role))
