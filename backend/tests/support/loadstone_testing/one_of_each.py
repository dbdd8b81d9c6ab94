"""One object of each kind that an address can name, made as people and agents make them."""

import uuid
from datetime import UTC, datetime
from typing import Any

from loadstone.db import unit_of_work
from loadstone.models import Alert
from loadstone.trends.analysis import analyse_run

from loadstone_testing.callers import Caller
from loadstone_testing.factories import managed_target, plan_definition, workload_definition
from loadstone_testing.run_factories import plan_body
from loadstone_testing.simulated_agent import SimulatedAgent


def _made(caller: Caller, path: str, body: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
    response = caller.post(f"/api/v1{path}", json=body, **arguments)
    assert response.status_code in (200, 201), f"{path}: {response.text}"
    made: dict[str, Any] = response.json()
    return made


def make_one_of_each(caller: Caller) -> dict[str, str]:
    """Ids by the name they have in addresses; also `agent_token`. `caller` is an admin, and is also the `user_id`."""
    agent = SimulatedAgent.enroll(caller)
    target = _made(caller, "/targets", managed_target())["id"]
    known = {
        "agent_id": agent.agent_id,
        "agent_token": agent.token,
        "target_id": target,
        "check_id": _made(caller, f"/targets/{target}/checks", {})["id"],
        "workload_id": _made(caller, "/workloads", {"name": "w", "definition": workload_definition()})["id"],
        "plan_id": _made(caller, "/plans", {"definition": plan_definition()})["id"],
        "trace_id": _uploaded(caller),
        "user_id": str(caller.principal.user_id),
        "team_id": str(caller.principal.team_id),
        "token_id": _made(caller, "/tokens", {"name": "for the team", "kind": "team", "scope": "read"})["id"],
    }
    known |= _measured(caller, agent) | _invited(caller)
    known |= _written(caller, known) | _watched(caller, known)
    return known


def _uploaded(caller: Caller) -> str:
    """A trace of one line."""
    headers = {"Content-Type": "text/csv"}
    answer = caller.post("/api/v1/traces?name=t.csv", content=b"0,get,k,\n", headers=headers)
    return str(answer.json()["id"])


def _invited(caller: Caller) -> dict[str, str]:
    invitation = _made(caller, "/invitations", {"role": "viewer"})
    return {"invitation_id": invitation["id"], "invitation_token": invitation["token"]}


def _measured(caller: Caller, agent: SimulatedAgent) -> dict[str, str]:
    """A finished run of two points, a decision on one of its trials, and a run that waits."""
    plan = plan_body(targets=[{"kind": "redis", "profile": "none"}], trials_per_point=1)
    run = _made(caller, "/runs", {"plan": plan})["id"]
    trial = caller.get(f"/api/v1/runs/{run}/trials").json()["items"][0]
    agent.execute_all(trial["id"])
    point = caller.get(f"/api/v1/runs/{run}/points").json()["items"][0]
    with unit_of_work() as unit:
        analyse_run(unit, uuid.UUID(run))
    excluded = _made(caller, f"/series/{point['series_id']}/exclusions", {"point_id": point["id"], "reason": "to see"})
    decision = _made(caller, f"/trials/{trial['id']}/decisions", {"kind": "exclude", "reason": "to see"})
    return {
        "run_id": run,
        "trial_id": trial["id"],
        "point_id": point["id"],
        "series_id": point["series_id"],
        "exclusion_id": excluded["id"],
        "decision_id": decision["decisions"][0]["id"] if "decisions" in decision else decision["id"],
        "waiting_run_id": _made(caller, "/runs", {"plan": plan})["id"],
    }


def _written(caller: Caller, known: dict[str, str]) -> dict[str, str]:
    """What people write beside runs."""
    run_id = known["run_id"]
    panel = {"id": "1", "title": "t", "view": {"kind": "text", "markdown": "x"}, "width": 1, "height": 1}
    side = {"run_id": run_id, "where": {"connections": 1}}
    other = {"run_id": run_id, "where": {"connections": 2}}
    comparison = {"name": "c", "definition": {"base": side, "contenders": [other]}}
    share = _made(caller, "/shares", {"kind": "run", "subject": {"run_id": run_id}})
    return {
        "comment_id": _made(caller, "/comments", {"subject_kind": "run", "subject_id": run_id, "text": "x"})["id"],
        "share_id": share["id"],
        "share_token": share["url"].rsplit("/", 1)[-1],
        "dashboard_id": _made(caller, "/dashboards", {"name": "d", "panels": [panel]})["id"],
        "comparison_id": _made(caller, "/comparisons", comparison)["id"],
    }


def _watched(caller: Caller, known: dict[str, str]) -> dict[str, str]:
    """What has to do with time."""
    schedule = {"name": "s", "plan_id": known["plan_id"], "cron": "0 3 * * *"}
    slack = "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"
    channel = {"name": "c", "kind": "slack", "address": slack}
    annotation = {"at": "2026-01-01T00:00:00Z", "title": "a"}
    return {
        "schedule_id": _made(caller, "/schedules", schedule)["id"],
        "annotation_id": _made(caller, "/annotations", annotation)["id"],
        "alert_id": str(_suspected(caller, known)),
        "channel_id": _made(caller, "/notification-channels", channel)["id"],
    }


def _suspected(caller: Caller, known: dict[str, str]) -> uuid.UUID:
    """An alert as the analysis leaves it."""
    ids = {name: uuid.UUID(known[name]) for name in ("series_id", "point_id")}
    at = datetime(2026, 1, 1, tzinfo=UTC)
    with unit_of_work() as unit:
        alert = Alert(team_id=caller.principal.team_id, at=at, direction="worse", **ids)
        unit.session.add(alert)
    return alert.id
