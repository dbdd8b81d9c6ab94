"""The queue over the api: places, times, reasons, timelines; and at ten thousand waiting trials."""

import time
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.dispatch import recovery
from loadstone.models import Lease, Run
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, make_run, resolved_plan
from loadstone_testing.simulated_agent import SimulatedAgent
from sqlalchemy import update

pytestmark = pytest.mark.usefixtures("database")


def queue(caller: Caller) -> dict[str, Any]:
    answer: dict[str, Any] = caller.get("/api/v1/queue").json()
    return answer


def trials(caller: Caller, limit: int = 200) -> list[dict[str, Any]]:
    """All pages."""
    items: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = caller.get(f"/api/v1/queue/trials?limit={limit}{cursor}").json()
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        cursor = f"&cursor={page['next_cursor']}"


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_nothing_waits(client: Caller) -> None:
    empty = queue(client)
    assert (empty["agents"], empty["runs"], empty["waiting_trial_count"]) == ([], [], 0)
    assert trials(client) == []


def test_runs_wait_one_behind_the_other_with_their_times(client: Caller) -> None:
    agent = SimulatedAgent.enroll(client)
    first, second = make_run(client.principal, name="first"), make_run(client.principal, name="second")
    found = queue(client)
    assert [(item["place"], item["run"]["name"]) for item in found["runs"]] == [(1, "first"), (2, "second")]
    assert found["runs"][1]["starts_at"] == found["runs"][0]["ends_at"]
    length = instant(found["runs"][0]["ends_at"]) - instant(found["runs"][0]["starts_at"])
    assert length.total_seconds() == pytest.approx(first.estimated_s)
    assert found["runs"][0]["basis"] == "estimate"
    assert [item["reason"] and item["reason"]["code"] for item in found["runs"]] == [None, "behind_other_runs"]
    (timeline,) = found["agents"]
    assert timeline["id"] == agent.agent_id
    assert [slot["run_id"] for slot in timeline["planned"]] == [str(first.id), str(second.id)]
    assert found["waiting_trial_count"] == 16


def test_past_runs_of_the_same_definition_give_the_times(client: Caller) -> None:
    agent = SimulatedAgent.enroll(client)
    done = make_run(client.principal)
    agent.execute_all(first_trial(client, done))
    with unit_of_work() as unit:
        row = unit.session.get_one(Run, done.id)
        assert row.started_at is not None
        row.finished_at = row.started_at + timedelta(seconds=row.estimated_s * 3)
    make_run(client.principal)
    (waiting,) = queue(client)["runs"]
    length = instant(waiting["ends_at"]) - instant(waiting["starts_at"])
    assert waiting["basis"] == "past_runs"
    assert length.total_seconds() == pytest.approx(done.estimated_s * 3)
    assert [slot["run_id"] for slot in queue(client)["agents"][0]["recent"]] == [str(done.id)]


def test_every_waiting_trial_has_a_place_a_time_and_a_reason(client: Caller) -> None:
    agent = SimulatedAgent.enroll(client)
    running, behind = make_run(client.principal), make_run(client.principal, name="behind")
    held = agent.claim(first_trial(client, running))
    agent.renew(held)
    found = trials(client, limit=3)
    assert [item["place"] for item in found] == list(range(1, 16))
    assert [item["ordinal"] for item in found] == [*range(1, 8), *range(8)]
    assert {item["reason"]["code"] for item in found[:7]} == {"earlier_trials"}
    assert {item["reason"]["code"] for item in found[7:]} == {"agent_busy"}
    assert all(before["starts_at"] <= after["starts_at"] for before, after in pairwise(found))
    assert found[7]["run_id"] == str(behind.id)
    timeline = queue(client)["agents"][0]
    assert (timeline["state"], timeline["current"]["run_id"]) == ("busy", str(running.id))
    with unit_of_work() as unit:
        unit.session.execute(update(Lease).values(state="resting"))
    assert trials(client)[0]["reason"]["code"] == "resting"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"is_draining": True}, "agent_draining"),
        ({"labels": {"site": "south"}}, "no_agent_can_take"),
    ],
)
def test_what_nobody_will_begin_has_a_reason_and_no_time(client: Caller, change: dict[str, Any], code: str) -> None:
    agent = SimulatedAgent.enroll(client, site="north")
    make_run(client.principal, agent_selector={"labels": {"site": "north"}})
    client.patch(f"/api/v1/agents/{agent.agent_id}", json=change)
    (waiting,) = queue(client)["runs"]
    assert (waiting["starts_at"], waiting["reason"]["code"]) == (None, code)
    assert {item["reason"]["code"] for item in trials(client)} == {code}


def test_a_paused_run_delays_nobody(client: Caller) -> None:
    SimulatedAgent.enroll(client)
    paused = make_run(client.principal)
    make_run(client.principal)
    client.post(f"/api/v1/runs/{paused.id}/pause")
    first, second = queue(client)["runs"]
    assert (first["reason"]["code"], first["starts_at"]) == ("paused", None)
    assert second["starts_at"] is not None


def test_another_team_sees_its_own_queue_only(client: Caller, other_team: Caller) -> None:
    SimulatedAgent.enroll(client)
    make_run(client.principal)
    assert queue(other_team)["runs"] == queue(other_team)["agents"] == trials(other_team) == []


def test_a_cursor_of_a_run_that_left_the_queue_says_so(client: Caller) -> None:
    run = make_run(client.principal)
    cursor = client.get("/api/v1/queue/trials?limit=2").json()["next_cursor"]
    client.post(f"/api/v1/runs/{run.id}/cancel")
    answer = client.get(f"/api/v1/queue/trials?cursor={cursor}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_cursor")


@pytest.mark.parametrize(("run_count", "trials_per_run"), [(1, 10_000), (500, 20)])
def test_ten_thousand_waiting_trials_are_shown_and_dispatched_in_time(
    client: Caller, run_count: int, trials_per_run: int
) -> None:
    """The bounds are wide and of CPU time: they catch a query for each run, not a slow machine."""
    SimulatedAgent.enroll(client)
    plan = resolved_plan(("memcached",), axes=[], trials_per_point=trials_per_run)
    for _ in range(run_count):
        make_run(client.principal, plan)
    took_s = {}
    for name, ask in {
        "queue": lambda: queue(client),
        "trials": lambda: client.get("/api/v1/queue/trials?limit=200").json(),
        "dispatch": _dispatch,
    }.items():
        started_at = time.process_time()
        ask()
        took_s[name] = time.process_time() - started_at
    assert queue(client)["waiting_trial_count"] == 10_000
    print(run_count, took_s)
    assert max(took_s.values()) < 5, took_s


def _dispatch() -> None:
    with unit_of_work() as unit:
        recovery.dispatch(unit)
