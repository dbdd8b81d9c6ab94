"""Runs from the command line, measured by an agent that speaks the real contract."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from loadstone_cli_testing.calling import CommandLine, Said
from loadstone_cli_testing.plans import SMALL
from loadstone_testing.callers import Caller
from loadstone_testing.simulated_agent import SimulatedAgent

Write = Callable[..., str]


def start(loadstone: CommandLine, file: str, *arguments: str) -> dict[str, object]:
    run: dict[str, object] = loadstone.ok("run", file, "--json", *arguments).json["run"]
    return run


def first_trial(remote: Caller, run_id: object) -> str:
    return str(remote.get(f"/api/v1/runs/{run_id}/trials").json()["items"][0]["id"])


def measure_when_it_comes(remote: Caller, agent: SimulatedAgent, outcome: str = "succeeded") -> threading.Thread:
    """In the background: waits for the run, and executes or fails its trials."""

    def work() -> None:
        waiting: list[dict[str, str]] = []
        while not waiting:
            waiting = remote.get("/api/v1/runs?status=queued").json()["items"]
        trial: str | None = first_trial(remote, waiting[0]["id"])
        if outcome == "succeeded":
            agent.execute_all(trial)
        while outcome == "failed" and trial is not None:
            trial = agent.fail(agent.claim(trial), "target_refused").next_trial_id

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_a_run_is_followed_to_its_end(loadstone: CommandLine, remote: Caller, plan_file: Write) -> None:
    measuring = measure_when_it_comes(remote, SimulatedAgent.enroll(remote))
    said = loadstone.ok("run", plan_file(SMALL), "--wait", "--name", "from a script", "--timeout", "60")
    measuring.join()
    assert "from a script succeeded" in said.out
    assert "2/2" in said.out
    assert "8 of 8 trials, succeeded" in said.err


def test_a_run_that_fails_is_exit_code_4(loadstone: CommandLine, remote: Caller, plan_file: Write) -> None:
    measuring = measure_when_it_comes(remote, SimulatedAgent.enroll(remote), "failed")
    said = loadstone("run", plan_file(SMALL), "--wait", "--json", "--timeout", "60")
    measuring.join()
    assert said.code == 4
    assert said.json["run"]["status"] == "failed"
    assert "[target_refused]" in said.err


def test_time_that_runs_out_is_exit_code_6_and_may_cancel(
    loadstone: CommandLine, remote: Caller, plan_file: Write
) -> None:
    said = loadstone("run", plan_file(SMALL), "--wait", "--timeout", "0.5", "--cancel-on-interrupt", "--json")
    assert (said.code, said.error["code"]) == (6, "timeout")
    assert remote.get("/api/v1/runs").json()["items"][0]["status"] == "cancelled"


def test_a_saved_plan_is_run_by_name_and_a_file_by_path(
    loadstone: CommandLine, remote: Caller, plan_file: Write
) -> None:
    loadstone.ok("plan", "apply", plan_file(SMALL))
    by_name = start(loadstone, "small")
    by_file = start(loadstone, "plan.yaml", "--set", "name=other")
    assert by_name["plan_version"] == 1
    assert (by_file["plan_id"], by_file["name"]) == (None, "other")


def test_agents_are_chosen_by_name_or_label(loadstone: CommandLine, remote: Caller, plan_file: Write) -> None:
    agent = SimulatedAgent.enroll(remote, name="quiet-1")
    file = plan_file(SMALL)
    assert start(loadstone, file, "--agent", "quiet-1")["agent_selector"] == {"agent_id": agent.agent_id}
    labelled = start(loadstone, file, "--label", "rack=7", "--label", "os=debian")
    assert labelled["agent_selector"] == {"labels": {"rack": "7", "os": "debian"}}


def test_a_recipe_is_run_by_its_slug_in_its_quick_size(loadstone: CommandLine) -> None:
    said = loadstone.ok("run", "--recipe", "pipeline-depth", "--json")
    assert said.json["run"]["recipe"] == {"slug": "pipeline-depth", "size": "quick"}
    assert loadstone("run", "--recipe", "pipeline-depth", "--size", "huge").code == 2
    assert loadstone("run", "--recipe", "nothing").code == 5
    assert loadstone("run").code == 2


def test_runs_are_listed_shown_and_cancelled(loadstone: CommandLine, remote: Caller, plan_file: Write) -> None:
    run = start(loadstone, plan_file(SMALL))
    listed = loadstone.ok("runs", "--status", "queued", "--mine", "--json").json["items"]
    assert [one["id"] for one in listed] == [run["id"]]
    assert str(run["id"]) in loadstone.ok("runs").out
    assert "0/2" in loadstone.ok("runs", str(run["id"])).out
    assert loadstone.ok("cancel", f"http://x/runs/{run['id']}", "--json").json["run"]["status"] == "cancelled"
    assert loadstone.ok("runs", "--status", "queued").out == ""


def test_a_name_means_the_newest_that_succeeded(loadstone: CommandLine, remote: Caller, plan_file: Write) -> None:
    agent = SimulatedAgent.enroll(remote)
    runs = [start(loadstone, plan_file(SMALL), "--name", name) for name in ("nightly", "nightly", "nightly 2")]
    for run in runs:
        agent.execute_all(first_trial(remote, run["id"]))
    start(loadstone, plan_file(SMALL), "--name", "nightly")

    def named(text: str) -> object:
        return loadstone.ok("runs", text, "--json").json["run"]["id"]

    assert [named("nightly"), named("nightly~1"), named("nightly 2")] == [runs[1]["id"], runs[0]["id"], runs[2]["id"]]
    assert loadstone("runs", "nightly~2").code == 5


@pytest.fixture
def measured(loadstone: CommandLine, remote: Caller, plan_file: Write) -> str:
    run = start(loadstone, plan_file(SMALL))
    SimulatedAgent.enroll(remote).execute_all(first_trial(remote, run["id"]))
    return str(run["id"])


def export(loadstone: CommandLine, run_id: str, format_: str, *more: str) -> Said:
    return loadstone.ok("export", run_id, "--format", format_, *more)


def test_a_run_is_exported_as_a_table_and_as_json(loadstone: CommandLine, measured: str, tmp_path: Path) -> None:
    table = export(loadstone, measured, "csv", "-o", "-").out.splitlines()
    assert "connections" in table[0]
    assert len(table) > 4
    said = export(loadstone, measured, "json", "--json").json
    assert (tmp_path / said["file"]).stat().st_size == said["bytes"]


def test_agents_are_listed_enrolled_and_drained(loadstone: CommandLine, remote: Caller) -> None:
    assert "loadstone-agent enroll" in loadstone.ok("agent", "enroll").out
    SimulatedAgent.enroll(remote, name="bench-7")
    assert loadstone.ok("agent", "drain", "bench-7", "--json").json["is_draining"] is True
    assert "draining" in loadstone.ok("agent", "list").out
    assert loadstone.ok("agent", "resume", "bench-7", "--json").json["is_draining"] is False
