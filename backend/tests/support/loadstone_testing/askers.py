"""Everyone who may call the api, by name: people of each rank, tokens of each scope, agents, and former members."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from fastapi.testclient import TestClient
from httpx2 import Response
from loadstone.accounts.passwords import hash_password
from loadstone.db import unit_of_work
from loadstone.http.principal import SESSION_COOKIE
from loadstone.models import Membership, Team, User, UserSession
from loadstone.principal import Role
from loadstone.tokens import new_token, token_hash

from loadstone_testing import factories
from loadstone_testing.simulated_agent import SimulatedAgent

RANK = {"viewer": 0, "editor": 1, "admin": 2}
LEAST = {"reader": 0, "editor": 1, "admin": 2}

Ask = Callable[[str, str, Any], Response]


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


@cache
def some_password_hash() -> str:
    """Of a password that nobody sends; hashing is slow on purpose."""
    return hash_password("correct horse battery staple")


def open_session(team: Team, role: Role, **columns: Any) -> OpenSession:
    person = factories.make_principal(team, role, password_hash=some_password_hash(), **columns)
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
