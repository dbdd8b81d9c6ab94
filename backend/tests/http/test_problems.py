"""Errors: every one is problem+json with a stable code."""

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from loadstone.errors import Conflict
from loadstone.http.problems import PROBLEM_MEDIA_TYPE, json_path, register_problem_renderers
from loadstone.settings import get_settings
from loadstone_testing.callers import Caller
from loadstone_testing.factories import plan_definition
from loadstone_testing.simulated_agent import SimulatedAgent


def assert_problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.headers["content-type"] == PROBLEM_MEDIA_TYPE
    body: dict[str, Any] = response.json()
    assert (response.status_code, body["status"], body["code"]) == (status, status, code)
    assert body["type"] == f"urn:loadstone:error:{code}"
    assert body["title"]
    assert body["detail"]
    return body


def test_malformed_json_unknown_address_wrong_method_and_wrong_type(client: Caller) -> None:
    json_type = {"Content-Type": "application/json"}
    assert_problem(client.post("/api/v1/targets", content="{", headers=json_type), 400, "malformed_body")
    assert_problem(client.post("/api/v1/targets", content=b"\xff", headers=json_type), 400, "malformed_body")
    assert_problem(client.get("/api/v1/nowhere"), 404, "not_found")
    assert_problem(client.delete("/api/v1/me"), 405, "method_not_allowed")
    assert_problem(client.get("/api/v1/targets/not-an-id"), 422, "invalid_input")


def test_a_body_that_is_too_large_is_refused_whether_it_says_so_or_not(client: Caller) -> None:
    too_many_bytes = get_settings().max_body_bytes + 1
    headers = {"Content-Type": "application/json"}
    announced = client.post("/api/v1/targets", content=b" " * too_many_bytes, headers=headers)
    assert_problem(announced, 413, "body_too_large")
    chunks = (b" " * 1024 * 1024 for _ in range(too_many_bytes // 1024**2 + 1))
    assert_problem(client.post("/api/v1/targets", content=chunks, headers=headers), 413, "body_too_large")


def test_nobody_signed_in_is_told_how(anonymous: TestClient) -> None:
    body = assert_problem(anonymous.get("/api/v1/me"), 401, "unauthenticated")
    assert "lst_" in body["detail"]


def test_a_domains_error_and_a_crash_are_rendered_without_giving_anything_away() -> None:
    app = FastAPI()
    register_problem_renderers(app)

    @app.get("/conflict")
    def conflict() -> None:
        raise Conflict("Do it otherwise.", path="a.b", errors=[])

    @app.get("/crash")
    def crash() -> None:
        raise RuntimeError("the secret is 42")

    with TestClient(app, raise_server_exceptions=False) as http:
        body = assert_problem(http.get("/conflict"), 409, "conflict")
        assert (body["detail"], body["path"]) == ("Do it otherwise.", "a.b")
        assert "42" not in str(assert_problem(http.get("/crash"), 500, "internal"))


BODY = {"load": {"kind": "closed", "connections": 0}, "axes": [{"values": [1, "x"]}]}


@pytest.mark.parametrize(
    ("location", "error_type", "path"),
    [
        (("body", "load", "closed", "connections"), "greater_than_equal", "load.connections"),
        (("body", "axes", 0, "values", 1, "int"), "int_parsing", "axes[0].values[1]"),
        (("body", "axes", 0, "parameter"), "missing", "axes[0].parameter"),
        (("body", "load", "closed", "pipeline"), "missing", "load.pipeline"),
        (("query", "limit"), "less_than_equal", "limit"),
        (("path", "target_id"), "uuid_parsing", "target_id"),
    ],
)
def test_a_path_names_the_field_as_it_stands_in_the_body(
    location: tuple[str | int, ...], error_type: str, path: str
) -> None:
    assert json_path(location, BODY, error_type) == path


def test_a_field_left_out_within_a_union_is_named(client: Caller) -> None:
    body = plan_definition(load={"kind": "open", "connections": 1})
    errors = client.post("/api/v1/plans/preview", json=body).json()["errors"]
    assert [(error["path"], error["code"]) for error in errors] == [("load", "value_error")]
    assert "exactly one of rate_per_s and rate" in errors[0]["message"]
    body = plan_definition(targets=[{"kind": "redis"}])
    errors = client.post("/api/v1/plans/preview", json=body).json()["errors"]
    assert [(error["path"], error["code"]) for error in errors] == [("targets[0].profile", "missing")]


@pytest.mark.parametrize("body", [{"labels": {"rack": "a\x00b"}}, {"name": "a\x00b"}])
def test_what_the_database_cannot_store_is_the_callers_fault(client: Caller, body: dict[str, Any]) -> None:
    agent = SimulatedAgent.enroll(client)
    assert_problem(client.patch(f"/api/v1/agents/{agent.agent_id}", json=body), 422, "invalid_input")
    assert client.get(f"/api/v1/agents/{agent.agent_id}").json()["name"] == "bench-1"
