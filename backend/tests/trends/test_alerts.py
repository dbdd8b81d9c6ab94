"""From a slowdown in the data to an alert that somebody, or a run, decides on."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import ChangePoint
from loadstone.stats.change_points import ALGORITHM_VERSION, newest_change
from loadstone.trends import analysis
from loadstone.trends.states import TRANSITIONS, AlertState
from loadstone_testing.callers import Caller
from loadstone_testing.simulated_agent import SimulatedAgent, summary, totals
from loadstone_testing.trend_factories import History, steady
from sqlalchemy import select

Get = Callable[..., Any]


@pytest.fixture
def alert(history: History, get: Get) -> dict[str, Any]:
    """20 % slower since the last four runs."""
    history.add(*steady(20), *steady(4, level=80_000.0))
    [alert] = get("alerts")["items"]
    found: dict[str, Any] = get(f"alerts/{alert['id']}")
    return found


def test_an_unchanged_series_raises_no_alert(history: History, get: Get) -> None:
    history.add(*steady(30))
    assert get("alerts")["items"] == []


def test_a_slowdown_becomes_one_suspected_alert_for_all_its_metrics(alert: dict[str, Any], get: Get) -> None:
    assert (alert["state"], alert["direction"], alert["run_name"]) == ("suspected", "worse", "nightly 21")
    assert {change["metric"] for change in alert["changes"]} == set(analysis.WATCHED)
    throughput = next(change for change in alert["changes"] if change["metric"] == "throughput_per_s")
    assert throughput["change"] == pytest.approx(-0.2, abs=0.03)
    line = get("series/values", series_id=alert["series"]["id"])["items"][0]
    assert [change["alert_id"] for change in line["change_points"]] == [alert["id"]]
    assert get("series")["items"][0]["last_change"]["alert_id"] == alert["id"]


def test_more_of_the_same_adds_nothing(alert: dict[str, Any], history: History, get: Get) -> None:
    history.add(*steady(20, level=80_000.0))
    assert [one["id"] for one in get("alerts")["items"]] == [alert["id"]]


def test_the_way_back_is_an_alert_of_the_better_direction(alert: dict[str, Any], history: History, get: Get) -> None:
    history.add(*steady(12, level=80_000.0), *steady(5))
    assert [one["direction"] for one in get("alerts")["items"]] == ["better", "worse"]


def test_the_verdict_can_be_computed_again_from_what_was_kept(alert: dict[str, Any]) -> None:
    with unit_of_work() as unit:
        rows = unit.session.scalars(select(ChangePoint)).all()
    for row in rows:
        again = newest_change(row.inputs["values"])
        assert again is not None
        assert row.algorithm_version == ALGORITHM_VERSION
        assert (again.index, again.p_value, again.change) == (row.inputs["index"], row.p_value, row.change)
        assert row.inputs["points"][again.index] == str(row.point_id)


def test_excluding_the_slow_runs_withdraws_the_alert_and_undoing_it_finds_it_again(
    alert: dict[str, Any], client: Caller, get: Get
) -> None:
    series_id = alert["series"]["id"]
    values = get("series/values", series_id=series_id)["items"][0]["values"]
    made = []
    for value in values[-4:]:
        body = {"point_id": value["point_id"], "reason": "a backup ran"}
        response = client.post(f"/api/v1/series/{series_id}/exclusions", json=body)
        assert response.status_code == 201, response.text
        made.append(response.json()["id"])
    after = get(f"alerts/{alert['id']}")
    assert after["state"] == "false"
    assert {event["kind"] for event in after["history"]} == {"found", "withdrawn", "state"}
    shown = get("series/values", series_id=series_id)["items"][0]
    assert shown["change_points"] == []
    assert [value["excluded"]["reason"] for value in shown["values"] if value["excluded"]] == ["a backup ran"] * 4
    for exclusion_id in made:
        assert client.delete(f"/api/v1/series/{series_id}/exclusions/{exclusion_id}").status_code == 204
    assert get("alerts")["items"][0]["state"] == "suspected"


def test_analysing_a_run_twice_changes_nothing(alert: dict[str, Any], get: Get) -> None:
    before = get("alerts")
    run_id = uuid.UUID(alert["run_id"])
    with unit_of_work() as unit:
        assert not analysis.analyse_run(unit, run_id)
    assert get("alerts") == before


@pytest.mark.parametrize("state", list(AlertState))
def test_only_legal_changes_of_state_are_taken(alert: dict[str, Any], client: Caller, state: AlertState) -> None:
    response = client.patch(f"/api/v1/alerts/{alert['id']}", json={"state": state})
    is_legal = state in TRANSITIONS[AlertState.SUSPECTED] or state == AlertState.SUSPECTED
    assert response.status_code == (200 if is_legal else 409)
    assert is_legal or response.json()["code"] == "illegal_alert_state"


def test_owner_snooze_and_comments_are_kept_with_their_author(
    alert: dict[str, Any], client: Caller, editor: Caller, get: Get
) -> None:
    url = f"/api/v1/alerts/{alert['id']}"
    owner = str(editor.principal.user_id)
    changed = client.patch(url, json={"owner_id": owner, "snoozed_until": "2099-01-01T00:00:00Z"}).json()
    assert (changed["owner"]["id"], changed["is_snoozed"]) == (owner, True)
    assert editor.post(f"{url}/comments", json={"text": "the new kernel?"}).status_code == 201
    history = get(f"alerts/{alert['id']}")["history"]
    assert [event["kind"] for event in history[-3:]] == ["owner", "snooze", "comment"]
    assert history[-1]["author"]["name"] == editor.principal.user_name
    assert get("alerts", owner=owner)["items"][0]["id"] == alert["id"]
    assert get("alerts", snoozed="false")["items"] == []


def test_an_owner_is_of_the_team(alert: dict[str, Any], client: Caller, other_team: Caller) -> None:
    body = {"owner_id": str(other_team.principal.user_id)}
    response = client.patch(f"/api/v1/alerts/{alert['id']}", json=body)
    assert (response.status_code, response.json()["code"]) == (422, "not_a_member")


def test_another_team_sees_nothing_of_it(alert: dict[str, Any], other_team: Caller) -> None:
    series_id = alert["series"]["id"]
    assert other_team.get("/api/v1/alerts").json()["items"] == []
    assert other_team.get("/api/v1/series").json()["items"] == []
    assert other_team.get("/api/v1/series/facets").json() == {"facets": []}
    for url in (
        f"alerts/{alert['id']}",
        f"series/{series_id}",
        f"series/values?series_id={series_id}",
        f"series/{series_id}/neighbours?point_id={alert['point_id']}",
    ):
        assert other_team.get(f"/api/v1/{url}").status_code == 404
    body = {"point_id": alert["point_id"], "reason": "mine"}
    assert other_team.post(f"/api/v1/series/{series_id}/exclusions", json=body).status_code == 404
    assert other_team.post(f"/api/v1/alerts/{alert['id']}/confirm").status_code == 404


def confirm(client: Caller, alert: dict[str, Any]) -> dict[str, Any]:
    response = client.post(f"/api/v1/alerts/{alert['id']}/confirm")
    assert response.status_code == 201, response.text
    run: dict[str, Any] = response.json()
    return run


def measure(client: Caller, run: dict[str, Any], count_of: Callable[[int], int]) -> None:
    """An agent executes the run; `count_of(ordinal)` answers a second make a trial's throughput."""
    agent = SimulatedAgent.enroll(client)
    trials = client.get(f"/api/v1/runs/{run['id']}/trials?limit=200").json()["items"]
    for trial in trials:
        held = agent.claim(trial["id"])
        agent.renew(held, "ready")
        agent.renew(held, "running")
        measured = totals(1, count_of(trial["ordinal"]), seed=trial["ordinal"])
        agent.finish(held, summary=summary(held, measured), sample_count=0)
    with unit_of_work() as unit:
        for run_id in analysis.unanalysed_runs(unit):
            assert analysis.analyse_run(unit, run_id)


