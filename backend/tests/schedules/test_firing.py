"""Firing from the database: at most once, after outages, and what is refused."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import Run, Schedule, ScheduleFiring
from loadstone.runs import service as runs
from loadstone.schedules import firing
from loadstone_testing.callers import Caller
from loadstone_testing.simulated_agent import SimulatedAgent
from sqlalchemy import func, select, update

from .conftest import MakeSchedule

# No other due time than those that a test makes.
RARELY = "0 0 1 1 *"


def make_due(schedule: dict[str, Any], ago: timedelta = timedelta(seconds=1)) -> datetime:
    """As if nobody had looked since then."""
    due_at = datetime.now(UTC) - ago
    with unit_of_work() as unit:
        unit.session.execute(update(Schedule).where(Schedule.id == schedule["id"]).values(next_fire_at=due_at))
    return due_at


def firings(caller: Caller, schedule: dict[str, Any]) -> list[dict[str, Any]]:
    """The oldest first."""
    items: list[dict[str, Any]] = caller.get(f"/api/v1/schedules/{schedule['id']}/firings?limit=200").json()["items"]
    return items[::-1]


def current(caller: Caller, schedule: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = caller.get(f"/api/v1/schedules/{schedule['id']}").json()
    return answer


def test_a_due_schedule_submits_one_run_and_goes_on(client: Caller, make_schedule: MakeSchedule) -> None:
    made = make_schedule(cron=RARELY)
    due_at = make_due(made)
    assert firing.fire_due() == 1
    assert firing.fire_due() == 0
    (fired,) = firings(client, made)
    assert (fired["outcome"], fired["is_manual"], fired["missed_count"]) == ("submitted", False, 0)
    assert datetime.fromisoformat(fired["due_at"]) == due_at
    run = client.get(f"/api/v1/runs/{fired['run_id']}").json()
    assert (run["schedule_id"], run["created_by"]["name"]) == (made["id"], client.principal.user_name)
    assert datetime.fromisoformat(current(client, made)["next_fire_at"]) > datetime.now(UTC)


def test_many_workers_fire_every_due_time_at_most_once(make_schedule: MakeSchedule) -> None:
    made = [make_schedule(name=f"s{index}", cron=RARELY, overlap_policy="queue") for index in range(12)]
    for _round in range(3):
        for schedule in made:
            make_due(schedule)
        workers = 6
        together = threading.Barrier(workers)

        def work(together: threading.Barrier = together) -> int:
            together.wait()
            return firing.fire_due()

        with ThreadPoolExecutor(workers) as pool:
            recorded = sum(future.result() for future in [pool.submit(work) for _ in range(workers)])
        assert recorded == len(made)
    with unit_of_work() as unit:
        assert unit.session.scalar(select(func.count()).select_from(ScheduleFiring)) == 3 * len(made)
        assert unit.session.scalar(select(func.count()).select_from(Run)) == 3 * len(made)


def test_after_an_outage_one_is_made_up_for_and_the_others_are_missed(
    client: Caller, make_schedule: MakeSchedule
) -> None:
    made = make_schedule(cron="0 * * * *", time_zone="UTC")
    first = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=5)
    make_due(made, datetime.now(UTC) - first)
    firing.fire_due()
    found = firings(client, made)
    assert [item["outcome"] for item in found] == ["missed"] * 5 + ["submitted"]
    assert found[-1]["missed_count"] == 5
    assert found[-1]["due_at"] == (first + timedelta(hours=5)).isoformat().replace("+00:00", "Z")
    with unit_of_work() as unit:
        assert unit.session.scalar(select(func.count()).select_from(Run)) == 1


def test_of_a_long_outage_the_newest_hundred_are_listed(client: Caller, make_schedule: MakeSchedule) -> None:
    made = make_schedule(cron="* * * * *")
    make_due(made, timedelta(days=3))
    firing.fire_due()
    found = firings(client, made)
    assert len(found) == firing.MISSED_KEPT + 1
    assert found[-1]["missed_count"] == pytest.approx(3 * 24 * 60, abs=2)


def test_a_schedule_ends_with_its_last_due_time(client: Caller, make_schedule: MakeSchedule) -> None:
    ends_at = datetime.now(UTC) + timedelta(minutes=3)
    made = make_schedule(cron="* * * * *", ends_at=ends_at.isoformat())
    make_due(made)
    with unit_of_work() as unit:
        unit.session.execute(update(Schedule).values(ends_at=datetime.now(UTC)))
    assert firing.fire_due() == 1
    ended = current(client, made)
    assert (ended["state"], ended["next_fire_at"]) == ("ended", None)
    assert ended["last_firing"]["outcome"] == "submitted"
    assert client.post(f"/api/v1/schedules/{made['id']}/pause").json()["code"] == "schedule_ended"


@pytest.mark.parametrize(
    ("policy", "outcomes", "statuses"),
    [
        ("skip", ["submitted", "skipped"], ["queued"]),
        ("queue", ["submitted", "submitted"], ["queued", "queued"]),
        ("cancel", ["submitted", "submitted"], ["cancelled", "queued"]),
    ],
)
def test_what_happens_to_an_earlier_run(
    client: Caller, make_schedule: MakeSchedule, policy: str, outcomes: list[str], statuses: list[str]
) -> None:
    made = make_schedule(cron=RARELY, overlap_policy=policy)
    for _ in outcomes:
        make_due(made)
        firing.fire_due()
    assert [item["outcome"] for item in firings(client, made)] == outcomes
    runs_now = client.get("/api/v1/runs").json()["items"][::-1]
    assert [run["status"] for run in runs_now] == statuses
    if policy == "queue":
        SimulatedAgent.enroll(client)
        later = client.get(f"/api/v1/runs/{runs_now[1]['id']}").json()
        assert later["wait_reason"]["code"] == "earlier_firing"


def test_runs_that_queue_up_are_bounded(
    client: Caller, make_schedule: MakeSchedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(firing, "MAX_QUEUED", 2)
    made = make_schedule(cron=RARELY, overlap_policy="queue")
    for _ in range(3):
        make_due(made)
        firing.fire_due()
    assert [item["outcome"] for item in firings(client, made)] == ["submitted", "submitted", "skipped"]
    assert firings(client, made)[-1]["error"]["code"] == "too_many_queued"


def test_a_schedule_whose_target_is_gone_is_broken_until_it_is_mended(
    client: Caller, make_schedule: MakeSchedule, plan: dict[str, Any]
) -> None:
    target = {"name": "far", "kind": "redis", "mode": "external", "host": "10.0.0.7", "port": 6379}
    target_id = client.post("/api/v1/targets", json=target).json()["id"]
    definition = plan["definition"] | {"targets": [{"target_id": target_id}], "reset": "none"}
    client.put(f"/api/v1/plans/{plan['id']}", json={"definition": definition, "version": 1})
    made = make_schedule(cron=RARELY)
    client.delete(f"/api/v1/targets/{target_id}")
    make_due(made)
    assert firing.fire_due() == 1
    broken = current(client, made)
    assert (broken["state"], broken["next_fire_at"]) == ("broken", None)
    assert broken["error"]["code"] == "target_not_found"
    assert (broken["last_firing"]["outcome"], broken["last_firing"]["run_id"]) == ("refused", None)
    assert firing.fire_due() == 0
    client.put(f"/api/v1/plans/{plan['id']}", json={"definition": plan["definition"], "version": 2})
    assert client.post(f"/api/v1/schedules/{made['id']}/run-now").json()["outcome"] == "submitted"
    mended = current(client, made)
    assert (mended["state"], mended["error"]) == ("active", None)


def test_the_channels_hear_of_a_broken_schedule_once(
    client: Caller, make_schedule: MakeSchedule, plan: dict[str, Any]
) -> None:
    channel = {
        "name": "team",
        "kind": "slack",
        "address": "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx",
        "events": ["schedule_broken"],
    }
    assert client.post("/api/v1/notification-channels", json=channel).status_code == 201
    made = make_schedule()
    client.delete(f"/api/v1/plans/{plan['id']}")
    make_due(made)
    firing.fire_due()
    firing.fire_due()
    (delivery,) = client.get("/api/v1/notification-deliveries").json()["items"]
    assert delivery["event"] == "schedule_broken"


def test_an_archived_plan_breaks_its_schedule(
    client: Caller, make_schedule: MakeSchedule, plan: dict[str, Any]
) -> None:
    made = make_schedule()
    client.delete(f"/api/v1/plans/{plan['id']}")
    make_due(made)
    firing.fire_due()
    assert current(client, made)["error"]["code"] == "plan_archived"
    client.post(f"/api/v1/plans/{plan['id']}/restore")
    assert client.post(f"/api/v1/schedules/{made['id']}/resume").json()["state"] == "active"


def test_a_revoked_agent_breaks_its_schedule(client: Caller, make_schedule: MakeSchedule) -> None:
    agent = SimulatedAgent.enroll(client)
    made = make_schedule(agent_selector={"agent_id": agent.agent_id})
    client.delete(f"/api/v1/agents/{agent.agent_id}")
    make_due(made)
    firing.fire_due()
    assert current(client, made)["error"]["code"] == "agent_gone"


def test_one_that_fails_takes_nothing_from_the_others(
    client: Caller, make_schedule: MakeSchedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [make_schedule(name=name) for name in ("first", "faulty", "last")]
    for schedule in made:
        make_due(schedule)
    create_run = runs.create_run

    def fail_once(unit: Any, principal: Any, plan: Any, **values: Any) -> Run:
        run = create_run(unit, principal, plan, **values)
        if str(values["schedule_id"]) == made[1]["id"]:
            raise ZeroDivisionError
        return run

    monkeypatch.setattr(runs, "create_run", fail_once)
    assert firing.fire_due() == 3
    states = [current(client, schedule) for schedule in made]
    assert [state["last_firing"]["outcome"] for state in states] == ["submitted", "refused", "submitted"]
    assert states[1]["last_firing"]["error"]["code"] == "internal"
    assert [state["state"] for state in states] == ["active"] * 3
    with unit_of_work() as unit:
        assert unit.session.scalar(select(func.count()).select_from(Run)) == 2


def test_a_schedule_that_cannot_be_read_keeps_no_other_from_firing(client: Caller, make_schedule: MakeSchedule) -> None:
    unreadable, well = make_schedule(name="unreadable"), make_schedule(name="well")
    make_due(unreadable, timedelta(minutes=5))
    make_due(well)
    with unit_of_work() as unit:
        unit.session.execute(update(Schedule).where(Schedule.id == unreadable["id"]).values(time_zone="Gone/Zone"))
    assert firing.fire_due() == 1
    assert current(client, well)["last_firing"]["outcome"] == "submitted"
