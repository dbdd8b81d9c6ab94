"""What nobody sends by mistake: half characters, numbers that are none, and two ways to sign in at once."""

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from loadstone.accounts.passwords import hash_password
from loadstone.http.principal import SESSION_COOKIE
from loadstone.main import create_app
from loadstone.models import Team
from loadstone.openapi import OPENAPI_FILE
from loadstone_testing import factories
from loadstone_testing.callers import Caller
from loadstone_testing.one_of_each import make_one_of_each

DOCUMENT = json.loads(OPENAPI_FILE.read_text())
PASSWORD = "correct horse battery"
HALF = '"\\ud800"'
UNSAFE = ("post", "put", "patch", "delete")


def json_routes() -> list[tuple[str, str]]:
    """Every route that takes JSON."""
    return [
        (method, path)
        for path, operations in DOCUMENT["paths"].items()
        for method, operation in operations.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    ]


@pytest.fixture
def known(client: Caller) -> dict[str, str]:
    return make_one_of_each(client)


def address(path: str, known: dict[str, str]) -> str:
    ids = {**known, "token": known["share_token"] if "/shared/" in path else known["invitation_token"]}
    return re.sub(r"\{(\w+)\}", lambda name: ids.get(name[1], "0" * 8 + "-0000-4000-8000-" + "0" * 12), path)


@pytest.mark.parametrize("value", [HALF, '{"a": ["x", "\\uDFff y"]}', "NaN", "-Infinity", "1e999", '[{"a":1E+400 }]'])
def test_no_route_takes_what_is_no_text_or_no_number(client: Caller, known: dict[str, str], value: str) -> None:
    """As a whole body, as a field that is known, and as the name of one."""
    fields = {
        name
        for schema in DOCUMENT["components"]["schemas"].values()
        for name in schema.get("properties", {})
        if name in ("name", "text", "reason", "definition", "title", "labels", "address", "options", "view", "email")
    }
    bodies = [value, *(f'{{"{name}": {value}}}' for name in sorted(fields)), f"{{{HALF}: {value}}}"]
    headers = {"Content-Type": "application/json"}
    for method, path in json_routes():
        token = {"Authorization": f"Bearer {known['agent_token']}"} if path.startswith("/agent/") else {}
        for body in bodies:
            answer = client.request(method, address(path, known), content=body, headers=headers | token)
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input"), f"{method} {path}: {body}"


def test_an_escaped_backslash_and_a_whole_pair_are_text(client: Caller) -> None:
    for name in ('"\\\\ud800"', '"\\ud83d\\ude00"', '"NaN and 1e999,"'):
        answer = client.post(
            "/api/v1/tokens", content=f'{{"name": {name}}}', headers={"Content-Type": "application/json"}
        )
        assert (answer.status_code, answer.json().get("name")) == (201, json.loads(name))


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/x-www-form-urlencoded"])
def test_a_body_that_does_not_say_that_it_is_json_does_not_slip_through(client: Caller, content_type: str) -> None:
    answer = client.post("/api/v1/tokens", content=f'{{"name": {HALF}}}', headers={"Content-Type": content_type})
    assert answer.status_code in (400, 415, 422)


def test_half_characters_elsewhere_are_no_fault_of_ours(client: Caller, known: dict[str, str]) -> None:
    half = "%ED%A0%80"
    asked = [
        client.get(f"/api/v1/runs?q={half}&label={half}"),
        client.get(f"/api/v1/targets?cursor={half}"),
        client.get(f"/api/v1/shared/{half}"),
        client.get(f"/api/v1/targets/{half}"),
        client.get("/api/v1/me", headers={"User-Agent": b"\xed\xa0\x80"}),
        client.post(
            f"/api/v1/traces?name={half}", content=b"0,get,\xed\xa0\x80,\n", headers={"Content-Type": "text/csv"}
        ),
        client.post("/api/v1/bundles", content=b"\xed\xa0\x80", headers={"Content-Type": "application/zip"}),
    ]
    assert [answer.status_code for answer in asked if answer.status_code >= 500] == []


def signed_in(anonymous: TestClient, team: Team) -> str:
    person = factories.make_principal(team, "admin", password_hash=hash_password(PASSWORD))
    anonymous.post("/api/v1/session", json={"email": person.email, "password": PASSWORD})
    cookie = anonymous.cookies.get(SESSION_COOKIE)
    assert cookie is not None
    return cookie


@pytest.mark.parametrize("header", ["x", "Basic eDp5", "Bearer", "Bearer lst_wrong", ""])
def test_beside_an_authorization_header_no_cookie_signs_in(anonymous: TestClient, team: Team, header: str) -> None:
    signed_in(anonymous, team)
    hostile = {"Authorization": header, "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    made = anonymous.post("/api/v1/workloads", json={}, headers=hostile)
    assert (made.status_code, made.json()["code"]) == (401, "unauthenticated")
    assert anonymous.get("/api/v1/me", headers=hostile).status_code == 401
    assert anonymous.get("/api/v1/me").status_code == 200


def test_every_change_documents_that_its_origin_is_looked_at() -> None:
    changes = [
        (f"{method} {path}", operation["responses"].get("403", {}).get("description", ""))
        for path, operations in create_app().openapi()["paths"].items()
        for method, operation in operations.items()
        if method in UNSAFE
    ]
    assert len(changes) > 50
    assert [name for name, description in changes if "`origin_refused`" not in description] == []


def test_every_route_documents_that_the_database_may_be_away() -> None:
    without: list[Any] = [
        path
        for path, operations in create_app().openapi()["paths"].items()
        for operation in operations.values()
        if "503" not in operation["responses"]
    ]
    assert without == []
