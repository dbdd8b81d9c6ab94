"""Samples as agents send them after an outage, and as a broken agent would."""

from loadstone.db import unit_of_work
from loadstone.models import Run, Sample
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial
from loadstone_testing.simulated_agent import SimulatedAgent, sample
from sqlalchemy import func, select


def stored() -> int:
    with unit_of_work() as unit:
        return unit.session.scalar(select(func.count()).select_from(Sample)) or 0


def test_a_second_that_stands_twice_in_one_message_is_stored_once(
    client: Caller, agent: SimulatedAgent, run: Run
) -> None:
    held = agent.claim(first_trial(client, run))
    assert agent.send(held, sample(0), sample(1), sample(0)).status_code == 200
    assert stored() == 2


def test_only_what_is_missing_of_a_message_is_added(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    agent.send(held, sample(0), sample(3))
    agent.send(held, *(sample(seq) for seq in range(6)))
    assert stored() == 6
    shown = client.get(f"/api/v1/trials/{held.trial_id}/samples").json()["items"]
    assert [second["seq"] for second in shown] == list(range(6))


def test_a_number_that_fits_no_column_is_refused_and_nothing_of_it_stays(
    client: Caller, agent: SimulatedAgent, run: Run
) -> None:
    held = agent.claim(first_trial(client, run))
    huge = sample(1).model_copy(update={"elapsed_ns": 2**80})
    response = agent.send(held, sample(0), huge)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")
    assert stored() == 0
    assert agent.send(held, sample(0)).status_code == 200
