"""Plans with several workloads and engines: which cells there are, and what the engine is told in each."""

from typing import Any

import pytest
from loadstone.plans.cells import placed_target
from loadstone.plans.grid import Grid, GridPoint, count_points, expand
from loadstone.plans.refusals import find_refusals
from loadstone.plans.resolve import Lookup, assemble, inline_snapshot, written_workloads
from loadstone.plans.schemas import InlineTarget, PlanDefinition, ResolvedPlan
from loadstone.plans.subset import part_of_plan
from loadstone.workloads.schemas import WorkloadDefinition
from loadstone_testing.factories import plan_definition, workload_definition

GET = workload_definition(operations=[{"kind": "get", "weight": 1}])
SET = workload_definition(operations=[{"kind": "set", "weight": 1}])
RANGE = workload_definition(operations=[{"kind": "range_first", "weight": 1}])


def resolved(**fields: Any) -> ResolvedPlan:
    chosen = {"seed": 7, "workload": None} | fields
    definition = PlanDefinition.model_validate(plan_definition(**chosen))
    targets = [target for target in definition.targets if isinstance(target, InlineTarget)]
    snapshots = [inline_snapshot(Lookup(), target, index) for index, target in enumerate(targets)]
    workloads = [one for _, one in written_workloads(definition) if isinstance(one, WorkloadDefinition)]
    return assemble(definition, [one for one in snapshots if one is not None], workloads)


def entry(name: str, workload: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"name": name, "workload": workload, **fields}


def parameters(grid: Grid, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(point.parameters[name] for name in names) for point in grid.points]


def refused(**fields: Any) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in find_refusals(resolved(**fields), [], {})]


def at(grid: Grid, **wanted: Any) -> GridPoint:
    found = [one for one in grid.points if all(one.parameters[name] == value for name, value in wanted.items())]
    assert len(found) == 1
    return found[0]


def test_every_target_gets_every_workload_at_every_value() -> None:
    plan = resolved(workloads=[entry("read", GET), entry("write", SET)])
    grid = expand(plan)
    assert count_points(plan) == len(grid.points) == 8
    assert parameters(grid, "target", "workload", "connections")[:4] == [
        ("memcached default", "read", 1),
        ("memcached default", "read", 4),
        ("memcached default", "write", 1),
        ("memcached default", "write", 4),
    ]


def test_entries_of_one_name_give_unlike_stores_their_own_operations() -> None:
    workloads = [
        entry("write", SET, targets=["memcached default"]),
        entry("write", GET, targets=["Redis none"]),
        entry("list", RANGE, targets=["Redis none"]),
    ]
    plan = resolved(workloads=workloads, axes=[])
    grid = expand(plan)
    assert count_points(plan) == 3
    assert [(point.parameters["workload"], point.work.operations[0].kind) for point in grid.points] == [
        ("write", "set"),
        ("write", "get"),
        ("list", "range_first"),
    ]
    blocks = {
        point.ordinal: {one.block for one in grid.trials if one.point_ordinal == point.ordinal} for point in grid.points
    }
    assert blocks[0] == blocks[1] != blocks[2], "both writes are pairs, the list stands alone"


def test_an_entry_brings_its_own_load_stop_and_prefill() -> None:
    load = {"kind": "closed", "connections": 2, "requests_per_connection": 1}
    own = entry("own", GET, load=load, stop={"operations_per_connection": 50}, prefill=False)
    grid = expand(resolved(workloads=[entry("plain", GET), own], axes=[]))
    plain, changed = (at(grid, target="Redis none", workload=name).work for name in ("plain", "own"))
    assert [phase.name for phase in plain.phases] == ["prefill", "measure"]
    assert [phase.name for phase in changed.phases] == ["measure"]
    assert changed.phases[0].stop is not None
    assert (changed.phases[0].stop.operations, changed.load.connections) == (100, 2)


def test_a_count_for_each_connection_grows_with_them() -> None:
    grid = expand(resolved(workload=GET, stop={"operations_per_connection": 10}))
    stops = {point.parameters["connections"]: point.work.phases[-1].stop for point in grid.points}
    assert {connections: stop.operations for connections, stop in stops.items() if stop} == {1: 10, 4: 40}


def test_an_entry_can_be_kept_to_some_values_of_an_axis() -> None:
    plan = resolved(workloads=[entry("read", GET, only={"connections": [4]}), entry("write", SET)])
    grid = expand(plan)
    assert count_points(plan) == len(grid.points) == 6
    assert {row[1] for row in parameters(grid, "workload", "connections") if row[0] == "read"} == {4}


def test_several_engines_are_an_axis_and_stand_in_one_block() -> None:
    engines = [{"name": "native"}, {"name": "redis-benchmark", "targets": ["Redis none"]}]
    plan = resolved(workload=GET, engines=engines, axes=[])
    grid = expand(plan)
    assert parameters(grid, "target", "engine") == [
        ("memcached default", "native"),
        ("Redis none", "native"),
        ("Redis none", "redis-benchmark"),
    ]
    assert len({trial.block for trial in grid.trials if trial.repetition == 0}) == 1
    assert "engine" not in grid.points[0].identity
    assert grid.points[2].identity["engine"] == "redis-benchmark"


