"""Generated requests against the running api: no 5xx, no undocumented status, no answer that breaks its schema."""

import json
import os
import secrets
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as generated
from loadstone.main import Server, create_app
from loadstone.models import Team
from loadstone.openapi import OPENAPI_FILE
from loadstone.settings import get_settings
from loadstone_local.secrets_file import free_port
from loadstone_testing import factories
from loadstone_testing.attack_record import IS_FULL, record_attack
from loadstone_testing.callers import Caller
from loadstone_testing.one_of_each import make_one_of_each
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
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
    thread.join(60)


@schemathesis.serializer("application/zip")
def as_zip(_context: Any, value: Any) -> bytes:
    """Bundles: hardly ever a zip file, which is what the route has to cope with."""
    return value if isinstance(value, bytes) else str(value).encode()


CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SHORT = {"admin": 4, "editor": 1, "viewer": 1, "instance admin": 1, "team token": 1, "agent": 1, "stranger": 1}
"""How many requests each asker makes to every route. Faults lie in what is allowed, so who may do most asks most."""
FULL = {asker: 10 * count for asker, count in SHORT.items()} | {"token of scope read": 10, "token of scope manage": 10}
EXAMPLES = FULL if IS_FULL else SHORT
SEED = int(os.environ.get("LOADSTONE_ATTACK_SEED", secrets.randbelow(2**32)))
"""`make attack` prints it and asks something new each time; the short form asks the same each time."""


@pytest.fixture
def tokens(client: Caller, known: dict[str, str], team: Team) -> dict[str, str | None]:
    person = factories.make_principal(team, "viewer", is_instance_admin=True)
    made = client.post("/api/v1/tokens", json={"name": "pipeline", "kind": "team", "scope": "run"}).json()
    scoped = {
        f"token of scope {scope}": client.post("/api/v1/tokens", json={"name": scope, "scope": scope}).json()["token"]
        for scope in ("read", "manage")
    }
    return scoped | {
        "admin": client.token,
        "editor": factories.make_token(factories.make_principal(team, "editor")),
        "viewer": factories.make_token(factories.make_principal(team, "viewer")),
        "instance admin": factories.make_token(person),
        "team token": made["token"],
        "agent": known["agent_token"],
        "stranger": None,
    }


@pytest.fixture
def known(client: Caller) -> dict[str, str]:
    """Ids that are there, by the name they have in addresses."""
    return make_one_of_each(client)


def operations() -> list[Any]:
    """All that the document describes; what takes things away comes last."""
    found = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert len(found) > 100
    return sorted(found, key=lambda operation: operation.method.upper() == "DELETE")


def attempt(operation: Any, examples: int, url: str, token: str | None, ids: dict[str, str]) -> None:
    """Raises what the first answer that breaks the document says."""

    @seed(SEED)
    @given(case=operation.as_strategy())
    @generated(
        max_examples=examples,
        deadline=None,
        derandomize=not IS_FULL,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: schemathesis.Case[Any]) -> None:
        for name in case.path_parameters or {}:
            case.path_parameters[name] = ids.get(name, case.path_parameters[name])
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        case.validate_response(case.call(base_url=url, headers=headers), checks=CHECKS)

    ask()


@pytest.mark.timeout(1800 if IS_FULL else 240)
@pytest.mark.parametrize("asker", EXAMPLES)
def test_generated_requests(asker: str, served: str, known: dict[str, str], tokens: dict[str, str | None]) -> None:
    broken = []
    for operation in operations():
        is_for_agents = operation.path.startswith("/agent/")
        token = known["agent_token"] if asker == "admin" and is_for_agents else tokens[asker]
        ids = known | ({"token": known["share_token"]} if "/shared/" in operation.path else {})
        try:
            attempt(operation, EXAMPLES[asker], served, token, ids)
        except* Exception as errors:
            broken += [f"{operation.method.upper()} {operation.path}: {error}" for error in errors.exceptions]
    record_attack("generated requests", asker, len(operations()) * EXAMPLES[asker], broken)
    assert not broken, f"seed {SEED}\n" + "\n\n".join(broken)
