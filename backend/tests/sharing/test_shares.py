"""Links: made, opened, unlocked, expired, revoked."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from loadstone.db import unit_of_work
from loadstone.models import Run, Share
from loadstone.sharing.service import PER_LINK_AND_ADDRESS
from loadstone.tokens import token_hash
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target
from loadstone_testing.run_factories import make_run, plan_body
from sqlalchemy import select

PASSWORD = "a password for outsiders"


@pytest.fixture
def run(client: Caller) -> Run:
    return make_run(client.principal)


def share(caller: Caller, run: Run, **fields: Any) -> dict[str, Any]:
    body = {"kind": "run", "subject": {"run_id": str(run.id)}} | fields
    response = caller.post("/api/v1/shares", json=body)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


def visit(anonymous: TestClient, made: dict[str, Any], path: str = "") -> Any:
    return anonymous.get(f"/api/v1/shared/{made['token']}{path}")


def test_a_link_opens_exactly_as_it_was_seen(client: Caller, anonymous: TestClient, run: Run) -> None:
    view = {"tab": "curves", "axis": "connections", "hide": ["redis"], "zoom": [1, 2], "logx": True}
    made = share(client, run, view=view, title="For the vendor")
    opened = visit(anonymous, made).json()
    assert (opened["view"], opened["title"], opened["kind"]) == (view, "For the vendor", "run")
    assert visit(anonymous, made, f"/runs/{run.id}").json()["name"] == run.name
    assert len(visit(anonymous, made, f"/runs/{run.id}/points").json()["items"]) == run.point_count


def test_the_token_is_shown_once_and_stored_hashed(client: Caller, run: Run) -> None:
    made = share(client, run)
    assert made["url"].endswith(f"/s/{made['token']}")
    assert made["title"] == run.name
    listed = client.get("/api/v1/shares").text
    assert made["token"] not in listed
    with unit_of_work() as unit:
        assert unit.session.scalars(select(Share.token_hash)).one() == token_hash(made["token"])


def test_links_are_listed_for_their_subject_and_for_the_team(client: Caller, other_team: Caller, run: Run) -> None:
    first = share(client, run)
    second = share(client, make_run(client.principal))
    assert [item["id"] for item in client.get("/api/v1/shares").json()["items"]] == [second["id"], first["id"]]
    of_run = client.get(f"/api/v1/shares?kind=run&subject_id={run.id}").json()["items"]
    assert [item["id"] for item in of_run] == [first["id"]]
    assert of_run[0]["created_by"]["name"] == client.principal.user_name
    assert other_team.get("/api/v1/shares").json()["items"] == []


def test_openings_are_counted(client: Caller, anonymous: TestClient, run: Run) -> None:
    made = share(client, run)
    for _ in range(3):
        visit(anonymous, made)
    visit(anonymous, made, f"/runs/{run.id}")
    item = client.get("/api/v1/shares").json()["items"][0]
    assert item["view_count"] == 3
    assert item["last_viewed_at"] is not None


def test_a_revoked_link_is_gone_for_good(client: Caller, anonymous: TestClient, run: Run) -> None:
    made = share(client, run)
    for _ in range(2):
        assert client.delete(f"/api/v1/shares/{made['id']}").status_code == 204
    for path in ("", f"/runs/{run.id}", "/badge.svg", "/chart.svg"):
        response = visit(anonymous, made, path)
        assert (response.status_code, response.json()["code"]) == (410, "share_revoked"), path
    assert client.get("/api/v1/shares").json()["items"][0]["state"] == "revoked"


def test_a_link_ends_when_it_was_to_end(
    client: Caller, anonymous: TestClient, run: Run, pass_time: Callable[[float], None]
) -> None:
    made = share(client, run, expires_at=(datetime.now(UTC) + timedelta(hours=1)).isoformat())
    assert visit(anonymous, made).status_code == 200
    pass_time(3601)
    response = visit(anonymous, made, f"/runs/{run.id}")
    assert (response.status_code, response.json()["code"]) == (410, "share_expired")
    body = {"kind": "run", "subject": {"run_id": str(run.id)}, "expires_at": datetime.now(UTC).isoformat()}
    assert client.post("/api/v1/shares", json=body).json()["path"] == "expires_at"


def test_a_password_is_asked_once_a_browser_and_lets_nothing_through_before(
    client: Caller, anonymous: TestClient, run: Run
) -> None:
    made = share(client, run, password=PASSWORD)
    for path in ("", f"/runs/{run.id}", f"/runs/{run.id}/points.csv", "/badge.svg"):
        response = visit(anonymous, made, path)
        assert (response.status_code, response.json()["code"]) == (401, "share_locked")
        assert run.name not in response.text
    url = f"/api/v1/shared/{made['token']}/unlock"
    wrong = anonymous.post(url, json={"password": "guess"})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "share_password_wrong")
    unlocked = anonymous.post(url, json={"password": PASSWORD})
    assert unlocked.status_code == 200
    cookie = unlocked.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert f"Path=/api/v1/shared/{made['token']}" in cookie
    assert visit(anonymous, made, f"/runs/{run.id}").status_code == 200


def test_one_links_password_opens_no_other(client: Caller, anonymous: TestClient, run: Run) -> None:
    first = share(client, run, password=PASSWORD)
    second = share(client, run, password="another password")
    answer = anonymous.post(f"/api/v1/shared/{first['token']}/unlock", json={"password": PASSWORD})
    secret = answer.cookies["loadstone_share"]
    headers = {"Cookie": f"loadstone_share={secret}"}
    assert anonymous.get(f"/api/v1/shared/{second['token']}", headers=headers).status_code == 401


def test_guessing_is_slowed_down_even_for_the_right_password(client: Caller, anonymous: TestClient, run: Run) -> None:
    made = share(client, run, password=PASSWORD)
    url = f"/api/v1/shared/{made['token']}/unlock"
    for _ in range(PER_LINK_AND_ADDRESS.amount):
        assert anonymous.post(url, json={"password": "guess"}).status_code == 403
    response = anonymous.post(url, json={"password": PASSWORD})
    assert (response.status_code, response.json()["code"]) == (429, "too_many_attempts")


def test_only_what_is_the_teams_own_can_be_shared(client: Caller, viewer: Caller, other_team: Caller, run: Run) -> None:
    body = {"kind": "run", "subject": {"run_id": str(run.id)}}
    assert other_team.post("/api/v1/shares", json=body).status_code == 404
    assert viewer.post("/api/v1/shares", json=body).status_code == 403
    made = share(client, run)
    assert other_team.delete(f"/api/v1/shares/{made['id']}").status_code == 404


def test_visitors_learn_no_names_and_no_addresses(client: Caller, anonymous: TestClient, run: Run) -> None:
    made = share(client, run)
    text = visit(anonymous, made, f"/runs/{run.id}").text
    assert client.principal.user_name not in text
    assert str(client.principal.user_id) not in text


def test_visitors_learn_no_address_of_a_replica_or_a_plugin_either(client: Caller, anonymous: TestClient) -> None:
    hidden = {"host": "10.0.0.7", "port": 3306, "read_host": "10.0.0.8", "read_port": 3307, "plugin_port": 11211}
    body = external_target(kind="mysql", protocol="memcached", **hidden)
    target = client.post("/api/v1/targets", json=body).json()
    plan = plan_body(targets=[{"target_id": target["id"]}], axes=[], reset="none")
    run = client.post("/api/v1/runs", json={"plan": plan}).json()
    assert {name: run["definition"]["targets"][0][name] for name in hidden} == hidden
    made = client.post("/api/v1/shares", json={"kind": "run", "subject": {"run_id": run["id"]}, "view": {}}).json()
    shown = visit(anonymous, made, f"/runs/{run['id']}").json()["definition"]["targets"][0]
    assert {name: shown[name] for name in hidden} == dict.fromkeys(hidden)


def test_a_view_beyond_bounds_is_refused(client: Caller, run: Run) -> None:
    body = {"kind": "run", "subject": {"run_id": str(run.id)}, "view": {"hide": ["x" * 20_000]}}
    response = client.post("/api/v1/shares", json=body)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "view")


@pytest.mark.parametrize("path", ["/s/{token}", "/embed/{token}", "/api/v1/shared/{token}"])
def test_addresses_with_a_secret_are_neither_passed_on_nor_found_by_search_engines(
    client: Caller, anonymous: TestClient, run: Run, path: str
) -> None:
    response = anonymous.get(path.format(token=share(client, run)["token"]))
    assert response.headers["referrer-policy"] == "no-referrer"
    assert "noindex" in response.headers["x-robots-tag"]
    frames = "frame-ancestors *" if path.startswith("/embed/") else "frame-ancestors 'none'"
    assert frames in response.headers["content-security-policy"]