def test_a_plan_of_one_workload_says_nothing_of_workload_and_engine() -> None:
    point = expand(resolved(workload=GET)).points[0]
    assert point.parameters == {"target": "memcached default", "connections": 1}
    assert "engine" not in point.identity


@pytest.mark.parametrize(
    ("parameter", "value", "place"),
    [
        ("list_length", 50, ("dataset", "list_length")),
        ("entries", 7, ("operations", 0, "entries")),
        ("think_time_us", 9, ("load", "think_time_us")),
        ("requests_per_connection", 3, ("load", "requests_per_connection")),
        ("hit_ratio", 0.5, ("dataset", "hit_ratio")),
    ],
)
def test_further_axes_reach_the_engine(parameter: str, value: float, place: tuple[Any, ...]) -> None:
    redis = [{"kind": "redis", "profile": "none"}]
    axes = [{"parameter": parameter, "values": [value]}]
    found: Any = expand(resolved(targets=redis, workload=RANGE, axes=axes)).points[0].work.model_dump()
    for step in place:
        found = found[step]
    assert found == value


AXIS = [{"parameter": "entries", "values": [10, 20]}]
REFUSALS: list[tuple[dict[str, Any], str, str]] = [
    ({"workloads": [entry("a", GET), entry("a", SET)]}, "duplicate_value", "workloads[1].name"),
    ({"workloads": [entry("a", GET, targets=["nobody"])]}, "unknown_target", "workloads[0].targets[0]"),
    ({"workloads": [entry("a", GET, only={"pipeline": [1]})]}, "unknown_parameter", "workloads[0].only.pipeline"),
    (
        {"workloads": [entry("a", GET, only={"connections": [9]})]},
        "value_out_of_range",
        "workloads[0].only.connections[0]",
    ),
    ({"workloads": [entry("a", GET, stop={})]}, "no_stop_rule", "workloads[0].stop"),
    ({"workloads": [entry("a", RANGE)]}, "operation_not_supported", "workloads[0].workload.operations[0]"),
    ({"workloads": [entry("a", GET)], "axes": AXIS}, "axis_needs_operation", "axes[0].parameter"),
    ({"workload": GET, "engines": []}, "no_trials", "engines"),
    ({"workload": GET, "engines": [{"name": "native"}] * 2}, "duplicate_value", "engines[1].name"),
    ({"workload": GET, "engines": [{"name": "native", "targets": ["x"]}]}, "unknown_target", "engines[0].targets[0]"),
    ({"workloads": [entry("a", GET, targets=[])]}, "no_trials", "workloads"),
]


@pytest.mark.parametrize(("fields", "code", "path"), REFUSALS, ids=[f"{code}-{path}" for _, code, path in REFUSALS])
def test_faults_of_entries_name_their_field(fields: dict[str, Any], code: str, path: str) -> None:
    assert (code, path) in refused(**fields)


def test_a_workload_without_use_for_an_axis_is_kept_to_one_value_of_it() -> None:
    redis = [{"kind": "redis", "profile": "none"}]
    workloads = [entry("get", GET, only={"entries": [10]}), entry("range", RANGE)]
    assert refused(targets=redis, workloads=workloads, axes=AXIS) == []
    grid = expand(resolved(targets=redis, workloads=workloads, axes=AXIS))
    assert parameters(grid, "workload", "entries") == [("get", 10), ("range", 10), ("range", 20)]


def test_the_servers_cores_are_an_axis_of_restarted_managed_stores() -> None:
    axes = [{"parameter": "server_cpus", "values": [1, 8]}]
    assert refused(workload=GET, axes=axes, reset="flush") == [("axis_needs_restart", "axes[0].parameter")]
    plan = resolved(workload=GET, axes=axes)
    first, second = expand(plan).points[:2]
    assert first.identity != second.identity
    definition = plan.model_dump(mode="json")
    placed = [placed_target(definition, 0, point.parameters)["placement"]["cpus"] for point in (first, second)]
    assert placed == ["0", "0-7"]
    assert placed_target(definition, 0, {"target": "x"}) == definition["targets"][0]


def test_a_part_of_a_plan_is_measured_as_it_was() -> None:
    workloads = [entry("read", GET, targets=["Redis none"]), entry("write", SET)]
    definition = resolved(workloads=workloads).model_dump(mode="json")
    written = {"kind": "redis", "profile": "none", "name": "as now"}
    part = part_of_plan(
        definition, [("Redis none", written)], {"target": ["Redis none"], "workload": ["read"], "connections": [4]}
    )
    again = PlanDefinition.model_validate({"name": "again", **part})
    assert [(one.name, one.targets) for one in again.workloads] == [("read", ["as now"])]
    assert [(axis.parameter, axis.values) for axis in again.axes] == [("connections", [4])]
