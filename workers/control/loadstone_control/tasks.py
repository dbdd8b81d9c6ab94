"""What control does. Every task is one transaction and may run twice, late, or not at all."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import cache

import structlog
from loadstone.agents import service as agents
from loadstone.db import unit_of_work
from loadstone.dispatch import recovery
from loadstone.http.idempotency import forget_keys
from loadstone.notifications import service as notifications
from loadstone.runs import service as runs
from loadstone.schedules import service as schedules
from loadstone.trends import analysis
from loadstone_contracts.tasks import ANALYSE, DELIVER, DISPATCH, FIRE_SCHEDULES, PRUNE, SWEEP, SYNC_BROKER_USERS

from loadstone_control.app import app

log = structlog.get_logger()

DELIVERIES_AT_ONCE = 8
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


@app.task(name=SYNC_BROKER_USERS)  # type: ignore[untyped-decorator]
def sync_broker_users() -> None:
    """Apart from the sweep: a broker that refuses to manage users takes nothing from the runs."""
    try:
        with unit_of_work() as unit:
            agents.sync_broker_users(unit)
    except (agents.BrokerAclRefused, agents.BrokerUnavailable) as error:
        log.error("broker_users_not_synced", code=error.code, error=error.detail)


@app.task(name=FIRE_SCHEDULES)  # type: ignore[untyped-decorator]
def fire_schedules() -> None:
    """A transaction for each schedule: one that fails takes nothing from the others."""
    schedules.fire_due()


@app.task(name=ANALYSE)  # type: ignore[untyped-decorator]
def analyse(run_id: str | None = None) -> None:
    """One run, or without an id all that were missed. A run that cannot be judged takes nothing from the others."""
    with unit_of_work() as unit:
        waiting = [uuid.UUID(run_id)] if run_id else analysis.unanalysed_runs(unit)
    for one in waiting:
        try:
            with unit_of_work() as unit:
                analysis.analyse_run(unit, one)
        except Exception:
            log.exception("analysis_failed", run_id=str(one))


@cache
def _senders() -> ThreadPoolExecutor:
    """Of this process. A receiver that hangs holds one of these threads, never the worker."""
    return ThreadPoolExecutor(DELIVERIES_AT_ONCE, thread_name_prefix="deliver")


@app.task(name=DELIVER)  # type: ignore[untyped-decorator]
def deliver() -> None:
    """Claims what is due and returns at once; what a process takes with it when it dies is claimed again later."""
    with unit_of_work() as unit:
        due = notifications.claim_due(unit, DELIVERIES_AT_ONCE)
    for delivery_id in due:
        _senders().submit(notifications.deliver, delivery_id)


@app.task(name=PRUNE)  # type: ignore[untyped-decorator]
def prune() -> None:
    now = datetime.now(UTC)
    with unit_of_work() as unit:
        runs.forget_sample_events(unit, now - SAMPLE_EVENTS_KEPT)
        forget_keys(unit, now - IDEMPOTENCY_KEYS_KEPT)
