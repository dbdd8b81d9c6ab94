"""Saved plans and recipes."""

import pytest
from loadstone.db import unit_of_work
from loadstone.plans import service
from loadstone.plans.schemas import PlanDefinition
from loadstone_testing.callers import Caller
from loadstone_testing.factories import plan_definition


def test_a_saved_plan_gets_a_version_with_every_edit(client: Caller) -> None:
    created = client.post("/api/v1/plans", json={"definition": plan_definition()}).json()
    assert (created["name"], created["version"]) == ("a plan", 1)
    assert created["created_by"]["name"] == client.principal.user_name
    edited = plan_definition(trials_per_point=5)
    changed = client.put(f"/api/v1/plans/{created['id']}", json={"definition": edited, "name": "better"}).json()
    assert (changed["id"], changed["name"], changed["version"]) == (created["id"], "better", 2)
    assert client.get(f"/api/v1/plans/{created['id']}").json()["definition"]["trials_per_point"] == 5


def test_an_archived_plan_is_gone_from_lists(client: Caller) -> None:
    created = client.post("/api/v1/plans", json={"definition": plan_definition()}).json()
    assert [item["id"] for item in client.get("/api/v1/plans").json()["items"]] == [created["id"]]
    assert client.delete(f"/api/v1/plans/{created['id']}").status_code == 204
    assert client.get("/api/v1/plans").json()["items"] == []
    assert client.get(f"/api/v1/plans/{created['id']}").status_code == 404


def test_a_plan_of_another_team_is_not_found(client: Caller, other_team: Caller) -> None:
    created = client.post("/api/v1/plans", json={"definition": plan_definition()}).json()
    url = f"/api/v1/plans/{created['id']}"
    assert other_team.get(url).status_code == 404
    assert other_team.put(url, json={"definition": plan_definition()}).status_code == 404
    assert other_team.delete(url).status_code == 404
    assert other_team.get("/api/v1/plans").json()["items"] == []


def test_every_recipe_can_be_submitted_as_it_is(client: Caller) -> None:
    recipes = client.get("/api/v1/recipes").json()["items"]
    for recipe in recipes:
        answer = client.post("/api/v1/plans/preview", json=recipe["definition"]).json()
        assert answer["refusals"] == [], recipe["slug"]
        assert answer["estimated_s"] == recipe["estimated_s"]


def test_a_drawn_seed_survives_a_browser_and_a_given_one_is_kept(client: Caller) -> None:
    with unit_of_work() as unit:
        for seed, expected in ((None, None), (2**63 - 1, 2**63 - 1)):
            definition = PlanDefinition.model_validate(plan_definition(seed=seed))
            resolved = service.resolve_plan(unit, client.principal, definition)
            assert resolved.seed < 2**53 if expected is None else resolved.seed == expected


def test_a_refused_plan_raises_with_all_refusals(client: Caller) -> None:
    faulty = plan_definition(trials_per_point=0, axes=[{"parameter": "colour", "values": [1]}])
    with unit_of_work() as unit, pytest.raises(service.PlanRefused) as caught:
        service.resolve_plan(unit, client.principal, PlanDefinition.model_validate(faulty))
    assert [error["code"] for error in caught.value.extra["errors"]] == ["unknown_parameter", "no_trials"]
