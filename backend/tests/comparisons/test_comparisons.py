"""Comparisons over the api: sides, cells, verdicts, refusals, differences."""

from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import Point, Run, Trial, TrialMetric
from loadstone.runs.schemas import TrialItem
from loadstone_testing.callers import Caller
from loadstone_testing.trend_factories import History, steady
from sqlalchemy import select, update

from .conftest import Measure, fifth_more

NOWHERE = "0190a000-0000-7000-8000-000000000000"


def definition(base: dict[str, Any], *contenders: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"base": base, "contenders": list(contenders), **changes}


def targets(run: Run) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"run_id": str(run.id), "target": "memcached"}, {"run_id": str(run.id), "target": "redis"}


def evaluate(caller: Caller, *sides: dict[str, Any], **changes: Any) -> dict[str, Any]:
    response = caller.post("/api/v1/comparisons/evaluate", json=definition(*sides, **changes))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def throughput(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in found["cells"] if cell["metric"] == "throughput_per_s"]


def test_two_targets_of_an_interleaved_run_are_compared_as_pairs(client: Caller, interleaved: Run) -> None:
    found = evaluate(client, *targets(interleaved), metrics=["throughput_per_s"])
    assert found["parameters"] == ["connections"]
    assert [cell["parameters"] for cell in found["cells"]] == [{"connections": 1}, {"connections": 2}]
    for cell in found["cells"]:
        assert (cell["method"], cell["order"], cell["interval_kind"]) == ("paired", "interleaved", "t")
        assert (cell["n_base"], cell["n_contender"], cell["n_pairs"]) == (5, 5, 5)
        assert cell["ratio"] == pytest.approx(1.202, abs=0.001)
        assert cell["interval"]["low"] < 1.202 < cell["interval"]["high"]
        assert cell["verdict"] == "better"
    assert found["family_size"] == 2
    assert found["sentence"] == "redis against memcached: of 2 cells 2 better, with a margin of 2 %."
    assert [side["label"] for side in found["sides"]] == ["memcached", "redis"]


def test_for_lower_is_better_the_verdict_turns(client: Caller, interleaved: Run) -> None:
    swapped = tuple(reversed(targets(interleaved)))
    assert {cell["verdict"] for cell in throughput(evaluate(client, *swapped))} == {"worse"}


def test_two_runs_are_matched_by_all_parameters_and_labelled_as_sessions(client: Caller, measure: Measure) -> None:
    first = measure(fifth_more, trials_per_point=3)
    second = measure(fifth_more, trials_per_point=3, axes=[{"parameter": "connections", "values": [2, 3]}])
    found = evaluate(client, {"run_id": str(first.id)}, {"run_id": str(second.id)}, metrics=["throughput_per_s"])
    assert [cell["parameters"] for cell in found["cells"]] == [
        {"target": "memcached", "connections": 2},
        {"target": "redis", "connections": 2},
    ]
    assert {(cell["method"], cell["order"]) for cell in found["cells"]} == {("sessions", "sessions")}
    assert {cell["refusal"]["code"] for cell in found["cells"]} == {"no_session_history"}
    assert "0 other sessions, and 8 are needed" in found["cells"][0]["refusal"]["message"]
    assert {cell["verdict"] for cell in found["cells"]} == {"not_enough_data"}


def test_two_sessions_are_compared_by_how_much_the_series_sessions_differ(client: Caller, history: History) -> None:
    runs = [history.add(value) for value in (*steady(12, swing=0.02), 80_000.0)]
    found = evaluate(client, *({"run_id": str(run.id)} for run in runs[-2:]), metrics=["throughput_per_s"])
    [cell] = found["cells"]
    assert (cell["method"], cell["interval_kind"], cell["verdict"]) == ("sessions", "sessions", "worse")
    assert cell["interval"]["low"] < cell["ratio"] < cell["interval"]["high"]
    # Within what sessions differ by, trials that agree with each other prove nothing.
    found = evaluate(client, *({"run_id": str(run.id)} for run in runs[1:3]), metrics=["throughput_per_s"])
    assert found["cells"][0]["verdict"] in ("not_enough_data", "equivalent")


