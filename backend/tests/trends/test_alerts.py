"""From a slowdown in the data to an alert that somebody, or a run, decides on."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import ChangePoint, Run, SeriesValue, Trial
from loadstone.stats import sessions
from loadstone.stats.change_points.detector import ALGORITHM_VERSION, find_steps
from loadstone.trends import analysis
from loadstone.trends.repository import alerts as alerts_repository
from loadstone.trends.states import TRANSITIONS, AlertState
from loadstone_testing.callers import Caller
from loadstone_testing.simulated_agent import SimulatedAgent, summary, totals
from loadstone_testing.trend_factories import History, steady
from sqlalchemy import select, update

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


def test_the_way_back_closes_the_alert_and_the_shift_coming_again_opens_it(
    alert: dict[str, Any], history: History, get: Get
) -> None:
    history.add(*steady(4, level=80_000.0), *steady(5))
    [closed] = get("alerts")["items"]
    assert (closed["id"], closed["state"], closed["direction"]) == (alert["id"], "fixed", "worse")
    assert closed["changes"][0]["direction"] == "worse"
    assert "returned" in {event["kind"] for event in get(f"alerts/{alert['id']}")["history"]}
    history.add(*steady(5, level=80_000.0))
    [again] = get("alerts")["items"]
    assert (again["id"], again["state"]) == (alert["id"], "suspected")


def test_after_a_person_called_it_fixed_the_same_shift_is_a_new_alert(
    alert: dict[str, Any], history: History, client: Caller, get: Get
) -> None:
    history.add(*steady(3, level=80_000.0))
    assert client.patch(f"/api/v1/alerts/{alert['id']}", json={"state": "fixed"}).status_code == 200
    history.add(*steady(8), *steady(6, level=80_000.0))
    assert [one["state"] for one in get("alerts")["items"]] == ["suspected", "fixed"]


def test_a_zero_silences_nothing(history: History, get: Get) -> None:
    history.add(*steady(6))
    with unit_of_work() as unit:
        first = unit.session.scalars(select(SeriesValue).order_by(SeriesValue.at)).first()
        assert first is not None
        unit.session.execute(update(SeriesValue).where(SeriesValue.at == first.at).values(value=0.0))
    history.add(*steady(12), *steady(4, level=80_000.0))
    assert [one["direction"] for one in get("alerts")["items"]] == ["worse"]


def test_a_cancelled_run_and_a_point_with_one_trial_of_several_enter_no_trend(history: History, get: Get) -> None:
    run = history.add(*steady(3))
    [series] = get("series")["items"]

    def count() -> int:
        return len(get("series/values", series_id=series["id"])["items"][0]["values"])

    assert count() == 3
    with unit_of_work() as unit:
        unit.session.execute(update(Run).where(Run.id == run.id).values(status="cancelled", analysed_at=None))
    with unit_of_work() as unit:
        assert analysis.analyse_run(unit, run.id)
    assert count() == 2
    with unit_of_work() as unit:
        unit.session.execute(update(Run).where(Run.id == run.id).values(status="succeeded", analysed_at=None))
        unit.session.execute(update(Trial).where(Trial.run_id == run.id, Trial.ordinal > 0).values(is_counted=False))
    with unit_of_work() as unit:
        assert analysis.analyse_run(unit, run.id)
    assert count() == 2


def test_many_series_ask_more_of_each_find(history: History, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same evidence that is an alert in a small installation is none among a million series."""
    sweep = alerts_repository.sweep_p_values
    monkeypatch.setattr(alerts_repository, "sweep_p_values", lambda *arguments: (10**6, sweep(*arguments)[1]))
    history.add(*steady(20, swing=0.02), *steady(4, level=94_000.0, swing=0.02))
    assert get("alerts")["items"] == []
    monkeypatch.undo()
    history.add(*steady(1, level=94_000.0))
    assert len(get("alerts")["items"]) == 1


