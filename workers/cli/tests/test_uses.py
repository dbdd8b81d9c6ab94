"""Schedule it, share it, follow it: from the command line against the real api."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from loadstone.db import unit_of_work
from loadstone.trends.analysis import analyse_run, unanalysed_runs
from loadstone_cli_testing.calling import CommandLine
from loadstone_cli_testing.plans import SMALL
from loadstone_testing.callers import Caller
from loadstone_testing.simulated_agent import SimulatedAgent
from loadstone_testing.trend_factories import History, steady

Write = Callable[..., str]
EVERY_NIGHT = ("--cron", "30 2 * * *", "--time-zone", "Europe/Berlin")


def measure(loadstone: CommandLine, remote: Caller, agent: SimulatedAgent, file: str, name: str) -> str:
    """A run that has ended; its id."""
    run_id: str = loadstone.ok("run", file, "--name", name, "--json").json["run"]["id"]
    agent.execute_all(remote.get(f"/api/v1/runs/{run_id}/trials").json()["items"][0]["id"])
    return run_id


@pytest.fixture
def agent(remote: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(remote)


@pytest.fixture
def measured(loadstone: CommandLine, remote: Caller, agent: SimulatedAgent, plan_file: Write) -> str:
    return measure(loadstone, remote, agent, plan_file(SMALL), "nightly")


def test_a_schedule_is_made_paused_fired_and_deleted(loadstone: CommandLine, plan_file: Write) -> None:
    loadstone.ok("plan", "apply", plan_file(SMALL))
    told = loadstone.ok("schedule", "create", "small", *EVERY_NIGHT, "--name", "nights")
    assert "nights is active" in told.out
    assert told.out.count("T02:30:00+") == 5
    assert loadstone.ok("schedule", "list", "--json").json["items"][0]["time_zone"] == "Europe/Berlin"
    assert loadstone.ok("schedule", "pause", "nights", "--json").json["state"] == "paused"
    assert "active; next" in loadstone.ok("schedule", "resume", "nights").out
    assert loadstone.ok("schedule", "run-now", "nights", "--json").json["outcome"] == "submitted"
    again = loadstone("schedule", "run-now", "nights")
    assert (again.code, "No run: " in again.err) == (2, True)
    loadstone.ok("schedule", "delete", "nights")
    assert loadstone("schedule", "pause", "nights").code == 5


def test_a_cron_that_cannot_be_read_is_refused_before_anything_is_saved(
    loadstone: CommandLine, plan_file: Write
) -> None:
    loadstone.ok("plan", "apply", plan_file(SMALL))
    said = loadstone("schedule", "create", "small", "--cron", "61 * * * *", "--json")
    assert (said.code, said.error["code"]) == (2, "cron_invalid")
    assert loadstone.ok("schedule", "list").out == ""


def test_a_dry_run_only_shows_when_it_would_fire(loadstone: CommandLine) -> None:
    said = loadstone.ok("schedule", "create", "no such plan", *EVERY_NIGHT, "--dry-run", "--json").json
    assert (said["schedule"], len(said["preview"]["firings"])) == (None, 5)


def test_a_run_is_shared_and_the_link_revoked(loadstone: CommandLine, measured: str, api_url: str) -> None:
    made = loadstone.ok("share", "create", measured, "--days", "7", "--json").json
    url = f"{api_url}/api/v1/shared/{made['token']}/runs/{measured}"
    assert httpx2.get(url, trust_env=False).status_code == 200
    assert "nightly" in loadstone.ok("share", "list").out
    loadstone.ok("share", "revoke", made["id"])
    assert httpx2.get(url, trust_env=False).status_code in (404, 410)


def test_a_bundle_goes_out_and_comes_in_once(loadstone: CommandLine, measured: str, tmp_path: Path) -> None:
    said = loadstone.ok("export", measured, "-o", "night.zip", "--json").json
    assert (tmp_path / "night.zip").read_bytes()[:2] == b"PK"
    assert said["bytes"] == (tmp_path / "night.zip").stat().st_size
    first, second = (loadstone.ok("import", "night.zip", "--json").json["run"] for _ in range(2))
    assert (first["origin"], first["id"]) == ("imported", second["id"])
    assert first["id"] != measured


def test_what_is_no_bundle_is_refused(loadstone: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "night.zip").write_bytes(b"PK but no more")
    said = loadstone("import", "night.zip", "--json")
    assert said.code == 2
    assert said.error["code"].startswith("bundle_")


def test_a_broken_download_leaves_no_file(loadstone: CommandLine, plan_file: Write, tmp_path: Path) -> None:
    waiting = loadstone.ok("run", plan_file(SMALL), "--json").json["run"]["id"]
    said = loadstone("export", waiting, "-o", "night.zip", "--json")
    assert (said.code, said.error["code"]) == (2, "run_not_over")
    assert [file.name for file in tmp_path.iterdir() if "night" in file.name] == []


def test_series_are_listed_and_their_values_shown(
    loadstone: CommandLine, remote: Caller, agent: SimulatedAgent, plan_file: Write
) -> None:
    for name in ("first night", "second night"):
        measure(loadstone, remote, agent, plan_file(SMALL), name)
    with unit_of_work() as unit:
        waiting = unanalysed_runs(unit)
    for run_id in waiting:
        with unit_of_work() as unit:
            analyse_run(unit, run_id)
    listed = loadstone.ok("trends", "--label", "target_kind=redis", "--json").json["items"]
    assert {series["labels"]["target_kind"] for series in listed} == {"redis"}
    assert listed[0]["value_count"] == 2
    shown = loadstone.ok("trends", listed[0]["id"]).out
    assert "first night" in shown
    assert "second night" in shown
    values = loadstone.ok("trends", listed[0]["id"], "--days", "1", "--json").json["items"][0]["values"]
    assert len(values) == 2


def test_an_alert_is_listed_shown_and_moved_on(loadstone: CommandLine, client: Caller) -> None:
    history = History(client.principal)
    history.add(*steady(20), *steady(4, level=80_000.0))
    [alert] = loadstone.ok("alerts", "--json").json["items"]
    assert (alert["state"], alert["direction"]) == ("suspected", "worse")
    listed = loadstone.ok("alerts", "--state", "suspected").out
    assert alert["id"] in listed
    assert alert["series"]["title"] in listed
    assert loadstone.ok("alerts", "--state", "fixed").out == ""
    said = loadstone.ok("alerts", "update", alert["id"], "--state", "expected", "--comment", "new kernel", "--json")
    assert said.json["state"] == "expected"
    shown = loadstone.ok("alerts", "show", alert["id"]).out
    assert "new kernel" in shown
    assert "suspected to expected" in shown
    illegal = next(state for state in ("fixed", "acknowledged", "confirmed") if state not in said.json["next_states"])
    refused = loadstone("alerts", "update", alert["id"], "--state", illegal, "--json")
    assert (refused.code, refused.error["exit_code"]) == (2, 2)


def test_a_shift_is_marked_where_the_series_shifts(loadstone: CommandLine, client: Caller) -> None:
    History(client.principal).add(*steady(20), *steady(4, level=80_000.0))
    [series] = loadstone.ok("trends", "--json").json["items"]
    assert "worse" in loadstone.ok("trends").out
    marked = [line for line in loadstone.ok("trends", series["id"]).out.splitlines() if "shifts" in line]
    assert len(marked) == 1
    assert "nightly 21" in marked[0]


def test_a_comparison_is_shared_by_its_runs(
    loadstone: CommandLine, remote: Caller, agent: SimulatedAgent, plan_file: Write, api_url: str
) -> None:
    runs = [measure(loadstone, remote, agent, plan_file(SMALL), name) for name in ("before", "after")]
    made = loadstone.ok("share", "create", *runs, "--title", "before and after", "--json").json
    assert (made["kind"], made["title"]) == ("comparison", "before and after")
    assert httpx2.get(f"{api_url}/api/v1/shared/{made['token']}", trust_env=False).status_code == 200


def test_a_dashboard_is_shared_behind_a_password(loadstone: CommandLine, remote: Caller, api_url: str) -> None:
    body = {"name": "wall", "panels": []}
    made = remote.post("/api/v1/dashboards", json=body)
    assert made.status_code == 201, made.text
    command = ("share", "create", "--dashboard", made.json()["id"], "--password-stdin", "--json")
    share = loadstone.ok(*command, stdin="long enough\n").json
    assert (share["kind"], share["has_password"]) == ("dashboard", True)


LINES = "time,operation,key,size\n0,set,a,7\n0.5,get,b/1,\n1.5,get,a,\n"


def test_a_trace_is_sent_named_in_a_plan_read_back_and_taken_off_the_list(
    loadstone: CommandLine, plan_file: Write, tmp_path: Path
) -> None:
    file = tmp_path / "monday.csv"
    file.write_text(LINES)
    digest = hashlib.sha256(LINES.encode()).hexdigest()
    told = loadstone.ok("trace", "upload", str(file))
    assert "monday.csv: 2 get, 1 set of 2 keys" in told.out
    line = told.out.splitlines()[-1]
    assert line == f"trace: {{digest: {digest}}}"
    again = loadstone.ok("trace", "upload", str(file), "--name", "again", "--json").json
    assert (again["name"], again["digest"]) == ("monday.csv", digest)
    set_too = "    - {kind: set, weight: 1}\n"
    plan = SMALL.replace("\nload:", f"\n{set_too}  {line}\nload:", 1)
    assert "can take it" in loadstone.ok("plan", "validate", plan_file(plan)).out
    assert digest[:12] in loadstone.ok("trace", "list").out
    copy = tmp_path / "copy.csv"
    assert loadstone.ok("trace", "download", digest[:10], "-o", str(copy), "--json").json["bytes"] == len(LINES)
    assert copy.read_text() == LINES
    assert loadstone.ok("trace", "delete", "monday.csv", "--json").json == {"deleted": again["id"]}
    assert loadstone.ok("trace", "list").out == ""
    assert loadstone("trace", "download", "monday.csv").code == 5


def test_a_file_that_is_no_trace_is_refused_with_its_line(loadstone: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("0,get,a,\nhello\n")
    said = loadstone("trace", "upload", str(file), "--json")
    assert (said.code, said.error["code"]) == (2, "trace_unreadable")
    assert "Line 2" in said.error["message"]
    assert loadstone("trace", "upload", str(tmp_path / "none.csv"), "--json").error["code"] == "no_such_file"
