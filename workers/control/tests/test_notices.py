"""From an injected slowdown to a message at somebody's door, with the control worker as it is run."""

import json
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import Run
from loadstone.settings import get_settings
from loadstone_testing.callers import Caller
from loadstone_testing.receivers import WebReceiver, web_receiver
from loadstone_testing.run_factories import plan_body
from loadstone_testing.simulated_agent import SimulatedAgent, summary, totals
from loadstone_testing.trend_factories import History, steady
from sqlalchemy import func, select

from .test_control import beat, wait_for, worker


@pytest.fixture
def slow(client: Caller) -> dict[str, Any]:
    """A suspected alert: 20 % slower since the last four runs."""
    History(client.principal).add(*steady(20), *steady(4, level=80_000.0))
    alert: dict[str, Any] = client.get("/api/v1/alerts").json()["items"][0]
    return alert


def execute(client: Caller, run: dict[str, Any], level: int) -> None:
    agent = SimulatedAgent.enroll(client)
    for trial in client.get(f"/api/v1/runs/{run['id']}/trials?limit=200").json()["items"]:
        held = agent.claim(trial["id"])
        agent.renew(held, "ready")
        agent.renew(held, "running")
        count = int(level * (1 + 0.002 * (trial["ordinal"] % 5 - 2)))
        agent.finish(held, summary=summary(held, totals(1, count, seed=trial["ordinal"])), sample_count=0)


# Three Celery processes start, which takes a busy machine long.
@pytest.mark.timeout(400)
def test_a_confirmed_slowdown_is_told_once(
    client: Caller, slow: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("LOADSTONE_NOTIFY_PRIVATE_ADDRESSES", "true")
    get_settings.cache_clear()
    with web_receiver(WebReceiver()) as receiver, web_receiver(WebReceiver(answers=[0])) as hanging:
        for name, one in (("ours", receiver), ("hangs", hanging)):
            body = {"name": name, "kind": "webhook", "address": one.url}
            assert client.post("/api/v1/notification-channels", json=body).status_code == 201
        run = client.post(f"/api/v1/alerts/{slow['id']}/confirm").json()
        execute(client, run, 80_000)
        with worker("one"), worker("two"), beat(tmp_path):
            wait_for(lambda: receiver.received and hanging.received, 180)
            # The one that hangs holds nothing up: runs go on being analysed.
            client.post(f"/api/v1/runs/{client.post('/api/v1/runs', json=_plan()).json()['id']}/cancel")
            wait_for(lambda: _unanalysed() == 0, 60)
        assert [json.loads(got.body)["event"] for got in receiver.received] == ["alert_confirmed"]
    assert client.get(f"/api/v1/alerts/{slow['id']}").json()["state"] == "confirmed"
    get_settings.cache_clear()


def _plan() -> dict[str, Any]:
    return {"plan": plan_body()}


def _unanalysed() -> int:
    with unit_of_work() as unit:
        waiting = select(func.count()).where(Run.finished_at.is_not(None), Run.analysed_at.is_(None))
        return unit.session.scalar(waiting) or 0
