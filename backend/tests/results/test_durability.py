"""A check of durability from the plan to the figures: what the agent is asked, and what is kept of its answer."""

from typing import Any

import pytest
from loadstone_contracts.durability import DurabilityReport
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target, plan_definition, workload_definition
from loadstone_testing.simulated_agent import SimulatedAgent, summary, totals

WRITES = [{"kind": "set", "weight": 1}]
KILL = {"kill_after_s": 2}
REPORT = DurabilityReport(
    acknowledged=5_000, keys=1_000, kept=700, newer=50, lost=250, torn=0, errors=0, lost_window_ns=900_000_000,
    restart_s=0.4,
)  # fmt: skip


def check(**changes: Any) -> dict[str, Any]:
    """A plan of one trial that kills a Redis."""
    workload = workload_definition(operations=WRITES, durability=KILL)
    fields: dict[str, Any] = {
        "targets": [{"kind": "redis", "profile": "none"}],
        "workload": workload,
        "axes": [],
        "trials_per_point": 1,
        "reset": "restart",
        "stop": {"seconds": 10},
    }
    return plan_definition(**fields | changes)


@pytest.fixture
def agent(client: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(client)


def test_the_agent_is_asked_to_kill_and_what_it_found_is_a_metric(client: Caller, agent: SimulatedAgent) -> None:
    run = client.post("/api/v1/runs", json={"plan": check()}).json()
    trial_id = client.get(f"/api/v1/runs/{run['id']}/trials").json()["items"][0]["id"]
    held = agent.claim(trial_id)
    assert held.kill is not None
    assert held.kill.kill_after_s == 2
    agent.renew(held, "ready")
    agent.renew(held, "running")
    failed = totals(2, 2_000).model_copy(update={"failed": 500})
    agent.finish(held, summary=summary(held, failed, stopped=True), durability=REPORT, sample_count=0)
    trial = client.get(f"/api/v1/trials/{trial_id}").json()
    assert trial["durability"] == REPORT.model_dump()
    assert not {"errors", "stopped_early"} & {reason["code"] for reason in trial["trust_reasons"]}
    (point,) = client.get(f"/api/v1/runs/{run['id']}/points").json()["items"]
    assert point["metrics"]["lost_share"]["mean"] == 0.25
    assert point["metrics"]["torn_share"]["mean"] == 0
    assert point["metrics"]["lost_window_ns"]["mean"] == 900_000_000


def test_a_trial_without_a_kill_has_no_such_metrics(client: Caller, agent: SimulatedAgent) -> None:
    plan = check(workload=workload_definition(operations=WRITES))
    run = client.post("/api/v1/runs", json={"plan": plan}).json()
    trial_id = client.get(f"/api/v1/runs/{run['id']}/trials").json()["items"][0]["id"]
    agent.execute(trial_id)
    assert client.get(f"/api/v1/trials/{trial_id}").json()["durability"] is None
    (point,) = client.get(f"/api/v1/runs/{run['id']}/points").json()["items"]
    assert "lost_share" not in point["metrics"]


REFUSALS: list[tuple[dict[str, Any], str, str]] = [
    ({"reset": "none"}, "durability_needs_restart", "reset"),
    ({"stop": {"seconds": 1}}, "durability_too_short", "workload.durability.kill_after_s"),
    (
        {"workload": workload_definition(operations=[{"kind": "get", "weight": 1}], durability=KILL)},
        "durability_operation",
        "workload.operations",
    ),
    (
        {"workload": workload_definition(operations=[*WRITES, {"kind": "incr", "weight": 1}], durability=KILL)},
        "durability_operation",
        "workload.operations[1].kind",
    ),
]


@pytest.mark.parametrize(("fields", "code", "path"), REFUSALS, ids=[f"{code}-{path}" for _, code, path in REFUSALS])
def test_a_plan_that_cannot_show_it_is_refused(client: Caller, fields: dict[str, Any], code: str, path: str) -> None:
    answer = client.post("/api/v1/plans/preview", json=check(**fields)).json()
    assert (code, path) in [(found["code"], found["path"]) for found in answer["refusals"]]


def test_a_store_that_nobody_started_cannot_be_killed(client: Caller) -> None:
    target = client.post("/api/v1/targets", json=external_target()).json()
    answer = client.post("/api/v1/plans/preview", json=check(targets=[{"target_id": target["id"]}])).json()
    assert "durability_needs_managed" in {found["code"] for found in answer["refusals"]}
