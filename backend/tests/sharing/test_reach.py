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
from loadstone_testing.run_factories import make_run, plan_body
from loadstone_testing.simulated_agent import SimulatedAgent

Ids = dict[str, str]
NOWHERE = "0190a000-0000-7000-8000-000000000000"
SHARED = "/api/v1/shared/{token}"
DOCUMENT: dict[str, Any] = json.loads(openapi_text())
GET_ROUTES = [path for path, methods in DOCUMENT["paths"].items() if "get" in methods]
SHARED_ROUTES = [path for path in GET_ROUTES if path.startswith(f"{SHARED}/")]
# What needs a credential says so.
TEAM_ROUTES = [
    path
    for path in GET_ROUTES
    if path.startswith("/api/v1/")
    and not path.startswith(SHARED)
    and "401" in DOCUMENT["paths"][path]["get"]["responses"]
]
QUERIES = {
    "/series/values": "?series_id={series_id}",
    "/series/values.{form}": "?series_id={series_id}",
    "/series/{series_id}/neighbours": "?point_id={point_id}",
    "/runs": "?plan_id={plan_id}",
}
# They show the link's own subject, whatever is asked.
OF_THE_LINK_ITSELF = {"/chart.{form}", "/badge.svg", "/series", "/store-kinds"}


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
    store = {"kind": "redis", "profile": "none"}
    plan = plan_body(targets=[store], trials_per_point=1, load={"kind": "closed", "connections": 4, "pipeline": 2})
    run = client.post("/api/v1/runs", json={"plan": plan}).json()["id"]
    # The first agent has measured; what waits for it is left to it.
    trial = client.get(f"/api/v1/runs/{run}/trials").json()["items"][0]["id"]
    agent.execute_all(trial)
    with unit_of_work() as unit:
        analyse_run(unit, uuid.UUID(run))
    point = client.get(f"/api/v1/runs/{run}/points").json()["items"][0]
    one, other = ({"run_id": run, "where": {"connections": count}} for count in (1, 2))
    sides = {"base": one, "contenders": [other]}
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
    return re.sub(r"{(\w+)}", lambda name: {**ids, "form": "svg" if "chart" in below else "csv"}[name[1]], whole)


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


def test_a_link_opens_what_it_shows_and_nothing_beside_it(anonymous: TestClient, world: World) -> None:
    for kind, token in world.shares.items():
        answers = {}
        for path in SHARED_ROUTES:
            answers[path.removeprefix(f"{SHARED}/")] = anonymous.get(address(path, world.own | {"token": token}))
        opened = {path for path, answer in answers.items() if answer.status_code == 200}
        assert all(any(path.endswith(end) for path in opened) for end in OPENED[kind]), (kind, opened)
        faults = {path: answer.text for path, answer in answers.items() if answer.status_code not in (200, 404)}
        assert faults == {}, kind
        for path, answer in answers.items():
            assert "@example.org" not in answer.text, (kind, path)
            assert not re.search(r"Person \d", answer.text), (kind, path)
        for ids in (world.neighbour, world.foreign):
            for path in SHARED_ROUTES:
                if path.removeprefix(SHARED) not in OF_THE_LINK_ITSELF:
                    response = anonymous.get(address(path, ids | {"token": token}))
                    assert (response.status_code, response.json()["code"]) == (404, "not_found"), (kind, path)
    assert len(SHARED_ROUTES) > 18


def test_a_link_is_no_credential_anywhere_else(anonymous: TestClient, world: World) -> None:
    for path in TEAM_ROUTES:
        url = address(path, dict.fromkeys(re.findall(r"{(\w+)}", path), NOWHERE) | world.own)
        token = world.shares["dashboard"]
        for headers in ({"Authorization": f"Bearer {token}"}, {"Cookie": f"loadstone_session={token}"}):
            assert anonymous.get(url, headers=headers).status_code == 401, path
    assert len(TEAM_ROUTES) > 40


def test_nothing_can_be_changed_through_a_link(client: Caller, anonymous: TestClient) -> None:
    """Of the routes below it only two take a POST: the password, and a comparison that is computed."""
    changing = {
        (method, path.removeprefix(SHARED))
        for path, methods in DOCUMENT["paths"].items()
        for method in methods
        if path.startswith(SHARED) and method != "get"
    }
    assert changing == {("post", "/unlock"), ("post", "/comparisons/evaluate")}
    run = make_run(client.principal)
    body = {"kind": "run", "subject": {"run_id": str(run.id)}}
    token = client.post("/api/v1/shares", json=body).json()["token"]
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        for path in ("", f"/runs/{run.id}", f"/runs/{run.id}/cancel", "/comments", "/shares"):
            response = anonymous.request(method, f"/api/v1/shared/{token}{path}", json={})
            assert response.status_code in (404, 405), (method, path)


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


def test_a_dashboard_opens_what_its_panels_show_now(client: Caller, anonymous: TestClient, world: World) -> None:
    board = {"name": "b", "panels": [panel(1, {"kind": "trend", "labels": ["target_kind:redis"]})]}
    dashboard = client.post("/api/v1/dashboards", json=board).json()["id"]
    body = {"kind": "dashboard", "subject": {"dashboard_id": dashboard}}
    url = f"/api/v1/shared/{client.post('/api/v1/shares', json=body).json()['token']}"
    shown = anonymous.get(f"{url}/series?label=target_kind:redis").json()["items"]
    assert world.own["series_id"] in {item["id"] for item in shown}
    assert anonymous.get(f"{url}/series/values?series_id={world.own['series_id']}").status_code == 200
    assert anonymous.get(f"{url}/series?label=target_kind:memcached").status_code == 404
    token = world.shares["dashboard"]
    dashboard = client.get(f"/api/v1/dashboards/{world.own['dashboard_id']}").json()
    client.put(
        f"/api/v1/dashboards/{world.own['dashboard_id']}",
        json={"name": "board", "panels": [], "version": dashboard["version"]},
    )
    assert anonymous.get(f"/api/v1/shared/{token}/runs/{world.own['run_id']}").status_code == 404
