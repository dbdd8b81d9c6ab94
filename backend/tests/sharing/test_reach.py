"""A link opens what it shows and nothing else: every GET route is walked with it and with every id beside it."""

import json
import re
import uuid
from typing import Any, NamedTuple

import pytest
from fastapi.testclient import TestClient
from loadstone.db import unit_of_work
from loadstone.openapi import openapi_text
from loadstone.trends.analysis import analyse_run
from loadstone_testing.callers import Caller
from loadstone_testing.factories import plan_definition
from loadstone_testing.one_of_each import make_one_of_each
from loadstone_testing.run_factories import plan_body
from loadstone_testing.simulated_agent import SimulatedAgent

Ids = dict[str, str]
NOWHERE = "0190a000-0000-7000-8000-000000000000"
SHARED = "/api/v1/shared/{token}"
DOCUMENT: dict[str, Any] = json.loads(openapi_text())
GET_ROUTES = [path for path, methods in DOCUMENT["paths"].items() if "get" in methods]
SHARED_ROUTES = [path for path in GET_ROUTES if path.startswith(f"{SHARED}/")]
TEAM_ROUTES = [
    path
    for path in GET_ROUTES
    if path.startswith("/api/v1/") and not path.startswith(SHARED) and "/by-token/" not in path
]
QUERIES = {
    "/series/values": "?series_id={series_id}",
    "/series/values.{form}": "?series_id={series_id}",
    "/series/{series_id}/neighbours": "?point_id={point_id}",
    "/runs": "?plan_id={plan_id}",
}
# They show the link's own subject, whatever is asked.
OF_THE_LINK_ITSELF = {"/chart.{form}", "/badge.svg", "/series"}


class World(NamedTuple):
    own: Ids
    neighbour: Ids
    """Of the same team."""
    foreign: Ids
    shares: dict[str, str]
    """Tokens by kind, all of `own`."""


def panel(number: int, view: dict[str, Any]) -> dict[str, Any]:
    return {"id": str(number), "title": "t", "view": view}


def make_shares(client: Caller, own: Ids) -> dict[str, str]:
    views: list[dict[str, Any]] = [
        {"kind": "trend", "series_ids": [own["series_id"]]},
        {"kind": "run", "run_id": own["run_id"]},
        {"kind": "run", "plan_id": own["plan_id"]},
        {"kind": "comparison", "comparison_id": own["comparison_id"]},
    ]
    board = {"name": "board", "panels": [panel(number, view) for number, view in enumerate(views)]}
    dashboard = client.post("/api/v1/dashboards", json=board).json()["id"]
    subjects: dict[str, Any] = {
        "run": {"run_id": own["run_id"]},
        "comparison": {"comparison_id": own["comparison_id"]},
        "trend": {"series_ids": [own["series_id"]]},
        "dashboard": {"dashboard_id": dashboard},
    }
    made = {}
    for kind, subject in subjects.items():
        response = client.post("/api/v1/shares", json={"kind": kind, "subject": subject})
        assert response.status_code == 201, response.text
        made[kind] = response.json()["token"]
    own["dashboard_id"] = dashboard
    return made


def make_neighbours(client: Caller, own: Ids) -> Ids:
    """The same kinds of things beside `own`, in the same team."""
    agent = SimulatedAgent.enroll(client)
    plan = plan_body(trials_per_point=1, load={"kind": "closed", "connections": 4, "pipeline": 2})
    run = client.post("/api/v1/runs", json={"plan": plan}).json()["id"]
    # The first agent has measured; what waits for it is left to it.
    trial = client.get(f"/api/v1/runs/{run}/trials").json()["items"][0]["id"]
    agent.execute_all(trial)
    with unit_of_work() as unit:
        analyse_run(unit, uuid.UUID(run))
    point = client.get(f"/api/v1/runs/{run}/points").json()["items"][0]
    sides = {"base": {"run_id": run, "target": "memcached"}, "contenders": [{"run_id": run, "target": "redis"}]}
    board = {"name": "another board", "panels": []}
    ids = {
        "run_id": run,
        "trial_id": trial,
        "point_id": point["id"],
        "series_id": point["series_id"],
        "plan_id": client.post("/api/v1/plans", json={"definition": plan_definition()}).json()["id"],
        "comparison_id": client.post("/api/v1/comparisons", json={"name": "n", "definition": sides}).json()["id"],
        "dashboard_id": client.post("/api/v1/dashboards", json=board).json()["id"],
    }
    assert not set(ids.values()) & set(own.values())
    return ids


@pytest.fixture
def world(client: Caller, other_team: Caller) -> World:
    own = make_one_of_each(client)
    shares = make_shares(client, own)
    return World(own, make_neighbours(client, own), make_one_of_each(other_team), shares)


def address(path: str, ids: Ids) -> str:
    below = path.removeprefix(SHARED)
    whole = path + QUERIES.get(below, "")
    return re.sub(r"{(\w+)}", lambda name: {**ids, "form": "csv"}[name[1]], whole)


OPENED = {
    "run": {
        "runs/{run_id}",
        "points.{form}",
        "trials",
        "trials/{trial_id}",
        "samples",
        "spectrum",
        "heatmap",
        "verdict",
    },
    "comparison": {"comparisons/{comparison_id}"},
    "trend": {"series/{series_id}", "series/values", "series/values.{form}", "neighbours"},
    "dashboard": {"dashboards/{dashboard_id}", "runs/{run_id}", "comparisons/{comparison_id}", "series/values", "runs"},
}


