"""Tokens of persons and of teams. A token can never do more than its scope, nor more than the person behind it."""

import uuid
from datetime import UTC, datetime
from typing import Final, cast

from uuid_utils.compat import uuid7

from loadstone.accounts import repository
from loadstone.accounts.schemas import ApiTokenItem, CreateApiToken, CreatedApiToken, TokenKind, TokenScope, UserRef
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import AppError, Forbidden, InvalidInput, NotFound
from loadstone.models import ApiToken, User
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal, Role
from loadstone.tokens import new_token, token_hash

ROLES: Final[tuple[Role, ...]] = ("viewer", "editor", "admin")
SCOPES: Final[tuple[TokenScope, ...]] = ("read", "run", "manage")
"""Each allows what the role of the same place allows."""


class ScopeBeyondRole(AppError):
    code = "scope_beyond_role"
    status = 403
    title = "The token would do more than you may"


class TokenBeyondToken(AppError):
    """A token may make or end no token that can do more than itself, or for longer."""

    code = "token_beyond_token"
    status = 403
    title = "That token can do more than yours"


def effective_role(role: Role | None, scope: str) -> Role:
    """The lesser of what the person may and what the scope allows; a team's token (no role) has its scope alone."""
    allowed = SCOPES.index(cast("TokenScope", scope))
    return ROLES[allowed if role is None else min(ROLES.index(role), allowed)]


def list_tokens(
    unit: UnitOfWork, principal: Principal, kind: TokenKind, cursor: str | None, limit: int
) -> Page[ApiTokenItem]:
    """The person's own, or the team's, newest first; raises InvalidCursor."""
    before = decode_id_cursor(cursor)
    rows = repository.list_tokens(unit.session, principal.team_id, principal.user_id, kind, before, limit + 1)
    names = repository.user_names(unit.session, {row.created_by for row in rows if row.created_by})
    return make_page(rows, limit, lambda row: row.id, lambda row: _render(row, names))


def create_token(unit: UnitOfWork, principal: Principal, wanted: CreateApiToken) -> CreatedApiToken:
    """Raises InvalidInput when it would be expired already, ScopeBeyondRole, TokenBeyondToken, Forbidden."""
    if wanted.expires_at is not None and wanted.expires_at <= datetime.now(UTC):
        raise InvalidInput("The time of expiry has passed already.", path="expires_at")
    most = SCOPES[ROLES.index(principal.role)]
    scope = wanted.scope or most
    if SCOPES.index(scope) > SCOPES.index(most):
        raise ScopeBeyondRole(f"Choose the scope {most} or less.", path="scope")
    if wanted.kind == "team" and principal.role != "admin":
        raise Forbidden("Only admins of the team may make tokens that belong to it.")
    if principal.is_team_token and wanted.kind == "personal":
        raise Forbidden("A team's token belongs to no person. Make a token of the kind team.", path="kind")
    _check_expiry(principal, wanted.expires_at)
    token = new_token("lst_")
    row = ApiToken(
        id=uuid7(),
        team_id=principal.team_id,
        user_id=principal.user_id if wanted.kind == "personal" else _stand_in(unit, wanted.name).id,
        created_by=principal.user_id,
        kind=wanted.kind,
        scope=scope,
        name=wanted.name,
        token_hash=token_hash(token),
        created_at=datetime.now(UTC),
        expires_at=wanted.expires_at,
    )
    unit.session.add(row)
    audit.record(unit, principal, "token_created", "token", row.id, _detail(row))
    return CreatedApiToken(token=token, **_render(row, {principal.user_id: principal.user_name}).model_dump())


def _check_expiry(principal: Principal, expires_at: datetime | None) -> None:
    ends_at = principal.token_expires_at
    if ends_at is not None and (expires_at is None or expires_at > ends_at):
        raise TokenBeyondToken(f"Choose an expiry up to {ends_at.isoformat()}, when yours ends.", path="expires_at")


def _stand_in(unit: UnitOfWork, name: str) -> User:
    """Whom a team's token acts as; nobody can sign in as it."""
    user = User(id=uuid7(), kind="token", email=f"{uuid7()}@token.invalid", name=name, password_hash="!")  # noqa: S106
    unit.session.add(user)
    unit.session.flush()
    return user


def revoke_token(unit: UnitOfWork, principal: Principal, token_id: uuid.UUID) -> None:
    """One's own, or as an admin one of the team's; raises NotFound, TokenBeyondToken."""
    kinds = ("personal", "team") if principal.role == "admin" else ("personal",)
    found = (
        repository.find_token_by_id(unit.session, principal.team_id, principal.user_id, kind, token_id)
        for kind in kinds
    )
    row = next((row for row in found if row is not None), None)
    if row is None:
        raise NotFound("You have no such token.")
    if principal.token_scope is not None and _rank(row.scope) > _rank(principal.token_scope):
        raise TokenBeyondToken("Revoke it while signed in, or with a token of its scope.")
    row.revoked_at = datetime.now(UTC)
    audit.record(unit, principal, "token_revoked", "token", row.id, _detail(row))


def _rank(scope: str) -> int:
    return SCOPES.index(cast("TokenScope", scope))


def _detail(row: ApiToken) -> dict[str, str]:
    return {"name": row.name, "kind": row.kind, "scope": row.scope}


def _render(row: ApiToken, names: dict[uuid.UUID, str]) -> ApiTokenItem:
    creator = row.created_by
    return ApiTokenItem(
        id=row.id,
        name=row.name,
        kind=cast("TokenKind", row.kind),
        scope=cast("TokenScope", row.scope),
        created_by=UserRef(id=creator, name=names[creator]) if creator in names and creator else None,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
    )
