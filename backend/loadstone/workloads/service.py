"""Saved workloads and their versions."""

import uuid
from datetime import UTC, datetime

from uuid_utils.compat import uuid7

from loadstone import models
from loadstone.audit import service as audit
from loadstone.canonical import canonical_hash
from loadstone.db import UnitOfWork
from loadstone.errors import NotFound
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal
from loadstone.workloads import repository
from loadstone.workloads.schemas import Workload, WorkloadDefinition, WriteWorkload


def list_workloads(unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int) -> Page[Workload]:
    """The newest version of each, last changed first; raises InvalidCursor."""
    rows = repository.list_workloads(unit.session, principal.team_id, decode_id_cursor(cursor), limit + 1)
    return make_page(rows, limit, lambda row: row.id, _render)


def _find(unit: UnitOfWork, principal: Principal, workload_id: uuid.UUID) -> models.Workload:
    row = repository.find_workload(unit.session, principal.team_id, workload_id)
    if row is None:
        raise NotFound("There is no such workload.")
    return row


def get_workload(unit: UnitOfWork, principal: Principal, workload_id: uuid.UUID) -> Workload:
    """That version, be it the newest or not; raises NotFound."""
    return _render(_find(unit, principal, workload_id))


def create_workload(unit: UnitOfWork, principal: Principal, wanted: WriteWorkload) -> Workload:
    return _add_version(unit, principal, wanted, uuid7(), 1)


def change_workload(unit: UnitOfWork, principal: Principal, workload_id: uuid.UUID, wanted: WriteWorkload) -> Workload:
    """The next version, with an id of its own; raises NotFound."""
    lineage_id = _find(unit, principal, workload_id).lineage_id
    newest = repository.lock_newest_version(unit.session, principal.team_id, lineage_id)
    return _add_version(unit, principal, wanted, lineage_id, newest.version + 1)


def archive_workload(unit: UnitOfWork, principal: Principal, workload_id: uuid.UUID) -> None:
    """All versions; runs keep what they were submitted with. Raises NotFound."""
    lineage_id = _find(unit, principal, workload_id).lineage_id
    repository.archive_lineage(unit.session, principal.team_id, lineage_id, datetime.now(UTC))
    audit.record(unit, principal, "workload_archived", "workload", workload_id, {"lineage_id": str(lineage_id)})


def _add_version(
    unit: UnitOfWork, principal: Principal, wanted: WriteWorkload, lineage_id: uuid.UUID, version: int
) -> Workload:
    definition = wanted.definition.model_dump(mode="json")
    row = models.Workload(
        team_id=principal.team_id,
        lineage_id=lineage_id,
        version=version,
        name=wanted.name,
        definition=definition,
        definition_hash=canonical_hash(definition),
        created_by=principal.user_id,
    )
    unit.session.add(row)
    unit.session.flush()
    action = "workload_created" if version == 1 else "workload_changed"
    audit.record(unit, principal, action, "workload", row.id, {"name": row.name, "version": version})
    return _render(row)


def _render(row: models.Workload) -> Workload:
    return Workload(
        id=row.id,
        lineage_id=row.lineage_id,
        version=row.version,
        name=row.name,
        definition=WorkloadDefinition.model_validate(row.definition),
        definition_hash=row.definition_hash,
        created_at=row.created_at,
    )