@pytest.mark.parametrize("kind", OPENED)
def test_a_link_opens_what_it_shows(anonymous: TestClient, world: World, kind: str) -> None:
    answers = {}
    for path in SHARED_ROUTES:
        url = address(path, world.own | {"token": world.shares[kind]})
        answers[path.removeprefix(f"{SHARED}/")] = anonymous.get(url).status_code
    opened = {path for path, status in answers.items() if status == 200}
    assert all(any(path.endswith(end) for path in opened) for end in OPENED[kind]), answers
    assert set(answers.values()) <= {200, 404}, answers


@pytest.mark.parametrize("kind", OPENED)
def test_a_link_opens_nothing_beside_it(anonymous: TestClient, world: World, kind: str) -> None:
    asked = 0
    for ids in (world.neighbour, world.foreign):
        for path in SHARED_ROUTES:
            if path.removeprefix(SHARED) in OF_THE_LINK_ITSELF:
                continue
            response = anonymous.get(address(path, ids | {"token": world.shares[kind]}))
            assert (response.status_code, response.json()["code"]) == (404, "not_found"), path
            asked += 1
    assert asked > 30


@pytest.mark.parametrize("kind", OPENED)
def test_a_link_is_no_credential_anywhere_else(anonymous: TestClient, world: World, kind: str) -> None:
    token = world.shares[kind]
    for path in TEAM_ROUTES:
        url = address(
            path, dict.fromkeys(re.findall(r"{(\w+)}", path), "0190a000-0000-7000-8000-000000000000") | world.own
        )
        for headers in ({"Authorization": f"Bearer {token}"}, {"Cookie": f"loadstone_session={token}"}):
            assert anonymous.get(url, headers=headers).status_code == 401, path
    assert len(TEAM_ROUTES) > 40


@pytest.mark.parametrize("kind", OPENED)
def test_nothing_can_be_changed_through_a_link(anonymous: TestClient, world: World, kind: str) -> None:
    """Of the routes below it only two take a POST: the password, and a comparison that is computed."""
    changing = {
        (method, path.removeprefix(SHARED))
        for path, methods in DOCUMENT["paths"].items()
        for method in methods
        if path.startswith(SHARED) and method != "get"
    }
    assert changing == {("post", "/unlock"), ("post", "/comparisons/evaluate")}
    token = world.shares[kind]
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        for path in ("", f"/runs/{world.own['run_id']}", f"/dashboards/{world.own['dashboard_id']}"):
            assert anonymous.request(method, f"/api/v1/shared/{token}{path}", json={}).status_code in (404, 405)


def test_a_comparison_may_be_asked_otherwise_but_of_no_other_sides(
    client: Caller, anonymous: TestClient, world: World
) -> None:
    definition = client.get(f"/api/v1/comparisons/{world.own['comparison_id']}").json()["definition"]
    url = f"/api/v1/shared/{world.shares['comparison']}/comparisons/evaluate"
    assert anonymous.post(url, json=definition | {"margin": 0.05}).status_code == 200
    wider = {"run_id": world.own["run_id"]}
    other = {"run_id": world.neighbour["run_id"], "where": {"connections": 1}}
    for side in (wider, other):
        assert anonymous.post(url, json=definition | {"contenders": [side]}).status_code == 404


def test_a_dashboard_by_labels_shows_the_series_that_carry_them(
    client: Caller, anonymous: TestClient, world: World
) -> None:
    board = {"name": "b", "panels": [panel(1, {"kind": "trend", "labels": ["target_kind:redis"]})]}
    dashboard = client.post("/api/v1/dashboards", json=board).json()["id"]
    body = {"kind": "dashboard", "subject": {"dashboard_id": dashboard}}
    url = f"/api/v1/shared/{client.post('/api/v1/shares', json=body).json()['token']}"
    shown = anonymous.get(f"{url}/series?label=target_kind:redis").json()["items"]
    assert world.own["series_id"] in {item["id"] for item in shown}
    assert anonymous.get(f"{url}/series/values?series_id={world.own['series_id']}").status_code == 200
    assert anonymous.get(f"{url}/series?label=target_kind:memcached").status_code == 404


def test_a_dashboard_that_shows_less_opens_less(client: Caller, anonymous: TestClient, world: World) -> None:
    token = world.shares["dashboard"]
    dashboard = client.get(f"/api/v1/dashboards/{world.own['dashboard_id']}").json()
    client.put(
        f"/api/v1/dashboards/{world.own['dashboard_id']}",
        json={"name": "board", "panels": [], "version": dashboard["version"]},
    )
    assert anonymous.get(f"/api/v1/shared/{token}/runs/{world.own['run_id']}").status_code == 404


def test_no_visitor_learns_a_persons_name(client: Caller, anonymous: TestClient, world: World) -> None:
    client.post("/api/v1/annotations", json={"at": "2026-01-01T00:00:00Z", "title": "upgraded"})
    for kind, token in world.shares.items():
        for path in SHARED_ROUTES:
            text = anonymous.get(address(path, world.own | {"token": token})).text
            assert client.principal.user_name not in text, (kind, path)
            assert client.principal.email not in text, (kind, path)
