"""Alerts as people work with them: lists, states, owners, comments, snooze, confirmation."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import InvalidInput, NotFound
from loadstone.models import Alert
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal
from loadstone.runs.schemas import Run
from loadstone.trends import confirmation, schemas, views
from loadstone.trends.alert_changes import add_event, change_state
from loadstone.trends.repository import alerts as repository
from loadstone.trends.states import AlertState


class NotAMember(InvalidInput):
    code = "not_a_member"
    title = "The owner is not of this team"


def list_alerts(
    unit: UnitOfWork,
    principal: Principal,
    *,
    states: Sequence[AlertState],
    owner_id: uuid.UUID | None,
    series_id: uuid.UUID | None,
    is_snoozed: bool | None,
    cursor: str | None,
    limit: int,
) -> Page[schemas.Alert]:
    """Newest first; raises InvalidCursor."""
    rows = repository.alert_rows(
        unit.session,
        principal.team_id,
        states=[state.value for state in states],
        owner_id=owner_id,
        series_id=series_id,
        snoozed=None if is_snoozed is None else (is_snoozed, datetime.now(UTC)),
        before=decode_id_cursor(cursor),
        limit=limit + 1,
    )
    changes = repository.changes_of_alerts(unit.session, [row.Alert.id for row in rows])
    return make_page(
        rows,
        limit,
        key=lambda row: row.Alert.id,
        render=lambda row: views.alert(row, changes.get(row.Alert.id, [])),
    )


def get_alert(unit: UnitOfWork, principal: Principal, alert_id: uuid.UUID) -> schemas.AlertDetail:
    """With its history; raises NotFound."""
    row = repository.alert_row(unit.session, principal.team_id, alert_id)
    if row is None:
        raise NotFound("There is no such alert.")
    changes = repository.changes_of_alerts(unit.session, [alert_id]).get(alert_id, [])
    history = [views.alert_event(*event) for event in repository.history(unit.session, alert_id)]
    return schemas.AlertDetail(**views.alert(row, changes).model_dump(), history=history)


def change_alert(
    unit: UnitOfWork, principal: Principal, alert_id: uuid.UUID, body: schemas.PatchAlert
) -> schemas.AlertDetail:
    """Only what the body holds; raises NotFound, IllegalAlertState, NotAMember."""
    alert = _lock(unit, principal, alert_id)
    before = alert.state
    if body.state is not None:
        change_state(unit, alert, body.state, principal.user_id)
    if "owner_id" in body.model_fields_set:
        _give_to(unit, principal, alert, body.owner_id)
    if "snoozed_until" in body.model_fields_set:
        alert.snoozed_until = body.snoozed_until
        detail = {"until": body.snoozed_until.isoformat() if body.snoozed_until else None}
        add_event(unit, alert, "snooze", principal.user_id, detail=detail)
    if alert.state == AlertState.CONFIRMED and before != AlertState.CONFIRMED:
        confirmation.announce_confirmed(unit, alert, f"{principal.user_name} says that it is there.")
    detail_of: dict[str, Any] = body.model_dump(mode="json", exclude_unset=True)
    audit.record(unit, principal, "alert_changed", "alert", alert.id, detail_of)
    unit.session.flush()
    return get_alert(unit, principal, alert_id)


def _lock(unit: UnitOfWork, principal: Principal, alert_id: uuid.UUID) -> Alert:
    alert = repository.lock_alert(unit.session, principal.team_id, alert_id)
    if alert is None:
        raise NotFound("There is no such alert.")
    return alert


def _give_to(unit: UnitOfWork, principal: Principal, alert: Alert, owner_id: uuid.UUID | None) -> None:
    if owner_id == alert.owner_id:
        return
    name = repository.member_name(unit.session, principal.team_id, owner_id) if owner_id else None
    if owner_id and name is None:
        raise NotAMember("Choose somebody of this team.", path="owner_id")
    alert.owner_id = owner_id
    add_event(unit, alert, "owner", principal.user_id, detail={"to": str(owner_id) if owner_id else None, "name": name})


def comment(
    unit: UnitOfWork, principal: Principal, alert_id: uuid.UUID, body: schemas.WriteComment
) -> schemas.AlertEvent:
    """Raises NotFound."""
    alert = _lock(unit, principal, alert_id)
    event = add_event(unit, alert, "comment", principal.user_id, text=body.text)
    unit.session.refresh(event)
    return views.alert_event(event, principal.user_name)


def confirm(unit: UnitOfWork, principal: Principal, alert_id: uuid.UUID) -> Run:
    """Raises NotFound and what `confirmation.confirm` raises."""
    return confirmation.confirm(unit, principal, _lock(unit, principal, alert_id))
