"""Rows of workloads: one a version."""

import uuid
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from loadstone.models import Workload


def list_workloads(session: Session, team_id: uuid.UUID, before: uuid.UUID | None, limit: int) -> list[Workload]:
    """The newest version of each."""
    newest = (
        select(Workload.lineage_id, func.max(Workload.version).label("version"))
        .where(Workload.team_id == team_id, Workload.archived_at.is_(None))
        .group_by(Workload.lineage_id)
        .subquery()
    )
    statement = (
        select(Workload)
        .join(newest, (newest.c.lineage_id == Workload.lineage_id) & (newest.c.version == Workload.version))
        .where(Workload.team_id == team_id)
        .order_by(Workload.id.desc())
        .limit(limit)
    )
    if before is not None:
        statement = statement.where(Workload.id < before)
    return list(session.scalars(statement))


def find_workload(session: Session, team_id: uuid.UUID, workload_id: uuid.UUID) -> Workload | None:
    """That very version."""
    return session.scalars(
        select(Workload).where(Workload.team_id == team_id, Workload.id == workload_id, Workload.archived_at.is_(None))
    ).one_or_none()


def lock_newest_version(session: Session, team_id: uuid.UUID, lineage_id: uuid.UUID) -> Workload:
    """Locked: of two edits at once, the second makes the version after the first one's."""
    versions = (
        select(Workload)
        .where(Workload.team_id == team_id, Workload.lineage_id == lineage_id)
        .order_by(Workload.version)
        .with_for_update()
    )
    # The first version's row stands for the lineage; what another edit added meanwhile is read after it.
    session.scalars(versions.limit(1)).one()
    newest = select(Workload).where(Workload.team_id == team_id, Workload.lineage_id == lineage_id)
    return session.scalars(newest.order_by(Workload.version.desc()).limit(1)).one()


def archive_lineage(session: Session, team_id: uuid.UUID, lineage_id: uuid.UUID, now: datetime) -> None:
    session.execute(
        update(Workload).where(Workload.team_id == team_id, Workload.lineage_id == lineage_id).values(archived_at=now)
    )
