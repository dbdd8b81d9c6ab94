"""The published JSON Schema of plans says what the api says."""

import json
from typing import Any

import jsonschema_rs
import pytest
from fastapi.testclient import TestClient
from loadstone.openapi import PLAN_SCHEMA_FILE, plan_schema_text
from loadstone.plans.recipes import list_recipes
from loadstone.plans.schemas import PlanDefinition
from loadstone_testing.factories import plan_definition
from pydantic import ValidationError


def is_valid(plan: dict[str, Any]) -> bool:
    return jsonschema_rs.validator_for(json.loads(PLAN_SCHEMA_FILE.read_text())).is_valid(plan)


def test_the_checked_in_schema_is_what_the_code_says() -> None:
    assert PLAN_SCHEMA_FILE.read_text() == plan_schema_text(), "run `python -m loadstone.openapi` and commit the result"


def test_the_api_serves_it_to_editors_that_have_no_token(anonymous: TestClient) -> None:
    response = anonymous.get("/api/v1/schemas/plan.json")
    assert response.status_code == 200
    assert response.json() == json.loads(PLAN_SCHEMA_FILE.read_text())


def test_every_recipe_satisfies_it() -> None:
    sizes = [size for recipe in list_recipes().items for size in recipe.sizes]
    assert len(sizes) >= 10
    written = [size.definition.model_dump(mode="json", exclude_unset=True) for size in sizes]
    assert [plan["name"] for plan in written if not is_valid(plan)] == []


@pytest.mark.parametrize(
    "change",
    [
        {"trails_per_point": 3},
        {"order": "random"},
        {"load": {"kind": "closed", "connections": 0}},
        {"targets": [{"kind": "redis"}]},
        {"axes": [{"parameter": "connections", "values": ["many"]}]},
        {"stop": {"seconds": -1}},
    ],
)
def test_it_refuses_what_the_api_refuses(change: dict[str, Any]) -> None:
    plan = plan_definition(**change)
    assert is_valid(plan_definition())
    assert not is_valid(plan)
    with pytest.raises(ValidationError):
        PlanDefinition.model_validate(plan)
