"""Invitations: a link lets one person into a team, once, until it expires or is revoked."""

import uuid
from datetime import UTC, datetime, timedelta

from limits import RateLimitItemPerMinute
from uuid_utils.compat import uuid7

from loadstone.accounts import repository
from loadstone.accounts.passwords import hash_password
from loadstone.accounts.schemas import (
    AcceptInvitation,
    CreatedInvitation,
    CreateInvitation,
    InvitationItem,
    InvitationState,
    InvitationView,
    UserRef,
)
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import AppError, Conflict, InvalidInput, NotFound
from loadstone.http.rate_limit import count_tries
from loadstone.models import Invitation, Membership, Team, User
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal, as_role
from loadstone.settings import get_settings
from loadstone.tokens import new_token, token_hash

PER_ADDRESS = RateLimitItemPerMinute(60, 5)


class InvitationOver(AppError):
    code = "invitation_over"
    status = 410
    title = "The invitation cannot be used any more"


class InvitationForAnother(AppError):
    code = "invitation_for_another"
    status = 403
    title = "The invitation is for someone else"


class AccountExists(Conflict):
    code = "account_exists"
    title = "There is an account with this address"


class AlreadyMember(Conflict):
    code = "already_member"
    title = "You belong to this team already"


def create_invitation(unit: UnitOfWork, principal: Principal, wanted: CreateInvitation) -> CreatedInvitation:
    token = new_token("lsi_")
    now = datetime.now(UTC)
    row = Invitation(
        id=uuid7(),
        team_id=principal.team_id,
        token_hash=token_hash(token),
        email=wanted.email,
        role=wanted.role,
        created_by=principal.user_id,
        created_at=now,
        expires_at=now + timedelta(days=wanted.expires_in_days),
    )
    unit.session.add(row)
    audit.record(unit, principal, "invitation_created", "invitation", row.id, _detail(row))
    item = _render(row, {principal.user_id: principal.user_name})
    url = f"{get_settings().public_url.rstrip('/')}/invite/{token}"
    return CreatedInvitation(token=token, url=url, **item.model_dump())


def list_invitations(unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int) -> Page[InvitationItem]:
    """Newest first, also those that are over; raises InvalidCursor."""
    rows = repository.list_invitations(unit.session, principal.team_id, decode_id_cursor(cursor), limit + 1)
    people = {user_id for row in rows for user_id in (row.created_by, row.accepted_by) if user_id}
    names = repository.user_names(unit.session, people)
    return make_page(rows, limit, lambda row: row.id, lambda row: _render(row, names))


def revoke_invitation(unit: UnitOfWork, principal: Principal, invitation_id: uuid.UUID) -> None:
    """One that is over stays as it is. Raises NotFound."""
    row = repository.find_invitation(unit.session, principal.team_id, invitation_id)
    if row is None:
        raise NotFound("There is no such invitation.")
    if _state(row) == "open":
        row.revoked_at = datetime.now(UTC)
        audit.record(unit, principal, "invitation_revoked", "invitation", row.id, _detail(row))


def view_invitation(unit: UnitOfWork, token: str, address: str) -> InvitationView:
    """Raises NotFound, InvitationOver, TooManyAttempts."""
    _count(address)
    row, team = _find_open(unit, token, lock=False)
    inviter = repository.user_names(unit.session, {row.created_by} if row.created_by else set())
    return InvitationView(
        team_name=team.name,
        role=as_role(row.role),
        email=row.email,
        has_account=row.email is not None and repository.find_user(unit.session, row.email) is not None,
        invited_by=next(iter(inviter.values()), None),
        expires_at=row.expires_at,
    )


def accept_invitation(
    unit: UnitOfWork, token: str, body: AcceptInvitation, person: Principal | None, address: str
) -> Principal:
    """Who they are in the team they belong to now.

    Raises NotFound, InvitationOver, InvitationForAnother, AccountExists, AlreadyMember, InvalidInput, TooManyAttempts.
    """
    _count(address)
    row, team = _find_open(unit, token, lock=True)
    user = _signed_in(unit, person) if person else _new_person(unit, body)
    if row.email is not None and row.email != user.email:
        raise InvitationForAnother("Sign in with the address it was made for, or ask for another invitation.")
    if repository.find_membership(unit.session, user.id, team.id) is not None:
        raise AlreadyMember("Switch to it in the account menu.")
    unit.bind_team(team.id)
    unit.session.add(Membership(team_id=team.id, user_id=user.id, role=row.role))
    row.accepted_at = datetime.now(UTC)
    row.accepted_by = user.id
    unit.session.flush()
    joined = Principal(
        user_id=user.id,
        user_name=user.name,
        email=user.email,
        team_id=team.id,
        team_name=team.name,
        role=as_role(row.role),
    )
    audit.record(unit, joined, "invitation_accepted", "invitation", row.id, _detail(row))
    return joined


def _count(address: str) -> None:
    count_tries([(PER_ADDRESS, ("invitation", address))], "Wait five minutes before you try again.")


def _find_open(unit: UnitOfWork, token: str, *, lock: bool) -> tuple[Invitation, Team]:
    found = repository.invitation_by_token(unit.session, token_hash(token), lock=lock)
    if found is None:
        raise NotFound("There is no such invitation. Check that the whole link was copied.")
    state = _state(found[0])
    if state != "open":
        raise InvitationOver(f"It is {state}. Ask an admin of {found[1].name} for another one.")
    return found


def _signed_in(unit: UnitOfWork, person: Principal) -> User:
    user = repository.get_person(unit.session, person.user_id)
    assert user is not None, "a session is a person's"
    return user


def _new_person(unit: UnitOfWork, body: AcceptInvitation) -> User:
    for field in ("name", "email", "password"):
        if getattr(body, field) is None:
            raise InvalidInput(f"Say your {field}, or sign in first.", path=field)
    assert body.name
    assert body.email
    assert body.password
    if repository.find_user(unit.session, body.email) is not None:
        raise AccountExists("Sign in with it, then open the link again.", path="email")
    user = User(id=uuid7(), email=body.email, name=body.name, password_hash=hash_password(body.password))
    unit.session.add(user)
    unit.session.flush()
    return user


def _state(row: Invitation) -> InvitationState:
    if row.accepted_at is not None:
        return "accepted"
    if row.revoked_at is not None:
        return "revoked"
    return "expired" if row.expires_at <= datetime.now(UTC) else "open"


def _detail(row: Invitation) -> dict[str, str | None]:
    return {"role": row.role, "email": row.email}


def _render(row: Invitation, names: dict[uuid.UUID, str]) -> InvitationItem:
    refs = {user_id: UserRef(id=user_id, name=name) for user_id, name in names.items()}
    return InvitationItem(
        id=row.id,
        email=row.email,
        role=as_role(row.role),
        state=_state(row),
        created_by=refs.get(row.created_by) if row.created_by else None,
        created_at=row.created_at,
        expires_at=row.expires_at,
        accepted_by=refs.get(row.accepted_by) if row.accepted_by else None,
        accepted_at=row.accepted_at,
    )
