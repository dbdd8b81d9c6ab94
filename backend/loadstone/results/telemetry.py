"""What store and host did while a trial was measured, in and out, and the metrics that come of it."""

import sys
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from loadstone_contracts.telemetry import HostSecond, TelemetryRecord, TelemetrySecond

from loadstone.db import UnitOfWork
from loadstone.models import Run, Trial
from loadstone.models import TelemetryEvent as EventRow
from loadstone.models import TelemetrySecond as SecondRow
from loadstone.principal import Principal
from loadstone.results import repository, service, table, telemetry_rows, telemetry_schemas
from loadstone.results.downsample import keep_extremes
from loadstone.results.rows import Attempt
from loadstone.results.telemetry_rows import (
    event_row,
    extreme_keys,
    layout_of,
    second_row,
    shown_event,
    shown_names,
    shown_second,
)
from loadstone.runs import service as runs
from loadstone.tables import Table


def store_telemetry(
    unit: UnitOfWork, run: Run, trial: Trial, agent_id: uuid.UUID, records: Sequence[TelemetryRecord]
) -> None:
    """Stores each record once and tells the listeners of the new ones."""
    attempt = Attempt(trial.id, agent_id, trial.attempt)
    seconds = [record for record in records if isinstance(record, TelemetrySecond)]
    layouts = {
        names: repository.keep_layout(unit.session, names) for names in {layout_of(one.store) for one in seconds}
    }
    names_by_id = {layout_id: names for names, layout_id in layouts.items()}
    rows = [second_row(attempt, one, layouts[layout_of(one.store)]) for one in seconds]
    events = [event_row(attempt, record) for record in records if not isinstance(record, TelemetrySecond)]
    new_seconds = repository.insert_telemetry(unit.session, SecondRow, attempt.key, rows)
    new_events = repository.insert_telemetry(unit.session, EventRow, attempt.key, events)
    if not new_seconds and not new_events:
        return
    stored = [(SecondRow(**row), names_by_id[row["layout_id"]]) for row in new_seconds]
    news = _news(unit, trial, stored, [EventRow(**row) for row in new_events])
    runs.record_event(unit, run, "telemetry", news)


def stored_numbers(unit: UnitOfWork, store: dict[str, float], host: HostSecond | None) -> dict[str, Any]:
    """The columns of an imported second that hold its numbers."""
    layout_id = repository.keep_layout(unit.session, layout_of(store))
    return {"layout_id": layout_id, **telemetry_rows.stored_numbers(store, host)}


def _news(
    unit: UnitOfWork, trial: Trial, seconds: Sequence[tuple[Any, Sequence[str]]], events: Sequence[EventRow]
) -> telemetry_schemas.TelemetryNews:
    origin = _origin(unit, trial.id, trial.attempt, seconds, events)
    items = [shown_second(row, names, origin) for row, names in seconds]
    return telemetry_schemas.TelemetryNews(
        trial_id=trial.id,
        point_id=trial.point_id,
        attempt=trial.attempt,
        items=items,
        names=shown_names(repository.target_kind(unit.session, trial), items),
        events=[shown_event(row, origin) for row in events],
    )


def _origin(
    unit: UnitOfWork,
    trial_id: uuid.UUID,
    attempt: int,
    seconds: Sequence[tuple[Any, Sequence[str]]],
    events: Sequence[EventRow],
) -> datetime:
    """Where the time axis of the samples begins; without samples, where the first of these seconds does."""
    first = repository.first_second(unit.session, trial_id, attempt) or (seconds[0][0] if seconds else None)
    if first is None:
        return events[0].at
    origin: datetime = first.at - timedelta(microseconds=first.duration_ns / 1e3)
    return origin


def list_telemetry(
    unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, *, attempt: int | None, max_points: int
) -> telemetry_schemas.TelemetryList:
    """Of one attempt (the last one unless said otherwise); raises NotFound."""
    trial, _ = service.find_trial(unit, principal, trial_id)
    shown = attempt if attempt is not None else trial.attempt
    seconds = repository.telemetry_of(unit.session, trial.id, shown)
    events = repository.telemetry_events_of(unit.session, trial.id, shown)
    if not seconds and not events:
        return telemetry_schemas.TelemetryList(items=[], names=[], events=[], attempt=shown, downsampled=False)
    origin = _origin(unit, trial.id, shown, seconds, events)
    items = [shown_second(row, names, origin) for row, names in seconds]
    kept = keep_extremes(items, max_points, extreme_keys(items))
    return telemetry_schemas.TelemetryList(
        items=kept,
        names=shown_names(repository.target_kind(unit.session, trial), items),
        events=[shown_event(row, origin) for row in events],
        attempt=shown,
        downsampled=len(kept) < len(items),
    )


def telemetry_table(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Every second of one attempt, not thinned; raises NotFound."""
    found = list_telemetry(unit, principal, trial_id, attempt=attempt, max_points=sys.maxsize)
    return table.telemetry_table(found.items)


def events_table(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """What happened in one attempt; raises NotFound."""
    found = list_telemetry(unit, principal, trial_id, attempt=attempt, max_points=sys.maxsize)
    return table.events_table(found.events)
