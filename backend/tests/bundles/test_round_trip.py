"""A run leaves as a file and comes back elsewhere as the same numbers."""

import hashlib
import io
import json
import zipfile
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import OperationResult, Point, Run, Sample, TrialMetric
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, make_run, plan_body, resolved_plan
from loadstone_testing.simulated_agent import SimulatedAgent
from sqlalchemy import func, select

ZIP_TYPE = {"Content-Type": "application/zip"}


@pytest.fixture
def agent(client: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(client)


@pytest.fixture
def run(client: Caller, agent: SimulatedAgent) -> Run:
    """Two stores on two connection counts, two trials each, all measured."""
    run = make_run(client.principal, resolved_plan(order="interleaved"))
    agent.execute_all(first_trial(client, run))
    return run


def bundle_of(caller: Caller, run_id: Any) -> bytes:
    response = caller.get(f"/api/v1/runs/{run_id}/bundle")
    assert response.status_code == 200, response.text
    return response.content


def bring_in(caller: Caller, bundle: bytes, query: str = "", expect: int = 201) -> dict[str, Any]:
    response = caller.post(f"/api/v1/bundles{query}", content=bundle, headers=ZIP_TYPE)
    assert response.status_code == expect, response.text
    body: dict[str, Any] = response.json()
    return body


def count(table: type[Any]) -> int:
    with unit_of_work() as unit:
        return unit.session.scalar(select(func.count()).select_from(table)) or 0


def test_the_imported_run_has_the_same_numbers_under_new_ids(client: Caller, other_team: Caller, run: Run) -> None:
    imported = bring_in(other_team, bundle_of(client, run.id))
    assert imported["id"] != str(run.id)
    assert (imported["origin"], imported["status"], imported["name"]) == ("imported", "succeeded", run.name)
    for form in ("points.csv", "points.json"):
        there = client.get(f"/api/v1/runs/{run.id}/{form}").text
        here = other_team.get(f"/api/v1/runs/{imported['id']}/{form}").text
        assert here == there
        assert len(here.splitlines()) > 8 or form == "points.json"
    assert other_team.get(f"/api/v1/runs/{run.id}").status_code == 404


def test_seconds_trials_and_surroundings_come_along(client: Caller, other_team: Caller, run: Run) -> None:
    imported = bring_in(other_team, bundle_of(client, run.id))
    theirs = client.get(f"/api/v1/runs/{run.id}/trials?limit=200").json()["items"]
    ours = other_team.get(f"/api/v1/runs/{imported['id']}/trials?limit=200").json()["items"]
    new_ids = {"id", "run_id", "point_id"}
    for there, here in zip(theirs, ours, strict=True):
        assert {k: v for k, v in here.items() if k not in new_ids} == {
            k: v for k, v in there.items() if k not in new_ids
        }
    first, second = theirs[0]["id"], ours[0]["id"]
    for path in ("samples", "samples.csv"):
        assert (
            other_team.get(f"/api/v1/trials/{second}/{path}").text == client.get(f"/api/v1/trials/{first}/{path}").text
        )
    here, there = other_team.get(f"/api/v1/trials/{second}").json(), client.get(f"/api/v1/trials/{first}").json()
    for name in ("environment", "store", "phases", "load_before", "command_lines", "seed"):
        assert here[name] == there[name], name


def seen(caller: Caller, run_id: Any) -> dict[str, Any]:
    """The telemetry of the run's first trial, but for whose it was."""
    trial = caller.get(f"/api/v1/runs/{run_id}/trials").json()["items"][0]
    found: dict[str, Any] = caller.get(f"/api/v1/trials/{trial['id']}/telemetry").json()
    for one in (*found["items"], *found["events"]):
        del one["agent_id"]
    return found


def test_what_store_and_host_did_comes_along(client: Caller, other_team: Caller, run: Run) -> None:
    imported = bring_in(other_team, bundle_of(client, run.id))
    there = seen(client, run.id)
    assert seen(other_team, imported["id"]) == there
    assert there["items"]
    assert there["events"]


def test_histograms_and_metrics_are_the_same_in_number(client: Caller, other_team: Caller, run: Run) -> None:
    before = {table: count(table) for table in (OperationResult, Sample, TrialMetric)}
    bring_in(other_team, bundle_of(client, run.id))
    assert {table: count(table) for table in before} == {table: 2 * number for table, number in before.items()}
    assert all(before.values())


def test_equal_runs_make_equal_bytes_and_a_bundle_is_imported_once(
    client: Caller, other_team: Caller, run: Run
) -> None:
    bundle = bundle_of(client, run.id)
    assert bundle == bundle_of(client, run.id)
    first = bring_in(other_team, bundle)
    again = bring_in(other_team, bundle, expect=200)
    assert again["id"] == first["id"]
    assert len(other_team.get("/api/v1/runs").json()["items"]) == 1


def test_where_it_was_measured_is_told(client: Caller, other_team: Caller, run: Run) -> None:
    imported = bring_in(other_team, bundle_of(client, run.id))
    told = other_team.get(f"/api/v1/runs/{imported['id']}").json()
    assert told["provenance"]["run_id"] == str(run.id)
    assert told["provenance"]["team_name"] == client.principal.team_name
    assert told["agent"]["name"].startswith("bench-1 (elsewhere")
    assert told["created_by"]["name"] == other_team.principal.user_name
    assert other_team.get("/api/v1/agents").json()["items"] == []


def test_an_imported_run_stays_as_it_is_and_enters_no_series(client: Caller, other_team: Caller, run: Run) -> None:
    imported = bring_in(other_team, bundle_of(client, run.id))
    cancelled = other_team.post(f"/api/v1/runs/{imported['id']}/cancel").json()
    assert (cancelled["status"], cancelled["cancel_requested_at"]) == ("succeeded", None)
    points = other_team.get(f"/api/v1/runs/{imported['id']}/points").json()["items"]
    assert {point["series_id"] for point in points} == {None}


def test_it_joins_series_when_that_is_asked_for(client: Caller, run: Run) -> None:
    imported = bring_in(client, bundle_of(client, run.id), "?join_series=true")
    of_original = client.get(f"/api/v1/runs/{run.id}/points").json()["items"]
    of_imported = client.get(f"/api/v1/runs/{imported['id']}/points").json()["items"]
    assert [point["series_id"] for point in of_imported] == [point["series_id"] for point in of_original]


def test_an_imported_run_can_be_exported_again(client: Caller, other_team: Caller, run: Run) -> None:
    imported = bring_in(other_team, bundle_of(client, run.id))
    back = bring_in(client, bundle_of(other_team, imported["id"]))
    text = client.get(f"/api/v1/runs/{back['id']}/points.csv").text
    assert text == client.get(f"/api/v1/runs/{run.id}/points.csv").text


def test_the_manifest_names_every_file_with_its_checksum(client: Caller, run: Run) -> None:
    with zipfile.ZipFile(io.BytesIO(bundle_of(client, run.id))) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert set(manifest["files"]) | {"manifest.json"} == set(archive.namelist())
        definition = json.loads(archive.read("run.json"))
    assert (manifest["format"], manifest["version"]) == ("loadstone-run", 2)
    assert definition["seed"] == run.seed


def test_a_live_run_is_not_exported(client: Caller) -> None:
    live = make_run(client.principal)
    response = client.get(f"/api/v1/runs/{live.id}/bundle")
    assert (response.status_code, response.json()["code"]) == (409, "run_not_over")


def test_only_ones_own_runs_are_exported_and_viewers_import_nothing(
    client: Caller, viewer: Caller, other_team: Caller, run: Run
) -> None:
    assert other_team.get(f"/api/v1/runs/{run.id}/bundle").status_code == 404
    bundle = bundle_of(viewer, run.id)
    bring_in(viewer, bundle, expect=403)
    with unit_of_work() as unit:
        assert unit.session.scalar(select(func.count(Point.id))) == run.point_count


TRACE = b"time,operation,key,size\n0,set,a,7\n0.5,get,b/1,\n0.5,get,a,"
"""Without a newline at its end."""
TRACE_DIGEST = hashlib.sha256(TRACE).hexdigest()


def replaying(**changes: Any) -> dict[str, Any]:
    operations = [{"kind": "get", "weight": 1}, {"kind": "set", "weight": 1}]
    workload = {**plan_body()["workload"], "operations": operations, "trace": {"digest": TRACE_DIGEST}}
    return plan_body(workload=workload, **changes)


@pytest.fixture
def replay(client: Caller, agent: SimulatedAgent) -> dict[str, Any]:
    """A run of a recorded trace, measured."""
    sent = client.post("/api/v1/traces?name=monday.csv", content=TRACE, headers={"Content-Type": "text/csv"})
    assert sent.status_code == 201
    answer = client.post("/api/v1/runs", json={"plan": replaying(axes=[], trials_per_point=1)})
    assert answer.status_code == 201, answer.text
    run: dict[str, Any] = answer.json()
    agent.execute_all(client.get(f"/api/v1/runs/{run['id']}/trials").json()["items"][0]["id"])
    return run


def test_a_run_brings_the_trace_that_it_replayed_so_that_it_can_be_repeated(
    client: Caller, other_team: Caller, replay: dict[str, Any]
) -> None:
    refused = other_team.post("/api/v1/runs", json={"plan": replaying()})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "trace_not_found")
    bundle = bundle_of(client, replay["id"])
    assert bundle == bundle_of(client, replay["id"])
    imported = bring_in(other_team, bundle)
    assert imported["definition"]["workload"]["trace"] == {"digest": TRACE_DIGEST}
    (trace,) = other_team.get("/api/v1/traces").json()["items"]
    assert (trace["digest"], trace["line_count"], trace["name"]) == (
        TRACE_DIGEST, 3, f"{replay['name']}, trace {TRACE_DIGEST[:12]}",
    )  # fmt: skip
    assert other_team.get(f"/api/v1/traces/{trace['id']}/content").content == TRACE
    again = other_team.post("/api/v1/runs", json={"plan": replaying()})
    assert again.status_code == 201, again.text


