"""What people change about runs that wait, and that the dispatcher follows it."""

from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.dispatch import recovery, repository
from loadstone.models import Run
from loadstone_contracts.tasks import agent_queue
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import doorbells, first_trial, get_run, make_run, plan_body
from loadstone_testing.simulated_agent import SimulatedAgent
from sqlalchemy import select


def order(caller: Caller) -> list[str]:
    """Names of the runs that wait, as the dispatcher sees them."""
    with unit_of_work() as unit:
        rows = repository.waiting_runs(unit.session, [caller.principal.team_id])
        names = dict(unit.session.execute(select(Run.id, Run.name)).all())
    return [names[row.id] for row in rows]


def act(caller: Caller, run: Run, action: str, **body: Any) -> Any:
    return caller.post(f"/api/v1/runs/{run.id}/{action}", json=body or None)


@pytest.fixture
def queue(client: Caller) -> dict[str, Run]:
    return {name: make_run(client.principal, name=name) for name in "abcd"}


def test_runs_wait_by_age_until_someone_moves_them(client: Caller, queue: dict[str, Run]) -> None:
    assert order(client) == ["a", "b", "c", "d"]
    assert act(client, queue["d"], "move", before=str(queue["a"].id)).status_code == 200
    act(client, queue["a"], "move", after=str(queue["b"].id))
    assert order(client) == ["d", "b", "a", "c"]
    act(client, queue["b"], "move", after=str(queue["c"].id))
    act(client, queue["b"], "move", before=str(queue["b"].id))
    assert order(client) == ["d", "a", "c", "b"]


def test_a_moved_run_takes_over_the_priority_of_its_neighbour(client: Caller, queue: dict[str, Run]) -> None:
    client.patch(f"/api/v1/runs/{queue['c'].id}", json={"priority": 5})
    assert order(client) == ["c", "a", "b", "d"]
    assert act(client, queue["d"], "move", before=str(queue["c"].id)).json()["priority"] == 5
    assert order(client) == ["d", "c", "a", "b"]


def test_the_same_gap_can_be_used_again_and_again(client: Caller, queue: dict[str, Run]) -> None:
    """Halving runs out of digits after some thirty moves; the runs are then spread anew."""
    for turn in range(120):
        moved, other = ("b", "c") if turn % 2 == 0 else ("c", "b")
        assert act(client, queue[moved], "move", after=str(queue["a"].id)).status_code == 200
        assert order(client) == ["a", moved, other, "d"]


def test_a_paused_run_keeps_its_place_and_is_not_given_out(
    client: Caller, queue: dict[str, Run], redis_url: str
) -> None:
    agent = SimulatedAgent.enroll(client)
    assert act(client, queue["a"], "pause").json()["wait_reason"]["code"] == "paused"
    assert agent.ask(first_trial(client, queue["a"])).reason == "held_back"
    with unit_of_work() as unit:
        assert recovery.dispatch(unit) == 1
    assert doorbells(redis_url, agent_queue(agent.agent_id)) == [first_trial(client, queue["b"])]
    assert act(client, queue["a"], "resume").json()["paused_at"] is None
    assert order(client)[0] == "a"


def test_a_run_that_has_begun_can_be_renamed_and_no_more(client: Caller, queue: dict[str, Run]) -> None:
    agent = SimulatedAgent.enroll(client)
    held = agent.claim(first_trial(client, queue["a"]))
    url = f"/api/v1/runs/{queue['a'].id}"
    for answer in (
        act(client, queue["a"], "pause"),
        act(client, queue["a"], "move", before=str(queue["b"].id)),
        act(client, queue["b"], "move", before=str(queue["a"].id)),
        client.patch(url, json={"agent_selector": None}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "run_not_waiting")
    assert client.patch(url, json={"name": "better"}).json()["name"] == "better"
    act(client, queue["a"], "cancel")
    agent.finish(held, "cancelled")
    assert client.patch(url, json={"priority": 3}).json()["code"] == "run_ended"


def test_agents_can_be_chosen_anew_while_nobody_has_begun(client: Caller, queue: dict[str, Run]) -> None:
    agent = SimulatedAgent.enroll(client, site="north")
    url = f"/api/v1/runs/{queue['a'].id}"
    south = client.patch(url, json={"agent_selector": {"labels": {"site": "south"}}}).json()
    assert south["wait_reason"]["code"] == "no_agent_can_take"
    assert "bench-1: It is not among the agents chosen" in south["wait_reason"]["message"]
    assert client.patch(url, json={"agent_selector": {"agent_id": agent.agent_id}}).json()["wait_reason"] is None
    assert client.patch(url, json={"name": "x"}).json()["agent_selector"] == {"agent_id": agent.agent_id}
    assert client.patch(url, json={"agent_selector": None}).json()["agent_selector"] == {}
    elsewhere = client.patch(url, json={"agent_selector": {"agent_id": str(queue["a"].id)}})
    assert elsewhere.status_code == 404


def test_a_run_that_no_agent_can_take_says_so_in_the_answer(client: Caller) -> None:
    SimulatedAgent.enroll(client).heartbeat(stores=("memcached",))
    reason = client.post("/api/v1/runs", json={"plan": plan_body()}).json()["wait_reason"]
    assert reason["code"] == "no_agent_can_take"
    assert "bench-1: It cannot start redis." in reason["message"]


def test_runs_of_another_team_cannot_be_touched(client: Caller, other_team: Caller, queue: dict[str, Run]) -> None:
    mine = make_run(other_team.principal, name="mine")
    assert act(other_team, queue["a"], "pause").status_code == 404
    assert act(other_team, mine, "move", before=str(queue["a"].id)).status_code == 404
    assert other_team.patch(f"/api/v1/runs/{queue['a'].id}", json={"priority": 9}).status_code == 404
    assert get_run(client, queue["a"])["priority"] == 0


def test_a_run_waits_for_the_one_it_was_queued_behind(client: Caller) -> None:
    agent = SimulatedAgent.enroll(client)
    SimulatedAgent.enroll(client, "bench-2", "host-2")
    earlier = make_run(client.principal)
    later = make_run(client.principal, waits_for_run_id=earlier.id, priority=9)
    assert get_run(client, later)["wait_reason"]["code"] == "earlier_firing"
    assert agent.ask(first_trial(client, later)).reason == "held_back"
    act(client, earlier, "cancel")
    assert get_run(client, later)["wait_reason"] is None
    agent.claim(first_trial(client, later))
