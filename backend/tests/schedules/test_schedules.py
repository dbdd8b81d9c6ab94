"""Schedules as people write them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from loadstone_testing.callers import Caller
from loadstone_testing.factories import plan_definition
from loadstone_testing.simulated_agent import SimulatedAgent

from .conftest import MakeSchedule


def test_the_next_five_firings_are_shown_before_saving(client: Caller) -> None:
    body = {"cron": "@daily", "time_zone": "Europe/Berlin", "starts_at": "2030-03-30T00:00:00Z"}
    answer = client.post("/api/v1/schedules/preview", json=body).json()
    assert answer["cron"] == "0 0 * * *"
    assert answer["description"]
    assert [item["local"] for item in answer["firings"]] == [
        "2030-03-31T00:00:00+01:00",
        "2030-04-01T00:00:00+02:00",
        "2030-04-02T00:00:00+02:00",
        "2030-04-03T00:00:00+02:00",
        "2030-04-04T00:00:00+02:00",
    ]
    assert answer["firings"][0]["at"] == "2030-03-30T23:00:00Z"


def test_a_firing_at_the_very_start_counts_and_none_comes_after_the_end(client: Caller) -> None:
    span = {"starts_at": "2030-01-01T00:00:00Z", "ends_at": "2030-01-03T00:00:00Z"}
    firings = client.post("/api/v1/schedules/preview", json={"cron": "0 0 * * *", **span}).json()["firings"]
    assert [item["at"][:10] for item in firings] == ["2030-01-01", "2030-01-02", "2030-01-03"]


@pytest.mark.parametrize(
    ("fields", "code", "path"),
    [
        ({"cron": "* * * *"}, "cron_invalid", "cron"),
        ({"cron": "99 * * * *"}, "cron_invalid", "cron"),
        ({"time_zone": "Mars/Olympus"}, "time_zone_unknown", "time_zone"),
        ({"ends_at": "2020-01-01T00:00:00Z"}, "schedule_never_fires", "ends_at"),
        ({"starts_at": "2031-01-01T00:00:00Z", "ends_at": "2030-01-01T00:00:00Z"}, "invalid_input", "ends_at"),
        ({"ends_at": "2030-01-01T00:00:00"}, "invalid_input", None),
    ],
)
def test_faults_are_named_at_their_field(
    client: Caller, plan: dict[str, Any], fields: dict[str, Any], code: str, path: str | None
) -> None:
    written = {"cron": "0 * * * *", "time_zone": "UTC"} | fields
    for url, body in (
        ("/api/v1/schedules/preview", written),
        ("/api/v1/schedules", written | {"name": "x", "plan_id": plan["id"]}),
    ):
        response = client.post(url, json=body)
        assert (response.status_code, response.json()["code"]) == (422, code)
        assert response.json().get("path") == path
    assert client.get("/api/v1/schedules").json()["items"] == []


def test_a_schedule_knows_its_plan_its_author_and_its_next_firing(
    client: Caller, plan: dict[str, Any], make_schedule: MakeSchedule
) -> None:
    made = make_schedule()
    assert (made["plan_name"], made["state"], made["version"]) == ("nightly plan", "active", 1)
    assert made["created_by"]["name"] == client.principal.user_name
    assert datetime.fromisoformat(made["next_fire_at"]) > datetime.now(UTC)
    assert client.get(f"/api/v1/schedules/{made['id']}").json() == made
    listed = client.get(f"/api/v1/schedules?q=NIGHT&state=active&plan_id={plan['id']}").json()
    assert [item["id"] for item in listed["items"]] == [made["id"]]
    assert client.get("/api/v1/schedules?state=paused").json()["items"] == []


def test_of_two_edits_the_second_is_refused(client: Caller, make_schedule: MakeSchedule) -> None:
    made = make_schedule()
    url = f"/api/v1/schedules/{made['id']}"
    body = {"name": "weekly", "plan_id": made["plan_id"], "cron": "@weekly", "time_zone": "UTC", "version": 1}
    assert client.put(url, json=body).json()["version"] == 2
    stale = client.put(url, json=body | {"name": "lost"})
    assert (stale.status_code, stale.json()["code"]) == (409, "schedule_changed")
    assert client.get(url).json()["name"] == "weekly"


def test_pausing_keeps_it_from_firing_and_resuming_starts_from_now(client: Caller, make_schedule: MakeSchedule) -> None:
    url = f"/api/v1/schedules/{make_schedule()['id']}"
    paused = client.post(f"{url}/pause").json()
    assert (paused["state"], paused["next_fire_at"]) == ("paused", None)
    assert client.post(f"{url}/pause").json()["state"] == "paused"
    change = {"name": "n", "plan_id": paused["plan_id"], "cron": "@hourly", "version": paused["version"]}
    assert client.put(url, json=change).json()["state"] == "paused"
    resumed = client.post(f"{url}/resume").json()
    assert resumed["state"] == "active"
    wait = datetime.fromisoformat(resumed["next_fire_at"]) - datetime.now(UTC)
    assert timedelta() < wait <= timedelta(hours=1)


def test_run_now_submits_and_leaves_the_due_times_alone(client: Caller, make_schedule: MakeSchedule) -> None:
    made = make_schedule(priority=7)
    url = f"/api/v1/schedules/{made['id']}"
    fired = client.post(f"{url}/run-now").json()
    assert (fired["outcome"], fired["is_manual"], fired["run_status"]) == ("submitted", True, "queued")
    run = client.get(f"/api/v1/runs/{fired['run_id']}").json()
    assert (run["schedule_id"], run["priority"], run["plan_version"]) == (made["id"], 7, 1)
    after = client.get(url).json()
    assert after["next_fire_at"] == made["next_fire_at"]
    assert after["last_firing"]["id"] == fired["id"]
    assert client.post(f"{url}/run-now").json()["outcome"] == "skipped"
    firings = client.get(f"{url}/firings?limit=1").json()
    assert firings["items"][0]["error"]["code"] == "earlier_run_live"
    following = client.get(f"{url}/firings?limit=1&cursor={firings['next_cursor']}").json()
    assert [item["id"] for item in following["items"]] == [fired["id"]]
    assert following["next_cursor"] is None


def test_a_version_can_be_pinned(client: Caller, plan: dict[str, Any], make_schedule: MakeSchedule) -> None:
    edited = plan_definition(trials_per_point=1)
    client.put(f"/api/v1/plans/{plan['id']}", json={"definition": edited, "version": 1})
    for pinned, expected in ((1, 1), (None, 2)):
        made = make_schedule(plan_version=pinned)
        run_id = client.post(f"/api/v1/schedules/{made['id']}/run-now").json()["run_id"]
        assert client.get(f"/api/v1/runs/{run_id}").json()["plan_version"] == expected
    body = {"name": "x", "plan_id": plan["id"], "cron": "@daily", "plan_version": 9}
    assert client.post("/api/v1/schedules", json=body).status_code == 404


def test_a_deleted_schedule_leaves_its_runs(client: Caller, make_schedule: MakeSchedule) -> None:
    url = f"/api/v1/schedules/{make_schedule()['id']}"
    run_id = client.post(f"{url}/run-now").json()["run_id"]
    assert client.delete(url).status_code == 204
    assert client.get(url).status_code == 404
    assert client.get(f"/api/v1/runs/{run_id}").json()["schedule_id"] is None


def test_schedules_of_another_team_are_not_there(
    client: Caller, other_team: Caller, make_schedule: MakeSchedule
) -> None:
    made = make_schedule()
    url = f"/api/v1/schedules/{made['id']}"
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/pause"), ("POST", "/run-now"), ("GET", "/firings")):
        assert other_team.request(method, url + path).status_code == 404
    body = {"name": "x", "plan_id": made["plan_id"], "cron": "@daily"}
    assert other_team.post("/api/v1/schedules", json=body).status_code == 404
    agent = SimulatedAgent.enroll(other_team)
    foreign = body | {"agent_selector": {"agent_id": agent.agent_id}}
    assert client.post("/api/v1/schedules", json=foreign).status_code == 404
    assert other_team.get("/api/v1/schedules").json()["items"] == []