def test_error_shares_of_zero_and_thirty_per_cent_are_told_apart(client: Caller, measure: Measure) -> None:
    def failing(trial: TrialItem) -> int:
        return 1_000 + trial.ordinal

    run = measure(failing, order="interleaved", trials_per_point=4, axes=[])
    with unit_of_work() as unit:
        points = unit.session.scalars(select(Point).where(Point.run_id == run.id)).all()
        slower = next(point.id for point in points if point.parameters["target"] == "redis")
        unit.session.execute(
            update(TrialMetric)
            .where(TrialMetric.point_id == slower, TrialMetric.metric == "error_share")
            .values(value=0.3)
        )
    [cell] = evaluate(client, *targets(run), metrics=["error_share"])["cells"]
    assert (cell["refusal"], cell["verdict"], cell["ratio"]) == (None, "worse", None)
    assert cell["difference"] == pytest.approx(0.3, abs=0.01)
    assert cell["difference_interval"]["low"] > 0.2


@pytest.mark.parametrize(("hung", "verdict"), [("redis", "worse"), ("memcached", "not_enough_data")])
def test_a_percentile_with_unanswered_requests_counts_against_its_own_side_only(
    client: Caller, interleaved: Run, hung: str, verdict: str
) -> None:
    with unit_of_work() as unit:
        points = unit.session.scalars(select(Point).where(Point.run_id == interleaved.id)).all()
        ids = {name: [point.id for point in points if point.parameters["target"] == name] for name in HALVES}
        p50 = update(TrialMetric).where(TrialMetric.metric == "response_time_p50_ns")
        for name, value in HALVES.items():
            unit.session.execute(p50.where(TrialMetric.point_id.in_(ids[name])).values(value=value))
        some = select(Trial.id).where(Trial.point_id.in_(ids[hung]), Trial.repetition == 1)
        unit.session.execute(p50.where(TrialMetric.trial_id.in_(some)).values(is_lower_bound=True))
    for cell in evaluate(client, *targets(interleaved), metrics=["response_time_p50_ns"])["cells"]:
        assert cell["verdict"] == verdict
        assert (cell["refusal"] or {}).get("code") == (None if verdict == "worse" else "lower_bound")
        assert cell["refusal"] is None or "Requests of the base have no answer" in cell["refusal"]["message"]


HALVES = {"memcached": 1e6, "redis": 2e6}


def test_points_are_compared_whatever_their_parameters(client: Caller, interleaved: Run) -> None:
    points = client.get(f"/api/v1/runs/{interleaved.id}/points").json()["items"]
    found = evaluate(client, {"point_id": points[0]["id"]}, {"point_id": points[1]["id"]})
    assert throughput(found)[0]["parameters"] == {}
    assert (throughput(found)[0]["order"], throughput(found)[0]["method"]) == ("unpaired", "welch")
    assert throughput(found)[0]["ratio"] == pytest.approx(2, rel=0.02)


def test_where_fixes_a_parameter_that_the_other_side_does_not_have(client: Caller, measure: Measure) -> None:
    wide = measure(
        lambda trial: 1_000 * trial.parameters["connections"] + trial.repetition,
        kinds=("memcached",),
        axes=[{"parameter": "connections", "values": [1, 2]}, {"parameter": "value_size_bytes", "values": [10, 20]}],
    )
    narrow = measure(lambda trial: 1_000 * trial.parameters["connections"] + trial.repetition, kinds=("memcached",))
    sides = {"run_id": str(narrow.id)}, {"run_id": str(wide.id)}
    refused = client.post("/api/v1/comparisons/evaluate", json=definition(*sides))
    assert (refused.status_code, refused.json()["code"]) == (422, "sides_ambiguous")
    assert refused.json()["path"] == "contenders[0]"
    found = evaluate(client, sides[0], {**sides[1], "where": {"value_size_bytes": 20}})
    assert [cell["parameters"] for cell in throughput(found)] == [{"connections": 1}, {"connections": 2}]


