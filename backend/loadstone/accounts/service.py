"""Signing in and out, API tokens, and the answer to "who asks?"."""

import secrets
import uuid
from datetime import UTC, datetime, timedelta
from typing import cast

from loadstone.accounts import repository
from loadstone.accounts.passwords import hash_password, is_password_right
from loadstone.accounts.schemas import (
    ApiTokenItem,
    CreateApiToken,
    CreatedApiToken,
    CurrentTeam,
    CurrentUser,
    Me,
    OpenedSession,
    SignIn,
    UserRef,
)
from loadstone.accounts.sign_in_limit import count_attempt
from loadstone.db import UnitOfWork, unit_of_work
from loadstone.errors import AppError, InvalidInput, NotFound, Unauthenticated
from loadstone.models import ApiToken, Membership, Team, User, UserSession
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Credentials, Principal, Role
from loadstone.settings import get_settings
from loadstone.tokens import new_token, token_hash

TOKEN_USE_NOTED_EVERY = timedelta(minutes=1)


class WrongCredentials(AppError):
    code = "wrong_credentials"
    status = 401
    title = "E-mail or password is wrong"


def authenticate(credentials: Credentials) -> Principal:
    """Who brought these credentials; raises Unauthenticated. Reads in a transaction of its own."""
    with unit_of_work(every_team=True) as unit:
        if credentials.bearer_token is not None:
            return _token_principal(unit, credentials.bearer_token)
        if credentials.session_token is not None:
            return _session_principal(unit, credentials.session_token)
    raise Unauthenticated("Sign in, or send an API token as `Authorization: Bearer lst_...`.")


def _token_principal(unit: UnitOfWork, token: str) -> Principal:
    now = datetime.now(UTC)
    found = repository.find_token(unit.session, token_hash(token), now)
    if found is None:
        raise Unauthenticated("The API token is unknown, expired or revoked. Make a new one.")
    last_used_at = found.token.last_used_at
    if last_used_at is None or now - last_used_at > TOKEN_USE_NOTED_EVERY:
        repository.note_token_use(unit.session, found.token.id, now)
    return _principal(found.user, found.team, found.role)


def _session_principal(unit: UnitOfWork, token: str) -> Principal:
    found = repository.find_session(unit.session, token_hash(token), datetime.now(UTC))
    if found is None:
        raise Unauthenticated("The session has ended. Sign in again.")
    return _principal(found.user, found.team, found.role, found.session.id)


def _principal(user: User, team: Team, role: str, session_id: uuid.UUID | None = None) -> Principal:
    return Principal(
        user_id=user.id,
        user_name=user.name,
        email=user.email,
        team_id=team.id,
        team_name=team.name,
        role=cast("Role", role),
        session_id=session_id,
    )


def open_session(unit: UnitOfWork, sign_in: SignIn, address: str, user_agent: str) -> OpenedSession:
    """Raises WrongCredentials, TooManyAttempts."""
    email = sign_in.email.strip().lower()
    count_attempt(address, email)
    member = repository.first_member(unit.session, email)
    if not is_password_right(sign_in.password, member.user.password_hash if member else None) or member is None:
        raise WrongCredentials("Check both and try again.")
    now = datetime.now(UTC)
    repository.delete_expired_sessions(unit.session, now)
    token = new_token("lss_")
    opened = UserSession(
        user_id=member.user.id,
        team_id=member.team.id,
        token_hash=token_hash(token),
        user_agent=user_agent[:300],
        expires_at=now + timedelta(days=get_settings().session_days),
    )
    unit.session.add(opened)
    return OpenedSession(describe(_principal(*member)), token, opened.expires_at)


def close_session(unit: UnitOfWork, principal: Principal) -> None:
    if principal.session_id is not None:
        repository.delete_session(unit.session, principal.session_id)


def describe(principal: Principal) -> Me:
    return Me(
        user=CurrentUser(id=principal.user_id, email=principal.email, name=principal.user_name),
        team=CurrentTeam(id=principal.team_id, name=principal.team_name),
        role=principal.role,
    )


def list_tokens(unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int) -> Page[ApiTokenItem]:
    """The person's own tokens, newest first; raises InvalidCursor."""
    before = decode_id_cursor(cursor)
    rows = repository.list_tokens(unit.session, principal.team_id, principal.user_id, before, limit + 1)
    return make_page(rows, limit, lambda row: row.id, _render_token)


def create_token(unit: UnitOfWork, principal: Principal, wanted: CreateApiToken) -> CreatedApiToken:
    """Raises InvalidInput when it would be expired already."""
    if wanted.expires_at is not None and wanted.expires_at <= datetime.now(UTC):
        raise InvalidInput("The time of expiry has passed already.", path="expires_at")
    token = new_token("lst_")
    row = ApiToken(
        team_id=principal.team_id,
        user_id=principal.user_id,
        name=wanted.name,
        token_hash=token_hash(token),
        expires_at=wanted.expires_at,
    )
    unit.session.add(row)
    unit.session.flush()
    return CreatedApiToken(token=token, **_render_token(row).model_dump())


def revoke_token(unit: UnitOfWork, principal: Principal, token_id: uuid.UUID) -> None:
    """Raises NotFound."""
    row = repository.find_own_token(unit.session, principal.team_id, principal.user_id, token_id)
    if row is None:
        raise NotFound("You have no such token.")
    row.revoked_at = datetime.now(UTC)


def _render_token(row: ApiToken) -> ApiTokenItem:
    return ApiTokenItem(
        id=row.id,
        name=row.name,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
    )


def user_refs(unit: UnitOfWork, user_ids: set[uuid.UUID | None]) -> dict[uuid.UUID, UserRef]:
    """Names for `created_by`; people who are gone are left out."""
    names = repository.user_names(unit.session, {user_id for user_id in user_ids if user_id is not None})
    return {user_id: UserRef(id=user_id, name=name) for user_id, name in names.items()}


def create_account(
    unit: UnitOfWork, email: str, name: str, team_name: str, role: Role, password: str | None
) -> str | None:
    """A person in a team, both made when missing. Returns the generated password, None where none was generated.

    An account that exists keeps its password unless one is given, so the call can be repeated.
    """
    email = email.strip().lower()
    generated: str | None = None
    user = repository.find_user(unit.session, email)
    if user is None:
        generated = None if password else secrets.token_urlsafe(15)
        user = User(email=email, name=name, password_hash=hash_password(password or generated or ""))
        unit.session.add(user)
    elif password:
        user.password_hash = hash_password(password)
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
    return _principal(*member)
