"""Checks that a target can be reached, through an agent."""

from collections.abc import Callable
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.settings import get_settings
from loadstone.targets import service
from loadstone_contracts.agent_calls import CheckClaimResponse
from loadstone_contracts.tasks import agent_queue
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target
from loadstone_testing.simulated_agent import SimulatedAgent
from redis import Redis

REACHED = {"reachable": True, "round_trip_ms": 0.4, "version": "7.0.15", "error": None}


@pytest.fixture
def target_url(client: Caller) -> str:
    return f"/api/v1/targets/{client.post('/api/v1/targets', json=external_target(password='p')).json()['id']}"


def claim(agent: SimulatedAgent, check_id: str) -> CheckClaimResponse:
    return CheckClaimResponse.model_validate(agent.call(f"checks/{check_id}/claim", "{}").json())


def finish(agent: SimulatedAgent, check_id: str, body: str) -> int:
    return agent.call(f"checks/{check_id}/finish", body).status_code


def begin(client: Caller, target_url: str, **body: Any) -> dict[str, Any]:
    response = client.post(f"{target_url}/checks", json=body)
    assert response.status_code == 201, response.text
    found: dict[str, Any] = response.json()
    return found


def test_a_check_rings_its_agent_and_ends_with_the_answer(client: Caller, target_url: str) -> None:
    agent = SimulatedAgent.enroll(client)
    check = begin(client, target_url)
    assert (check["status"], check["agent"]["id"]) == ("queued", agent.agent_id)
    with Redis.from_url(get_settings().broker_url) as broker:
        assert broker.llen(agent_queue(agent.agent_id)) == 1
    target = claim(agent, check["id"]).target
    assert target is not None
    assert (target.host, target.port, target.password) == ("10.0.0.7", 6379, "p")
    body = '{"reachable": true, "round_trip_ms": 0.4, "version": "7.0.15"}'
    assert finish(agent, check["id"], body) == 204
    done = client.get(f"{target_url}/checks/{check['id']}").json()
    assert (done["status"], done["result"]) == ("succeeded", REACHED)
    assert done["finished_at"] is not None
    assert client.get(target_url).json()["last_check"] == done


def test_a_second_claim_finds_nothing_and_a_second_finish_changes_nothing(client: Caller, target_url: str) -> None:
    agent = SimulatedAgent.enroll(client)
    check = begin(client, target_url)
    assert claim(agent, check["id"]).target is not None
    assert claim(agent, check["id"]).target is None
    failure = '{"reachable": false, "error": {"code": "target_unreachable", "message": "No answer."}}'
    assert finish(agent, check["id"], failure) == 204
    assert finish(agent, check["id"], '{"reachable": true}') == 204
    assert client.get(f"{target_url}/checks/{check['id']}").json()["status"] == "failed"


def test_another_agent_cannot_claim_or_finish_it(client: Caller, target_url: str) -> None:
    mine = SimulatedAgent.enroll(client, "one", "host-1")
    other = SimulatedAgent.enroll(client, "two", "host-2")
    check = begin(client, target_url, agent_id=mine.agent_id)
    assert claim(other, check["id"]).target is None
    claim(mine, check["id"])
    finish(other, check["id"], '{"reachable": true}')
    assert client.get(f"{target_url}/checks/{check['id']}").json()["status"] == "claimed"


def test_a_check_that_nobody_finishes_fails_in_time(
    client: Caller, target_url: str, pass_time: Callable[[float], None]
) -> None:
    SimulatedAgent.enroll(client)
    check = begin(client, target_url)
    with unit_of_work() as unit:
        assert service.fail_stale_checks(unit) == 0
    pass_time(61)
    with unit_of_work() as unit:
        assert service.fail_stale_checks(unit) == 1
    done = client.get(f"{target_url}/checks/{check['id']}").json()
    assert (done["status"], done["result"]["error"]["code"]) == ("failed", "check_timed_out")


def test_without_an_agent_online_no_check_is_begun(
    client: Caller, target_url: str, pass_time: Callable[[float], None]
) -> None:
    refused = client.post(f"{target_url}/checks", json={})
    assert (refused.status_code, refused.json()["code"]) == (409, "no_agent_online")
    agent = SimulatedAgent.enroll(client)
    pass_time(60)
    refused = client.post(f"{target_url}/checks", json={"agent_id": agent.agent_id})
    assert (refused.status_code, refused.json()["code"]) == (409, "no_agent_online")


def test_an_agent_of_another_team_cannot_be_asked(client: Caller, other_team: Caller, target_url: str) -> None:
    foreign = SimulatedAgent.enroll(other_team)
    refused = client.post(f"{target_url}/checks", json={"agent_id": foreign.agent_id})
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
