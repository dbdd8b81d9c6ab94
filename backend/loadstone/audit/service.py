"""Recording changes, in the same transaction as the change, and reading them."""

import uuid
from typing import Any, cast

from loadstone.audit import repository
from loadstone.audit.repository import AuditFilter
from loadstone.audit.schemas import Actor, ActorKind, AuditItem
from loadstone.db import UnitOfWork
from loadstone.models import AuditEntry
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import AgentPrincipal, Principal

__all__ = ["AuditFilter", "list_entries", "record", "record_for_installation", "record_for_team"]


def record(
    unit: UnitOfWork,
    principal: Principal | AgentPrincipal,
    action: str,
    subject_kind: str,
    subject_id: uuid.UUID | str | None,
    detail: dict[str, Any] | None = None,
) -> None:
    """Writes one entry of the principal's team; it stands or falls with the transaction.

    `action` is verb and noun in the past (`target_changed`); `detail` is JSON and holds no secret.
    """
    _add(unit, principal.team_id, principal, action, subject_kind, subject_id, detail)


def record_for_installation(
    unit: UnitOfWork,
    principal: Principal,
    action: str,
    subject_kind: str,
    subject_id: uuid.UUID | str | None,
    detail: dict[str, Any] | None = None,
) -> None:
    """As `record`, for what an instance admin changes beyond any team."""
    _add(unit, None, principal, action, subject_kind, subject_id, detail)


def record_for_team(
    unit: UnitOfWork,
    team_id: uuid.UUID,
    action: str,
    subject_kind: str,
    subject_id: uuid.UUID | str | None,
    detail: dict[str, Any] | None = None,
) -> None:
    """As `record`, for what the product does by itself (a schedule that fires)."""
    _add(unit, team_id, None, action, subject_kind, subject_id, detail)


def _add(
    unit: UnitOfWork,
    team_id: uuid.UUID | None,
    principal: Principal | AgentPrincipal | None,
    action: str,
    subject_kind: str,
    subject_id: uuid.UUID | str | None,
    detail: dict[str, Any] | None,
) -> None:
    actor = _actor(principal)
    unit.session.add(
        AuditEntry(
            team_id=team_id,
            actor_kind=actor.kind,
            actor_id=actor.id,
            actor_name=actor.name,
            token_name=actor.token_name,
            action=action,
            subject_kind=subject_kind,
            subject_id=str(subject_id) if subject_id is not None else None,
            detail=detail or {},
        )
    )


def _actor(principal: Principal | AgentPrincipal | None) -> Actor:
    if principal is None:
        return Actor(kind="system", id=None, name="Loadstone", token_name=None)
    if isinstance(principal, AgentPrincipal):
        return Actor(kind="agent", id=principal.agent_id, name=principal.name, token_name=None)
    kind: ActorKind = "token" if principal.is_team_token else "person"
    return Actor(kind=kind, id=principal.user_id, name=principal.user_name, token_name=principal.token_name)


def list_entries(
    unit: UnitOfWork, team_id: uuid.UUID | None, wanted: AuditFilter, cursor: str | None, limit: int
) -> Page[AuditItem]:
    """Newest first; `team_id` None lists the installation's. Raises InvalidCursor."""
    rows = repository.list_entries(unit.session, team_id, wanted, decode_id_cursor(cursor), limit + 1)
    return make_page(rows, limit, lambda row: row.id, _render)


def _render(row: AuditEntry) -> AuditItem:
    actor = Actor(
        kind=cast("ActorKind", row.actor_kind), id=row.actor_id, name=row.actor_name, token_name=row.token_name
    )
    return AuditItem(
        id=row.id,
        at=row.at,
        actor=actor,
        action=row.action,
        subject_kind=row.subject_kind,
        subject_id=row.subject_id,
        detail=row.detail,
    )