def test_the_verdict_can_be_computed_again_from_what_was_kept(alert: dict[str, Any]) -> None:
    with unit_of_work() as unit:
        rows = unit.session.scalars(select(ChangePoint)).all()
    for row in rows:
        [again] = find_steps(row.inputs["values"]).steps
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
    assert (result["verdict"], result["method"], result["n_before"], result["n_after"]) == (state, "sessions", 20, 10)
    assert after["history"][-1]["author"] is None
    assert "weaker" in result["sentence"]
    labels = get(f"series/{alert['series']['id']}")["labels"]
    assert labels["plan"] == "nightly"


def test_a_session_between_both_levels_leaves_it_undecided_and_another_one_adds_to_it(
    alert: dict[str, Any], client: Caller, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure(client, confirm(client, alert), lambda ordinal: int(99_000 * (1 + 0.001 * (ordinal % 3))))
    after = get(f"alerts/{alert['id']}")
    assert (after["state"], after["confirmation"]["result"]["verdict"]) == ("suspected", "undecided")
    monkeypatch.setattr(sessions, "SITTING_GAP_S", -1.0)
    measure(client, confirm(client, after), lambda ordinal: int(80_000 * (1 + 0.001 * (ordinal % 3))))
    assert get(f"alerts/{alert['id']}")["confirmation"]["result"]["sessions"] == 2


def test_a_run_without_trials_that_count_leaves_the_alert_as_it_was(
    alert: dict[str, Any], client: Caller, get: Get
) -> None:
    run = confirm(client, alert)
    client.post(f"/api/v1/runs/{run['id']}/cancel")
    with unit_of_work() as unit:
        assert analysis.analyse_run(unit, uuid.UUID(run["id"]))
    after = get(f"alerts/{alert['id']}")
    assert (after["state"], after["confirmation"]["result"]) == ("suspected", None)
    assert "fewer than two trials" in after["confirmation"]["refusal"]
    assert confirm(client, alert)["id"] != run["id"]


def measure_sides(client: Caller, run: dict[str, Any]) -> None:
    """A fifth slower as now than as before."""
    trials = client.get(f"/api/v1/runs/{run['id']}/trials?limit=200").json()["items"]
    levels = {"as before": 100_000, "as now": 80_000}
    counts = [int(levels[one["parameters"]["target"]] * (1 + 0.001 * (one["ordinal"] % 5))) for one in trials]
    measure(client, run, lambda ordinal: counts[ordinal])


def test_a_setting_that_changed_with_the_shift_is_set_back_and_compared_in_pairs_of_several_sessions(
    history: History, client: Caller, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.settings = {"hash_algorithm": "murmur3"}
    history.add(*steady(20))
    history.settings = {"hash_algorithm": "jenkins"}
    history.add(*steady(4, level=80_000.0))
    [alert] = get("alerts")["items"]
    run = confirm(client, alert)
    assert [target["name"] for target in run["definition"]["targets"]] == ["as before", "as now"]
    assert run["definition"]["targets"][0]["options"]["hash_algorithm"] == "murmur3"
    assert (run["definition"]["order"], run["trial_count"]) == ("interleaved", 10)
    measure_sides(client, run)
    after = get(f"alerts/{alert['id']}")
    assert (after["state"], after["confirmation"]["result"]) == ("suspected", None)
    assert "in one session" in after["confirmation"]["refusal"]
    # An hour between runs makes them two sessions.
    monkeypatch.setattr(sessions, "SITTING_GAP_S", -1.0)
    measure_sides(client, confirm(client, after))
    after = get(f"alerts/{alert['id']}")
    result = after["confirmation"]["result"]
    assert (after["state"], result["method"], result["sessions"], result["n_before"]) == ("confirmed", "paired", 2, 10)
    assert result["change"] == pytest.approx(-0.2, abs=0.01)
    assert "hash_algorithm" in after["confirmation"]["explanation"]
