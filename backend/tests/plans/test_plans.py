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
    body = {"definition": edited, "name": "better", "version": 1}
    changed = client.put(f"/api/v1/plans/{created['id']}", json=body).json()
    assert (changed["id"], changed["name"], changed["version"]) == (created["id"], "better", 2)
    assert client.get(f"/api/v1/plans/{created['id']}").json()["definition"]["trials_per_point"] == 5


def test_an_archived_plan_is_gone_from_lists(client: Caller) -> None:
    created = client.post("/api/v1/plans", json={"definition": plan_definition()}).json()
    assert [item["id"] for item in client.get("/api/v1/plans").json()["items"]] == [created["id"]]
    assert client.delete(f"/api/v1/plans/{created['id']}").status_code == 204
    assert client.get("/api/v1/plans").json()["items"] == []
    assert client.get(f"/api/v1/plans/{created['id']}").status_code == 404


def test_of_two_people_who_edit_one_plan_the_second_is_told(client: Caller, editor: Caller) -> None:
    url = f"/api/v1/plans/{client.post('/api/v1/plans', json={'definition': plan_definition()}).json()['id']}"
    first = editor.put(url, json={"definition": plan_definition(name="theirs"), "version": 1})
    second = client.put(url, json={"definition": plan_definition(name="mine"), "version": 1})
    assert (first.status_code, second.status_code) == (200, 409)
    assert (second.json()["code"], second.json()["version"]) == ("plan_changed", 2)
    assert client.get(url).json()["name"] == "theirs"
    assert client.get(url).json()["version_created_by"]["name"] == editor.principal.user_name


def test_saving_the_same_again_makes_no_version(client: Caller) -> None:
    url = f"/api/v1/plans/{client.post('/api/v1/plans', json={'definition': plan_definition()}).json()['id']}"
    body = {"definition": plan_definition(), "name": "renamed", "version": 1}
    assert [client.put(url, json=body).json()["version"] for _ in range(2)] == [1, 1]
    assert client.get(url).json()["name"] == "renamed"
    assert len(client.get(f"{url}/versions").json()["items"]) == 1


def test_earlier_versions_stay_readable(client: Caller) -> None:
    url = f"/api/v1/plans/{client.post('/api/v1/plans', json={'definition': plan_definition()}).json()['id']}"
    client.put(url, json={"definition": plan_definition(trials_per_point=7), "version": 1})
    assert [item["version"] for item in client.get(f"{url}/versions").json()["items"]] == [2, 1]
    assert client.get(f"{url}?version=1").json()["definition"]["trials_per_point"] == 2
    assert client.get(f"{url}?version=3").status_code == 404


def test_plans_are_found_by_name_and_come_back_from_the_archive(client: Caller) -> None:
    made = {
        name: client.post("/api/v1/plans", json={"definition": plan_definition(name=name)}).json()["id"]
        for name in ("Nightly 100%", "weekly")
    }
    assert [item["id"] for item in client.get("/api/v1/plans?q=100%25").json()["items"]] == [made["Nightly 100%"]]
    client.delete(f"/api/v1/plans/{made['weekly']}")
    archived = client.get("/api/v1/plans?is_archived=true").json()["items"]
    assert [(item["id"], bool(item["archived_at"])) for item in archived] == [(made["weekly"], True)]
    assert client.post(f"/api/v1/plans/{made['weekly']}/restore").json()["archived_at"] is None
    assert len(client.get("/api/v1/plans").json()["items"]) == 2


def test_a_plan_too_large_is_refused_with_a_stable_code(client: Caller) -> None:
    huge = plan_definition(name="x" * 50_000_000)
    answer = client.post("/api/v1/plans", json={"definition": huge})
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    options = {f"option-{number}": "x" * 1000 for number in range(20_000)}
    many = plan_definition(targets=[{"kind": "memcached", "profile": "default", "options": options}])
    assert client.post("/api/v1/plans", json={"definition": many}).json()["code"] == "invalid_input"


def test_a_body_of_a_million_faults_is_answered_briefly(client: Caller) -> None:
    faulty = plan_definition(**{f"field{number}": number for number in range(200_000)})
    answer = client.post("/api/v1/plans", json={"definition": faulty})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
    assert len(answer.content) < 100_000


def test_a_plan_of_another_team_is_not_found(client: Caller, other_team: Caller) -> None:
    created = client.post("/api/v1/plans", json={"definition": plan_definition()}).json()
    url = f"/api/v1/plans/{created['id']}"
    assert other_team.get(url).status_code == 404
    assert other_team.put(url, json={"definition": plan_definition(), "version": 1}).status_code == 404
    assert other_team.get(f"{url}/versions").status_code == 404
    assert other_team.post(f"{url}/restore").status_code == 404
    assert other_team.delete(url).status_code == 404
    assert other_team.get("/api/v1/plans").json()["items"] == []


def test_every_recipe_can_be_submitted_as_it_is(client: Caller) -> None:
    recipes = client.get("/api/v1/recipes").json()["items"]
    sizes = [(recipe["slug"], size) for recipe in recipes for size in recipe["sizes"]]
    for slug, size in sizes:
        answer = client.post("/api/v1/plans/preview", json=size["definition"]).json()
        assert answer["refusals"] == [], (slug, size["size"])
        assert answer["estimated_s"] == size["estimated_s"]
        assert answer["trial_count"] == size["trial_count"]


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
