"""Claims: who gets a trial, and that nobody gets it twice."""

import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.dispatch import service as dispatch
from loadstone.models import Hold, Lease, Run, Target, Trial
from loadstone_contracts.agent_calls import ClaimResponse
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, get_run, make_run, resolved_plan, trials_of
from loadstone_testing.simulated_agent import SimulatedAgent
from sqlalchemy import func, select


def count(table: type[Any]) -> int:
    with unit_of_work() as unit:
        return unit.session.scalar(select(func.count()).select_from(table)) or 0


def test_a_run_is_executed_in_its_order_to_its_end(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trials = [str(trial.id) for trial in trials_of(client, run)]
    agent.execute_all(trials[0])
    assert agent.finished == trials
    ended = get_run(client, run)
    assert (ended["status"], ended["progress"]) == ("succeeded", 1.0)
    assert ended["status_counts"]["succeeded"] == 8
    assert ended["agent"]["id"] == agent.agent_id
    assert count(Hold) == 0


def test_the_assignment_holds_all_the_agent_needs(client: Caller, agent: SimulatedAgent) -> None:
    run = make_run(client.principal, resolved_plan(verify=True, reset="flush"))
    trial = trials_of(client, run)[0]
    held = agent.claim(str(trial.id))
    assert (held.trial_id, held.run_id, held.attempt) == (str(trial.id), str(run.id), 1)
    assert held.work.seed == trial.seed
    assert held.work.load.connections == trial.parameters["connections"]
    assert held.work.verify
    assert held.target.kind == "memcached"
    assert held.target.options
    assert held.not_before_unix_ns is None
    assert held.reset == "flush"


def test_a_second_doorbell_does_nothing(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial_id = first_trial(client, run)
    held = agent.claim(trial_id)
    agent.renew(held, "running")
    before = get_run(client, run)
    assert agent.ask(trial_id).reason == "agent_busy"
    assert get_run(client, run) == before | {"eta_s": pytest.approx(before["eta_s"], abs=1)}
    agent.finish(held)
    assert agent.ask(trial_id).reason == "not_queued"
    assert count(Lease) == 1


def test_a_claim_whose_answer_was_lost_is_answered_again(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    assert agent.claim(held.trial_id) == held
    assert count(Lease) == 1


def test_only_the_first_live_trial_may_be_claimed(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    first, second, *_ = trials_of(client, run)
    assert agent.ask(str(second.id)).reason == "not_next"
    agent.execute(str(first.id))
    agent.claim(str(second.id))


@pytest.mark.parametrize("heard", ["not an id", "01890a5d-ac96-774b-bcce-b302099a8057"])
def test_a_forged_doorbell_does_nothing(agent: SimulatedAgent, heard: str) -> None:
    assert agent.ask(heard).reason == "not_queued"


def test_another_teams_trial_is_not_there(client: Caller, other_team: Caller, run: Run) -> None:
    stranger = SimulatedAgent.enroll(other_team)
    assert stranger.ask(first_trial(client, run)).reason == "not_queued"


def test_a_run_stays_with_the_agent_that_began_it(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    other = SimulatedAgent.enroll(client, "bench-2", "host-2")
    following = agent.execute(first_trial(client, run)).next_trial_id
    assert following is not None
    assert other.ask(following).reason == "not_suitable"
    agent.claim(following)


def _drain(client: Caller, agent: SimulatedAgent) -> None:
    client.patch(f"/api/v1/agents/{agent.agent_id}", json={"is_draining": True})


def _lose_redis(_: Caller, agent: SimulatedAgent) -> None:
    # The run's last target needs it, the first trial does not.
    agent.heartbeat(stores=("memcached",))


@pytest.mark.parametrize(("change", "reason"), [(_drain, "draining"), (_lose_redis, "not_suitable")])
def test_an_agent_that_may_not_or_cannot_is_refused(
    client: Caller,
    agent: SimulatedAgent,
    run: Run,
    change: Callable[[Caller, SimulatedAgent], None],
    reason: str,
) -> None:
    change(client, agent)
    assert agent.ask(first_trial(client, run)).reason == reason


def test_the_runs_selector_binds(client: Caller, agent: SimulatedAgent) -> None:
    chosen = SimulatedAgent.enroll(client, "bench-2", "host-2", rack="b")
    run = make_run(client.principal, agent_selector={"labels": {"rack": "b"}})
    assert agent.ask(first_trial(client, run)).reason == "not_suitable"
    chosen.claim(first_trial(client, run))


def test_a_cancelled_run_is_not_claimed(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    client.post(f"/api/v1/runs/{run.id}/cancel")
    assert agent.ask(first_trial(client, run)).reason == "run_ended"


def test_two_agents_of_one_host_never_measure_at_once(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    neighbour = SimulatedAgent.enroll(client, "bench-1b", "host-1")
    elsewhere = SimulatedAgent.enroll(client, "bench-2", "host-2")
    second, third = make_run(client.principal), make_run(client.principal)
    held = agent.claim(first_trial(client, run))
    assert neighbour.ask(first_trial(client, second)).reason == "host_held"
    assert count(Lease) == 1
    elsewhere.claim(first_trial(client, third))
    agent.finish(held)
    neighbour.claim(first_trial(client, second))


def make_external(client: Caller, host: str) -> dict[str, Any]:
    target = {"name": host, "kind": "memcached", "mode": "external", "host": host, "port": 11211}
    response = client.post("/api/v1/targets", json=target)
    assert response.status_code == 201, response.text
    snapshot = {"index": 0, "profile": None, "options": {}, "target_id": response.json()["id"]}
    return {key: target[key] for key in ("name", "kind", "mode", "host", "port")} | snapshot


def test_an_external_host_is_held_for_all_agents(client: Caller, agent: SimulatedAgent) -> None:
    elsewhere = SimulatedAgent.enroll(client, "bench-2", "host-2")
    plan = resolved_plan(targets=[make_external(client, "cache.example")], reset="none")
    first, second = make_run(client.principal, plan), make_run(client.principal, plan)
    held = agent.claim(first_trial(client, first))
    assert (held.target.host, held.target.port) == ("cache.example", 11211)
    assert elsewhere.ask(first_trial(client, second)).reason == "host_held"


def test_a_password_that_cannot_be_read_fails_the_trial_and_holds_nothing(
    client: Caller, agent: SimulatedAgent
) -> None:
    plan = resolved_plan(targets=[make_external(client, "cache.example")], reset="none")
    run = make_run(client.principal, plan)
    with unit_of_work() as unit:
        unit.session.scalars(select(Target)).one().password_encrypted = "garbage"
    assert agent.ask(first_trial(client, run)).reason == "secret_unreadable"
    trial = trials_of(client, run)[0]
    assert trial.status == "failed"
    assert trial.error is not None
    assert trial.error.code == "secret_unreadable"
    assert count(Hold) == 0


def test_the_rest_counts_from_the_end_of_the_trial_before(client: Caller, agent: SimulatedAgent) -> None:
    run = make_run(client.principal, resolved_plan(rest_s=120))
    following = agent.execute(first_trial(client, run)).next_trial_id
    assert following is not None
    not_before_unix_ns = agent.claim(following).not_before_unix_ns
    assert not_before_unix_ns is not None
    expected = datetime.now(UTC) + timedelta(seconds=120)
    assert not_before_unix_ns / 1e9 == pytest.approx(expected.timestamp(), abs=10)


TWICE_THEN_LAST = [True, True, False, False]


@pytest.mark.parametrize(
    ("reset", "kept"), [("restart", [False] * 4), ("flush", TWICE_THEN_LAST), ("none", TWICE_THEN_LAST)]
)
def test_a_store_is_kept_while_the_run_needs_its_state(
    client: Caller, agent: SimulatedAgent, reset: str, kept: list[bool]
) -> None:
    axes = [{"parameter": "connections", "values": [1, 2]}]
    run = make_run(client.principal, resolved_plan(reset=reset, order="interleaved", axes=axes, trials_per_point=1))
    found, instances = [], set()
    trial_id: str | None = first_trial(client, run)
    while trial_id is not None:
        held = agent.claim(trial_id)
        found.append(held.keep_store)
        instances.add(held.target.instance_key)
        trial_id = agent.finish(held).next_trial_id
    assert found == kept
    assert len(instances) == 2


def _race(*calls: Callable[[], ClaimResponse]) -> list[ClaimResponse]:
    barrier = threading.Barrier(len(calls))
    answers: list[ClaimResponse] = []

    def call(claim: Callable[[], ClaimResponse]) -> None:
        barrier.wait()
        answers.append(claim())

    threads = [threading.Thread(target=call, args=[claim]) for claim in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def _claim(agent: SimulatedAgent, trial_id: str) -> Callable[[], ClaimResponse]:
    def claim() -> ClaimResponse:
        with unit_of_work() as unit:
            return dispatch.claim_trial(unit, uuid.UUID(agent.agent_id), trial_id)

    return claim


@pytest.mark.parametrize("_", range(5))
def test_of_agents_racing_for_one_trial_exactly_one_wins(client: Caller, run: Run, _: int) -> None:
    agents = [SimulatedAgent.enroll(client, f"bench-{number}", f"host-{number}") for number in range(4)]
    trial_id = first_trial(client, run)
    answers = _race(*(_claim(agent, trial_id) for agent in agents))
    assert sum(answer.assignment is not None for answer in answers) == 1
    assert {answer.reason for answer in answers} <= {None, "not_queued", "not_suitable"}
    assert count(Lease) == 1


@pytest.mark.parametrize("_", range(5))
def test_of_agents_racing_for_one_host_exactly_one_wins(client: Caller, _: int) -> None:
    agents = [SimulatedAgent.enroll(client, f"bench-{number}", "host-1") for number in range(4)]
    trials = [first_trial(client, make_run(client.principal)) for _ in agents]
    answers = _race(*(_claim(agent, trial) for agent, trial in zip(agents, trials, strict=True)))
    assert sum(answer.assignment is not None for answer in answers) == 1
    assert {answer.reason for answer in answers} == {None, "host_held"}
    with unit_of_work() as unit:
        statuses = unit.session.scalars(select(Trial.status)).all()
    assert statuses.count("claimed") == 1
    assert set(statuses) == {"claimed", "queued"}


def test_one_agent_hearing_two_doorbells_at_once_takes_one(client: Caller, agent: SimulatedAgent) -> None:
    trials = [first_trial(client, make_run(client.principal)) for _ in range(3)]
    answers = _race(*(_claim(agent, trial) for trial in trials))
    assert sum(answer.assignment is not None for answer in answers) == 1
    assert count(Lease) == 1
