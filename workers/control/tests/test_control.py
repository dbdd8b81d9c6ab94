"""The control worker as it is run: a Celery worker, a beat, a real broker and a real database."""

import importlib
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from loadstone.db import unit_of_work
from loadstone.models import IdempotencyKey, RunEvent, Schedule, Trial
from loadstone_contracts.tasks import CONTROL_QUEUE, SWEEP, agent_queue
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import doorbells, first_trial, let_leases_run_out, make_run, plan_body
from loadstone_testing.simulated_agent import SimulatedAgent, sample
from sqlalchemy import func, select, update

TIMEOUT_S = 120.0


@contextmanager
def celery(*arguments: str) -> Iterator[None]:
    command = [sys.executable, "-m", "celery", "-A", "loadstone_control.app", *arguments]
    # Agents of these tests beat once: they must not go offline while a busy machine still starts the worker.
    env = {**os.environ, "LOADSTONE_AGENT_OFFLINE_AFTER_S": "600"}
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


def worker(name: str = "control") -> Any:
    return celery("worker", "--concurrency", "1", "--loglevel", "WARNING", "--hostname", f"{name}@test")


def beat(folder: Path) -> Any:
    return celery("beat", "--schedule", str(folder / "beat"), "--pidfile", "")


def wait_for(condition: Callable[[], object], timeout_s: float = TIMEOUT_S) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def test_a_submitted_run_is_rung_without_waiting_for_the_beat(client: Caller, redis_url: str) -> None:
    agent = SimulatedAgent.enroll(client)
    with worker():
        run = client.post("/api/v1/runs", json={"plan": plan_body()}).json()
        wait_for(lambda: doorbells(redis_url, agent_queue(agent.agent_id)))
    trial_id = client.get(f"/api/v1/runs/{run['id']}/trials").json()["items"][0]["id"]
    assert doorbells(redis_url, agent_queue(agent.agent_id)) == [trial_id]


def test_the_beat_recovers_a_lost_lease_with_two_workers(client: Caller, tmp_path: Path) -> None:
    agent = SimulatedAgent.enroll(client)
    held = agent.claim(first_trial(client, make_run(client.principal)))
    let_leases_run_out()

    def trial() -> Trial:
        with unit_of_work() as unit:
            return unit.session.get_one(Trial, uuid.UUID(held.trial_id))

    with worker("one"), worker("two"), beat(tmp_path):
        wait_for(lambda: trial().status == "queued")
    assert [warning["code"] for warning in trial().warnings] == ["lease_expired"]


def test_sweeps_that_nobody_heard_expire(client: Caller, redis_url: str, tmp_path: Path) -> None:
    """After a night without a worker one sweep follows, not thousands."""
    with beat(tmp_path), redis.Redis.from_url(redis_url) as connection:
        wait_for(lambda: connection.llen(CONTROL_QUEUE) >= 2)
    app = importlib.import_module("loadstone_control.app").app
    entry = next(entry for entry in app.conf.beat_schedule.values() if entry["task"] == SWEEP)
    assert entry["options"]["expires"] == entry["schedule"]


@pytest.fixture
def prune(client: Caller) -> Callable[[], None]:
    # The app reads its settings when it is imported.
    return importlib.import_module("loadstone_control.tasks").prune  # type: ignore[no-any-return]


def _sample_events() -> int:
    with unit_of_work() as unit:
        return unit.session.scalar(select(func.count()).where(RunEvent.kind == "sample")) or 0


def _age_events() -> None:
    with unit_of_work() as unit:
        unit.session.execute(update(RunEvent).values(created_at=datetime.now(UTC) - timedelta(hours=2)))


def test_live_samples_are_pruned_an_hour_after_a_run_has_ended(client: Caller, prune: Callable[[], None]) -> None:
    agent = SimulatedAgent.enroll(client)
    run = make_run(client.principal)
    held = agent.claim(first_trial(client, run))
    agent.send(held, sample(0), sample(1))
    _age_events()
    prune()
    assert _sample_events() == 2  # the run still goes on
    agent.finish(held)
    client.post(f"/api/v1/runs/{run.id}/cancel")
    prune()
    assert _sample_events() == 0
    assert len(client.get(f"/api/v1/trials/{held.trial_id}/samples").json()["items"]) == 2


def test_old_idempotency_keys_are_forgotten(client: Caller, prune: Callable[[], None]) -> None:
    for key in ("old", "new"):
        client.post("/api/v1/runs", json={"plan": plan_body()}, headers={"Idempotency-Key": key})
    with unit_of_work() as unit:
        old = update(IdempotencyKey).where(IdempotencyKey.key == "old")
        unit.session.execute(old.values(created_at=datetime.now(UTC) - timedelta(hours=25)))
    prune()
    with unit_of_work() as unit:
        assert list(unit.session.scalars(select(IdempotencyKey.key))) == ["new"]


def test_two_workers_and_a_beat_fire_a_schedule_twice_and_never_double(client: Caller, tmp_path: Path) -> None:
    """Over a real minute boundary: every due time has one firing and one run."""
    plan = client.post("/api/v1/plans", json={"definition": plan_body()}).json()
    made = [
        client.post(
            "/api/v1/schedules",
            json={"name": f"s{number}", "plan_id": plan["id"], "cron": "* * * * *", "overlap_policy": "queue"},
        ).json()
        for number in range(5)
    ]

    def firings() -> list[dict[str, Any]]:
        pages = [client.get(f"/api/v1/schedules/{schedule['id']}/firings").json()["items"] for schedule in made]
        return [item for page in pages for item in page]

    def submitted() -> int:
        return sum(item["outcome"] == "submitted" for item in firings())

    with unit_of_work() as unit:
        unit.session.execute(update(Schedule).values(next_fire_at=datetime.now(UTC)))
    with worker("one"), worker("two"), beat(tmp_path):
        wait_for(lambda: submitted() >= len(made))
        with unit_of_work() as unit:
            unit.session.execute(update(Schedule).values(next_fire_at=datetime.now(UTC)))
        wait_for(lambda: submitted() >= 2 * len(made))
        # Two more rings, which must find nothing.
        time.sleep(2.5)
    found = firings()
    # Where a minute begins between the change above and the ring, the latest of two due times fires.
    assert {item["outcome"] for item in found} <= {"submitted", "missed"}
    run_ids = [item["run_id"] for item in found if item["outcome"] == "submitted"]
    assert len(set(run_ids)) == len(run_ids) >= 2 * len(made)
    assert {run["id"] for run in client.get("/api/v1/runs").json()["items"]} == set(run_ids)
