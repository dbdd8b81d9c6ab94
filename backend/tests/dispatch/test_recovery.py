"""Doorbells and the sweep."""

import threading
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from loadstone.db import unit_of_work
from loadstone.dispatch import recovery, repository
from loadstone.models import Agent, Run, RunEvent, Trial
from loadstone.settings import get_settings
from loadstone_contracts.tasks import CONTROL_QUEUE, agent_queue
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import (
    doorbells,
    first_trial,
    get_run,
    let_leases_run_out,
    make_run,
    plan_body,
    resolved_plan,
    sweep,
    trials_of,
)
from loadstone_testing.simulated_agent import SimulatedAgent
from sqlalchemy import select, update


def dispatch() -> int:
    with unit_of_work() as unit:
        return recovery.dispatch(unit)


def silence(agent: SimulatedAgent, seconds: float) -> None:
    with unit_of_work() as unit:
        seen_at = datetime.now(UTC) - timedelta(seconds=seconds)
        unit.session.execute(update(Agent).where(Agent.id == agent.agent_id).values(last_heartbeat_at=seen_at))


def test_submitting_rings_for_dispatch_and_dispatch_rings_the_agent(
    client: Caller, agent: SimulatedAgent, redis_url: str
) -> None:
    response = client.post("/api/v1/runs", json={"plan": plan_body()})
    assert response.status_code == 201, response.text
    assert doorbells(redis_url, CONTROL_QUEUE) == [""]
    assert dispatch() == 1
    trial_id = client.get(f"/api/v1/runs/{response.json()['id']}/trials").json()["items"][0]["id"]
    assert doorbells(redis_url, agent_queue(agent.agent_id)) == [trial_id]


def test_the_best_run_goes_first(client: Caller, agent: SimulatedAgent, redis_url: str) -> None:
    make_run(client.principal, name="older")
    urgent = make_run(client.principal, name="urgent", priority=5)
    assert dispatch() == 1
    assert doorbells(redis_url, agent_queue(agent.agent_id)) == [first_trial(client, urgent)]


def test_a_run_that_has_begun_goes_on_before_a_better_one(
    client: Caller, agent: SimulatedAgent, run: Run, redis_url: str
) -> None:
    following = agent.execute(first_trial(client, run)).next_trial_id
    waiting = make_run(client.principal, priority=5)
    assert dispatch() == 1
    assert doorbells(redis_url, agent_queue(agent.agent_id)) == [following]
    held = agent.claim(str(following))
    assert get_run(client, waiting)["wait_reason"]["code"] == "agent_busy"
    agent.finish(held)


