"""The grid: which points there are, and in which order their trials are executed."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loadstone.plans.grid import Grid, GridTrial, count_points, count_trials, expand, without_defaults
from loadstone.plans.recipes import list_recipes
from loadstone.plans.resolve import Lookup, assemble, inline_snapshot, written_workloads
from loadstone.plans.schemas import InlineTarget, PlanDefinition, ResolvedPlan
from loadstone.workloads.schemas import WorkloadDefinition
from loadstone_contracts.engine_sizes import FixedSize
from loadstone_testing.factories import plan_definition, workload_definition


def resolved(**fields: Any) -> ResolvedPlan:
    definition = PlanDefinition.model_validate({"seed": 7} | plan_definition(**fields))
    snapshots = []
    for index, target in enumerate(definition.targets):
        assert isinstance(target, InlineTarget)
        snapshot = inline_snapshot(Lookup(), target, index)
        assert snapshot is not None
        snapshots.append(snapshot)
    workloads = [one for _, one in written_workloads(definition) if isinstance(one, WorkloadDefinition)]
    return assemble(definition, snapshots, workloads)


def targets(count: int) -> list[dict[str, Any]]:
    return [{"kind": "redis", "profile": "none", "name": f"t{index}"} for index in range(count)]


def target_order(grid: Grid, trials: Iterable[GridTrial]) -> list[int]:
    return [grid.points[trial.point_ordinal].target_index for trial in trials]


plans = st.builds(
    lambda target_count, axes, trials, order, seed: resolved(
        targets=targets(target_count),
        axes=[{"parameter": name, "values": list(range(1, count + 1))} for name, count in axes.items()],
        trials_per_point=trials,
        order=order,
        seed=seed,
    ),
    st.integers(1, 4),
    st.dictionaries(st.sampled_from(["connections", "pipeline", "threads"]), st.integers(1, 4), max_size=2),
    st.integers(1, 4),
    st.sampled_from(["interleaved", "sequential", "shuffled"]),
    st.integers(0, 2**63 - 1),
)


@given(plans)
@settings(max_examples=60)
def test_every_point_gets_each_repetition_once_in_every_order(plan: ResolvedPlan) -> None:
    grid = expand(plan)
    assert len(grid.points) == count_points(plan)
    assert len(grid.trials) == count_trials(plan)
    assert [point.ordinal for point in grid.points] == list(range(len(grid.points)))
    assert [trial.ordinal for trial in grid.trials] == list(range(len(grid.trials)))
    expected = itertools.product(range(len(grid.points)), range(plan.trials_per_point))
    assert Counter((trial.point_ordinal, trial.repetition) for trial in grid.trials) == Counter(expected)


@given(plans)
@settings(max_examples=60)
def test_a_block_holds_every_target_at_one_setting_with_one_seed(plan: ResolvedPlan) -> None:
    grid = expand(plan)
    blocks: dict[int, list[GridTrial]] = defaultdict(list)
    for trial in grid.trials:
        blocks[trial.block].append(trial)
    for trials in blocks.values():
        points = [grid.points[trial.point_ordinal] for trial in trials]
        settings_seen = [{k: v for k, v in point.parameters.items() if k != "target"} for point in points]
        assert sorted(point.target_index for point in points) == list(range(len(plan.targets)))
        assert all(setting == settings_seen[0] for setting in settings_seen)
        assert len({trial.seed for trial in trials}) == 1
        assert len({trial.repetition for trial in trials}) == 1


@given(plans)
@settings(max_examples=20)
def test_the_same_plan_gives_the_same_grid(plan: ResolvedPlan) -> None:
    assert expand(plan) == expand(ResolvedPlan.model_validate_json(plan.model_dump_json()))


def blocks_of(grid: Grid, size: int) -> list[list[GridTrial]]:
    return [grid.trials[place : place + size] for place in range(0, len(grid.trials), size)]


def test_interleaved_blocks_are_adjacent_and_walk_the_settings_up_then_down() -> None:
    grid = expand(resolved(trials_per_point=4))
    blocks = blocks_of(grid, 2)
    assert all(first.block == second.block for first, second in blocks)
    connections = [grid.points[first.point_ordinal].parameters["connections"] for first, _ in blocks]
    assert connections == [1, 4, 4, 1, 1, 4, 4, 1]


@pytest.mark.parametrize("trials", [2, 3, 6])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_with_few_blocks_every_target_runs_before_and_after_the_first_at_each_setting(count: int, trials: int) -> None:
    for seed in range(20):
        grid = expand(resolved(targets=targets(count), trials_per_point=trials, seed=seed))
        sides: dict[tuple[int, int], set[bool]] = defaultdict(set)
        for block in blocks_of(grid, count):
            order = target_order(grid, block)
            setting = grid.points[block[0].point_ordinal].parameters["connections"]
            for place, target in enumerate(order):
                if target:
                    sides[setting, target].add(place > order.index(0))
        assert set(map(frozenset, sides.values())) == {frozenset({True, False})}


def test_the_order_within_a_block_is_drawn_from_the_seed_and_keeps_no_rhythm() -> None:
    """Over many blocks each target begins as often as another, also on even and on odd repetitions apart."""
    grid = expand(resolved(trials_per_point=400, axes=[]))
    first = [target_order(grid, block)[0] for block in blocks_of(grid, 2)]
    for step in (1, 2, 4):
        for start in range(step):
            share = sum(first[start::step]) / len(first[start::step])
            assert abs(share - 0.5) < 0.17
    assert grid.trials == expand(resolved(trials_per_point=400, axes=[])).trials
    other = expand(resolved(trials_per_point=400, axes=[], seed=8))
    assert first != [target_order(other, block)[0] for block in blocks_of(other, 2)]


def test_a_new_value_on_an_axis_changes_no_other_setting_s_order() -> None:
    def orders(*connections: int) -> dict[tuple[int, int], list[int]]:
        axes = [{"parameter": "connections", "values": list(connections)}]
        grid = expand(resolved(targets=targets(3), axes=axes, trials_per_point=5))
        return {
            (grid.points[block[0].point_ordinal].parameters["connections"], block[0].repetition): target_order(
                grid, block
            )
            for block in blocks_of(grid, 3)
        }

    assert orders(1, 4).items() <= orders(1, 2, 4).items()


def test_sequential_order_ends_one_point_before_the_next() -> None:
    grid = expand(resolved(order="sequential"))
    assert [trial.point_ordinal for trial in grid.trials] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_shuffled_order_depends_on_the_seed_alone() -> None:
    values = [{"parameter": "connections", "values": list(range(1, 21))}]
    orders = [
        [trial.point_ordinal for trial in expand(resolved(order="shuffled", axes=values, seed=seed)).trials]
        for seed in (1, 1, 2)
    ]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]


def test_seeds_differ_between_repetitions_and_settings_and_survive_a_new_axis_value() -> None:
    small = expand(resolved())
    large = expand(resolved(axes=[{"parameter": "connections", "values": [1, 2, 4]}]))

    def seeds(grid: Grid) -> dict[tuple[int, int], int]:
        return {
            (grid.points[trial.point_ordinal].parameters["connections"], trial.repetition): trial.seed
            for trial in grid.trials
        }

    assert len(set(seeds(small).values())) == 4
    assert seeds(small).items() <= seeds(large).items()


@pytest.mark.parametrize(
    ("parameter", "value", "place", "bound"),
    [
        ("connections", 8, ("load", "connections"), 8),
        ("pipeline", 16.0, ("load", "pipeline"), 16),
        ("threads", 2, ("threads",), 2),
        ("value_size_bytes", 64, ("dataset", "value_size"), {"kind": "fixed", "bytes": 64}),
        ("key_count", 5, ("dataset", "key_count"), 5),
        ("key_size_bytes", 40, ("dataset", "key_size_bytes"), 40),
    ],
)
def test_an_axis_value_reaches_the_engine_work(
    parameter: str, value: float, place: tuple[str, ...], bound: Any
) -> None:
    point = expand(resolved(axes=[{"parameter": parameter, "values": [value]}])).points[0]
    assert point.parameters[parameter] == value
    found: Any = point.work.model_dump()
    for step in place:
        found = found[step]
    assert found == bound


def test_rate_exponent_keys_and_share_reach_the_engine_work() -> None:
    load = {"kind": "open", "connections": 4, "rate_per_s": 10}
    work = expand(resolved(load=load, axes=[{"parameter": "rate_per_s", "values": [5000]}])).points[0].work
    assert work.load.model_dump()["rate_per_s"] == 5000

    zipf = workload_definition(access={"kind": "zipf", "exponent": 1})
    work = expand(resolved(workload=zipf, axes=[{"parameter": "zipf_exponent", "values": [0.5]}])).points[0].work
    assert work.access.model_dump() == {"kind": "zipf", "exponent": 0.5}

    many = workload_definition(operations=[{"kind": "multi_get", "weight": 1}, {"kind": "set", "weight": 1}])
    work = expand(resolved(workload=many, axes=[{"parameter": "keys_per_request", "values": [10]}])).points[0].work
    assert [operation.keys_per_request for operation in work.operations] == [10, 1]

    grid = expand(resolved(axes=[{"parameter": "get_share", "values": [0, 0.25, 1]}]))
    mixes = [[(item.kind, item.weight) for item in point.work.operations] for point in grid.points[:3]]
    assert mixes == [[("set", 1)], [("get", 0.25), ("set", 0.75)], [("get", 1)]]


def test_identity_names_profile_options_and_every_bound_value_but_no_label() -> None:
    renamed = targets(1)
    renamed[0]["name"] = "another label"
    first, second = (expand(resolved(targets=chosen)).points[0].identity for chosen in (targets(1), renamed))
    assert first == second
    assert first["target"]["options"] == {"save": "", "appendonly": "no"}
    assert first["load"]["connections"] == 1
    with_option = expand(resolved(targets=[targets(1)[0] | {"options": {"io-threads": "2"}}])).points[0].identity
    assert with_option != first


def test_phases_follow_the_plan() -> None:
    work = expand(resolved(warmup={"seconds": 1})).points[0].work
    assert [phase.name for phase in work.phases] == ["prefill", "warmup", "measure"]
    work = expand(resolved(prefill=False)).points[0].work
    assert [phase.name for phase in work.phases] == ["measure"]


def test_two_targets_of_one_name_are_told_apart() -> None:
    chosen = [{"kind": "redis", "profile": "none"}, {"kind": "redis", "profile": "none"}]
    grid = expand(resolved(targets=chosen, axes=[]))
    assert [point.parameters["target"] for point in grid.points] == ["Redis none", "Redis none (2)"]


def test_the_demo_recipe_is_estimated_within_90_seconds_and_all_recipes_expand() -> None:
    recipes = {recipe.slug: recipe.sizes for recipe in list_recipes().items}
    demo = next(size for size in recipes["memcached-vs-redis"] if size.size == "quick")
    assert 30 < demo.estimated_s <= 90
    assert all(size.trial_count > 0 for sizes in recipes.values() for size in sizes)


def test_an_identity_holds_what_was_chosen_and_not_what_was_left_as_it_is() -> None:
    class Later(FixedSize):
        new_in_this_version: int = 0

    assert (
        without_defaults(Later(bytes=100)) == without_defaults(FixedSize(bytes=100)) == {"kind": "fixed", "bytes": 100}
    )
    assert without_defaults(Later(bytes=100, new_in_this_version=1))["new_in_this_version"] == 1
