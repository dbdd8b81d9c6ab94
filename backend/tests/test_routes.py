"""What holds for every route, also for those that are added later."""

import json
import re
from typing import Any

import pytest
from loadstone.openapi import OPENAPI_FILE, openapi_text
from loadstone_testing.callers import Caller

NOWHERE = "0190a000-0000-7000-8000-000000000000"
DOCUMENT: dict[str, Any] = json.loads(OPENAPI_FILE.read_text())
ROUTES = [(method, path) for path, methods in DOCUMENT["paths"].items() for method in methods]
PUBLIC = [(method, path) for method, path in ROUTES if path.startswith("/api/v1/")]

# A token of an admin does not open these; test_permissions.py knows who may.
NEEDS_MORE = ("/api/v1/admin/", "/api/v1/sessions/")


def address(path: str) -> str:
    return re.sub(r"{\w+}", NOWHERE, path)


def test_the_checked_in_openapi_document_is_what_the_code_says() -> None:
    assert OPENAPI_FILE.read_text() == openapi_text(), "run `python -m loadstone.openapi` and commit openapi.json"


def test_operation_ids_are_unique_and_readable() -> None:
    ids = [operation["operationId"] for methods in DOCUMENT["paths"].values() for operation in methods.values()]
    assert len(ids) == len(set(ids))
    assert [name for name in ids if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name)] == []


def test_every_route_documents_its_errors_as_problems() -> None:
    for path, methods in DOCUMENT["paths"].items():
        for operation in methods.values():
            errors = {status: answer for status, answer in operation["responses"].items() if status >= "400"}
            assert {"400", "413", "422", "500"} <= errors.keys()
            for answer in errors.values():
                assert list(answer["content"]) == ["application/problem+json"], path


@pytest.mark.parametrize(
    ("method", "path"), [route for route in PUBLIC if "{" in route[1] and not route[1].startswith(NEEDS_MORE)]
)
def test_an_unknown_id_is_not_found_and_that_is_documented(client: Caller, method: str, path: str) -> None:
    documented = DOCUMENT["paths"][path][method]["responses"]
    response = client.request(method, address(path))
    assert str(response.status_code) in documented
    if response.status_code != 422:
        assert (response.status_code, response.json()["code"]) == (404, "not_found")
