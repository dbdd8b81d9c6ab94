"""Rows of `audit_entries`."""

import uuid
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from loadstone.models import AuditEntry


class AuditFilter(NamedTuple):
    """Null means any. `actions` are alternatives."""

    actions: Sequence[str]
    actor_id: uuid.UUID | None
    subject_kind: str | None
    subject_id: str | None


def list_entries(
    session: Session, team_id: uuid.UUID | None, wanted: AuditFilter, before: uuid.UUID | None, limit: int
) -> list[AuditEntry]:
    """Newest first; `team_id` None lists what concerns the installation."""
    statement = select(AuditEntry).where(AuditEntry.team_id == team_id).order_by(AuditEntry.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(AuditEntry.id < before)
    if wanted.actions:
        statement = statement.where(AuditEntry.action.in_(wanted.actions))
    if wanted.actor_id is not None:
        statement = statement.where(AuditEntry.actor_id == wanted.actor_id)
    if wanted.subject_kind is not None:
        statement = statement.where(AuditEntry.subject_kind == wanted.subject_kind)
    if wanted.subject_id is not None:
        statement = statement.where(AuditEntry.subject_id == wanted.subject_id)
    return list(session.scalars(statement))
