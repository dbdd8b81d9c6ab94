"""Signing in with a browser, and what a cookie may do."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from fastapi.testclient import TestClient
from loadstone.accounts import service
from loadstone.accounts.sign_in_limit import PER_ACCOUNT
from loadstone.db import unit_of_work
from loadstone.http.principal import SESSION_COOKIE
from loadstone.settings import get_settings
from loadstone_testing import factories
from loadstone_testing.callers import Caller

EMAIL = "ada@example.org"
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def password(database: str) -> str:
    with unit_of_work() as unit:
        generated = service.create_account(unit, EMAIL, "Ada", "a team", "editor", None)
    assert generated is not None
    return generated


def sign_in(http: TestClient, password: str, email: str = EMAIL) -> int:
    return http.post("/api/v1/session", json={"email": email, "password": password}).status_code


def test_right_password_opens_a_session_in_an_http_only_cookie(anonymous: TestClient, password: str) -> None:
    response = anonymous.post("/api/v1/session", json={"email": EMAIL.upper(), "password": password})
    assert response.status_code == 200
    assert response.json()["team"]["name"] == "a team"
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert anonymous.get("/api/v1/me").json() == response.json()


def test_wrong_password_and_unknown_person_get_the_same_answer(anonymous: TestClient, password: str) -> None:
    wrong = anonymous.post("/api/v1/session", json={"email": EMAIL, "password": "wrong"})
    unknown = anonymous.post("/api/v1/session", json={"email": "nobody@example.org", "password": "wrong"})
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()
    assert wrong.json()["code"] == "wrong_credentials"


def test_signing_out_ends_the_session_on_the_server(anonymous: TestClient, password: str) -> None:
    sign_in(anonymous, password)
    token = anonymous.cookies[SESSION_COOKIE]
    assert anonymous.delete("/api/v1/session", headers=SAME_ORIGIN).status_code == 204
    anonymous.cookies.set(SESSION_COOKIE, token)
    assert anonymous.get("/api/v1/me").json()["code"] == "unauthenticated"


def test_a_session_ends_after_its_days(anonymous: TestClient, password: str) -> None:
    sign_in(anonymous, password)
    token = anonymous.cookies[SESSION_COOKIE]
    with time_machine.travel(datetime.now(UTC) + timedelta(days=15), tick=True):
        # The client itself would not send an expired cookie.
        headers = {"Cookie": f"{SESSION_COOKIE}={token}"}
        assert anonymous.get("/api/v1/me", headers=headers).status_code == 401


def test_too_many_attempts_are_refused_even_with_the_right_password(anonymous: TestClient, password: str) -> None:
    email = "hammered@example.org"
    tries = [sign_in(anonymous, "wrong", email) for _ in range(PER_ACCOUNT.amount)]
    assert set(tries) == {401}
    assert sign_in(anonymous, "wrong", email) == 429


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Origin": "http://127.0.0.1:8080"}, 201),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 403),
    ],
)
def test_a_cookie_may_change_things_from_our_own_page_only(
    anonymous: TestClient, password: str, headers: dict[str, str], status: int
) -> None:
    sign_in(anonymous, password)
    response = anonymous.post("/api/v1/tokens", json={"name": "x"}, headers=headers)
    assert response.status_code == status


def test_creating_an_account_again_keeps_its_password_and_changes_its_role(
    anonymous: TestClient, password: str
) -> None:
    with unit_of_work() as unit:
        assert service.create_account(unit, EMAIL, "Ada", "a team", "admin", None) is None
    assert sign_in(anonymous, password) == 200
    assert anonymous.get("/api/v1/me").json()["role"] == "admin"


def test_a_token_is_shown_once_and_dies_when_revoked(client: Caller) -> None:
    created = client.post("/api/v1/tokens", json={"name": "ci"}).json()
    listed = client.get("/api/v1/tokens").json()["items"]
    assert [item["name"] for item in listed] == ["ci", "test"]
    assert all("token" not in item for item in listed)
    bearer = {"Authorization": f"Bearer {created['token']}"}
    assert client.http.get("/api/v1/me", headers=bearer).status_code == 200
    assert client.delete(f"/api/v1/tokens/{created['id']}").status_code == 204
    assert client.http.get("/api/v1/me", headers=bearer).status_code == 401


def test_an_expired_token_opens_nothing(client: Caller) -> None:
    token = factories.make_token(client.principal, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    assert client.http.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_a_token_of_someone_else_cannot_be_revoked(client: Caller, other_team: Caller) -> None:
    created = client.post("/api/v1/tokens", json={"name": "mine"}).json()
    response = other_team.delete(f"/api/v1/tokens/{created['id']}")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_without_redis_people_may_still_sign_in(
    anonymous: TestClient, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOADSTONE_BROKER_URL", "redis://127.0.0.1:1/0")
    get_settings.cache_clear()
    try:
        assert sign_in(anonymous, password) == 200
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()


def browser(http: TestClient, password: str) -> dict[str, str]:
    """Another browser of the same person."""
    sign_in(http, password)
    cookie = http.cookies[SESSION_COOKIE]
    http.cookies.clear()
    return {"Cookie": f"{SESSION_COOKIE}={cookie}", **SAME_ORIGIN}


def test_sessions_are_listed_and_one_of_them_is_ended(anonymous: TestClient, password: str) -> None:
    first, second = browser(anonymous, password), browser(anonymous, password)
    items = anonymous.get("/api/v1/sessions", headers=first).json()["items"]
    assert [item["is_current"] for item in items].count(True) == 1
    other = next(item["id"] for item in items if not item["is_current"])
    assert anonymous.delete(f"/api/v1/sessions/{other}", headers=first).status_code == 204
    assert anonymous.get("/api/v1/me", headers=second).status_code == 401
    assert anonymous.get("/api/v1/me", headers=first).status_code == 200


def test_a_new_password_ends_the_other_sessions(anonymous: TestClient, password: str) -> None:
    first, second = browser(anonymous, password), browser(anonymous, password)
    body = {"current_password": password, "new_password": "a new password"}
    wrong = anonymous.post("/api/v1/me/password", json=body | {"current_password": "guess"}, headers=first)
    assert (wrong.status_code, wrong.json()["code"]) == (403, "wrong_password")
    changed = anonymous.post("/api/v1/me/password", json=body, headers=first)
    assert changed.json() == {"sessions_ended": 1, "tokens_revoked": 0, "tokens_valid": 0}
    assert anonymous.get("/api/v1/me", headers=first).status_code == 200
    assert anonymous.get("/api/v1/me", headers=second).status_code == 401
    assert sign_in(anonymous, password) == 401
    assert sign_in(anonymous, "a new password") == 200


def test_a_new_password_tells_of_tokens_and_ends_them_where_that_is_asked_for(
    anonymous: TestClient, password: str
) -> None:
    page = browser(anonymous, password)
    tokens = [anonymous.post("/api/v1/tokens", json={"name": name}, headers=page).json()["token"] for name in "ab"]
    pipeline = anonymous.post("/api/v1/tokens", json={"name": "pipeline", "kind": "team"}, headers=page)
    anonymous.cookies.clear()

    def status(token: str) -> int:
        return anonymous.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code

    body = {"current_password": password, "new_password": "a new password"}
    changed = anonymous.post("/api/v1/me/password", json=body, headers=page).json()
    assert (changed["tokens_revoked"], changed["tokens_valid"]) == (0, 2)
    assert [status(token) for token in tokens] == [200, 200]
    again = {"current_password": "a new password", "new_password": "another password", "revoke_tokens": True}
    changed = anonymous.post("/api/v1/me/password", json=again, headers=page).json()
    assert (changed["tokens_revoked"], changed["tokens_valid"]) == (2, 0)
    assert [status(token) for token in tokens] == [401, 401]
    if pipeline.status_code == 201:
        assert status(pipeline.json()["token"]) == 200


def test_a_password_set_by_an_operator_ends_the_sessions_too(anonymous: TestClient, password: str) -> None:
    page = browser(anonymous, password)
    with unit_of_work() as unit:
        service.create_account(unit, EMAIL, "Ada", "a team", "admin", password)
    assert anonymous.get("/api/v1/me", headers=page).status_code == 200, "it is the same password"
    with unit_of_work() as unit:
        service.create_account(unit, EMAIL, "Ada", "a team", "admin", "set by an operator")
    assert anonymous.get("/api/v1/me", headers=page).status_code == 401


def test_a_short_password_is_refused(anonymous: TestClient, password: str) -> None:
    body = {"current_password": password, "new_password": "short"}
    response = anonymous.post("/api/v1/me/password", json=body, headers=browser(anonymous, password))
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "new_password")


def test_an_admin_ends_sessions_of_the_team_and_no_others(anonymous: TestClient, password: str) -> None:
    with unit_of_work() as unit:
        service.create_account(unit, "boss@example.org", "Boss", "a team", "admin", "a long password")
        service.create_account(unit, "far@example.org", "Far", "far team", "admin", "a long password")
    ada = browser(anonymous, password)
    sign_in(anonymous, "a long password", "far@example.org")
    far = anonymous.get("/api/v1/sessions").json()["items"][0]["id"]
    anonymous.cookies.clear()
    sign_in(anonymous, "a long password", "boss@example.org")
    items = anonymous.get("/api/v1/sessions?whose=team").json()["items"]
    assert {item["user"]["name"] for item in items} == {"Ada", "Boss"}
    adas = next(item["id"] for item in items if item["user"]["name"] == "Ada")
    assert anonymous.delete(f"/api/v1/sessions/{far}", headers=SAME_ORIGIN).status_code == 404
    assert anonymous.delete(f"/api/v1/sessions/{adas}", headers=SAME_ORIGIN).status_code == 204
    assert anonymous.get("/api/v1/me", headers=ada).status_code == 401


def test_editors_see_their_own_sessions_only(anonymous: TestClient, password: str) -> None:
    headers = browser(anonymous, password)
    assert anonymous.get("/api/v1/sessions?whose=team", headers=headers).status_code == 403