def test_curves_carry_the_trials_as_bands_and_merged_percentiles(client: Caller, interleaved: Run) -> None:
    found = evaluate(client, *targets(interleaved))
    by_key = {(curve["side"], curve["metric"]): curve["points"] for curve in found["curves"]}
    shown = by_key[1, "throughput_per_s"][0]
    assert shown["low"] < shown["value"] < shown["high"]
    points = client.get(f"/api/v1/runs/{interleaved.id}/points").json()["items"]
    assert by_key[0, "response_time_p99_ns"][0]["value"] == points[0]["total"]["response_time_ns"]["p99"]


def test_a_single_trial_is_refused_with_its_reason(client: Caller, measure: Measure) -> None:
    run = measure(lambda trial: 1_000, order="interleaved", axes=[], trials_per_point=1)
    cell = throughput(evaluate(client, *targets(run)))[0]
    assert cell["refusal"]["code"] == "one_trial"
    assert (cell["ratio"], cell["interval"], cell["p_value"], cell["verdict"]) == (None, None, None, "not_enough_data")


def rising(trial: TrialItem) -> int:
    return 1_000 + trial.ordinal


def test_mixed_engine_versions_are_refused(client: Caller, measure: Measure) -> None:
    def newer_for_redis(trial: Any) -> dict[str, str]:
        return {"engine_version": "0.2.0"} if trial.parameters["target"] == "redis" else {}

    run = measure(rising, axes=[], finish=newer_for_redis)
    refusal = throughput(evaluate(client, *targets(run)))[0]["refusal"]
    assert refusal["code"] == "mixed_engine_versions"
    assert "native 0.1.0 and native 0.2.0" in refusal["message"]


def test_a_void_trial_of_another_engine_refuses_nothing(client: Caller, measure: Measure) -> None:
    def first_of_redis(trial: Any) -> bool:
        return bool(trial.parameters["target"] == "redis" and trial.repetition == 0)

    def older_once(trial: Any) -> dict[str, str]:
        return {"engine_version": "0.0.9"} if first_of_redis(trial) else {}

    run = measure(fifth_more, trials_per_point=4, order="interleaved", finish=older_once, void=first_of_redis)
    cell = throughput(evaluate(client, *targets(run)))[0]
    assert (cell["refusal"], cell["n_pairs"], cell["verdict"]) == (None, 3, "better")


def test_percentiles_of_different_precision_are_refused_and_throughput_is_not(client: Caller, measure: Measure) -> None:
    run = measure(rising, axes=[])
    with unit_of_work() as unit:
        unit.session.execute(update(Trial).where(Trial.ordinal == 0).values(histogram_digits=2))
    cells = {cell["metric"]: cell["refusal"] for cell in evaluate(client, *targets(run))["cells"]}
    assert cells["throughput_per_s"] is None
    assert cells["response_time_p99_ns"]["code"] == "mixed_precision"


def test_void_trials_are_left_out_until_somebody_includes_them(client: Caller, measure: Measure) -> None:
    run = measure(rising, axes=[], void=lambda trial: trial.parameters["target"] == "redis")
    cell = throughput(evaluate(client, *targets(run)))[0]
    assert cell["refusal"]["code"] == "all_void"
    for trial in client.get(f"/api/v1/runs/{run.id}/trials").json()["items"]:
        if trial["trust"] == "void":
            decision = {"kind": "include", "reason": "stopped by hand"}
            assert client.post(f"/api/v1/trials/{trial['id']}/decisions", json=decision).status_code == 201
    cell = throughput(evaluate(client, *targets(run)))[0]
    assert (cell["refusal"], cell["n_contender"]) == (None, 2)


def test_constants_that_differ_are_told_apart(client: Caller, measure: Measure) -> None:
    run = measure(
        lambda trial: 1_000 if trial.parameters["target"] == "redis" else 2_000,
        order="interleaved",
        axes=[],
        trials_per_point=3,
    )
    cell = throughput(evaluate(client, *targets(run)))[0]
    assert (cell["refusal"], cell["verdict"], cell["ratio"]) == (None, "worse", pytest.approx(0.5))


