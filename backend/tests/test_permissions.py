"""Every route, asked by everyone: what `permissions.toml` says of it holds, and a route it does not know fails."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import redis
from fastapi.testclient import TestClient
from loadstone.models import Team
from loadstone.openapi import openapi_text
from loadstone_testing import factories
from loadstone_testing.askers import ASKERS, asking_as, open_session, signed_in
from loadstone_testing.callers import Caller
from loadstone_testing.one_of_each import make_one_of_each

TABLE = tomllib.loads((Path(__file__).parent / "permissions.toml").read_text())
NEEDS: Final[dict[str, str]] = TABLE["needs"]
QUERIES: Final[dict[str, str]] = TABLE["queries"]
BODIES: Final[dict[str, str]] = TABLE["bodies"]
NAMED_IN_BODIES: Final[dict[str, list[str]]] = TABLE["named_in_bodies"]
NOWHERE = "0190a000-0000-7000-8000-000000000000"


def routes() -> list[str]:
    document = json.loads(openapi_text())
    return [f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods]


def address(path: str, ids: dict[str, str] | None = None) -> str:
    """With the ids that are known, and one of nothing for the others."""
    values = {"form": "csv"} | (ids or {})
    return re.sub(r"{(\w+)}", lambda name: values.get(name[1], NOWHERE), path)


def full_address(route: str, ids: dict[str, str]) -> str:
    return address(route.split(" ")[1], ids) + filled(QUERIES.get(route, ""), ids)


def test_every_route_says_what_it_needs() -> None:
    assert sorted(routes()) == sorted(NEEDS), "add new routes to permissions.toml, and take out those that are gone"
    assert set(NEEDS.values()) <= {"public", "reader", "editor", "admin", "person", "instance", "agent"}


def test_only_what_is_meant_for_visitors_is_public() -> None:
    public = {route for route, needed in NEEDS.items() if needed == "public"}
    for_visitors = "session$|shared/|schemas/|invitations/by-token/"
    meant = rf"(GET|POST) (/healthz|/readyz|/agent/v1/enroll|/api/v1/({for_visitors}).*)"
    assert {route for route in public if not re.fullmatch(meant, route)} == set()


@pytest.mark.parametrize("name", ASKERS)
def test_each_route_lets_in_whom_it_should(name: str, anonymous: TestClient, team: Team, redis_url: str) -> None:
    asker = ASKERS[name]
    ask = asking_as(name, anonymous, team)
    wrong = []
    for route, needed in NEEDS.items():
        method, path = route.split(" ")
        response = ask(method, address(path), {} if method != "GET" else None)
        refused = response.status_code if response.status_code in (401, 403) else None
        expected = None if asker.may(needed) else 403 if asker.is_known_to(route) else 401
        if response.status_code == 429:
            anonymous_limits_reset(redis_url)
            refused = 401
        if refused != expected:
            wrong.append(f"{route}: {response.status_code} instead of {expected}")
    assert wrong == []


def anonymous_limits_reset(redis_url: str) -> None:
    """Wrong tokens are counted, and here there are many."""
    with redis.Redis.from_url(redis_url) as connection:
        connection.flushdb()


@pytest.fixture
def known(client: Caller, team: Team) -> dict[str, str]:
    bodies = {"plan": json.dumps(factories.plan_definition()), "workload": json.dumps(factories.workload_definition())}
    return make_one_of_each(client) | bodies | {"session_id": str(open_session(team, "viewer").id)}


NAMING = [route for route in NEEDS if "_id}" in route and NEEDS[route] not in ("public", "agent", "instance")]


def test_every_id_in_an_address_has_an_object_to_try(known: dict[str, str]) -> None:
    names = {name for route in NAMING for name in re.findall(r"{(\w+_id)}", route)}
    assert names - known.keys() == set(), "make one in one_of_each.py"


def test_another_teams_objects_are_not_there(client: Caller, known: dict[str, str], anonymous: TestClient) -> None:
    stranger = signed_in(anonymous, factories.make_team("strangers"), "admin")
    wrong = []
    for route in NAMING:
        response = stranger(route.split(" ")[0], full_address(route, known), body_for(route, known))
        if (response.status_code, response.json().get("code")) != (404, "not_found"):
            wrong.append(f"{route}: {response.status_code} {response.text[:200]}")
    assert wrong == []


def test_ones_own_objects_are_there(client: Caller, known: dict[str, str]) -> None:
    """Else the test above would prove nothing. Deleting comes last."""
    missing = []
    for route in [route for route in NAMING if route.startswith("GET") and not route.endswith("/events")]:
        response = client.get(full_address(route, known))
        if response.status_code >= 400:
            missing.append(f"{route}: {response.status_code} {response.text[:200]}")
    assert missing == []


def test_a_body_cannot_name_another_teams_objects(known: dict[str, str], anonymous: TestClient) -> None:
    stranger = signed_in(anonymous, factories.make_team("strangers"), "admin")
    for route, bodies in NAMED_IN_BODIES.items():
        method, path = route.split(" ")
        for text in bodies:
            theirs = stranger(method, path, json.loads(filled(text, known)))
            assert theirs.status_code in (404, 409, 422), f"{route} {text}: {theirs.status_code} {theirs.text[:200]}"


def body_for(route: str, ids: dict[str, str]) -> Any:
    if route.startswith("GET"):
        return None
    return json.loads(filled(BODIES.get(route, "{}"), ids))


def filled(text: str, ids: dict[str, str]) -> str:
    """`<run_id>` stands for the id of that object, `<plan>` and `<workload>` for such a definition."""
    return re.sub(r"<(\w+)>", lambda name: ids[name[1]], text)
