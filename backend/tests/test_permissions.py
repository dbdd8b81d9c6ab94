"""Every route, asked by everyone: what `permissions.toml` says of it holds, and a route it does not know fails."""

import json
import re
import tomllib
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import redis
from fastapi.testclient import TestClient
from httpx2 import Response
from loadstone.db import unit_of_work
from loadstone.http.principal import SESSION_COOKIE
from loadstone.models import Membership, Team, User, UserSession
from loadstone.openapi import openapi_text
from loadstone.principal import Role
from loadstone.tokens import new_token, token_hash
from loadstone_testing import factories
from loadstone_testing.callers import Caller
from loadstone_testing.one_of_each import make_one_of_each
from loadstone_testing.simulated_agent import SimulatedAgent

TABLE = tomllib.loads((Path(__file__).parent / "permissions.toml").read_text())
NEEDS: Final[dict[str, str]] = TABLE["needs"]
QUERIES: Final[dict[str, str]] = TABLE["queries"]
BODIES: Final[dict[str, str]] = TABLE["bodies"]
NAMED_IN_BODIES: Final[dict[str, list[str]]] = TABLE["named_in_bodies"]
NOWHERE = "0190a000-0000-7000-8000-000000000000"
RANK = {"viewer": 0, "editor": 1, "admin": 2}
LEAST = {"reader": 0, "editor": 1, "admin": 2}

Ask = Callable[[str, str, Any], Response]


def routes() -> list[str]:
    document = json.loads(openapi_text())
    return [f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods]


def address(path: str, ids: dict[str, str] | None = None) -> str:
    """With the ids that are known, and one of nothing for the others."""
    values = {"form": "csv"} | (ids or {})
    return re.sub(r"{(\w+)}", lambda name: values.get(name[1], NOWHERE), path)


def full_address(route: str, ids: dict[str, str]) -> str:
    return address(route.split(" ")[1], ids) + filled(QUERIES.get(route, ""), ids)


@dataclass(frozen=True)
class Asker:
    """`rank` is what they may do in their team, None for who belongs to none."""

    rank: int | None
    is_person: bool = False
    is_instance_admin: bool = False
    is_agent: bool = False

    def may(self, needed: str) -> bool:
        if needed == "public":
            return True
        if needed == "agent":
            return self.is_agent
        if needed == "instance":
            return self.is_instance_admin
        if needed == "person":
            return self.is_person
        return self.rank is not None and self.rank >= LEAST[needed]

    def is_known_to(self, route: str) -> bool:
        return self.is_agent if "/agent/v1/" in route else self.rank is not None


ASKERS = {
    "anonymous": Asker(None),
    "viewer": Asker(0),
    "editor": Asker(1),
    "admin": Asker(2),
    "signed-in viewer": Asker(0, is_person=True),
    "signed-in admin": Asker(2, is_person=True),
    "instance admin": Asker(0, is_person=True, is_instance_admin=True),
    "instance admin's token of scope run": Asker(0),
    "admin's token of scope read": Asker(0),
    "admin's token of scope run": Asker(1),
    "viewer's token of scope manage": Asker(0),
    "team's token of scope read": Asker(0),
    "team's token of scope run": Asker(1),
    "team's token of scope manage": Asker(2),
    "expired token": Asker(None),
    "revoked token": Asker(None),
    "deactivated admin": Asker(None),
    "former member": Asker(None),
    "agent": Asker(None, is_agent=True),
}


def with_token(http: TestClient, token: str) -> Ask:
    return lambda method, path, body: http.request(
        method, path, json=body, headers={"Authorization": f"Bearer {token}"}
    )


def signed_in(http: TestClient, team: Team, role: Role, **columns: Any) -> Ask:
    """A new person for each request: some of them end the session."""

    def ask(method: str, path: str, body: Any) -> Response:
        token = open_session(team, role, **columns).token
        headers = {"Cookie": f"{SESSION_COOKIE}={token}", "Sec-Fetch-Site": "same-origin"}
        return http.request(method, path, json=body, headers=headers)

    return ask


class OpenSession(NamedTuple):
    id: uuid.UUID
    token: str


def open_session(team: Team, role: Role, **columns: Any) -> OpenSession:
    person = factories.make_principal(team, role, **columns)
    token = new_token("lss_")
    row = UserSession(
        user_id=person.user_id,
        team_id=team.id,
        token_hash=token_hash(token),
        expires_at=datetime.now(UTC) + timedelta(days=1),
    )
    with unit_of_work() as unit:
        unit.session.add(row)
    return OpenSession(row.id, token)


def token_of(team: Team, role: Role, person: dict[str, Any] | None = None, **columns: Any) -> str:
    return factories.make_token(factories.make_principal(team, role, **(person or {})), **columns)


def team_token(http: TestClient, team: Team, scope: str) -> str:
    admin = factories.make_caller(http, team)
    made = admin.post("/api/v1/tokens", json={"name": "ci", "kind": "team", "scope": scope})
    with unit_of_work() as unit:
        # It outlives who made it.
        unit.session.delete(unit.session.get_one(User, admin.principal.user_id))
    return str(made.json()["token"])


def former_member(team: Team) -> str:
    person = factories.make_principal(team)
    with unit_of_work() as unit:
        unit.session.delete(unit.session.get_one(Membership, (team.id, person.user_id)))
    return factories.make_token(person)


def asking_as(name: str, http: TestClient, team: Team) -> Ask:
    now = datetime.now(UTC)
    if name == "anonymous":
        return lambda method, path, body: http.request(method, path, json=body)
    if name in RANK:
        return with_token(http, factories.make_caller(http, team, name).token)  # type: ignore[arg-type]
    if name == "agent":
        return with_token(http, SimulatedAgent.enroll(factories.make_caller(http, team)).token)
    if name.startswith("signed-in"):
        return signed_in(http, team, name.removeprefix("signed-in "))  # type: ignore[arg-type]
    if name == "instance admin":
        return signed_in(http, team, "viewer", is_instance_admin=True)
    if name.startswith("team's token"):
        return with_token(http, team_token(http, team, name.rsplit(" ", 1)[1]))
    tokens: dict[str, Callable[[], str]] = {
        "instance admin's token of scope run": lambda: token_of(
            team, "viewer", {"is_instance_admin": True}, scope="run"
        ),
        "admin's token of scope read": lambda: token_of(team, "admin", scope="read"),
        "admin's token of scope run": lambda: token_of(team, "admin", scope="run"),
        "viewer's token of scope manage": lambda: token_of(team, "viewer", scope="manage"),
        "expired token": lambda: token_of(team, "admin", expires_at=now - timedelta(seconds=1)),
        "revoked token": lambda: token_of(team, "admin", revoked_at=now),
        "deactivated admin": lambda: token_of(team, "admin", {"deactivated_at": now}),
        "former member": lambda: former_member(team),
    }
    return with_token(http, tokens[name]())


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