@pytest.mark.parametrize(("level", "state"), [(80_000, "confirmed"), (100_000, "false")])
def test_the_run_that_was_to_confirm_it_decides_on_the_alert(
    alert: dict[str, Any], client: Caller, get: Get, level: int, state: str
) -> None:
    run = confirm(client, alert)
    assert run["trial_count"] == 10
    again = client.post(f"/api/v1/alerts/{alert['id']}/confirm")
    assert (again.status_code, again.json()["code"]) == (409, "confirmation_under_way")
    measure(client, run, lambda ordinal: int(level * (1 + 0.003 * (ordinal % 5 - 2))))
    after = get(f"alerts/{alert['id']}")
    assert after["state"] == state, after["confirmation"]
    result = after["confirmation"]["result"]
    assert (result["verdict"], result["method"], result["n_before"], result["n_after"]) == (state, "welch", 20, 10)
    assert after["history"][-1]["author"] is None
    assert "weaker" in result["sentence"]


def test_a_run_without_trials_that_count_leaves_the_alert_as_it_was(
    alert: dict[str, Any], client: Caller, get: Get
) -> None:
    run = confirm(client, alert)
    client.post(f"/api/v1/runs/{run['id']}/cancel")
    with unit_of_work() as unit:
        assert analysis.analyse_run(unit, uuid.UUID(run["id"]))
    after = get(f"alerts/{alert['id']}")
    assert (after["state"], after["confirmation"]["result"]) == ("suspected", None)
    assert "0 of after" in after["confirmation"]["refusal"]
    assert confirm(client, alert)["id"] != run["id"]


def test_a_setting_that_changed_with_the_shift_is_set_back_and_compared_in_pairs(
    history: History, client: Caller, get: Get
) -> None:
    history.settings = {"hash_algorithm": "murmur3"}
    history.add(*steady(20))
    history.settings = {"hash_algorithm": "jenkins"}
    history.add(*steady(4, level=80_000.0))
    [alert] = get("alerts")["items"]
    run = confirm(client, alert)
    assert [target["name"] for target in run["definition"]["targets"]] == ["as before", "as now"]
    assert run["definition"]["targets"][0]["options"]["hash_algorithm"] == "murmur3"
    assert (run["definition"]["order"], run["trial_count"]) == ("interleaved", 20)
    trials = client.get(f"/api/v1/runs/{run['id']}/trials?limit=200").json()["items"]
    levels = {"as before": 100_000, "as now": 80_000}
    counts = [int(levels[one["parameters"]["target"]] * (1 + 0.001 * (one["ordinal"] % 5))) for one in trials]
    measure(client, run, lambda ordinal: counts[ordinal])
    after = get(f"alerts/{alert['id']}")
    result = after["confirmation"]["result"]
    assert (after["state"], result["method"], result["n_before"]) == ("confirmed", "paired", 10)
    assert result["change"] == pytest.approx(-0.2, abs=0.01)
    assert "hash_algorithm" in after["confirmation"]["explanation"]
