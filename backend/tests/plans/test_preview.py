"""What a person is told before a plan is submitted: refusals, warnings, duration, agents."""

from collections.abc import Callable
from typing import Any

import pytest
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target, plan_definition, workload_definition
from loadstone_testing.simulated_agent import SimulatedAgent

ZIPF = workload_definition(access={"kind": "zipf", "exponent": 1})
OPEN = {"kind": "open", "connections": 4, "rate_per_s": 100}
NOWHERE = "0190a000-0000-7000-8000-000000000000"


def axis(parameter: str, *values: float) -> dict[str, Any]:
    return {"parameter": parameter, "values": list(values)}


def preview(caller: Caller, **fields: Any) -> dict[str, Any]:
    response = caller.post("/api/v1/plans/preview", json=plan_definition(**fields))
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def findings(found: list[dict[str, str]]) -> list[tuple[str, str]]:
    return [(item["code"], item["path"]) for item in found]


REFUSALS: list[tuple[dict[str, Any], str, str]] = [
    ({"axes": [axis("connections", *range(1, 1001)), axis("pipeline", *range(1, 11))]}, "too_many_trials", "axes"),
    ({"trials_per_point": 0}, "no_trials", "trials_per_point"),
    ({"targets": []}, "no_trials", "targets"),
    ({"axes": [axis("connections")]}, "no_trials", "axes[0].values"),
    ({"axes": [axis("colour", 1)]}, "unknown_parameter", "axes[0].parameter"),
    ({"axes": [axis("pipeline", 1), axis("pipeline", 2)]}, "duplicate_axis", "axes[1].parameter"),
    ({"axes": [axis("connections", 1, 0)]}, "value_out_of_range", "axes[0].values[1]"),
    ({"axes": [axis("connections", 1.5)]}, "value_out_of_range", "axes[0].values[0]"),
    ({"axes": [axis("get_share", 1.1)]}, "value_out_of_range", "axes[0].values[0]"),
    ({"axes": [axis("connections", 4, 4.0)]}, "duplicate_value", "axes[0].values[1]"),
    ({"targets": [{"target_id": NOWHERE}]}, "target_not_found", "targets[0].target_id"),
    ({"workload": {"workload_id": NOWHERE}}, "workload_not_found", "workload.workload_id"),
    ({"targets": [{"kind": "redis", "profile": "x"}]}, "unknown_profile", "targets[0].profile"),
    ({"targets": [{"kind": "abacus", "profile": "x"}]}, "unknown_profile", "targets[0].kind"),
    (
        {"targets": [{"kind": "redis", "profile": "none", "options": {"dir": "/etc"}}]},
        "unknown_option",
        "targets[0].options.dir",
    ),
    (
        {"targets": [{"kind": "redis", "profile": "none", "options": {"io-threads": "0"}}]},
        "value_out_of_range",
        "targets[0].options.io-threads",
    ),
    ({"axes": [axis("rate_per_s", 100)]}, "axis_needs_open_loop", "axes[0].parameter"),
    ({"axes": [axis("zipf_exponent", 1)]}, "axis_needs_zipf", "axes[0].parameter"),
    ({"axes": [axis("keys_per_request", 10)]}, "axis_needs_operation", "axes[0].parameter"),
    (
        {"axes": [axis("get_share", 0.5)], "workload": workload_definition(operations=[{"kind": "get", "weight": 1}])},
        "axis_needs_operation",
        "axes[0].parameter",
    ),
    ({"stop": {}}, "no_stop_rule", "stop"),
    ({"stop": {"seconds": 1, "operations": 1}}, "no_stop_rule", "stop"),
    ({"warmup": {}}, "no_stop_rule", "warmup"),
    ({"stop": {"seconds": 1e9}}, "value_out_of_range", "stop.seconds"),
    ({"axes": [axis("key_count", 10**9), axis("key_size_bytes", 5, 16)]}, "key_too_short", "axes[1].values"),
    ({"threads": 4}, "value_out_of_range", "threads"),
    (
        {"workload": workload_definition(operations=[{"kind": "get", "weight": 1, "keys_per_request": 5}])},
        "value_out_of_range",
        "workload.operations[0].keys_per_request",
    ),
]


@pytest.mark.parametrize(("fields", "code", "path"), REFUSALS, ids=[f"{code}-{path}" for _, code, path in REFUSALS])
def test_a_fault_of_meaning_is_an_answer_with_its_code_and_field(
    client: Caller, fields: dict[str, Any], code: str, path: str
) -> None:
    answer = preview(client, **fields)
    assert (code, path) in findings(answer["refusals"])
    assert answer["points"] == []


