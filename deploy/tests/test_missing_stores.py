"""A store that the page says is missing, from the command it shows to a recipe that runs."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from loadstone_agent.stores.mysql_distribution import MYSQL_DISTRIBUTIONS
from loadstone_local.live_stack import LiveStack

MYSQL = MYSQL_DISTRIBUTIONS[0]
PLAN = {
    "name": "sql after install",
    "targets": [{"kind": "mysql", "profile": "8.0-innodb-os-buffered", "name": "mysql"}],
    "workload": {
        "dataset": {"key_count": 100, "value_size": {"kind": "fixed", "bytes": 100}},
        "operations": [{"kind": "get", "weight": 1}],
    },
    "load": {"kind": "closed", "connections": 2},
    "axes": [],
    "trials_per_point": 1,
    "stop": {"seconds": 1},
}


def takers(live: LiveStack) -> list[dict[str, Any]]:
    answer = live.client.post("/plans/preview", json=PLAN)
    assert answer.status_code == 200, answer.text
    agents: list[dict[str, Any]] = answer.json()["agents"]
    return agents


def test_a_recipe_becomes_runnable_by_the_command_that_its_page_shows(live: LiveStack) -> None:
    if not MYSQL.cached.exists():
        pytest.skip("MySQL's archive is not on this host: `loadstone-agent stores install mysql` gets it")
    agent = live.get("/agents")["items"][0]
    offers = [offer for offer in agent["stores"] if offer["kind"] == "mysql"]
    if any(offer["available"] for offer in offers):
        pytest.skip("this host has a MySQL of its own")
    assert takers(live)[0]["reason"] == f"It cannot start mysql: {offers[0]['remedy']}"
    # As another terminal has it: nothing of the stack's environment.
    fresh = {"HOME": str(Path.home()), "PATH": os.defpath}
    command = ["/bin/sh", "-c", offers[0]["remedy"]]
    subprocess.run(command, env=fresh, check=True, capture_output=True, timeout=300)
    deadline = time.monotonic() + 60
    while not takers(live)[0]["can_take"]:
        assert time.monotonic() < deadline, takers(live)
        time.sleep(0.2)
    answer = live.client.post("/runs", json={"plan": PLAN})
    assert answer.status_code == 201, answer.text
    assert live.wait_for_end(answer.json()["id"])["status"] == "succeeded"
