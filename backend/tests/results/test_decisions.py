"""People decide which trials count: with a reason, by name, and back again."""

from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import AuditEntry, Run, TrialMetric
from loadstone.stats.metrics import METRICS
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import make_run, resolved_plan, trials_of
from loadstone_testing.simulated_agent import SimulatedAgent, summary, totals
from sqlalchemy import select


@pytest.fixture
def agent(client: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(client)


@pytest.fixture
def run(client: Caller, agent: SimulatedAgent) -> Run:
    """One point of three trials with 100, 200 and 300 answers; the last is void."""
    run = make_run(client.principal, resolved_plan(("memcached",), axes=[], trials_per_point=3))
    next_id: str | None = str(trials_of(client, run)[0].id)
    for number in (1, 2, 3):
        assert next_id is not None
        held = agent.claim(next_id)
        agent.renew(held)
        told = summary(held, totals(1, 100 * number), stopped=number == 3)
        next_id = agent.finish(held, summary=told).next_trial_id
    return run


def total(client: Caller, run: Run) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/api/v1/runs/{run.id}/points").json()["items"][0]["total"]
    return found


def decide(caller: Caller, trial_id: object, kind: str, reason: str = "the fan failed") -> Any:
    return caller.post(f"/api/v1/trials/{trial_id}/decisions", json={"kind": kind, "reason": reason})


def test_a_void_trial_is_left_out_until_it_is_included_by_name(client: Caller, run: Run) -> None:
    void = trials_of(client, run)[2]
    assert (void.trust, void.is_counted) == ("void", False)
    assert total(client, run)["trials_counted"] == 2
    answer = decide(client, void.id, "include")
    assert answer.status_code == 201, answer.text
    assert answer.json()["is_counted"] is True
    decision = answer.json()["decisions"][0]
    assert decision["created_by"]["name"] == client.principal.user_name
    assert decision["reason"] == "the fan failed"
    assert (total(client, run)["trials_counted"], total(client, run)["count"]) == (3, 600)
    undone = client.delete(f"/api/v1/trials/{void.id}/decisions/{decision['id']}")
    assert undone.json()["is_counted"] is False
    assert undone.json()["decisions"][0]["undone_by"]["name"] == client.principal.user_name
    assert (total(client, run)["trials_counted"], total(client, run)["count"]) == (2, 300)


def test_an_excluded_trial_leaves_the_curve_and_a_new_decision_replaces_the_old(client: Caller, run: Run) -> None:
    first = trials_of(client, run)[0]
    assert decide(client, first.id, "exclude").status_code == 201
    assert total(client, run)["count"] == 200
    again = decide(client, first.id, "include", "the fan was fine after all")
    assert [one["undone_at"] is None for one in again.json()["decisions"]] == [False, True]
    assert total(client, run)["count"] == 300


def test_a_run_decided_on_is_taken_into_its_series_anew(client: Caller, run: Run) -> None:
    with unit_of_work() as unit:
        stored = unit.session.get_one(Run, run.id)
        stored.analysed_at = stored.created_at
    decide(client, trials_of(client, run)[0].id, "exclude")
    with unit_of_work() as unit:
        assert unit.session.get_one(Run, run.id).analysed_at is None


def test_what_changes_nothing_or_has_no_result_is_refused(client: Caller, run: Run) -> None:
    first, _, void = trials_of(client, run)
    assert decide(client, first.id, "include").json()["code"] == "decision_changes_nothing"
    assert decide(client, void.id, "exclude").json()["code"] == "decision_changes_nothing"
    waiting = make_run(client.principal, resolved_plan(("memcached",), axes=[]))
    refused = decide(client, trials_of(client, waiting)[0].id, "exclude")
    assert (refused.status_code, refused.json()["code"]) == (409, "trial_not_measured")
    assert decide(client, first.id, "exclude", "  ").status_code == 422
    made = decide(client, first.id, "exclude").json()["decisions"][0]
    address = f"/api/v1/trials/{first.id}/decisions/{made['id']}"
    assert client.delete(address).status_code == 200
    assert client.delete(address).json()["code"] == "decision_undone"


def test_viewers_and_other_teams_decide_nothing(client: Caller, viewer: Caller, other_team: Caller, run: Run) -> None:
    first = trials_of(client, run)[0]
    assert decide(viewer, first.id, "exclude").status_code == 403
    assert decide(other_team, first.id, "exclude").status_code == 404
    made = decide(client, first.id, "exclude").json()["decisions"][0]
    assert other_team.delete(f"/api/v1/trials/{first.id}/decisions/{made['id']}").status_code == 404
    assert client.get(f"/api/v1/trials/{first.id}").json()["is_counted"] is False


def test_decisions_stand_in_the_audit_log(client: Caller, run: Run) -> None:
    first = trials_of(client, run)[0]
    made = decide(client, first.id, "exclude").json()["decisions"][0]
    client.delete(f"/api/v1/trials/{first.id}/decisions/{made['id']}")
    with unit_of_work() as unit:
        entries = unit.session.scalars(
            select(AuditEntry).where(AuditEntry.subject_kind == "trial").order_by(AuditEntry.id)
        ).all()
    assert [entry.action for entry in entries] == ["trial_excluded", "trial_decision_undone"]
    assert entries[0].detail["reason"] == "the fan failed"


OF_THE_WHOLE = {
    "disk_after_bytes", "memory_after_prefill_bytes", "memory_peak_bytes", "lost_share", "torn_share", "lost_window_ns",
    "replica_lag_p50_ns", "replica_lag_p99_ns", "replica_lag_max_ns", "replica_lag_lost_share",
}  # fmt: skip
"""From what store and host told, from a kill, and from a replica: this agent tells of none."""


def test_every_trial_that_succeeded_has_its_metrics(client: Caller, run: Run) -> None:
    with unit_of_work() as unit:
        rows = unit.session.scalars(select(TrialMetric)).all()
    by_trial = {(row.trial_id, row.operation, row.metric): row.value for row in rows}
    # Some hundred answers say nothing of a p99.
    too_few = {f"{kind}_time_{name}_ns" for kind in ("response", "service") for name in ("p99", "p999")}
    assert {row.metric for row in rows} == set(METRICS) - OF_THE_WHOLE - too_few
    assert {row.operation for row in rows} == {"all", "get"}
    for trial, answered in zip(trials_of(client, run), (100, 200, 300), strict=True):
        assert by_trial[trial.id, "all", "throughput_per_s"] == answered
        assert by_trial[trial.id, "get", "error_share"] == 0
        assert by_trial[trial.id, "get", "elapsed_s"] == 1.0