@pytest.mark.parametrize(
    "body",
    [
        plan_definition(load={"kind": "closed", "connections": 0}),
        plan_definition(targets="all"),
        plan_definition(colour="red"),
        plan_definition(axes=[{"parameter": "connections", "values": ["many"]}]),
    ],
)
def test_only_an_unreadable_shape_is_an_error_and_names_its_field(client: Caller, body: dict[str, Any]) -> None:
    response = client.post("/api/v1/plans/preview", json=body)
    assert response.status_code == 422
    assert response.json()["code"] == "invalid_input"
    assert response.json()["errors"][0]["path"] in {"load.connections", "targets", "colour", "axes[0].values[0]"}


def test_a_sound_plan_is_counted_estimated_and_has_no_refusals(client: Caller) -> None:
    answer = preview(client)
    assert answer["refusals"] == []
    assert (answer["point_count"], answer["trial_count"]) == (4, 8)
    assert 8 < answer["estimated_s"] < 30
    assert [point["parameters"] for point in answer["points"]] == [
        {"target": "memcached default", "connections": 1},
        {"target": "memcached default", "connections": 4},
        {"target": "Redis none", "connections": 1},
        {"target": "Redis none", "connections": 4},
    ]


def test_a_kill_ends_the_measurement_in_the_estimate_too(client: Caller) -> None:
    sets = [{"kind": "set", "weight": 1}]
    whole = preview(client, workload=workload_definition(operations=sets), stop={"seconds": 60})
    killed = workload_definition(operations=sets, durability={"kill_after_s": 2})
    cut = preview(client, workload=killed, stop={"seconds": 60})
    assert cut["refusals"] == []
    assert whole["estimated_s"] - cut["estimated_s"] > 50 * whole["trial_count"]


def test_at_most_500_points_are_shown(client: Caller) -> None:
    answer = preview(client, axes=[axis("connections", *range(1, 401))], trials_per_point=1)
    assert (len(answer["points"]), answer["point_count"]) == (500, 800)


def test_a_flush_of_an_external_target_needs_its_owners_permission(client: Caller) -> None:
    target = client.post("/api/v1/targets", json=external_target()).json()
    chosen = [{"target_id": target["id"]}]
    assert ("flush_not_allowed", "targets[0]") in findings(preview(client, targets=chosen, reset="flush")["refusals"])
    client.put(f"/api/v1/targets/{target['id']}", json=external_target(flush_allowed=True))
    assert preview(client, targets=chosen, reset="flush")["refusals"] == []


def test_an_external_target_cannot_be_restarted(client: Caller) -> None:
    target = client.post("/api/v1/targets", json=external_target()).json()
    chosen = [{"target_id": target["id"]}]
    refusals = preview(client, targets=chosen, reset="restart")["refusals"]
    assert ("restart_not_possible", "targets[0]") in findings(refusals)
    assert preview(client, targets=chosen, reset="none")["refusals"] == []


def test_targets_and_workloads_of_another_team_are_not_found(client: Caller, other_team: Caller) -> None:
    target = client.post("/api/v1/targets", json=external_target()).json()
    saved = {"name": "w", "definition": workload_definition()}
    workload = client.post("/api/v1/workloads", json=saved).json()
    chosen = [{"target_id": target["id"]}]
    fields = {"targets": chosen, "workload": {"workload_id": workload["id"]}, "reset": "none"}
    assert preview(client, **fields)["refusals"] == []
    codes = [item["code"] for item in preview(other_team, **fields)["refusals"]]
    assert codes == ["target_not_found", "workload_not_found"]


WARNINGS: list[tuple[dict[str, Any], str, str]] = [
    ({"trials_per_point": 1}, "single_trial", "trials_per_point"),
    ({"order": "sequential"}, "sequential_order", "order"),
    ({"axes": [axis("pipeline", 1, 8)]}, "pipelined_text_get", "targets[0]"),
    ({"axes": [axis("value_size_bytes", 100_000)]}, "memory_may_evict", "targets[0]"),
    (
        {
            "targets": [{"kind": "redis", "profile": "none", "options": {"maxmemory": "1mb"}}],
            "axes": [axis("key_count", 50_000)],
        },
        "memory_may_evict",
        "targets[0]",
    ),
    ({"stop": {"seconds": 5000}}, "long_run", ""),
]