def test_sides_that_share_no_setting_match_nothing(client: Caller, measure: Measure) -> None:
    def at(*connections: int) -> Run:
        axes = [{"parameter": "connections", "values": list(connections)}]
        return measure(rising, axes=axes, kinds=("memcached",))

    found = evaluate(client, {"run_id": str(at(1, 2).id)}, {"run_id": str(at(3, 4).id)})
    assert found["cells"] == []
    assert [(one["contender"], one["code"]) for one in found["refusals"]] == [(1, "nothing_matched")]
    assert found["sentence"].startswith("Nothing matches")


def test_differences_name_what_changed_most_telling_first(client: Caller, measure: Measure) -> None:
    common = {"axes": [], "kinds": ("memcached",)}
    first = measure(rising, **common)
    store = {"store": {"kind": "memcached", "version": "2.0", "settings": {"limit": "128", "memcached_only": "1"}}}
    second = measure(rising, finish=lambda trial: store, trials_per_point=3, **common)
    found = evaluate(client, {"run_id": str(first.id)}, {"run_id": str(second.id)})
    told = [(one["kind"], one["path"], one["values"]) for one in found["differences"]]
    assert told == [
        ("store_version", "version", ["memcached 1.0", "memcached 2.0"]),
        ("configuration", "limit", ["64", "128"]),
        ("plan", "trials_per_point", ["2", "3"]),
    ]


def test_stores_of_different_kinds_are_not_told_apart_setting_by_setting(client: Caller, interleaved: Run) -> None:
    paths = [one["path"] for one in evaluate(client, *targets(interleaved))["differences"]]
    assert "target.kind" in paths
    assert not {"memcached_only", "redis_only"} & set(paths)


UNREADABLE: list[dict[str, Any]] = [
    {"metrics": ["speed"]},
    {"metrics": []},
    {"margin": 0},
    {"confidence": 1},
    {"contenders": []},
    {"base": {}},
    {"base": {"run_id": NOWHERE, "point_id": NOWHERE}},
    {"base": {"point_id": NOWHERE, "target": "redis"}},
]


def test_what_cannot_be_read_is_refused(client: Caller, interleaved: Run) -> None:
    for change in UNREADABLE:
        body = definition(*targets(interleaved)) | change
        assert (change, client.post("/api/v1/comparisons/evaluate", json=body).status_code) == (change, 422)


def test_runs_of_others_and_targets_that_are_not_there(client: Caller, other_team: Caller, interleaved: Run) -> None:
    body = definition(*targets(interleaved))
    assert other_team.post("/api/v1/comparisons/evaluate", json=body).status_code == 404
    assert client.post("/api/v1/comparisons/evaluate", json=body | {"base": {"run_id": NOWHERE}}).status_code == 404
    body["base"]["target"] = "mongodb"
    refused = client.post("/api/v1/comparisons/evaluate", json=body)
    assert (refused.status_code, refused.json()["code"], refused.json()["path"]) == (
        422,
        "side_matches_nothing",
        "base",
    )


def test_a_comparison_is_kept_listed_answered_anew_and_deleted(
    client: Caller, viewer: Caller, other_team: Caller, interleaved: Run
) -> None:
    body = {"name": "which store", "definition": definition(*targets(interleaved))}
    assert viewer.post("/api/v1/comparisons", json=body).status_code == 403
    saved = client.post("/api/v1/comparisons", json=body).json()
    assert saved["result"]["family_size"] > 0
    address = f"/api/v1/comparisons/{saved['id']}"
    assert [item["name"] for item in viewer.get("/api/v1/comparisons").json()["items"]] == ["which store"]
    assert viewer.get(address).json()["result"]["sentence"] == saved["result"]["sentence"]
    assert other_team.get(address).status_code == 404
    assert other_team.get("/api/v1/comparisons").json()["items"] == []
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404
