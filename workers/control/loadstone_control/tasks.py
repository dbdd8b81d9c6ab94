"""What control does. Every task is one transaction and may run twice, late, or not at all."""

from datetime import UTC, datetime, timedelta

from loadstone.db import unit_of_work
from loadstone.dispatch import recovery
from loadstone.http.idempotency import forget_keys
from loadstone.runs import service as runs
from loadstone.schedules import service as schedules
from loadstone_contracts.tasks import DISPATCH, FIRE_SCHEDULES, PRUNE, SWEEP

from loadstone_control.app import app

SAMPLE_EVENTS_KEPT = timedelta(hours=1)
"""Longer than any reconnect of a live page; the samples themselves are kept for good."""
IDEMPOTENCY_KEYS_KEPT = timedelta(hours=24)


@app.task(name=DISPATCH)  # type: ignore[untyped-decorator]
def dispatch() -> None:
    with unit_of_work() as unit:
        recovery.dispatch(unit)


@app.task(name=SWEEP)  # type: ignore[untyped-decorator]
def sweep() -> None:
    with unit_of_work() as unit:
        recovery.sweep(unit)


@app.task(name=FIRE_SCHEDULES)  # type: ignore[untyped-decorator]
def fire_schedules() -> None:
    """A transaction for each schedule: one that fails takes nothing from the others."""
    schedules.fire_due()


@app.task(name=PRUNE)  # type: ignore[untyped-decorator]
def prune() -> None:
    now = datetime.now(UTC)
    with unit_of_work() as unit:
        runs.forget_sample_events(unit, now - SAMPLE_EVENTS_KEPT)
        forget_keys(unit, now - IDEMPOTENCY_KEYS_KEPT)
