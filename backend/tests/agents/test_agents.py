"""How agents join, report and are told apart; what people do with them."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from httpx2 import Response
from loadstone_testing.callers import Caller
from loadstone_testing.simulated_agent import SimulatedAgent


def only_agent(caller: Caller) -> dict[str, Any]:
    (agent,) = caller.get("/api/v1/agents").json()["items"]
    found: dict[str, Any] = agent
    return found


def enroll_body(token: str, **fields: Any) -> dict[str, Any]:
    body = {"enrollment_token": token, "name": "one", "host_key": "host-1", "labels": {}, "agent_protocol": 2}
    return body | fields


def new_enrollment(caller: Caller) -> str:
    return str(caller.post("/api/v1/agent-enrollments").json()["token"])


def enroll(caller: Caller, token: str, **fields: Any) -> tuple[int, dict[str, Any]]:
    response = caller.http.post("/agent/v1/enroll", json=enroll_body(token, **fields))
    return response.status_code, response.json()


def test_an_enrollment_token_enrolls_one_agent(client: Caller) -> None:
    token = new_enrollment(client)
    status, answer = enroll(client, token)
    assert status == 200
    assert answer["token"].startswith("lsa_")
    assert answer["queue"] == f"agent.{answer['agent_id']}"
    status, answer = enroll(client, token, name="two")
    assert (status, answer["code"]) == (401, "enrollment_invalid")


def test_an_enrollment_token_lives_one_hour(client: Caller, pass_time: Callable[[float], None]) -> None:
    token = new_enrollment(client)
    pass_time(3601)
    assert enroll(client, token)[1]["code"] == "enrollment_invalid"


def test_enrolling_again_keeps_the_agent_and_ends_its_old_token(client: Caller) -> None:
    first = SimulatedAgent.enroll(client, "one", "host-1")
    second = SimulatedAgent.enroll(client, "one", "host-1")
    assert first.agent_id == second.agent_id
    refused = first.call("claim", '{"trial_id": "x"}')
    assert (refused.status_code, refused.json()["code"]) == (401, "agent_revoked")
    assert only_agent(client)["state"] == "online"


def test_a_name_belongs_to_one_host(client: Caller) -> None:
    SimulatedAgent.enroll(client, "one", "host-1")
    status, answer = enroll(client, new_enrollment(client), host_key="host-2")
    assert (status, answer["code"]) == (409, "agent_name_taken")


def test_state_follows_heartbeats_and_draining(client: Caller, pass_time: Callable[[float], None]) -> None:
    enroll(client, new_enrollment(client))
    assert only_agent(client)["state"] == "never_seen"
    agent = SimulatedAgent.enroll(client, "one", "host-1")
    assert only_agent(client)["state"] == "online"
    url = f"/api/v1/agents/{agent.agent_id}"
    assert client.patch(url, json={"is_draining": True}).json()["state"] == "draining"
    assert client.patch(url, json={"is_draining": False}).json()["state"] == "online"
    pass_time(21)
    assert only_agent(client)["state"] == "offline"


def test_what_the_agent_reports_is_shown(client: Caller) -> None:
    SimulatedAgent.enroll(client, "one", "host-1", site="north")
    agent = only_agent(client)
    assert agent["labels"] == {"site": "north"}
    assert agent["inventory"]["cpu_count"] > 0
    assert {store["kind"] for store in agent["stores"]} == {"memcached", "redis"}
    assert agent["current"] is None


def test_an_agent_is_renamed_and_labelled_and_its_name_stays_unique(client: Caller) -> None:
    agent = SimulatedAgent.enroll(client, "one", "host-1")
    SimulatedAgent.enroll(client, "two", "host-2")
    url = f"/api/v1/agents/{agent.agent_id}"
    changed = client.patch(url, json={"name": "uno", "labels": {"rack": "7"}}).json()
    assert (changed["name"], changed["labels"]) == ("uno", {"rack": "7"})
    refused = client.patch(url, json={"name": "two"})
    assert (refused.status_code, refused.json()["code"]) == (409, "agent_name_taken")


def test_a_revoked_agent_is_refused_and_gone_from_the_list(client: Caller) -> None:
    agent = SimulatedAgent.enroll(client)
    assert client.delete(f"/api/v1/agents/{agent.agent_id}").status_code == 204
    assert client.get("/api/v1/agents").json()["items"] == []
    refused = agent.call("claim", '{"trial_id": "x"}')
    assert (refused.status_code, refused.json()["code"]) == (401, "agent_revoked")


def test_only_admins_enroll_and_revoke(client: Caller, editor: Caller) -> None:
    agent = SimulatedAgent.enroll(client)
    assert editor.post("/api/v1/agent-enrollments").status_code == 403
    assert editor.delete(f"/api/v1/agents/{agent.agent_id}").status_code == 403
    assert editor.patch(f"/api/v1/agents/{agent.agent_id}", json={"is_draining": True}).status_code == 200


def test_agents_of_another_team_are_not_found(client: Caller, other_team: Caller) -> None:
    agent = SimulatedAgent.enroll(client)
    url = f"/api/v1/agents/{agent.agent_id}"
    assert other_team.get("/api/v1/agents").json()["items"] == []
    for response in (other_team.get(url), other_team.patch(url, json={}), other_team.delete(url)):
        assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer lsa_wrong", "Basic abc"])
def test_a_call_without_a_valid_agent_token_is_refused(client: Caller, authorization: str) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    response = client.http.post("/agent/v1/claim", json={"trial_id": "x"}, headers=headers)
    assert (response.status_code, response.json()["code"]) == (401, "agent_revoked")


def test_a_persons_token_is_no_agent_token(client: Caller) -> None:
    assert client.post("/agent/v1/claim", json={"trial_id": "x"}).status_code == 401


@pytest.mark.parametrize("hosts", [("host-1", "host-1"), ("host-1", "host-2")])
def test_two_that_enroll_under_one_name_at_once_get_an_answer_with_a_code(
    client: Caller, hosts: tuple[str, str]
) -> None:
    tokens = [client.post("/api/v1/agent-enrollments").json()["token"] for _ in hosts]
    together = threading.Barrier(len(hosts))

    def enroll(token: str, host: str) -> Response:
        together.wait()
        body = {"enrollment_token": token, "name": "same", "host_key": host, "labels": {}}
        return client.http.post("/agent/v1/enroll", json=body)

    with ThreadPoolExecutor(len(hosts)) as pool:
        answers = list(pool.map(enroll, tokens, hosts))
    assert sorted(answer.status_code for answer in answers) == ([200, 200] if hosts[0] == hosts[1] else [200, 409])
    assert [item["name"] for item in client.get("/api/v1/agents").json()["items"]] == ["same"]
