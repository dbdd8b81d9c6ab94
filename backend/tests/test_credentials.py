"""A target's password: to the agent that claimed a trial on it, and to nobody and nothing else."""

import json

import psycopg
import pytest
import redis
from loadstone.db import Base
from loadstone.openapi import OPENAPI_FILE
from loadstone.settings import get_settings
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target, workload_definition
from loadstone_testing.run_factories import plan_body
from loadstone_testing.simulated_agent import SimulatedAgent
from psycopg import sql

PASSWORD = "hunter2-and-more"
PATHS = json.loads(OPENAPI_FILE.read_text())["paths"]


@pytest.fixture
def agent(client: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(client)


@pytest.fixture
def known(client: Caller, agent: SimulatedAgent) -> dict[str, str]:
    """A target with a password, and a run on it that waits."""
    target = client.post("/api/v1/targets", json=external_target(password=PASSWORD)).json()["id"]
    plan = plan_body(targets=[{"target_id": target}], workload=workload_definition(), reset="none", trials_per_point=1)
    run = client.post("/api/v1/runs", json={"plan": plan})
    assert run.status_code == 201, run.text
    run_id = run.json()["id"]
    trial = client.get(f"/api/v1/runs/{run_id}/trials").json()["items"][0]
    return {
        "target_id": target,
        "run_id": run_id,
        "trial_id": trial["id"],
        "plan_id": client.post("/api/v1/plans", json={"definition": plan}).json()["id"],
        "agent_id": agent.agent_id,
    }


def test_the_agent_that_claims_the_trial_is_given_it(agent: SimulatedAgent, known: dict[str, str]) -> None:
    assert agent.claim(known["trial_id"]).target.password == PASSWORD


def test_another_agent_is_given_nothing(client: Caller, agent: SimulatedAgent, known: dict[str, str]) -> None:
    other = SimulatedAgent.enroll(client, "bench-2", "host-2")
    agent.claim(known["trial_id"])
    answer = other.call("claim", f'{{"trial_id": "{known["trial_id"]}"}}')
    assert PASSWORD not in answer.text


def test_an_agent_of_another_team_is_given_nothing(other_team: Caller, known: dict[str, str]) -> None:
    stranger = SimulatedAgent.enroll(other_team, "bench-9", "host-9")
    answer = stranger.call("claim", f'{{"trial_id": "{known["trial_id"]}"}}')
    assert answer.json()["assignment"] is None


def test_no_page_shows_it(client: Caller, agent: SimulatedAgent, known: dict[str, str]) -> None:
    agent.execute(known["trial_id"])
    read = []
    for path in [path for path, methods in PATHS.items() if "get" in methods and not path.endswith("/events")]:
        address = path.replace("{form}", "csv")
        for name, value in known.items():
            address = address.replace(f"{{{name}}}", value)
        if "{" not in address:
            response = client.get(address)
            assert PASSWORD.encode() not in response.content, path
            read.append(response.status_code)
    assert read.count(200) > 25


def rows_holding(database: str, text: str) -> list[str]:
    """Names of the tables in which any row, written out, holds the text."""
    held = []
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        for table in Base.metadata.sorted_tables:
            query = sql.SQL("SELECT count(*) FROM {} AS held WHERE held::text LIKE %s")
            count = connection.execute(query.format(sql.Identifier(table.name)), [f"%{text}%"]).fetchone()
            held += [table.name] if count != (0,) else []
    return held


def test_nothing_that_is_stored_holds_it_or_its_key(
    agent: SimulatedAgent, known: dict[str, str], database: str, redis_url: str
) -> None:
    agent.execute(known["trial_id"])
    assert rows_holding(database, "far away") != []
    assert rows_holding(database, PASSWORD) == []
    assert rows_holding(database, get_settings().secret_keys.get_secret_value()) == []
    with redis.Redis.from_url(redis_url) as broker:
        assert [key for key in broker.scan_iter() if PASSWORD.encode() in (broker.dump(key) or b"")] == []
