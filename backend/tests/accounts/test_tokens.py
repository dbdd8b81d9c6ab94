"""API tokens: scopes, kinds, and that nothing of them is kept that opens anything."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from loadstone.accounts.sign_in_limit import WRONG_TOKENS
from loadstone.db import unit_of_work
from loadstone.models import ApiToken, Team, User
from loadstone_testing import factories
from loadstone_testing.callers import Caller
from sqlalchemy import select


def make(caller: Caller, **body: Any) -> dict[str, Any]:
    response = caller.post("/api/v1/tokens", json={"name": "a token"} | body)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    ("role", "scope", "effective"),
    [
        ("admin", "read", "viewer"),
        ("admin", "run", "editor"),
        ("admin", "manage", "admin"),
        ("editor", "read", "viewer"),
        ("editor", "manage", "editor"),
        ("viewer", "manage", "viewer"),
    ],
)
def test_a_token_does_the_lesser_of_its_scope_and_its_persons_role(
    anonymous: TestClient, team: Team, role: Any, scope: str, effective: str
) -> None:
    token = factories.make_token(factories.make_principal(team, role), scope=scope)
    assert anonymous.get("/api/v1/me", headers=bearer(token)).json()["role"] == effective


def test_a_token_cannot_make_a_stronger_one(client: Caller, anonymous: TestClient) -> None:
    weak = make(client, scope="run")["token"]
    made = anonymous.post("/api/v1/tokens", json={"name": "x", "scope": "manage"}, headers=bearer(weak))
    assert (made.status_code, made.json()["code"]) == (403, "scope_beyond_role")
    same = anonymous.post("/api/v1/tokens", json={"name": "x"}, headers=bearer(weak))
    assert (same.status_code, same.json()["scope"]) == (201, "run")


def test_a_role_that_is_lowered_lowers_the_tokens(client: Caller, editor: Caller, anonymous: TestClient) -> None:
    token = make(editor, scope="run")["token"]
    client.patch(f"/api/v1/members/{editor.principal.user_id}", json={"role": "viewer"})
    assert anonymous.get("/api/v1/me", headers=bearer(token)).json()["role"] == "viewer"


def test_a_teams_token_outlives_who_made_it(client: Caller, anonymous: TestClient, team: Team) -> None:
    other = factories.make_caller(anonymous, team, "admin")
    token = make(other, kind="team", scope="run", name="pipeline")["token"]
    assert client.delete(f"/api/v1/members/{other.principal.user_id}").status_code == 204
    me = anonymous.get("/api/v1/me", headers=bearer(token)).json()
    assert (me["user"]["name"], me["role"], me["is_instance_admin"]) == ("pipeline", "editor", False)
    with unit_of_work() as unit:
        unit.session.delete(unit.session.get_one(User, other.principal.user_id))
    assert anonymous.get("/api/v1/me", headers=bearer(token)).status_code == 200
    listed = client.get("/api/v1/tokens?kind=team").json()["items"]
    assert [(item["name"], item["created_by"]) for item in listed] == [("pipeline", None)]


def test_what_a_teams_token_makes_has_its_name(client: Caller, anonymous: TestClient) -> None:
    token = make(client, kind="team", scope="run", name="pipeline")["token"]
    body = {"plan": factories.plan_definition()}
    run = anonymous.post("/api/v1/runs", json=body, headers=bearer(token))
    assert run.json()["created_by"]["name"] == "pipeline"
    emails = [item["user"]["name"] for item in client.get("/api/v1/members").json()["items"]]
    assert "pipeline" not in emails


def test_only_admins_make_and_revoke_tokens_of_the_team(client: Caller, editor: Caller) -> None:
    refused = editor.post("/api/v1/tokens", json={"name": "x", "kind": "team"})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    made = make(client, kind="team")
    assert editor.delete(f"/api/v1/tokens/{made['id']}").status_code == 404
    assert client.delete(f"/api/v1/tokens/{made['id']}").status_code == 204


def test_personal_tokens_are_seen_by_their_person_only(client: Caller, editor: Caller) -> None:
    make(editor, name="mine")
    assert [item["name"] for item in editor.get("/api/v1/tokens").json()["items"]] == ["mine", "test"]
    assert [item["name"] for item in client.get("/api/v1/tokens").json()["items"]] == ["test"]


def test_the_table_holds_nothing_that_opens_anything(client: Caller) -> None:
    token = make(client)["token"]
    with unit_of_work() as unit:
        rows = unit.session.scalars(select(ApiToken)).all()
    stored = [str(value) for row in rows for value in vars(row).values()]
    assert not any(token in value or token.removeprefix("lst_") in value for value in stored)


def test_use_is_noted(client: Caller, anonymous: TestClient) -> None:
    made = make(client)
    assert made["last_used_at"] is None
    anonymous.get("/api/v1/me", headers=bearer(made["token"]))
    assert client.get("/api/v1/tokens").json()["items"][0]["last_used_at"] is not None


def test_guessing_tokens_is_slowed_down_and_right_ones_go_on(client: Caller, anonymous: TestClient) -> None:
    tries = [
        anonymous.get("/api/v1/me", headers=bearer(f"lst_{number}")).status_code
        for number in range(WRONG_TOKENS.amount + 1)
    ]
    assert set(tries[:-1]) == {401}
    assert tries[-1] == 429
    assert client.get("/api/v1/me").status_code == 200


@pytest.mark.parametrize(
    ("scope", "target", "status"),
    [
        ("read", "manage", 403),
        ("read", "run", 403),
        ("run", "manage", 403),
        ("run", "run", 204),
        ("manage", "manage", 204),
        ("read", "read", 204),
    ],
)
def test_a_token_ends_no_stronger_one_of_its_person(
    client: Caller, anonymous: TestClient, scope: str, target: str, status: int
) -> None:
    weak, strong = make(client, scope=scope)["token"], make(client, scope=target)
    answer = anonymous.delete(f"/api/v1/tokens/{strong['id']}", headers=bearer(weak))
    assert answer.status_code == status
    still = anonymous.get("/api/v1/me", headers=bearer(strong["token"])).status_code
    assert still == (401 if status == 204 else 200)
    if status == 403:
        assert answer.json()["code"] == "token_beyond_token"


def test_a_manage_token_of_a_viewer_can_be_ended_by_no_read_token(
    viewer: Caller, anonymous: TestClient, team: Team
) -> None:
    """What the person may do today may be more tomorrow."""
    strong, weak = make(viewer, scope="read"), factories.make_token(viewer.principal, scope="read")
    with unit_of_work() as unit:
        unit.session.get_one(ApiToken, strong["id"]).scope = "manage"
    assert anonymous.delete(f"/api/v1/tokens/{strong['id']}", headers=bearer(weak)).status_code == 403


def test_a_token_makes_none_that_outlives_it(client: Caller, anonymous: TestClient) -> None:
    ends_at = "2099-01-01T00:00:00Z"
    short = make(client, expires_at=ends_at)["token"]
    for expires_at in (None, "2099-01-01T00:00:01Z"):
        body = {"name": "x", "expires_at": expires_at}
        refused = anonymous.post("/api/v1/tokens", json=body, headers=bearer(short))
        assert (refused.status_code, refused.json()["code"], refused.json()["path"]) == (
            403,
            "token_beyond_token",
            "expires_at",
        )
    made = anonymous.post("/api/v1/tokens", json={"name": "x", "expires_at": ends_at}, headers=bearer(short))
    assert made.status_code == 201


def test_a_teams_token_makes_no_token_of_its_own_person(client: Caller, anonymous: TestClient) -> None:
    """The list of nobody would hold it, and it would outlive the token that made it."""
    token = make(client, kind="team", scope="manage", name="pipeline")["token"]
    refused = anonymous.post("/api/v1/tokens", json={"name": "x"}, headers=bearer(token))
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
