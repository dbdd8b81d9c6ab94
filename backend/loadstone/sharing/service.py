"""Making, listing and revoking links; and what a visitor who brings one may see."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from limits import RateLimitItemPerMinute

from loadstone.accounts import service as accounts
from loadstone.accounts.passwords import hash_password, is_password_right
from loadstone.accounts.schemas import UserRef
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import AppError, InvalidInput, NotFound
from loadstone.http.rate_limit import count_tries
from loadstone.models import Share, ShareUnlock
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal
from loadstone.settings import get_settings
from loadstone.sharing import repository, schemas, subjects
from loadstone.tokens import new_token, token_hash

UNLOCKED_FOR = timedelta(hours=12)
PER_LINK_AND_ADDRESS = RateLimitItemPerMinute(10, 5)
PER_LINK = RateLimitItemPerMinute(100, 5)
"""Whoever has many addresses guesses no faster than this."""


class ShareExpired(AppError):
    code = "share_expired"
    status = 410
    title = "This link has expired"


class ShareRevoked(AppError):
    code = "share_revoked"
    status = 410
    title = "This link was revoked"


class ShareLocked(AppError):
    code = "share_locked"
    status = 401
    title = "This link has a password"


class SharePasswordWrong(AppError):
    code = "share_password_wrong"
    status = 403
    title = "The password is wrong"


@dataclass(frozen=True)
class Visit:
    """Somebody who brought a link that is valid, and unlocked if it has a password.

    `principal` may read as a viewer of the link's team; every reader in `visits` asks the link first.
    """

    share: Share
    team_name: str
    principal: Principal


class Unlocked(NamedTuple):
    visit: Visit
    token: str
    expires_at: datetime


def create_share(unit: UnitOfWork, principal: Principal, wanted: schemas.CreateShare) -> schemas.CreatedShare:
    """Raises NotFound for a subject that is not there, InvalidInput when it would be expired already."""
    if wanted.expires_at is not None and wanted.expires_at <= datetime.now(UTC):
        raise InvalidInput("The time of expiry has passed already.", path="expires_at")
    subject = subjects.resolve(unit, principal, wanted)
    token = new_token("lsh_")
    share = Share(
        team_id=principal.team_id,
        kind=wanted.kind,
        subject_id=subject.id,
        subject=subject.stored,
        view=wanted.view,
        title=wanted.title or subject.name,
        token_hash=token_hash(token),
        password_hash=hash_password(wanted.password) if wanted.password else None,
        expires_at=wanted.expires_at,
        created_by=principal.user_id,
        created_at=datetime.now(UTC),
        view_count=0,
    )
    unit.session.add(share)
    unit.session.flush()
    detail = {"kind": share.kind, "title": share.title, "has_password": share.password_hash is not None}
    audit.record(unit, principal, "share_created", "share", share.id, detail)
    addresses = _addresses(token, has_pictures=wanted.password is None)
    item = _render(share, UserRef(id=principal.user_id, name=principal.user_name))
    return schemas.CreatedShare(**item.model_dump(), token=token, url=addresses.page, addresses=addresses)


def _addresses(token: str, *, has_pictures: bool) -> schemas.ShareAddresses:
    base = get_settings().public_url.rstrip("/")
    api = f"{base}/api/v1/shared/{token}"
    return schemas.ShareAddresses(
        page=f"{base}/s/{token}",
        embed=f"{base}/embed/{token}",
        chart_svg=f"{api}/chart.svg" if has_pictures else None,
        chart_png=f"{api}/chart.png" if has_pictures else None,
        badge=f"{api}/badge.svg" if has_pictures else None,
    )


def list_shares(
    unit: UnitOfWork,
    principal: Principal,
    *,
    kind: schemas.ShareKind | None,
    subject_id: uuid.UUID | None,
    cursor: str | None,
    limit: int,
) -> Page[schemas.ShareItem]:
    """The team's links, newest first, also those that lead nowhere any more; raises InvalidCursor."""
    rows = repository.list_shares(
        unit.session,
        principal.team_id,
        kind=kind,
        subject_id=subject_id,
        before=decode_id_cursor(cursor),
        limit=limit + 1,
    )
    people = accounts.user_refs(unit, {row.created_by for row in rows})
    return make_page(
        rows, limit, lambda row: row.id, lambda row: _render(row, people.get(row.created_by or uuid.UUID(int=0)))
    )


