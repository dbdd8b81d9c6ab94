"""Cancel: from the click to the end, whatever the agent does meanwhile."""

import pytest
from loadstone.models import Run
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, get_run, let_leases_run_out, sweep, trials_of
from loadstone_testing.simulated_agent import SimulatedAgent


def cancel(client: Caller, run: Run) -> dict[str, object]:
    response = client.post(f"/api/v1/runs/{run.id}/cancel")
    assert response.status_code == 200
    body: dict[str, object] = response.json()
    return body


def test_a_run_that_waits_ends_at_once(client: Caller, run: Run) -> None:
    ended = cancel(client, run)
    assert (ended["status"], ended["progress"]) == ("cancelled", 1.0)
    assert ended["finished_at"] is not None
    assert {trial.status for trial in trials_of(client, run)} == {"cancelled"}


def test_the_agent_hears_of_it_with_its_next_renewal(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    assert not agent.renew(held).cancel
    assert cancel(client, run)["status"] == "cancelling"
    assert agent.renew(held).cancel
    assert agent.finish(held, "cancelled").next_trial_id is None
    ended = get_run(client, run)
    assert ended["status"] == "cancelled"
    assert ended["status_counts"]["cancelled"] == 8


@pytest.mark.parametrize(
    ("outcome", "trial_status", "run_status"),
    [("succeeded", "succeeded", "cancelled"), ("crashed", "cancelled", "cancelled"), ("failed", "failed", "cancelled")],
)
def test_a_trial_that_ends_by_itself_meanwhile_keeps_its_end(
    client: Caller, agent: SimulatedAgent, run: Run, outcome: str, trial_status: str, run_status: str
) -> None:
    held = agent.claim(first_trial(client, run))
    agent.renew(held)
    cancel(client, run)
    agent.finish(held, outcome)
    assert trials_of(client, run)[0].status == trial_status
    assert get_run(client, run)["status"] == run_status


def test_a_cancel_during_the_last_trial_can_come_too_late(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trials = [str(trial.id) for trial in trials_of(client, run)]
    for trial_id in trials[:-1]:
        agent.execute(trial_id)
    held = agent.claim(trials[-1])
    agent.renew(held)
    cancel(client, run)
    agent.finish(held)
    assert get_run(client, run)["status"] == "succeeded"


def test_an_agent_that_is_gone_does_not_keep_the_run_open(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    agent.renew(agent.claim(first_trial(client, run)))
    cancel(client, run)
    let_leases_run_out()
    sweep()
    ended = get_run(client, run)
    assert (ended["status"], ended["status_counts"]["cancelled"]) == ("cancelled", 8)


def test_a_second_click_changes_nothing(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    first = cancel(client, run)
    assert cancel(client, run)["last_event_seq"] == first["last_event_seq"]
    agent.finish(held, "cancelled")
    ended = get_run(client, run)
    assert cancel(client, run) == ended


def test_between_two_trials_the_run_ends_at_once(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    agent.execute(first_trial(client, run))
    assert cancel(client, run)["status"] == "cancelled"


def test_viewers_may_not(viewer: Caller, run: Run) -> None:
    assert viewer.post(f"/api/v1/runs/{run.id}/cancel").json()["code"] == "forbidden"


def test_another_teams_run_is_not_there(other_team: Caller, run: Run) -> None:
    assert other_team.post(f"/api/v1/runs/{run.id}/cancel").status_code == 404
