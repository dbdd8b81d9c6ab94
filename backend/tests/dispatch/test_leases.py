"""Leases: what a stale attempt can do (nothing), what is sent twice, and how attempts end."""

from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import Hold, Lease, OperationResult, Run, RunEvent, Sample
from loadstone.settings import get_settings
from loadstone_contracts.agent_calls import TrialError
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import (
    first_trial,
    get_run,
    let_leases_run_out,
    make_run,
    resolved_plan,
    sweep,
    trials_of,
)
from loadstone_testing.simulated_agent import SimulatedAgent, sample, summary, totals
from sqlalchemy import func, select


def rows(table: type[Any]) -> int:
    with unit_of_work() as unit:
        return unit.session.scalar(select(func.count()).select_from(table)) or 0


def events(run: Run, kind: str) -> int:
    with unit_of_work() as unit:
        statement = select(func.count()).where(RunEvent.run_id == run.id, RunEvent.kind == kind)
        return unit.session.scalar(statement) or 0


def test_samples_sent_twice_are_stored_and_told_once(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    first, second = sample(0), sample(1)
    for batch in ([first], [first, second], [first, second]):
        assert agent.send(held, *batch).json() == {"acknowledged": len(batch)}
    assert rows(Sample) == 2
    assert events(run, "sample") == 2


def test_a_stale_attempt_writes_nothing(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    stale = agent.claim(first_trial(client, run))
    agent.renew(stale)
    agent.send(stale, sample(0))
    let_leases_run_out()
    sweep()
    fresh = agent.claim(stale.trial_id)
    assert (fresh.attempt, fresh.trial_id) == (2, stale.trial_id)
    assert fresh.fence > stale.fence
    before = rows(Sample), rows(OperationResult), rows(RunEvent), get_run(client, run)["status_counts"]
    for response in (agent.send(stale, sample(1)), agent.try_renew(stale), agent.try_finish(stale)):
        assert (response.status_code, response.json()["code"]) == (409, "lease_lost")
    # The right lease with an old fence is as stale.
    forged = fresh.model_copy(update={"fence": stale.fence})
    for response in (agent.send(forged, sample(1)), agent.try_renew(forged), agent.try_finish(forged)):
        assert (response.status_code, response.json()["code"]) == (409, "lease_lost")
    assert (rows(Sample), rows(OperationResult), rows(RunEvent), get_run(client, run)["status_counts"]) == before
    agent.finish(fresh)


def test_a_lease_is_its_agents_own(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    other = SimulatedAgent.enroll(client, "bench-2", "host-2")
    held = agent.claim(first_trial(client, run))
    for response in (other.try_renew(held), other.send(held, sample(0)), other.try_finish(held)):
        assert (response.status_code, response.json()["code"]) == (409, "lease_lost")


def test_results_count_the_last_attempt_only(client: Caller, agent: SimulatedAgent) -> None:
    run = make_run(client.principal, resolved_plan(("memcached",), axes=[], trials_per_point=1))
    stale = agent.claim(first_trial(client, run))
    agent.renew(stale)
    agent.send(stale, sample(0, 50_000), sample(1, 50_000))
    let_leases_run_out()
    sweep()
    fresh = agent.claim(stale.trial_id)
    agent.renew(fresh)
    agent.send(fresh, sample(0, 1_000))
    agent.finish(fresh, summary=summary(fresh, totals(1, 1_000)), sample_count=1)
    point = client.get(f"/api/v1/runs/{run.id}/points").json()["items"][0]
    assert (point["total"]["count"], point["total"]["throughput_per_s"]) == (1_000, 1_000.0)
    shown = client.get(f"/api/v1/trials/{fresh.trial_id}/samples").json()
    assert (shown["attempt"], [item["operations"][0]["count"] for item in shown["items"]]) == (2, [1_000])
    earlier = client.get(f"/api/v1/trials/{fresh.trial_id}/samples?attempt=1").json()
    assert [item["operations"][0]["count"] for item in earlier["items"]] == [50_000, 50_000]
    trial = client.get(f"/api/v1/trials/{fresh.trial_id}").json()
    assert (trial["status"], trial["attempt"], trial["error"]) == ("succeeded", 2, None)
    assert [warning["code"] for warning in trial["warnings"]] == ["lease_expired"]


def test_a_finish_whose_answer_was_lost_is_answered_alike(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    first = agent.finish(held)
    before = rows(OperationResult), rows(RunEvent)
    assert agent.finish(held) == first
    assert (rows(OperationResult), rows(RunEvent)) == before
    assert agent.send(held, sample(0)).json()["code"] == "lease_lost"


def test_an_outage_shorter_than_the_sweep_costs_nothing(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    let_leases_run_out()
    agent.renew(held)
    sweep()
    assert agent.send(held, sample(0)).status_code == 200


def test_attempts_are_bounded(client: Caller, agent: SimulatedAgent) -> None:
    run = make_run(client.principal, resolved_plan(("memcached",), axes=[], trials_per_point=1))
    trial_id = first_trial(client, run)
    for _ in range(get_settings().max_attempts):
        agent.claim(trial_id)
        let_leases_run_out()
        sweep()
    trial = trials_of(client, run)[0]
    assert (trial.status, trial.attempt) == ("crashed", get_settings().max_attempts)
    assert len(trial.warnings) == get_settings().max_attempts - 1
    ended = get_run(client, run)
    assert (ended["status"], ended["error"]["code"]) == ("failed", "lease_expired")
    assert (rows(Hold), rows(Lease)) == (0, get_settings().max_attempts)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [("crashed", "agent_restarted"), ("failed", "engine_killed"), ("failed", "store_died"), ("cancelled", None)],
)
def test_what_nobody_asked_for_is_attempted_again(
    client: Caller, agent: SimulatedAgent, run: Run, outcome: str, code: str | None
) -> None:
    held = agent.claim(first_trial(client, run))
    error = TrialError(code=code, message="It ended.") if code else None
    assert agent.finish(held, outcome, error=error).next_trial_id == held.trial_id
    trial = trials_of(client, run)[0]
    assert (trial.status, trial.attempt, trial.error) == ("queued", 1, None)
    assert trial.warnings[0].code == (code or "no_reason_given")
    assert agent.claim(held.trial_id).attempt == 2


@pytest.mark.parametrize(
    "code", ["target_unreachable", "store_missing", "store_out_of_memory", "store_disk_full", "disk_full"]
)
def test_a_trial_that_failed_stays_failed_and_the_run_goes_on(
    client: Caller, agent: SimulatedAgent, run: Run, code: str
) -> None:
    following = agent.fail(agent.claim(first_trial(client, run)), code).next_trial_id
    first, second, *_ = trials_of(client, run)
    assert (first.status, first.error and first.error.code) == ("failed", code)
    assert first.error is not None
    assert first.error.detail == "last line of a log"
    assert following == str(second.id)
    agent.execute_all(following)
    ended = get_run(client, run)
    assert ended["status"] == "failed"
    assert ended["status_counts"] | {"failed": 1, "succeeded": 7} == ended["status_counts"]
    assert ended["error"]["code"] == code


def test_a_dead_target_costs_three_trials_not_hours(client: Caller, agent: SimulatedAgent) -> None:
    run = make_run(client.principal, resolved_plan(trials_per_point=10))
    following: str | None = first_trial(client, run)
    for _ in range(3):
        assert following is not None
        following = agent.fail(agent.claim(following), "store_missing").next_trial_id
    trials = trials_of(client, run)
    dead = [trial for trial in trials if trial.parameters["target"] == "memcached"]
    assert {trial.status for trial in dead} == {"failed"}
    assert {trial.error.code for trial in dead if trial.error} == {"store_missing"}
    assert dead[-1].attempt == 0
    assert following == str(trials[len(dead)].id)
    agent.execute_all(following)
    ended = get_run(client, run)
    assert (ended["status"], ended["status_counts"]["failed"], ended["status_counts"]["succeeded"]) == (
        "failed",
        20,
        20,
    )


def test_the_trial_runs_from_the_first_renewal_that_says_so(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    for state in ("preparing", "resting"):
        assert agent.renew(held, state).start_at_unix_ns is None
    assert get_run(client, run)["status"] == "claimed"
    start_at_unix_ns = agent.renew(held, "ready").start_at_unix_ns
    assert start_at_unix_ns is not None
    assert agent.renew(held, "running").start_at_unix_ns == start_at_unix_ns
    shown = get_run(client, run)
    assert (shown["status"], shown["current_trial"]["id"]) == ("running", held.trial_id)


def test_a_histogram_that_is_none_is_refused_with_its_reason(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    numbers = sample(0).operations[0].model_copy(update={"response_histogram": "bm90IG9uZQ=="})
    response = agent.send(held, sample(0).model_copy(update={"operations": [numbers]}))
    assert (response.status_code, response.json()["code"]) == (422, "unusable_histogram")
    assert rows(Sample) == 0


def test_a_void_trial_enters_no_point(client: Caller, agent: SimulatedAgent) -> None:
    run = make_run(client.principal, resolved_plan(("memcached",), axes=[], trials_per_point=2))
    held = agent.claim(first_trial(client, run))
    following = agent.finish(held, summary=summary(held, totals(2, 2_000, failed=1_000))).next_trial_id
    point = client.get(f"/api/v1/runs/{run.id}/points").json()["items"][0]
    assert (point["trials"][0]["trust"], point["operations"], point["total"]) == ("void", [], None)
    agent.execute_all(following)
    point = client.get(f"/api/v1/runs/{run.id}/points").json()["items"][0]
    assert (point["total"]["trials_counted"], point["total"]["errors"]) == (1, 0)
    trial = client.get(f"/api/v1/trials/{held.trial_id}").json()
    assert trial["trust_reasons"][0]["code"] == "errors"


def test_missing_seconds_are_noticed(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    agent.renew(held)
    agent.send(held, sample(0))
    agent.finish(held, sample_count=3)
    trial = trials_of(client, run)[0]
    assert (trial.trust, trial.trust_reasons[0].code) == ("warn", "samples_missing")
    assert trial.trust_reasons[0].evidence["missing"] == 2
