"""A saved plan, and schedules on it."""

from collections.abc import Callable
from typing import Any

import pytest
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import plan_body

MakeSchedule = Callable[..., dict[str, Any]]


@pytest.fixture
def plan(client: Caller) -> dict[str, Any]:
    answer: dict[str, Any] = client.post("/api/v1/plans", json={"definition": plan_body(name="nightly plan")}).json()
    return answer


@pytest.fixture
def make_schedule(client: Caller, plan: dict[str, Any]) -> MakeSchedule:
    def make(**fields: Any) -> dict[str, Any]:
        body = {"name": "nightly", "plan_id": plan["id"], "cron": "0 2 * * *", "time_zone": "Europe/Berlin"} | fields
        response = client.post("/api/v1/schedules", json=body)
        assert response.status_code == 201, response.text
        answer: dict[str, Any] = response.json()
        return answer

    return make
