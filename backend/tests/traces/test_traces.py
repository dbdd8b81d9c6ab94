"""Traces: what is taken for one, that a file is kept once, and who gets it."""

import hashlib
import random
from typing import Any

import pytest
from httpx2 import Response
from loadstone.traces.format import TraceFault, read_facts
from loadstone_testing.callers import Caller
from loadstone_testing.factories import plan_definition, workload_definition
from loadstone_testing.run_factories import plan_body
from loadstone_testing.simulated_agent import SimulatedAgent, measured, summary, totals

URL = "/api/v1/traces"


@pytest.fixture
def agent(client: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(client)


CSV = b"time,operation,key,size\n0,set,a,7\n0.5,get,b/1,\n0.5,set,a,100\r\n2.5,get,b/1,\n"
DIGEST = hashlib.sha256(CSV).hexdigest()


def upload(caller: Caller, content: bytes = CSV, name: str = "monday.csv") -> Response:
    return caller.post(f"{URL}?name={name}", content=content, headers={"Content-Type": "text/csv"})


def test_a_file_is_counted_and_named_by_its_digest(client: Caller) -> None:
    answer = upload(client)
    assert answer.status_code == 201
    trace = answer.json()
    assert (trace["digest"], trace["size_bytes"], trace["name"]) == (DIGEST, len(CSV), "monday.csv")
    assert (trace["line_count"], trace["key_count"], trace["duration_s"]) == (4, 2, 2.5)
    assert (trace["operations"], trace["largest_value_bytes"]) == ({"set": 2, "get": 2}, 100)
    assert client.get(f"{URL}/{trace['id']}").json() == trace
    content = client.get(f"{URL}/{trace['id']}/content")
    assert content.content == CSV


def test_the_same_file_is_kept_once(client: Caller) -> None:
    first, second = upload(client), upload(client, name="tuesday.csv")
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json() == first.json()
    assert len(client.get(URL).json()["items"]) == 1


def test_an_archived_trace_is_not_listed_and_comes_back_when_uploaded_again(client: Caller) -> None:
    trace = upload(client).json()
    assert client.delete(f"{URL}/{trace['id']}").status_code == 204
    assert client.get(URL).json()["items"] == []
    again = upload(client, name="again.csv").json()
    assert (again["id"], again["name"]) == (trace["id"], "again.csv")


# As the engine's own test of the format has them.
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("0,get,a,1\n\n", 2),
        ("0,get,a,1\n0,get\n", 2),
        ("0,get,a,1,5\n", 1),
        ("time,operation,key,size\nx,get,a,1\n", 2),
        ("1,get,a,1\n0.5,get,a,1\n", 2),
        ("-1,get,a,1\n", 1),
        ("nan,get,a,1\n", 1),
        ("0,pop,a,1\n", 1),
        ("0,get,,1\n", 1),
        ("0,get,a b,1\n", 1),
        ("0,set,a,-5\n", 1),
        ("0,set,a,99999999\n", 1),
        ("0,multi_get,a,1\n", 1),
        (f"0,get,{'k' * 251},1\n", 1),
    ],
)
def test_what_the_engine_would_refuse_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(TraceFault, match=rf"^Line {line}: "):
        read_facts(text.encode())


def test_a_file_that_is_no_trace_is_refused_with_a_code(client: Caller) -> None:
    answer = upload(client, b"hello\n")
    assert (answer.status_code, answer.json()["code"]) == (422, "trace_unreadable")
    assert "Line 1" in answer.json()["detail"]


def replayed(**changes: Any) -> dict[str, Any]:
    operations = [{"kind": "get", "weight": 1}, {"kind": "set", "weight": 1}]
    return workload_definition(operations=operations, trace={"digest": DIGEST}) | changes


def refusals(caller: Caller, **fields: Any) -> list[tuple[str, str]]:
    answer = caller.post("/api/v1/plans/preview", json=plan_definition(**fields)).json()
    return [(item["code"], item["path"]) for item in answer["refusals"]]


RECORDED = {"kind": "open", "connections": 1, "arrivals": "recorded", "speed": 2}


def test_a_plan_replays_a_trace_that_the_team_has(client: Caller, other_team: Caller) -> None:
    assert refusals(client, workload=replayed()) == [("trace_not_found", "workload.trace.digest")]
    upload(client)
    assert refusals(client, workload=replayed(), load=RECORDED) == []
    assert refusals(other_team, workload=replayed()) == [("trace_not_found", "workload.trace.digest")]


