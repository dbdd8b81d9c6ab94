"""Invitations, members, several teams, and who administers the installation."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from loadstone.accounts import service
from loadstone.accounts.invitations import PER_ADDRESS
from loadstone.db import unit_of_work
from loadstone.http.principal import SESSION_COOKIE
from loadstone.models import Membership, Team
from loadstone_testing import factories
from loadstone_testing.callers import Caller
from sqlalchemy import func, select

SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
NEWCOMER = {"name": "Grace", "email": "Grace@Example.org", "password": "a long password"}
CREDENTIALS = {key: NEWCOMER[key] for key in ("email", "password")}


def invite(admin: Caller, **body: Any) -> dict[str, Any]:
    response = admin.post("/api/v1/invitations", json={"role": "editor"} | body)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


def accept(http: TestClient, token: str, body: dict[str, Any] | None = None) -> Response:
    return http.post(f"/api/v1/invitations/by-token/{token}/accept", json=body or {}, headers=SAME_ORIGIN)


def sign_up(http: TestClient, admin: Caller, **changes: Any) -> Response:
    return accept(http, invite(admin)["token"], NEWCOMER | changes)


def states(admin: Caller) -> list[str]:
    return [item["state"] for item in admin.get("/api/v1/invitations").json()["items"]]


def members(caller: Caller) -> dict[str, str]:
    return {item["user"]["email"]: item["role"] for item in caller.get("/api/v1/members").json()["items"]}


def test_a_newcomer_joins_by_the_link_and_is_signed_in(client: Caller, anonymous: TestClient) -> None:
    made = invite(client, role="editor")
    assert made["url"].endswith(f"/invite/{made['token']}")
    shown = anonymous.get(f"/api/v1/invitations/by-token/{made['token']}").json()
    assert (shown["team_name"], shown["role"], shown["invited_by"]) == (
        "first team",
        "editor",
        client.principal.user_name,
    )
    joined = accept(anonymous, made["token"], NEWCOMER)
    assert joined.status_code == 200, joined.text
    assert anonymous.get("/api/v1/me").json() == joined.json()
    assert members(client)["grace@example.org"] == "editor"
    assert states(client) == ["accepted"]


def test_a_link_lets_one_person_in(client: Caller, anonymous: TestClient) -> None:
    token = invite(client)["token"]
    assert accept(anonymous, token, NEWCOMER).status_code == 200
    anonymous.cookies.clear()
    second = accept(anonymous, token, NEWCOMER | {"email": "other@example.org"})
    assert (second.status_code, second.json()["code"]) == (410, "invitation_over")
    assert "other@example.org" not in members(client)


def test_of_two_who_accept_at_once_one_gets_in(client: Caller, anonymous: TestClient) -> None:
    token = invite(client)["token"]
    bodies = [NEWCOMER | {"email": f"{number}@example.org"} for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda body: accept(anonymous, token, body).status_code, bodies))
    assert sorted(statuses) == [200, 410, 410, 410]
    assert len(members(client)) == 2


@pytest.mark.parametrize("ending", ["revoked", "expired"])
def test_a_link_that_is_over_says_so(client: Caller, anonymous: TestClient, ending: str, pass_time: Any) -> None:
    made = invite(client, expires_in_days=1)
    if ending == "revoked":
        assert client.delete(f"/api/v1/invitations/{made['id']}").status_code == 204
    else:
        pass_time(86_401)
    assert states(client) == [ending]
    for response in (
        anonymous.get(f"/api/v1/invitations/by-token/{made['token']}"),
        accept(anonymous, made["token"], NEWCOMER),
    ):
        assert (response.status_code, response.json()["code"]) == (410, "invitation_over")
        assert ending in response.json()["detail"]


def test_a_made_up_link_is_not_found_and_guessing_is_slow(anonymous: TestClient) -> None:
    tries = [
        anonymous.get(f"/api/v1/invitations/by-token/{number}").status_code for number in range(PER_ADDRESS.amount + 1)
    ]
    assert set(tries[:-1]) == {404}
    assert tries[-1] == 429


def test_an_invitation_with_an_address_is_for_that_person_only(client: Caller, anonymous: TestClient) -> None:
    token = invite(client, email="ada@example.org")["token"]
    refused = accept(anonymous, token, NEWCOMER)
    assert (refused.status_code, refused.json()["code"]) == (403, "invitation_for_another")
    assert accept(anonymous, token, NEWCOMER | {"email": "ADA@example.org"}).status_code == 200


def test_someone_with_an_account_signs_in_first(client: Caller, anonymous: TestClient) -> None:
    assert sign_up(anonymous, client).status_code == 200
    anonymous.cookies.clear()
    other = factories.make_caller(anonymous, factories.make_team("second team"))
    token = invite(other)["token"]
    refused = accept(anonymous, token, NEWCOMER)
    assert (refused.status_code, refused.json()["code"]) == (409, "account_exists")
    anonymous.post("/api/v1/session", json=CREDENTIALS)
    joined = accept(anonymous, token)
    assert joined.json()["team"]["name"] == "second team"
    again = accept(anonymous, invite(other)["token"])
    assert (again.status_code, again.json()["code"]) == (409, "already_member")


@pytest.mark.parametrize("field", ["name", "email", "password"])
def test_a_newcomer_says_who_they_are(client: Caller, anonymous: TestClient, field: str) -> None:
    body = {key: value for key, value in NEWCOMER.items() if key != field}
    response = accept(anonymous, invite(client)["token"], body)
    assert (response.status_code, response.json()["path"]) == (422, field)
    assert states(client) == ["open"]


def test_a_person_with_two_teams_switches_and_sees_one_at_a_time(client: Caller, anonymous: TestClient) -> None:
    sign_up(anonymous, client)
    other = factories.make_caller(anonymous, factories.make_team("second team"))
    accept(anonymous, invite(other, role="viewer")["token"])
    client.post("/api/v1/targets", json=factories.managed_target(name="of the first"))
    teams = anonymous.get("/api/v1/teams").json()["items"]
    assert [(item["name"], item["role"], item["is_current"]) for item in teams] == [
        ("first team", "editor", False),
        ("second team", "viewer", True),
    ]
    assert anonymous.get("/api/v1/targets").json()["items"] == []
    moved = anonymous.post("/api/v1/session/team", json={"team_id": teams[0]["id"]}, headers=SAME_ORIGIN)
    assert (moved.json()["team"]["name"], moved.json()["role"]) == ("first team", "editor")
    assert [item["name"] for item in anonymous.get("/api/v1/targets").json()["items"]] == ["of the first"]


def test_nobody_switches_to_a_team_they_do_not_belong_to(client: Caller, anonymous: TestClient) -> None:
    sign_up(anonymous, client)
    stranger = factories.make_team("strangers")
    response = anonymous.post("/api/v1/session/team", json={"team_id": str(stranger.id)}, headers=SAME_ORIGIN)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_a_changed_role_holds_at_once(client: Caller, editor: Caller) -> None:
    path = f"/api/v1/members/{editor.principal.user_id}"
    assert client.patch(path, json={"role": "viewer"}).json()["role"] == "viewer"
    assert editor.post("/api/v1/targets", json=factories.managed_target()).status_code == 403


def test_a_removed_member_is_out_at_once(client: Caller, anonymous: TestClient) -> None:
    joined = sign_up(anonymous, client).json()
    token = anonymous.post("/api/v1/tokens", json={"name": "mine"}, headers=SAME_ORIGIN).json()["token"]
    assert client.delete(f"/api/v1/members/{joined['user']['id']}").status_code == 204
    assert anonymous.get("/api/v1/me").status_code == 401
    anonymous.cookies.clear()
    assert anonymous.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code == 401


@pytest.mark.parametrize("way", ["role", "removal", "leaving"])
def test_the_last_admin_cannot_go(client: Caller, anonymous: TestClient, way: str) -> None:
    path = f"/api/v1/members/{client.principal.user_id}"
    if way == "role":
        response = client.patch(path, json={"role": "viewer"})
    elif way == "removal":
        response = client.delete(path)
    else:
        made = accept(anonymous, invite(client, role="admin")["token"], NEWCOMER)
        assert made.status_code == 200
        assert client.delete(path).status_code == 204
        response = anonymous.delete("/api/v1/me/membership", headers=SAME_ORIGIN)
    assert (response.status_code, response.json()["code"]) == (409, "last_admin")


def test_two_admins_who_remove_each_other_leave_one(client: Caller, anonymous: TestClient, team: Team) -> None:
    other = factories.make_caller(anonymous, team, "admin")
    pairs = [(client, other.principal.user_id), (other, client.principal.user_id)]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda pair: pair[0].delete(f"/api/v1/members/{pair[1]}").status_code, pairs))
    assert answers.count(204) == 1
    with unit_of_work() as unit:
        left = select(func.count()).select_from(Membership).where(Membership.team_id == team.id)
        assert unit.session.scalar(left) == 1


@pytest.fixture
def owner(anonymous: TestClient, team: Team) -> Caller:
    """An instance admin."""
    return factories.make_caller(anonymous, team, "viewer", is_instance_admin=True)


def test_an_instance_admin_makes_a_team_and_is_its_first_admin(owner: Caller, anonymous: TestClient) -> None:
    made = owner.post("/api/v1/admin/teams", json={"name": " Storage "}).json()
    assert (made["name"], made["member_count"]) == ("Storage", 1)
    assert owner.patch(f"/api/v1/admin/teams/{made['id']}", json={"name": "Stores"}).status_code == 204
    teams = owner.get("/api/v1/admin/teams").json()["items"]
    assert [item["name"] for item in teams] == ["Stores", "first team"]
    users = owner.get("/api/v1/admin/users?q=PERSON").json()["items"]
    assert [team["name"] for user in users for team in user["teams"]] == ["Stores", "first team"]
    log = owner.get("/api/v1/admin/audit").json()["items"]
    assert [item["action"] for item in log] == ["team_renamed", "team_created"]


def test_a_deactivated_person_is_out_everywhere_and_can_come_back(
    owner: Caller, client: Caller, anonymous: TestClient
) -> None:
    joined = sign_up(anonymous, client).json()
    token = anonymous.post("/api/v1/tokens", json={"name": "mine"}, headers=SAME_ORIGIN).json()["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    path = f"/api/v1/admin/users/{joined['user']['id']}"
    assert owner.patch(path, json={"is_active": False}).json()["deactivated_at"] is not None
    assert anonymous.get("/api/v1/me").status_code == 401
    anonymous.cookies.clear()
    assert anonymous.get("/api/v1/me", headers=bearer).status_code == 401
    assert anonymous.post("/api/v1/session", json=CREDENTIALS).status_code == 401
    assert owner.patch(path, json={"is_active": True}).json()["deactivated_at"] is None
    assert anonymous.post("/api/v1/session", json=CREDENTIALS).status_code == 200
    assert SESSION_COOKIE in anonymous.cookies


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_instance_admin": False}])
def test_the_last_instance_admin_stays(owner: Caller, change: dict[str, bool]) -> None:
    response = owner.patch(f"/api/v1/admin/users/{owner.principal.user_id}", json=change)
    assert (response.status_code, response.json()["code"]) == (409, "last_instance_admin")


def test_the_first_account_administers_the_installation(database: str) -> None:
    with unit_of_work() as unit:
        for email in ("first@example.org", "second@example.org"):
            service.create_account(unit, email, "x", "a team", "admin", "a password")
        principals = [service.principal_of(unit, email) for email in ("first@example.org", "second@example.org")]
    assert [principal.is_instance_admin for principal in principals] == [True, False]
