"""Recipes and the figures that were published of the same studies."""

from typing import Any

import pytest
from loadstone.plans.figures import figures, figures_for_run, figures_of, mappings
from loadstone.plans.recipes import merge_patch, recipe_files
from loadstone.stats.metrics import METRICS
from loadstone_testing.callers import Caller

STUDIES = [
    "innodb-memcached-vs-native",
    "innodb-memcached-scaling",
    "key-list-stores",
    "four-stores-eleven-configurations",
    "mysql-as-key-value",
]
QUICK_LIMIT_S = 300


def detail(client: Caller, slug: str) -> dict[str, Any]:
    answer = client.get(f"/api/v1/recipes/{slug}")
    assert answer.status_code == 200
    recipe: dict[str, Any] = answer.json()
    return recipe


def size(recipe: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in recipe["sizes"] if one["size"] == name)
    return found


@pytest.mark.parametrize("slug", STUDIES)
def test_a_study_tells_its_question_method_source_and_what_differs(client: Caller, slug: str) -> None:
    recipe = detail(client, slug)
    assert recipe["study"]
    assert recipe["question"].endswith("?")
    assert len(recipe["method"]) >= 3
    assert len(recipe["differences"]) >= 4
    assert recipe["source"]["title"]
    assert 0 < recipe["published"]["mapped"] <= recipe["published"]["count"]


def test_every_recipe_has_a_quick_size_of_minutes_and_a_full_one() -> None:
    assert set(STUDIES) < set(recipe_files())
    assert [file.place for file in recipe_files().values()] == list(range(1, len(recipe_files()) + 1))
    assert all(set(file.sizes) == {"quick", "full"} for file in recipe_files().values())


def test_quick_sizes_are_short(client: Caller) -> None:
    items = client.get("/api/v1/recipes").json()["items"]
    assert [item["slug"] for item in items if size(item, "quick")["estimated_s"] > QUICK_LIMIT_S] == []
    assert [
        item["slug"] for item in items if size(item, "full")["trial_count"] < size(item, "quick")["trial_count"]
    ] == []


def test_every_published_figure_is_laid_onto_a_recipe_or_says_why_not() -> None:
    assert len(figures()) == 640
    by_study = {mapping.study: mapping for mapping in mappings().values()}
    silent = []
    for figure in figures():
        mapping = by_study[figure.study]
        is_laid = any(layer.holds(figure) for layer in mapping.layers)
        if is_laid == (mapping.reason(figure) is not None):
            silent.append(figure)
    assert silent == []


def test_mappings_name_targets_workloads_and_metrics_that_there_are() -> None:
    for slug, mapping in mappings().items():
        definition = recipe_files()[slug].definition("full")
        names = {target.name for target in definition.targets}  # type: ignore[union-attr]
        workloads = {entry.name for entry in definition.workloads}
        axes = {axis.parameter for axis in definition.axes}
        for layer in mapping.layers:
            assert {match["target"] for matches in layer.systems.values() for match in matches} <= names
            assert {match["workload"] for match in layer.scenarios.values() if "workload" in match} <= workloads
            assert set(layer.axes.values()) <= axes
            assert {one.metric for targets in layer.metrics.values() for one in targets} <= METRICS.keys()


def test_printed_figures_come_as_they_are_printed(client: Caller) -> None:
    answer = client.get("/api/v1/recipes/innodb-memcached-vs-native/published").json()
    assert sum(len(series["points"]) for series in answer["series"]) == len(figures_of("innodb-memcached-vs-native"))
    plugin = next(one for one in answer["series"] if "innodb" in one["system"] and one["scenario"] == "write")
    assert (plugin["metric"], plugin["unit"], plugin["reason"]) == ("elapsed", "s", None)
    assert {point["x"]: point["value"] for point in plugin["points"]}[256] == 33914.31
    remote = next(one for one in answer["series"] if one["client"] == "memslap, over the network")
    assert "second host" in remote["reason"]
    assert client.get("/api/v1/recipes/pipeline-depth/published").json() == {"series": [], "source": None}
    assert client.get("/api/v1/recipes/nothing/published").status_code == 404


def test_a_run_remembers_its_recipe_and_shows_the_published_figures_on_its_own_points(client: Caller) -> None:
    ref = {"slug": "innodb-memcached-vs-native", "size": "quick"}
    run = client.post("/api/v1/runs", json={"recipe": ref}).json()
    assert run["recipe"] == ref
    assert [item["id"] for item in client.get(f"/api/v1/runs?recipe={ref['slug']}").json()["items"]] == [run["id"]]
    assert client.get("/api/v1/runs?recipe=pipeline-depth").json()["items"] == []
    found = client.get(f"/api/v1/runs/{run['id']}/published").json()
    assert found["normalise_to"] == {"target": "memcached"}
    writes = [one for one in found["series"] if one["match"] == {"workload": "write", "target": "memcached"}]
    assert {one["metric"] for one in writes} == {"elapsed_s", "time_per_operation_ns"}
    elapsed = next(one for one in writes if one["metric"] == "elapsed_s")
    assert (elapsed["axis"], elapsed["unit"]) == ("connections", "s")
    assert elapsed["points"][0] == {"x": 4.0, "value": 5.078, "note": None}
    derived = next(one for one in writes if one["metric"] == "time_per_operation_ns")
    assert derived["points"][0]["value"] == pytest.approx(50_780)


def test_a_run_of_no_study_has_no_published_figures(client: Caller, other_team: Caller) -> None:
    run = client.post("/api/v1/runs", json={"recipe": {"slug": "pipeline-depth", "size": "quick"}}).json()
    empty = {"series": [], "normalise_to": None, "source": None}
    assert client.get(f"/api/v1/runs/{run['id']}/published").json() == empty
    assert other_team.get(f"/api/v1/runs/{run['id']}/published").status_code == 404


def test_an_elapsed_time_is_laid_only_beside_a_fixed_count() -> None:
    definition = recipe_files()["innodb-memcached-vs-native"].definition("quick")
    plan = {**definition.model_dump(mode="json"), "seed": 1, "targets": []}
    assert figures_for_run("innodb-memcached-vs-native", plan).series == []


def test_an_unknown_recipe_or_size_is_not_found(client: Caller) -> None:
    for ref in ({"slug": "nothing", "size": "quick"}, {"slug": "nothing", "size": "full"}):
        answer = client.post("/api/v1/runs", json={"recipe": ref})
        assert (answer.status_code, answer.json()["path"]) == (404, "recipe.slug")
    assert client.get("/api/v1/recipes/nothing").status_code == 404


def test_a_saved_plan_hands_its_recipe_on_to_its_runs(client: Caller) -> None:
    ref = {"slug": "pipeline-depth", "size": "quick"}
    definition = size(detail(client, ref["slug"]), "quick")["definition"]
    plan = client.post("/api/v1/plans", json={"definition": definition, "recipe": ref}).json()
    assert plan["recipe"] == ref
    assert client.post("/api/v1/runs", json={"plan_id": plan["id"]}).json()["recipe"] == ref


def test_a_patch_changes_adds_and_takes_away() -> None:
    whole = {"a": {"b": 1, "c": 2}, "d": [1, 2]}
    assert merge_patch(whole, {"a": {"b": None, "e": 3}, "d": [9]}) == {"a": {"c": 2, "e": 3}, "d": [9]}