def test_two_agents_of_one_host_are_not_both_rung(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    SimulatedAgent.enroll(client, "bench-1b", "host-1")
    make_run(client.principal)
    assert dispatch() == 1
    SimulatedAgent.enroll(client, "bench-2", "host-2")
    assert dispatch() == 2


def test_nobody_is_rung_who_is_busy_draining_or_silent(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    make_run(client.principal)
    client.patch(f"/api/v1/agents/{agent.agent_id}", json={"is_draining": True})
    assert dispatch() == 0
    client.patch(f"/api/v1/agents/{agent.agent_id}", json={"is_draining": False})
    silence(agent, get_settings().agent_offline_after_s + 1)
    assert dispatch() == 0
    agent.heartbeat()
    agent.claim(first_trial(client, run))
    assert dispatch() == 0


def test_the_sweep_rings_again_for_what_nobody_claimed(
    client: Caller, agent: SimulatedAgent, run: Run, redis_url: str
) -> None:
    sweep()
    sweep()
    assert doorbells(redis_url, agent_queue(agent.agent_id)) == [first_trial(client, run)] * 2


def test_a_run_without_a_fitting_agent_says_so_and_waits(client: Caller, run: Run) -> None:
    assert get_run(client, run)["wait_reason"]["code"] == "no_agent_online"
    agent = SimulatedAgent.enroll(client)
    agent.heartbeat(stores=("redis",))
    sweep()
    shown = get_run(client, run)
    assert (shown["status"], shown["wait_reason"]["code"]) == ("queued", "no_agent_can_take")
    agent.heartbeat()
    assert get_run(client, run)["wait_reason"] is None
    assert dispatch() == 1


def test_waiting_runs_say_what_for(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    second, third = make_run(client.principal), make_run(client.principal)
    neighbour = SimulatedAgent.enroll(client, "bench-1b", "host-1")
    fourth = make_run(client.principal, agent_selector={"agent_id": neighbour.agent_id}, priority=9)
    listed = {item["id"]: item["wait_reason"] for item in client.get("/api/v1/runs").json()["items"]}
    assert listed[str(run.id)] is None
    assert listed[str(fourth.id)]["code"] == "host_held"
    client.delete(f"/api/v1/agents/{neighbour.agent_id}")
    client.post(f"/api/v1/runs/{fourth.id}/cancel")
    assert get_run(client, second)["wait_reason"]["code"] == "agent_busy"
    assert get_run(client, third)["wait_reason"]["code"] == "behind_other_runs"
    following = agent.finish(held)
    silence(agent, get_settings().agent_offline_after_s + 1)
    assert following.next_trial_id is not None
    assert get_run(client, run)["wait_reason"]["code"] == "agent_offline"


@pytest.mark.parametrize("leaves", ["lost", "revoked"])
def test_a_run_whose_agent_is_gone_fails(client: Caller, agent: SimulatedAgent, run: Run, leaves: str) -> None:
    agent.execute(first_trial(client, run))
    if leaves == "revoked":
        client.delete(f"/api/v1/agents/{agent.agent_id}")
    else:
        silence(agent, get_settings().agent_offline_after_s + 1)
        sweep()
        assert get_run(client, run)["status"] == "running"
        silence(agent, get_settings().agent_lost_after_s + 1)
    sweep()
    ended = get_run(client, run)
    assert (ended["status"], ended["error"]["code"]) == ("failed", "agent_lost")
    assert ended["status_counts"] | {"succeeded": 1, "failed": 7} == ended["status_counts"]


def test_an_agent_killed_in_the_middle_is_followed_by_another_attempt(
    client: Caller, agent: SimulatedAgent, run: Run, redis_url: str
) -> None:
    held = agent.claim(first_trial(client, run))
    agent.renew(held)
    sweep()
    assert doorbells(redis_url, agent_queue(agent.agent_id)) == []
    let_leases_run_out()
    sweep()
    assert doorbells(redis_url, agent_queue(agent.agent_id)) == [held.trial_id]
    agent.execute_all(held.trial_id)
    assert get_run(client, run)["status"] == "succeeded"


def test_a_renewal_that_came_just_before_the_lock_is_heard(
    client: Caller, agent: SimulatedAgent, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = agent.claim(first_trial(client, run))
    # What the sweep read a moment before the agent renewed.
    seen = [(run.id, uuid.UUID(held.trial_id))]
    monkeypatch.setattr(repository, "unheld_trials", lambda *_: seen)
    sweep()
    agent.renew(held)
    assert trials_of(client, run)[0].status == "running"


def test_sweeps_at_once_end_an_attempt_once(client: Caller, agent: SimulatedAgent) -> None:
    runs = [make_run(client.principal) for _ in range(4)]
    for number, waiting in enumerate(runs):
        SimulatedAgent.enroll(client, f"bench-x{number}", f"host-x{number}").claim(first_trial(client, waiting))
    let_leases_run_out()
    barrier = threading.Barrier(4)

    def sweep_together() -> None:
        barrier.wait()
        sweep()

    threads = [threading.Thread(target=sweep_together) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sweep()
    for waiting in runs:
        assert [trial.attempt for trial in trials_of(client, waiting) if trial.warnings] == [1]
        with unit_of_work() as unit:
            seqs = list(unit.session.scalars(select(RunEvent.seq).where(RunEvent.run_id == waiting.id)))
        assert sorted(seqs) == list(range(1, len(seqs) + 1))


def test_a_trial_that_cannot_be_recovered_stops_no_other(client: Caller, agent: SimulatedAgent) -> None:
    """The row is broken as a fault of ours would break it: its warnings are no list."""
    other = SimulatedAgent.enroll(client, "bench-2", "host-2")
    plan = resolved_plan(("memcached",), axes=[], trials_per_point=1)
    bad, good = make_run(client.principal, plan), make_run(client.principal, plan)
    agent.claim(first_trial(client, bad))
    other.claim(first_trial(client, good))
    with unit_of_work() as unit:
        unit.session.execute(update(Trial).where(Trial.run_id == bad.id).values(warnings=5))
    let_leases_run_out()
    sweep()
    with unit_of_work() as unit:
        statuses = {row[0]: row[1] for row in unit.session.execute(select(Trial.run_id, Trial.status))}
    assert (statuses[bad.id], statuses[good.id]) == ("claimed", "queued")
    with unit_of_work() as unit:
        unit.session.execute(update(Trial).where(Trial.run_id == bad.id).values(warnings=[]))
    sweep()
    with unit_of_work() as unit:
        assert set(unit.session.scalars(select(Trial.status))) == {"queued"}, "mended, it is recovered"
