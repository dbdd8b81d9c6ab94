"""Generated requests against the running api: no 5xx, no undocumented status, no answer that breaks its schema."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from hypothesis import settings as generated
from loadstone.main import Server, create_app
from loadstone.openapi import OPENAPI_FILE
from loadstone.settings import get_settings
from loadstone_local.secrets_file import free_port
from loadstone_testing.callers import Caller
from loadstone_testing.factories import managed_target, plan_definition, workload_definition
from loadstone_testing.simulated_agent import SimulatedAgent
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

schema = schemathesis.openapi.from_dict(json.loads(OPENAPI_FILE.read_text())).exclude(
    # A live stream of a run does not end by itself.
    path="/api/v1/runs/{run_id}/events"
)


@pytest.fixture(scope="session")
def served(settings_in_environment: None) -> Iterator[str]:
    """The api on a port, as `python -m loadstone.main` serves it."""
    port = free_port()
    settings = get_settings().model_copy(update={"port": port})
    server = Server(create_app(settings), settings)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def known(client: Caller) -> dict[str, str]:
    """Ids that are there, by the name they have in addresses, and the agent's token."""
    agent = SimulatedAgent.enroll(client)
    target = client.post("/api/v1/targets", json=managed_target()).json()["id"]
    run = client.post("/api/v1/runs", json={"plan": plan_definition()}).json()["id"]
    return {
        "agent_id": agent.agent_id,
        "target_id": target,
        "check_id": client.post(f"/api/v1/targets/{target}/checks", json={}).json()["id"],
        "workload_id": client.post("/api/v1/workloads", json={"name": "w", "definition": workload_definition()}).json()[
            "id"
        ],
        "plan_id": client.post("/api/v1/plans", json={"definition": plan_definition()}).json()["id"],
        "run_id": run,
        "trial_id": client.get(f"/api/v1/runs/{run}/trials").json()["items"][0]["id"],
        "agent_token": agent.token,
    }


@schema.parametrize()
@generated(
    max_examples=5,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_generated_requests(case: schemathesis.Case[Any], served: str, client: Caller, known: dict[str, str]) -> None:
    for name in case.path_parameters or {}:
        if name in known:
            case.path_parameters[name] = known[name]
    token = known["agent_token"] if case.path.startswith("/agent/") else client.token
    response = case.call(base_url=served, headers={"Authorization": f"Bearer {token}"})
    case.validate_response(
        response,
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_schema_conformance,
        ],
    )