@pytest.mark.parametrize(
    ("fields", "code", "path"),
    [
        ({"workload": replayed(operations=[{"kind": "get", "weight": 1}])}, "trace_operation", "workload.operations"),
        (
            {"workload": replayed(access={"kind": "zipf", "exponent": 1})},
            "trace_access",
            "workload.access",
        ),
        ({"workload": replayed(), "verify": True}, "trace_verify", "verify"),
        (
            {"workload": replayed(), "axes": [{"parameter": "key_count", "values": [1000]}]},
            "trace_access",
            "axes[0].parameter",
        ),
        ({"workload": workload_definition(), "load": RECORDED}, "arrivals_need_trace", "load.arrivals"),
        ({"workload": replayed(), "engines": [{"name": "redis-benchmark"}]}, "engine_cannot", "workload.trace"),
    ],
)
def test_what_a_trace_rules_out_is_refused_before_anything_runs(
    client: Caller, fields: dict[str, Any], code: str, path: str
) -> None:
    upload(client)
    found = refusals(client, **({"targets": [{"kind": "redis", "profile": "none"}]} | fields))
    assert (code, path) in found


def test_the_agent_that_holds_the_lease_gets_the_file(client: Caller, agent: SimulatedAgent) -> None:
    upload(client)
    plan = plan_body(workload=replayed(), load=RECORDED, axes=[])
    run = client.post("/api/v1/runs", json={"plan": plan}).json()
    trial = client.get(f"/api/v1/runs/{run['id']}/trials").json()["items"][0]
    held = agent.claim(trial["id"])
    assert held.work.trace is not None
    assert held.work.trace.file == DIGEST
    headers = {"Authorization": f"Bearer {agent.token}"}
    address = f"/agent/v1/leases/{held.lease_id}/trace"
    answer = agent.http.get(f"{address}?fence={held.fence}", headers=headers)
    assert (answer.status_code, answer.content) == (200, CSV)
    stale = agent.http.get(f"{address}?fence={held.fence + 1}", headers=headers)
    assert (stale.status_code, stale.json()["code"]) == (409, "lease_lost")


LAG = {"replica_lag": {"probes_per_s": 20}}


def test_lag_is_measured_where_a_replica_answers(client: Caller) -> None:
    def target(**fields: Any) -> list[dict[str, str]]:
        body = {"name": "pair", "kind": "redis", "mode": "external", "host": "10.0.0.7", "port": 6379} | fields
        return [{"target_id": client.post("/api/v1/targets", json=body).json()["id"]}]

    plan = {"workload": workload_definition(**LAG), "reset": "none"}
    assert refusals(client, **plan, targets=target()) == [("no_replica", "workload.replica_lag")]
    assert refusals(client, **plan, targets=target(read_port=6380)) == []
    assert refusals(client, **plan, targets=target(read_host="10.0.0.8")) == []
    managed = [{"kind": "redis", "profile": "none"}]
    assert refusals(client, **plan | {"reset": "restart"}, targets=managed) == [("no_replica", "workload.replica_lag")]


def test_the_lag_of_a_replica_is_a_metric_of_the_point(client: Caller, agent: SimulatedAgent) -> None:
    run = client.post("/api/v1/runs", json={"plan": plan_body(trials_per_point=1, axes=[])}).json()
    trial = client.get(f"/api/v1/runs/{run['id']}/trials").json()["items"][0]
    held = agent.claim(trial["id"])
    times = measured("get", 200, draw=random.Random(1))
    quantiles = times.response_time_ns.model_dump()
    lag = {"count": 90, "timed_out": 10, "failed": 0, "lag_ns": quantiles, "lag_histogram": times.response_histogram}
    agent.finish(held, summary=summary(held, totals(2, 2_000, replica_lag=lag)))
    point = client.get(f"/api/v1/runs/{run['id']}/points").json()["items"][0]
    assert point["metrics"]["replica_lag_p99_ns"]["mean"] == quantiles["p99"]
    assert point["metrics"]["replica_lag_lost_share"]["mean"] == 0.1


def test_a_replica_has_an_address_of_its_own(client: Caller) -> None:
    body = {"name": "x", "kind": "redis", "mode": "external", "host": "10.0.0.7", "port": 6379, "read_port": 6379}
    answer = client.post("/api/v1/targets", json=body)
    assert (answer.status_code, answer.json()["path"]) == (422, "read_port")
