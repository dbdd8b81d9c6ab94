"""Progress, ETA and the reason why a run waits."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from loadstone.models import Run
from loadstone.runs import progress, states
from loadstone.runs.holds import host_resources, is_loopback, trial_resources
from loadstone.runs.progress import AgentView, Waiting, wait_reason

ME, OTHER = uuid.uuid4(), uuid.uuid4()
IDLE = AgentView(id=ME, name="bench-1", host_key="h1", is_online=True, is_draining=False, busy_with=None, cannot=None)
FREE = Waiting(
    agent_id=None,
    is_behind=False,
    is_paused=False,
    waits_for_run=False,
    held_resources=frozenset(),
    needed_hosts={ME: frozenset({"host:h1"})},
)
UNABLE = replace(IDLE, id=OTHER, cannot="It cannot start redis.")
START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

TEAM = uuid.UUID(int=7)


@pytest.mark.parametrize(
    ("run", "agents", "code"),
    [
        (FREE, [IDLE], None),
        (FREE, [], "no_agent_online"),
        (FREE, [replace(IDLE, is_online=False)], "no_agent_online"),
        (FREE, [replace(IDLE, cannot="It has no engine.")], "no_agent_can_take"),
        (FREE, [replace(IDLE, is_online=False), UNABLE], "agent_offline"),
        (FREE, [replace(UNABLE, is_online=False)], "no_agent_can_take"),
        (replace(FREE, is_paused=True), [IDLE], "paused"),
        (replace(FREE, waits_for_run=True), [IDLE], "earlier_firing"),
        (replace(FREE, waits_for_run=True), [UNABLE], "no_agent_can_take"),
        (FREE, [replace(IDLE, is_draining=True)], "agent_draining"),
        (FREE, [replace(IDLE, busy_with=OTHER)], "agent_busy"),
        (replace(FREE, is_behind=True), [replace(IDLE, busy_with=OTHER)], "behind_other_runs"),
        (replace(FREE, held_resources=frozenset({"host:h1"})), [IDLE], "host_held"),
        (FREE, [replace(IDLE, is_draining=True), replace(IDLE, id=OTHER)], None),
        (replace(FREE, agent_id=ME), [IDLE, replace(IDLE, id=OTHER)], None),
        (replace(FREE, agent_id=ME), [replace(IDLE, id=OTHER)], "agent_offline"),
        (replace(FREE, agent_id=ME), [replace(IDLE, is_online=False)], "agent_offline"),
        (replace(FREE, agent_id=ME), [replace(IDLE, is_draining=True)], "agent_draining"),
    ],
)
def test_a_waiting_run_says_why(run: Waiting, agents: list[AgentView], code: str | None) -> None:
    reason = wait_reason(run, agents)
    assert (reason and reason[0]) == code


def _run(ended: int, *, started: bool = True) -> Run:
    counts = {**states.empty_counts(10 - ended), "succeeded": ended}
    return Run(
        status_counts=counts, trial_count=10, estimated_s=100.0, started_at=START if started else None, finished_at=None
    )


def test_eta_before_the_first_end_is_the_estimate_less_what_passed() -> None:
    assert progress.eta_s(_run(0), None, START + timedelta(seconds=30)) == 70
    assert progress.eta_s(_run(0), None, START + timedelta(seconds=300)) == 0


def test_eta_follows_the_real_pace_of_the_trials_that_ended() -> None:
    ended_at = START + timedelta(seconds=80)  # 4 trials: 20 s each, twice as long as estimated
    assert progress.eta_s(_run(4), ended_at, ended_at) == pytest.approx(120)
    assert progress.eta_s(_run(4), ended_at, ended_at + timedelta(seconds=15)) == pytest.approx(105)
    assert progress.eta_s(_run(4), ended_at, ended_at + timedelta(seconds=500)) == pytest.approx(100)


def test_eta_is_unknown_before_the_start_and_after_the_end() -> None:
    assert progress.eta_s(_run(0, started=False), None, START) is None
    assert progress.eta_s(_run(10), START, START) is None


def test_progress_counts_every_end() -> None:
    counts = {**states.empty_counts(5), "succeeded": 2, "failed": 1, "cancelled": 1, "crashed": 1}
    assert progress.progress(counts, 10) == 0.5


@pytest.mark.parametrize(
    ("target", "hosts"),
    [
        ({"mode": "managed", "host": None}, {"host:h1"}),
        ({"mode": "external", "host": "127.0.0.1"}, {"host:h1"}),
        ({"mode": "external", "host": "LOCALHOST"}, {"host:h1"}),
        ({"mode": "external", "host": "::1"}, {"host:h1"}),
        ({"mode": "external", "host": "Cache-7.example"}, {"host:h1", f"target:{TEAM}:cache-7.example"}),
    ],
)
def test_a_trial_holds_the_hosts_it_loads(target: dict[str, str | None], hosts: set[str]) -> None:
    assert host_resources(TEAM, "h1", target) == hosts
    assert trial_resources(TEAM, ME, "h1", target) == hosts | {f"agent:{ME}"}


def test_a_private_address_is_not_this_host() -> None:
    assert not is_loopback("10.0.0.1")
