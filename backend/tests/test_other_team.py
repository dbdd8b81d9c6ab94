"""Everyone of one team asks every route for another team's objects: nothing changes there, and nothing is told."""

import io
import json
import tomllib
import uuid
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
import redis
from fastapi.testclient import TestClient
from httpx2 import Response
from loadstone.db import unit_of_work
from loadstone.models import Team
from loadstone_testing import factories
from loadstone_testing.askers import ASKERS, asking_as, open_session
from loadstone_testing.attack_record import IS_FULL, record_attack
from loadstone_testing.callers import Caller
from loadstone_testing.hostile_requests import DOCUMENT, example, hostile_requests
from loadstone_testing.one_of_each import make_one_of_each
from loadstone_testing.team_rows import TABLES, mark_everything, take_snapshot, what_changed
from sqlalchemy import text

PERMISSIONS = tomllib.loads((Path(__file__).parent / "permissions.toml").read_text())
BODIES: dict[str, str] = PERMISSIONS["bodies"]
NAMED_IN_BODIES: dict[str, list[str]] = PERMISSIONS["named_in_bodies"]

MARK = "mark7f3a-"
SHORT = ("anonymous", "editor", "admin", "signed-in admin", "team's token of scope run", "agent")
ATTACKERS = [name for name in ASKERS if name != "instance admin" and (IS_FULL or name in SHORT)]
"""An admin of the installation may change every team's name; what else they ask for is refused like anyone's."""


@pytest.fixture
def victims(client: Caller, database: str) -> dict[str, str]:
    """Ids of a team that was there first, and whose every text is marked."""
    bodies = {"plan": json.dumps(factories.plan_definition()), "workload": json.dumps(factories.workload_definition())}
    ids = make_one_of_each(client) | bodies | {"session_id": str(open_session(_team(client), "viewer").id)}
    assert mark_everything(database, MARK) > 50
    return ids


def _team(caller: Caller) -> Team:
    with unit_of_work() as unit:
        return unit.session.get_one(Team, caller.principal.team_id)


def bodies_of(route: str) -> list[str]:
    return [*NAMED_IN_BODIES.get(route, []), *([BODIES[route]] if route in BODIES else [])]


def told(response: Response) -> str:
    """What an answer says, also inside an archive."""
    content = response.content
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
        content += b"".join(archive.read(name) for name in archive.namelist())
    return content.decode(errors="replace")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("attacker", ATTACKERS)
def test_nothing_of_another_teams_changes_or_is_told(
    attacker: str, client: Caller, victims: dict[str, str], anonymous: TestClient, database: str, redis_url: str
) -> None:
    before = take_snapshot(database)
    team = factories.make_team("attackers")
    own = make_one_of_each(factories.make_caller(anonymous, team, "admin"))
    ask = asking_as(attacker, anonymous, team)
    known = {route: bodies_of(route) for route in PERMISSIONS["needs"]}
    leaks, errors, tried = [], [], 0
    for request in hostile_requests(victims, own, known):
        response = ask(request.method, request.path, request.body)
        anonymous.cookies.clear()
        tried += 1
        if response.status_code == 429:
            with redis.Redis.from_url(redis_url) as connection:
                connection.flushdb()
        if MARK in told(response):
            leaks.append(f"{request.route} {request.path}: {told(response)[:300]}")
        if response.status_code >= 500:
            errors.append(f"{request.route} {request.path} {request.body}: {response.status_code}")
    changes = what_changed(database, before, victims["team_id"])
    record_attack("other team", attacker, tried, [*leaks, *changes])
    assert tried > len(PERMISSIONS["needs"])
    assert (leaks, changes, errors) == ([], [], [])


def test_the_marks_are_seen_by_those_whom_they_concern(client: Caller, victims: dict[str, str]) -> None:
    """Else the test above would prove nothing."""
    seen = [path for path in ("runs", "plans", "workloads", "targets", "dashboards", "comparisons", "schedules",
                              "alerts", "notification-channels", "traces", "shares", "members", "agents")
            if MARK in client.get(f"/api/v1/{path}").text]  # fmt: skip
    assert len(seen) >= 11, seen


def test_a_change_of_a_row_or_a_new_one_is_noticed(client: Caller, victims: dict[str, str], database: str) -> None:
    before = take_snapshot(database)
    assert what_changed(database, before, victims["team_id"]) == []
    with unit_of_work() as unit:
        unit.session.execute(text("UPDATE runs SET priority = priority + 1 WHERE id = :id"), {"id": victims["run_id"]})
    client.post("/api/v1/comments", json={"subject_kind": "run", "subject_id": victims["run_id"], "text": "x"})
    changes = " ".join(what_changed(database, before, victims["team_id"]))
    assert "runs ('" in changes
    assert "comments ('" in changes


def test_every_table_can_be_compared() -> None:
    assert [table.name for table in TABLES if not table.primary_key.columns] == []


def test_examples_name_the_others_objects() -> None:
    ids = {"run_id": str(uuid.uuid4()), "target_id": str(uuid.uuid4())}
    body = DOCUMENT["paths"]["/api/v1/comments"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert example(body, "", ids)["subject_id"] == ids["run_id"]
