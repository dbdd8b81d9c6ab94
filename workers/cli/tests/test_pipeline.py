"""The example for build pipelines, run as a pipeline runs it."""

import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from loadstone.db import unit_of_work
from loadstone.models import Point, SeriesPoint
from loadstone.trends import analysis
from loadstone_cli.plan_file import read_plan
from loadstone_testing.callers import Caller
from loadstone_testing.simulated_agent import SimulatedAgent
from sqlalchemy import select, update

HISTORY_DAYS = 9
EXAMPLE = Path(__file__).parents[3] / "deploy/examples/pipeline"


@pytest.fixture
def agent(remote: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(remote)


@pytest.fixture
def measuring(remote: Caller, agent: SimulatedAgent) -> Iterator[list[int]]:
    """An agent that takes whatever is queued until the test ends; the list says how fast the next runs are."""
    stop = threading.Event()
    operations_per_trial = [100_000]

    def work() -> None:
        while not stop.wait(0.1):
            for run in remote.get("/api/v1/runs?status=queued").json()["items"]:
                trial = remote.get(f"/api/v1/runs/{run['id']}/trials").json()["items"][0]["id"]
                number = 0
                while trial is not None:
                    # Trials that scatter by a per mille or so: without any scatter nothing could be tested.
                    count = operations_per_trial[0] + 97 * (number % 3)
                    trial, number = agent.execute(trial, seconds=1, count=count).next_trial_id, number + 1

    thread = threading.Thread(target=work)
    thread.start()
    yield operations_per_trial
    stop.set()
    thread.join()


def build(branch: str, folder: Path, api_url: str, token: str) -> "subprocess.CompletedProcess[str]":
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "LOADSTONE_URL": api_url, "LOADSTONE_TOKEN": token, "PATH": programs, "TIMEOUT_S": "60"}
    command = [EXAMPLE / "benchmark.sh", EXAMPLE / "plan.yaml", branch]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)


@pytest.fixture
def history(remote: Caller, measuring: list[int]) -> None:
    """Builds of main on nine other days, each a little different, as days are."""
    plan = read_plan(str(EXAMPLE / "plan.yaml")).definition
    for day in range(HISTORY_DAYS):
        measuring[0] = 100_000 + 400 * (day % 3)
        run = remote.post("/api/v1/runs", json={"plan": plan, "name": "main"}).json()["id"]
        wait_until_succeeded(remote, run)
        move_back(uuid.UUID(run), timedelta(days=HISTORY_DAYS - day))
    measuring[0] = 100_000


def wait_until_succeeded(remote: Caller, run: str) -> None:
    deadline = time.monotonic() + 60
    while remote.get(f"/api/v1/runs/{run}").json()["status"] != "succeeded":
        assert time.monotonic() < deadline, remote.get(f"/api/v1/runs/{run}").json()["status"]
        time.sleep(0.05)


def move_back(run: uuid.UUID, by: timedelta) -> None:
    """As if it had been measured then; and into its series, as control does with every run that ends."""
    with unit_of_work() as unit:
        analysis.analyse_run(unit, run)
        points = select(Point.id).where(Point.run_id == run)
        unit.session.execute(update(SeriesPoint).where(SeriesPoint.point_id.in_(points)).values(at=SeriesPoint.at - by))


def test_without_history_there_is_no_verdict_and_the_pipeline_says_so(
    remote: Caller, measuring: list[int], api_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build("main", tmp_path, api_url, remote.token)
    assert (first.returncode, "nothing to compare" in first.stdout) == (0, True), first.stdout + first.stderr
    assert len((tmp_path / "benchmark.csv").read_text().splitlines()) > 1
    early = build("early", tmp_path, api_url, remote.token)
    assert (early.returncode, "No verdict yet" in early.stdout) == (0, True), early.stdout + early.stderr
    monkeypatch.setenv("REQUIRE_VERDICT", "1")
    assert build("early", tmp_path, api_url, remote.token).returncode == 6


@pytest.mark.usefixtures("history")
def test_a_slower_build_fails_the_pipeline_and_an_equal_one_passes(
    remote: Caller, measuring: list[int], api_url: str, tmp_path: Path
) -> None:
    equal = build("same-speed", tmp_path, api_url, remote.token)
    assert equal.returncode == 0, equal.stdout + equal.stderr
    assert "gate worse: passed" in equal.stderr
    measuring[0] = 80_000
    slower = build("slower", tmp_path, api_url, remote.token)
    assert slower.returncode == 1, slower.stdout + slower.stderr
    assert "gate worse: failed" in slower.stderr


@pytest.mark.usefixtures("history")
def test_a_branch_is_compared_with_main_and_not_with_itself(
    remote: Caller, measuring: list[int], api_url: str, tmp_path: Path
) -> None:
    measuring[0] = 80_000
    assert [build("slower", tmp_path, api_url, remote.token).returncode for _ in range(2)] == [1, 1]


def test_a_token_that_is_no_good_stops_it_at_once(api_url: str, remote: Caller, tmp_path: Path) -> None:
    said = build("main", tmp_path, api_url, "lst_wrong")
    assert (said.returncode, said.stdout) == (3, "")


def test_its_plan_has_the_schema_beside_it(remote: Caller) -> None:
    plan = read_plan(str(EXAMPLE / "plan.yaml"))
    schema = (EXAMPLE / "plan.yaml").read_text().splitlines()[0].partition("$schema=")[2]
    assert (EXAMPLE / schema).resolve().name == "plan.schema.json"
    assert remote.post("/api/v1/plans/preview", json=plan.definition).json()["refusals"] == []
