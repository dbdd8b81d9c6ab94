"""What may happen to an alert, and telling of it. Every change leaves an entry in its history."""

import uuid
from typing import Any, Literal

from loadstone.db import UnitOfWork
from loadstone.models import Alert, AlertEvent
from loadstone.notifications import service as notifications
from loadstone.trends.states import AlertState, check_alert


def add_event(
    unit: UnitOfWork,
    alert: Alert,
    kind: str,
    author_id: uuid.UUID | None,
    *,
    text: str = "",
    detail: dict[str, Any] | None = None,
) -> AlertEvent:
    """`author_id` None: the product itself."""
    event = AlertEvent(
        team_id=alert.team_id, alert_id=alert.id, kind=kind, text=text, detail=detail or {}, created_by=author_id
    )
    unit.session.add(event)
    unit.session.flush()
    return event


def change_state(
    unit: UnitOfWork, alert: Alert, state: AlertState, author_id: uuid.UUID | None, text: str = ""
) -> None:
    """Raises IllegalAlertState. A change to the state it is in is none."""
    before = alert.state
    if state == before:
        return
    check_alert(before, state)
    alert.state = state.value
    add_event(unit, alert, "state", author_id, text=text, detail={"from": before, "to": state.value})


def announce(
    unit: UnitOfWork,
    alert: Alert,
    event: Literal["alert_suspected", "alert_confirmed"],
    series_title: str,
    text: str,
) -> None:
    """Once for each alert and event."""
    what = "slower" if alert.direction == "worse" else "faster"
    how = "Confirmed" if event == "alert_confirmed" else "Suspected"
    title = f"{how} {what}: {series_title}"
    notifications.notify(unit, alert.team_id, event, title, text, f"/alerts/{alert.id}", f"{event}:{alert.id}")