def test_a_trace_that_is_there_already_keeps_its_name(
    client: Caller, other_team: Caller, replay: dict[str, Any]
) -> None:
    headers = {"Content-Type": "text/csv"}
    assert other_team.post("/api/v1/traces?name=ours.csv", content=TRACE, headers=headers).status_code == 201
    bring_in(other_team, bundle_of(client, replay["id"]))
    assert [trace["name"] for trace in other_team.get("/api/v1/traces").json()["items"]] == ["ours.csv"]


def test_a_bundle_from_before_it_held_traces_is_read_and_exported_again(
    client: Caller, other_team: Caller, replay: dict[str, Any]
) -> None:
    imported = bring_in(other_team, as_version(2, bundle_of(client, replay["id"]), without="traces/"))
    assert other_team.get("/api/v1/traces").json()["items"] == []
    with zipfile.ZipFile(io.BytesIO(bundle_of(other_team, imported["id"]))) as archive:
        assert json.loads(archive.read("manifest.json"))["version"] == 2
        assert not any(name.startswith("traces") for name in archive.namelist())


def as_version(version: int, bundle: bytes, without: str) -> bytes:
    """As it was exported before there was such a file."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bundle)) as before, zipfile.ZipFile(out, "w") as after:
        manifest = json.loads(before.read("manifest.json"))
        kept = {name: facts for name, facts in manifest["files"].items() if without not in name}
        for name in kept:
            after.writestr(name, before.read(name))
        after.writestr("manifest.json", json.dumps({**manifest, "version": version, "files": kept}))
    return out.getvalue()


def test_a_bundle_from_before_telemetry_is_a_run_without_any(client: Caller, other_team: Caller, run: Run) -> None:
    imported = bring_in(other_team, as_version(1, bundle_of(client, run.id), without="telemetry"))
    trial = other_team.get(f"/api/v1/runs/{imported['id']}/trials").json()["items"][0]
    assert other_team.get(f"/api/v1/trials/{trial['id']}/samples").json()["items"] != []
    assert other_team.get(f"/api/v1/trials/{trial['id']}/telemetry").json()["items"] == []
