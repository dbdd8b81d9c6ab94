"""Targets: what people write, what runs and agents are given of them."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from loadstone_contracts.agent_calls import AssignedTarget
from loadstone_contracts.engine_plan import Tls

from loadstone import models
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import InvalidInput, NotFound
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal
from loadstone.targets import repository
from loadstone.targets.checks import claim_check, create_check, fail_stale_checks, finish_check, render_check
from loadstone.targets.own_endpoints import is_own
from loadstone.targets.schemas import ADDRESS, Target, TargetCheck, TargetSnapshot, WriteTarget
from loadstone.targets.store_kinds import StoreKinds, effective_options, named_version, store_kinds
from loadstone.targets.validation import find_faults
from loadstone.vault import decrypt, encrypt

GUARDED = ("kind", "mode", *ADDRESS, "username")
ENTER_AGAIN = (
    "The address, protocol, user or TLS setting is another one. Enter the password again: the one that is stored "
    "is sent nowhere but where it was saved for."
)

__all__ = ["claim_check", "create_check", "fail_stale_checks", "finish_check"]


def list_store_kinds() -> StoreKinds:
    return StoreKinds(items=list(store_kinds().values()))


def list_targets(unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int) -> Page[Target]:
    """Newest first; raises InvalidCursor."""
    rows = repository.list_targets(unit.session, principal.team_id, decode_id_cursor(cursor), limit + 1)
    checks = repository.last_checks(unit.session, [row.id for row in rows])
    return make_page(rows, limit, lambda row: row.id, lambda row: _render(row, checks.get(row.id)))


def find_target(unit: UnitOfWork, principal: Principal, target_id: uuid.UUID) -> models.Target:
    """Raises NotFound."""
    row = repository.find_target(unit.session, principal.team_id, target_id)
    if row is None:
        raise NotFound("There is no such target.")
    return row


def describe_target(unit: UnitOfWork, principal: Principal, target_id: uuid.UUID) -> Target:
    """Raises NotFound."""
    row = find_target(unit, principal, target_id)
    return _render(row, repository.last_checks(unit.session, [row.id]).get(row.id))


def is_own_endpoint(row: models.Target) -> bool:
    """Whether a target, saved before this was looked at, names the installation's own database, broker or api."""
    places = ((row.host, row.port), (row.host, row.plugin_port), (row.read_host or row.host, row.read_port or row.port))
    return row.mode == "external" and any(host and port and is_own(host, port) for host, port in places)


def create_target(unit: UnitOfWork, principal: Principal, wanted: WriteTarget) -> Target:
    """Raises InvalidInput."""
    _check(wanted, keeps_password=False)
    row = models.Target(team_id=principal.team_id, created_by=principal.user_id)
    _write(row, wanted)
    unit.session.add(row)
    unit.session.flush()
    _note(unit, principal, "target_created", row)
    return _render(row, None)


def change_target(unit: UnitOfWork, principal: Principal, target_id: uuid.UUID, wanted: WriteTarget) -> Target:
    """Raises NotFound, InvalidInput."""
    row = find_target(unit, principal, target_id)
    is_password_untouched = "password" not in wanted.model_fields_set
    keeps_password = is_password_untouched and row.password_encrypted is not None
    if keeps_password and wanted.mode == "external" and _opens(row) != _opens_as_written(wanted):
        fault = "password", "password_needed", ENTER_AGAIN
        errors = [dict(zip(("path", "code", "message"), fault, strict=True))]
        raise InvalidInput(ENTER_AGAIN, path="password", errors=errors)
    _check(wanted, keeps_password=keeps_password)
    _write(row, wanted)
    unit.session.flush()
    _note(unit, principal, "target_changed", row, password_changed=not is_password_untouched)
    # The database sets the time of the change.
    unit.session.refresh(row)
    return describe_target(unit, principal, target_id)


def _opens(row: models.Target) -> dict[str, Any]:
    """All that decides who is shown the stored password, and as whose."""
    return {name: getattr(row, name) for name in GUARDED} | {
        "protocol": store_kinds()[row.kind].spoken(row.protocol),
        "tls": Tls.model_validate(row.tls) if row.tls else None,
    }


def _opens_as_written(wanted: WriteTarget) -> dict[str, Any]:
    return {name: getattr(wanted, name) for name in GUARDED} | {
        "protocol": store_kinds()[wanted.kind].spoken(wanted.protocol),
        "tls": wanted.tls,
    }


def archive_target(unit: UnitOfWork, principal: Principal, target_id: uuid.UUID) -> None:
    """It is offered no more; runs that name it go on. Raises NotFound."""
    row = find_target(unit, principal, target_id)
    row.archived_at = datetime.now(UTC)
    _note(unit, principal, "target_archived", row)