@pytest.mark.parametrize(("fields", "code", "path"), WARNINGS)
def test_a_plan_that_can_run_is_warned_about(client: Caller, fields: dict[str, Any], code: str, path: str) -> None:
    answer = preview(client, **fields)
    assert answer["refusals"] == []
    assert (code, path) in findings(answer["warnings"])
    assert code not in [item["code"] for item in preview(client)["warnings"]]


def codes(answer: dict[str, Any]) -> set[str]:
    return {item["code"] for item in answer["warnings"]}


def test_agents_say_whether_they_can_take_the_plan_and_why_not(
    client: Caller, other_team: Caller, pass_time: Callable[[float], None]
) -> None:
    assert "no_agent_online" in codes(preview(client))
    agent = SimulatedAgent.enroll(client, "one", site="north")
    SimulatedAgent.enroll(other_team, "foreign")
    answer = preview(client)
    assert [(item["name"], item["can_take"], item["reason"]) for item in answer["agents"]] == [("one", True, None)]
    assert not codes(answer) & {"no_agent_online", "no_agent_can_take"}

    chosen = preview(client, agent_selector={"labels": {"site": "south"}})
    assert "no_agent_can_take" in codes(chosen)
    agent.heartbeat(stores=("redis",))
    assert preview(client)["agents"][0]["reason"] == "It cannot start memcached."
    pass_time(60)
    assert preview(client)["agents"][0]["reason"].startswith("It cannot start memcached")
    assert "no_agent_online" in codes(preview(client))


def test_more_threads_than_cores_are_warned_about(client: Caller) -> None:
    SimulatedAgent.enroll(client)
    load = {"kind": "closed", "connections": 200}
    assert "shared_cpu" in codes(preview(client, load=load, axes=[], threads=200))


def test_a_protocol_is_chosen_among_those_of_the_kind(client: Caller) -> None:
    meta = {"kind": "memcached", "profile": "default", "protocol": "memcached_meta"}
    assert preview(client, targets=[meta])["refusals"] == []
    wrong = {"kind": "redis", "profile": "none", "protocol": "memcached_meta"}
    assert findings(preview(client, targets=[wrong])["refusals"]) == [("unknown_protocol", "targets[0].protocol")]


@pytest.mark.parametrize(
    "size",
    [
        {"kind": "uniform", "min_bytes": 10, "max_bytes": 90},
        {"kind": "normal", "mean_bytes": 100, "deviation_bytes": 10, "max_bytes": 1000},
        {"kind": "log_normal", "median_bytes": 100, "sigma": 20, "max_bytes": 1000},
        {"kind": "histogram", "buckets": [{"min_bytes": 1, "max_bytes": 9, "weight": 2}]},
        {"kind": "facebook"},
    ],
    ids=lambda size: str(size["kind"]),
)
def test_every_distribution_of_sizes_is_estimated(client: Caller, size: dict[str, Any]) -> None:
    workload = workload_definition()
    workload["dataset"]["value_size"] = size
    answer = preview(client, workload=workload)
    assert answer["refusals"] == []
    assert answer["estimated_s"] > 0


def test_optional_targets_and_engines_that_no_agent_has_are_left_out_and_said_so(client: Caller) -> None:
    targets = [{"kind": "memcached", "profile": "default"}, {"kind": "redis", "profile": "none", "optional": True}]
    engines = [{"name": "native"}, {"name": "memslap", "targets": ["memcached default"], "optional": True}]
    fields = {"targets": targets, "engines": engines, "stop": {"operations": 1000}}
    fields["workload"] = workload_definition(operations=[{"kind": "get", "weight": 1}])
    before = preview(client, **fields)
    assert before["point_count"] == 6, "no agent is known yet, so nothing is known to be missing"
    agent = SimulatedAgent.enroll(client)
    agent.heartbeat(stores=("memcached",))
    answer = preview(client, **fields)
    told = [item for item in findings(answer["warnings"]) if item[0].endswith("_left_out")]
    assert told == [("target_left_out", "targets[1]"), ("engine_left_out", "engines[1]")]
    assert {point["parameters"]["target"] for point in answer["points"]} == {"memcached default"}
    assert answer["agents"][0]["can_take"]
    run = client.post("/api/v1/runs", json={"plan": plan_definition(**fields)}).json()
    assert [target["name"] for target in run["definition"]["targets"]] == ["memcached default"]
    needed = [targets[0], {**targets[1], "optional": False}]
    assert "no_agent_can_take" in codes(preview(client, **{**fields, "targets": needed}))
