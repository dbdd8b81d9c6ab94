"""A run's verdict in one sentence."""

from loadstone.models import Run
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import make_run
from loadstone_testing.simulated_agent import kept

from .conftest import Measure


def sentence(caller: Caller, run: Run) -> str:
    found: str = caller.get(f"/api/v1/runs/{run.id}/verdict").json()["sentence"]
    return found


def test_the_leader_is_named_with_its_interval_and_what_was_left_out(client: Caller, measure: Measure) -> None:
    run = measure(
        lambda trial: (
            (13_000 if trial.parameters["target"] == "redis" else 10_000)
            + 31 * trial.repetition * trial.parameters["connections"]
        ),
        order="interleaved",
        trials_per_point=5,
        void=lambda trial: trial.parameters == {"target": "redis", "connections": 1} and trial.repetition == 0,
    )
    said = sentence(client, run)
    assert said.startswith("redis answers 1.29")
    assert "x [1.2" in said
    assert said.endswith("the gets of memcached at 2 connections; 1 of 20 trials void.")


def test_a_run_of_one_target_names_its_peak(client: Caller, measure: Measure) -> None:
    run = measure(lambda trial: 10_000 * trial.parameters["connections"] + trial.ordinal, kinds=("memcached",))
    assert sentence(client, run) == "memcached answers most at 2 connections: 20k [20k, 20k] gets/s."


def test_a_run_that_kills_its_stores_says_what_that_took_not_who_was_faster(client: Caller, measure: Measure) -> None:
    run = measure(
        lambda trial: 20_000 if trial.parameters["target"] == "redis" else 10_000,
        finish=lambda trial: {"durability": kept(lost=400 if trial.parameters["target"] == "redis" else 0)},
        axes=[],
    )
    told = client.get(f"/api/v1/runs/{run.id}/verdict").json()
    assert told["sentence"] == "The kill cost redis 40 % of its keys; 1 other lost nothing."
    assert told["cell"] is None


def test_without_results_the_run_says_so(client: Caller) -> None:
    assert sentence(client, make_run(client.principal)) == "Nothing has been measured yet that counts."


def test_a_run_of_another_team_has_no_verdict(other_team: Caller, client: Caller) -> None:
    assert other_team.get(f"/api/v1/runs/{make_run(client.principal).id}/verdict").status_code == 404
