"""What ends a trial early, and what it says then. Real kills of real processes."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from loadstone_agent.agent import Agent
from loadstone_agent.engines.catalog import EngineCatalog
from loadstone_agent.engines.native import NativeEngine
from loadstone_agent.trial.chain import TrialChain
from loadstone_agent_testing.api_server import ApiInMemory, Refusal
from loadstone_agent_testing.assignments import assignment, external, managed, work
from loadstone_agent_testing.processes import descendants, free_port, is_alive, processes_with, program_of, wait_until
from loadstone_contracts.agent_calls import Assignment, FinishRequest


class RunningTrial:
    """A trial on another thread, so that the test can break something meanwhile."""

    def __init__(self, agent: Agent, api: ApiInMemory, given: Assignment, others: set[int]) -> None:
        api.assign(given)
        self._others = others
        self.api = api
        self.given = given
        self.chain = TrialChain(agent)
        self._thread = threading.Thread(target=self.chain.execute, args=(given.trial_id,))
        self._thread.start()

    def wait_for_samples(self, count: int = 1) -> None:
        self.api.wait_for(lambda: len(self.api.samples.get(self.given.lease_id, {})) >= count)

    def find(self, program: str) -> int:
        ours = set(descendants(os.getpid())) - self._others
        (found,) = [pid for pid in ours if program_of(pid) == program]
        return found

    def kill(self, program: str) -> None:
        os.kill(self.find(program), signal.SIGKILL)

    def join(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive()

    def finish(self) -> FinishRequest:
        self.join()
        return self.api.finishes[self.given.lease_id]


@pytest.fixture
def run_trial(agent: Agent, api: ApiInMemory) -> Callable[[Assignment], RunningTrial]:
    # Servers that other tests of this process share live on beside this test's own.
    others = set(descendants(os.getpid()))
    return lambda given: RunningTrial(agent, api, given, others)


Run = Callable[[Assignment], RunningTrial]


def code_of(finish: FinishRequest) -> str | None:
    return finish.error.code if finish.error else None


@pytest.mark.parametrize("kind", ["memcached", "redis"])
def test_a_cancel_kills_engine_and_store_within_five_seconds(
    agent: Agent, api: ApiInMemory, run_trial: Run, kind: str
) -> None:
    trial = run_trial(assignment(managed(kind), work=work(60.0)))
    trial.wait_for_samples()
    engine, ours = trial.find("loadstone-engin"), str(agent.settings.agent_dir)
    assert processes_with(ours)
    api.cancelled.add(trial.given.lease_id)
    wait_until(lambda: not is_alive(engine) and not processes_with(ours), 5.0, "all dead")
    finish = trial.finish()
    assert finish.outcome == "cancelled"
    assert finish.summary is not None
    assert finish.summary.stopped
    assert api.sequence(trial.given.lease_id) == list(range(finish.sample_count))


def test_a_cancel_ends_the_rest_at_once(api: ApiInMemory, run_trial: Run) -> None:
    trial = run_trial(assignment(managed(), not_before_unix_ns=time.time_ns() + 60_000_000_000))
    api.wait_for(lambda: "resting" in api.states())
    api.cancelled.add(trial.given.lease_id)
    finish = trial.finish()
    assert (finish.outcome, finish.engine) == ("cancelled", None)


def test_a_lost_lease_ends_the_trial_and_sets_its_spool_aside(agent: Agent, api: ApiInMemory, run_trial: Run) -> None:
    trial = run_trial(assignment(managed(), work=work(60.0)))
    trial.wait_for_samples()
    api.lost_leases.add(trial.given.lease_id)
    trial.join()
    assert api.finishes == {}
    assert list(agent.settings.spool_dir.iterdir()) == []
    assert [path.name for path in agent.settings.refused_dir.iterdir()] == [trial.given.lease_id]
    assert processes_with(str(agent.settings.agent_dir)) == []


def test_a_revoked_agent_stops_its_trial(agent: Agent, api: ApiInMemory, run_trial: Run) -> None:
    trial = run_trial(assignment(managed(), work=work(60.0)))
    trial.wait_for_samples()
    api.refused_paths = {name: Refusal(401, "agent_revoked") for name in ("renew", "samples", "finish")}
    trial.join()
    assert processes_with(str(agent.settings.agent_dir)) == []


def test_a_killed_engine_is_told_by_its_signal_and_its_samples_stay(api: ApiInMemory, run_trial: Run) -> None:
    trial = run_trial(assignment(managed(), work=work(60.0)))
    trial.wait_for_samples(2)
    trial.kill("loadstone-engin")
    finish = trial.finish()
    assert (finish.outcome, code_of(finish)) == ("failed", "engine_killed")
    assert finish.error is not None
    assert "SIGKILL" in finish.error.message
    assert finish.sample_count >= 2
    assert api.sequence(trial.given.lease_id) == list(range(finish.sample_count))


@pytest.mark.parametrize(("kind", "program"), [("memcached", "memcached"), ("redis", "redis-server")])
def test_a_killed_store_is_told_as_the_reason(run_trial: Run, kind: str, program: str) -> None:
    trial = run_trial(assignment(managed(kind), work=work(60.0)))
    trial.wait_for_samples()
    trial.kill(program)
    finish = trial.finish()
    assert (finish.outcome, code_of(finish)) == ("failed", "store_died")
    assert finish.error is not None
    assert "SIGKILL" in finish.error.message


def test_a_stopping_agent_reports_the_trial_as_crashed_and_begins_no_other(api: ApiInMemory, run_trial: Run) -> None:
    given = assignment(managed(), work=work(60.0))
    after = assignment(managed())
    api.assign(after)
    api.next_trials[given.trial_id] = after.trial_id
    trial = run_trial(given)
    trial.wait_for_samples()
    trial.chain.stop()
    finish = trial.finish()
    assert (finish.outcome, code_of(finish)) == ("crashed", "agent_restarted")
    assert api.claims == [given.trial_id]


def test_a_store_that_is_not_installed_fails_with_the_command_to_type(
    run_trial: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loadstone_agent.stores.memcached.Memcached.binary", "memcached-that-nobody-installed")
    finish = run_trial(assignment(managed())).finish()
    assert code_of(finish) == "store_missing"
    assert finish.error is not None
    assert "apt-get install -y memcached" in finish.error.message


def test_a_store_that_refuses_its_options_is_a_bad_plan_with_its_log(run_trial: Run) -> None:
    finish = run_trial(assignment(managed("redis", options={"proto-max-bulk-len": "1"}))).finish()
    assert code_of(finish) == "bad_plan"
    assert finish.error is not None
    assert "proto-max-bulk-len" in finish.error.detail


def test_a_target_that_does_not_answer_is_unreachable(run_trial: Run) -> None:
    finish = run_trial(assignment(external("redis", free_port()), reset="none")).finish()
    assert (finish.outcome, code_of(finish)) == ("failed", "target_unreachable")


def test_an_external_target_that_dies_is_lost(
    run_trial: Run, start_server: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = start_server("memcached", "-l", "127.0.0.1", "-p", "{port}", "-u", "nobody")
    trial = run_trial(assignment(external("memcached", port), reset="none", work=work(60.0, timeout_ms=500)))
    trial.wait_for_samples()
    trial.kill("memcached")
    assert code_of(trial.finish()) == "target_lost"


def _engine_that(agent: Agent, tmp_path: Path, script: str) -> None:
    program = tmp_path / "engine"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    object.__setattr__(agent, "engines", EngineCatalog(NativeEngine(str(program)), tmp_path))


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ("echo 'thread main panicked' >&2; echo 'not json'; sleep 60", "engine_internal", "not json"),
        ("echo 'thread main panicked' >&2; exit 101", "engine_internal", "panicked"),
        ("exit 0", "engine_internal", ""),
        ("kill -TERM $$", "engine_killed", ""),
        ('echo \'{"event":"error","code":"bad_plan","message":"no","path":"load"}\'; exit 2', "bad_plan", ""),
        ('echo \'{"event":"error","code":"target_refused","message":"no"}\'; exit 5', "target_refused", ""),
    ],
)
def test_every_way_an_engine_can_end_has_its_code(
    agent: Agent, tmp_path: Path, run_trial: Run, script: str, code: str, says: str
) -> None:
    _engine_that(agent, tmp_path, script)
    finish = run_trial(assignment(managed())).finish()
    assert (finish.outcome, code_of(finish)) == ("failed", code)
    assert finish.error is not None
    assert says in finish.error.detail


def test_an_engine_that_ignores_sigterm_is_killed(
    agent: Agent, tmp_path: Path, api: ApiInMemory, run_trial: Run
) -> None:
    _engine_that(agent, tmp_path, "trap '' TERM; while :; do sleep 0.1; done")
    trial = run_trial(assignment(managed()))
    api.wait_for(lambda: "running" in api.states())
    api.cancelled.add(trial.given.lease_id)
    wait_until(lambda: not processes_with(str(tmp_path / "engine")), 5.0, "engine dead")
    assert trial.finish().outcome == "cancelled"


def test_a_missing_engine_is_told_with_what_to_do(agent: Agent, tmp_path: Path, run_trial: Run) -> None:
    object.__setattr__(agent, "engines", EngineCatalog(NativeEngine("/nowhere/loadstone-engine"), tmp_path))
    finish = run_trial(assignment(managed())).finish()
    assert code_of(finish) == "engine_missing"
    assert finish.error is not None
    assert "LOADSTONE_ENGINE" in finish.error.message


def test_a_fault_of_the_agent_itself_still_ends_the_trial(run_trial: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("as the test wants it")

    monkeypatch.setattr("loadstone_agent.trial.execution.read_facts", broken)
    finish = run_trial(assignment(managed())).finish()
    assert (finish.outcome, code_of(finish)) == ("failed", "agent_internal")
    assert finish.error is not None
    assert "ZeroDivisionError" in finish.error.detail


def test_samples_that_the_api_refuses_fail_the_trial_instead_of_hanging_it(api: ApiInMemory, run_trial: Run) -> None:
    api.refused_paths = {"samples": Refusal(422, "unusable_histogram")}
    finish = run_trial(assignment(managed(), work=work(0.3))).finish()
    assert (finish.outcome, code_of(finish)) == ("failed", "samples_refused")
