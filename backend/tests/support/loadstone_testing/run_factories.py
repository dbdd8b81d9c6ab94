"""Plans and runs for tests: two managed stores on two connection counts, unless said otherwise."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import redis
from loadstone.db import unit_of_work
from loadstone.dispatch import recovery
from loadstone.models import Lease, Run
from loadstone.plans.schemas import ResolvedPlan
from loadstone.principal import Principal
from loadstone.runs import service as runs
from loadstone.runs.schemas import TrialItem
from sqlalchemy import update

from loadstone_testing.callers import Caller

PROFILES = {"memcached": "default", "redis": "none"}


def managed(index: int, kind: str) -> dict[str, Any]:
    return {
        "index": index,
        "name": kind,
        "kind": kind,
        "mode": "managed",
        "profile": PROFILES[kind],
        "options": {},
        "target_id": None,
        "host": None,
        "port": None,
    }


def plan_body(**changes: Any) -> dict[str, Any]:
    """A `PlanDefinition` as a person posts it."""
    body: dict[str, Any] = {
        "name": "a plan",
        "targets": [{"kind": kind, "profile": profile} for kind, profile in PROFILES.items()],
        "workload": {
            "dataset": {"key_count": 1_000, "value_size": {"kind": "fixed", "bytes": 100}},
            "operations": [{"kind": "get", "weight": 1}],
        },
        "load": {"kind": "closed", "connections": 4, "pipeline": 1},
        "axes": [{"parameter": "connections", "values": [1, 2]}],
        "trials_per_point": 2,
        "order": "sequential",
        "seed": 1,
        "stop": {"seconds": 2},
    }
    return body | changes


def resolved_plan(kinds: tuple[str, ...] = ("memcached", "redis"), **changes: Any) -> ResolvedPlan:
    targets = changes.pop("targets", [managed(index, kind) for index, kind in enumerate(kinds)])
    return ResolvedPlan.model_validate(plan_body(**changes) | {"targets": targets})


def make_run(principal: Principal, plan: ResolvedPlan | None = None, **columns: Any) -> Run:
    """Committed; nobody was rung."""
    with unit_of_work() as unit:
        return runs.create_run(unit, principal, plan or resolved_plan(), **columns)


def trials_of(caller: Caller, run: Run) -> list[TrialItem]:
    """In execution order."""
    response = caller.get(f"/api/v1/runs/{run.id}/trials?limit=200")
    return [TrialItem.model_validate(item) for item in response.json()["items"]]


def first_trial(caller: Caller, run: Run) -> str:
    return str(trials_of(caller, run)[0].id)


def get_run(caller: Caller, run: Run) -> dict[str, Any]:
    body: dict[str, Any] = caller.get(f"/api/v1/runs/{run.id}").json()
    return body


def sweep() -> None:
    with unit_of_work() as unit:
        recovery.sweep(unit)


def let_leases_run_out() -> None:
    """As if every agent had been silent for the whole time of its lease."""
    with unit_of_work() as unit:
        unit.session.execute(update(Lease).values(expires_at=datetime.now(UTC) - timedelta(seconds=1)))


def doorbells(redis_url: str, queue: str) -> list[str]:
    """The first argument of every message waiting in a queue, oldest first; empty text where there is none."""
    with redis.Redis.from_url(redis_url) as connection:
        messages = [json.loads(message) for message in reversed(connection.lrange(queue, 0, -1))]
    arguments = [json.loads(base64.b64decode(message["body"]))[0] for message in messages]
    return [str(argument[0]) if argument else "" for argument in arguments]