def revoke_share(unit: UnitOfWork, principal: Principal, share_id: uuid.UUID) -> None:
    """From now on it shows nothing; may be repeated. Raises NotFound."""
    share = repository.find_share(unit.session, principal.team_id, share_id)
    if share is None:
        raise NotFound("There is no such link.")
    if share.revoked_at is None:
        share.revoked_at = datetime.now(UTC)
        audit.record(unit, principal, "share_revoked", "share", share.id, {"title": share.title})


def _render(share: Share, created_by: UserRef | None) -> schemas.ShareItem:
    return schemas.ShareItem(
        id=share.id,
        kind=share.kind,
        subject=share.subject,
        subject_id=share.subject_id,
        view=share.view,
        title=share.title,
        state=_state(share),
        has_password=share.password_hash is not None,
        expires_at=share.expires_at,
        revoked_at=share.revoked_at,
        view_count=share.view_count,
        last_viewed_at=share.last_viewed_at,
        created_by=created_by,
        created_at=share.created_at,
    )


def _state(share: Share) -> schemas.ShareState:
    if share.revoked_at is not None:
        return "revoked"
    return "expired" if share.expires_at is not None and share.expires_at <= datetime.now(UTC) else "active"


def open_share(unit: UnitOfWork, token: str, unlock_token: str | None) -> Visit:
    """Raises NotFound, ShareRevoked, ShareExpired, ShareLocked."""
    visit = _find_valid(unit, token)
    if visit.share.password_hash is not None and not _is_unlocked(unit, visit.share, unlock_token):
        raise ShareLocked("Enter the password that came with the link.")
    return visit


def _find_valid(unit: UnitOfWork, token: str) -> Visit:
    found = repository.find_by_token(unit.session, token_hash(token))
    if found is None:
        raise NotFound("There is no such link. It may be cut off: copy it again as a whole.")
    share, team_name = found
    state = _state(share)
    if state == "revoked":
        raise ShareRevoked("Ask whoever sent it for a new one.")
    if state == "expired":
        raise ShareExpired("Ask whoever sent it for a new one.")
    principal = Principal(
        user_id=share.id,
        user_name="a visitor",
        email="",
        team_id=share.team_id,
        team_name=team_name,
        role="viewer",
    )
    return Visit(share, team_name, principal)


def _is_unlocked(unit: UnitOfWork, share: Share, unlock_token: str | None) -> bool:
    if unlock_token is None:
        return False
    return repository.is_unlocked(unit.session, share.id, token_hash(unlock_token), datetime.now(UTC))


def unlock(unit: UnitOfWork, token: str, password: str, address: str) -> Unlocked:
    """Raises what `open_share` raises, SharePasswordWrong, TooManyAttempts."""
    visit = _find_valid(unit, token)
    key = str(visit.share.id)
    tries = [(PER_LINK_AND_ADDRESS, ("share", key, address)), (PER_LINK, ("share", key))]
    count_tries(tries, "Wait five minutes before you try again.")
    if not is_password_right(password, visit.share.password_hash):
        raise SharePasswordWrong("Check it with whoever sent you the link.")
    now = datetime.now(UTC)
    repository.delete_expired_unlocks(unit.session, now)
    unlock_token = new_token("lsu_")
    opened = ShareUnlock(share_id=visit.share.id, token_hash=token_hash(unlock_token), expires_at=now + UNLOCKED_FOR)
    unit.session.add(opened)
    return Unlocked(visit, unlock_token, opened.expires_at)


def describe(unit: UnitOfWork, visit: Visit) -> schemas.SharedView:
    """What the link shows; counts as one view."""
    repository.count_view(unit.session, visit.share.id, datetime.now(UTC))
    share = visit.share
    return schemas.SharedView(
        kind=share.kind,
        subject=share.subject,
        view=share.view,
        title=share.title,
        team_name=visit.team_name,
        has_password=share.password_hash is not None,
        expires_at=share.expires_at,
        created_at=share.created_at,
    )