def _note(unit: UnitOfWork, principal: Principal, action: str, row: models.Target, **detail: bool) -> None:
    audit.record(unit, principal, action, "target", row.id, {"name": row.name, "kind": row.kind, **detail})


def _check(wanted: WriteTarget, *, keeps_password: bool) -> None:
    faults = find_faults(wanted, keeps_password=keeps_password)
    if faults:
        errors = [{"path": path, "code": code, "message": message} for path, code, message in faults]
        raise InvalidInput(faults[0][2], path=faults[0][0], errors=errors)


def _write(row: models.Target, wanted: WriteTarget) -> None:
    for field in ("name", "kind", "mode", "protocol", "profile", "options", *ADDRESS, "username", "database"):
        setattr(row, field, getattr(wanted, field))
    row.placement = wanted.placement.model_dump(mode="json", exclude_defaults=True) if wanted.placement else None
    row.tls = wanted.tls.model_dump(mode="json") if wanted.tls else None
    row.is_flush_allowed = wanted.flush_allowed
    if wanted.mode == "managed":
        row.password_encrypted = None
    elif "password" in wanted.model_fields_set:
        row.password_encrypted = encrypt(wanted.password.get_secret_value()) if wanted.password else None


def _render(row: models.Target, check: repository.CheckRow | None) -> Target:
    return Target.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "kind": row.kind,
            "mode": row.mode,
            "protocol": row.protocol,
            "profile": row.profile,
            "options": row.options,
            **_address(row),
            "placement": row.placement or {},
            "username": row.username,
            "has_password": row.password_encrypted is not None,
            "database": row.database,
            "tls": row.tls,
            "flush_allowed": row.is_flush_allowed,
            "created_at": row.created_at,
            "updated_at": row.updated_at,
            "last_check": render_check(check) if check else None,
        }
    )


def get_check(unit: UnitOfWork, principal: Principal, target_id: uuid.UUID, check_id: uuid.UUID) -> TargetCheck:
    """Raises NotFound."""
    found = repository.find_check(unit.session, find_target(unit, principal, target_id).id, check_id)
    if found is None:
        raise NotFound("There is no such check.")
    return render_check(found)


def take_snapshot(row: models.Target, index: int) -> TargetSnapshot:
    return TargetSnapshot.model_validate(
        {
            "index": index,
            "name": row.name,
            "kind": row.kind,
            "mode": row.mode,
            "protocol": row.protocol or store_kinds()[row.kind].protocols[0].protocol,
            "profile": row.profile,
            "options": row.options,
            "target_id": row.id,
            **_address(row),
            "placement": row.placement or {},
            "server_version": named_version(row.kind, row.profile, row.options),
        }
    )


def assigned_target(unit: UnitOfWork, snapshot: Mapping[str, Any], instance_key: str) -> AssignedTarget:
    """What an agent needs to start or reach the target; raises SecretUnreadable.

    Address and options are the snapshot's, so that a run measures one thing from its first trial to its last.
    Credentials and the permission to flush are today's, and go only to the address that they were saved for.
    """
    taken = TargetSnapshot.model_validate(snapshot)
    if taken.mode == "managed":
        options = effective_options(taken.kind, taken.profile or "", taken.options)
        return AssignedTarget.model_validate(
            {
                "target_name": taken.name,
                "kind": taken.kind,
                "protocol": taken.protocol,
                "mode": "managed",
                "profile": taken.profile,
                "options": options,
                "placement": taken.placement,
                "instance_key": instance_key,
                "flush_allowed": True,
            }
        )
    assert taken.target_id is not None
    row = repository.get_target(unit.session, taken.target_id)
    is_same_address = row.mode == "external" and row.kind == taken.kind and _address(row) == _address(taken)
    return AssignedTarget.model_validate(
        {
            "target_name": taken.name,
            "kind": taken.kind,
            "protocol": taken.protocol,
            "mode": "external",
            "instance_key": instance_key,
            **_address(taken),
            **(_credentials(row) if is_same_address else {}),
        }
    )


def _address(target: models.Target | TargetSnapshot) -> dict[str, Any]:
    return {name: getattr(target, name) for name in ADDRESS}


def _credentials(row: models.Target) -> dict[str, Any]:
    return {
        "username": row.username,
        "password": decrypt(row.password_encrypted) if row.password_encrypted else None,
        "database": row.database,
        "tls": Tls.model_validate(row.tls) if row.tls else None,
        "flush_allowed": row.is_flush_allowed,
    }


def check_assignment(unit: UnitOfWork, check: models.TargetCheck) -> AssignedTarget:
    """What the agent of a claimed check needs; raises SecretUnreadable."""
    row = repository.get_target(unit.session, check.target_id)
    return assigned_target(unit, take_snapshot(row, 0).model_dump(), instance_key=f"check:{check.id}")
