"""The percentile spectrum of a point and the heat map of a trial."""

import random

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from loadstone.models import Run
from loadstone.results import latency
from loadstone.stats import histogram
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, make_run, resolved_plan
from loadstone_testing.simulated_agent import SimulatedAgent, sample, summary, totals


def recorded(values: list[int]) -> HdrHistogram:
    built = histogram.empty()
    for value in values:
        built.record_value(value)
    return built


def test_every_step_of_a_spectrum_is_the_quantile_of_the_values() -> None:
    draw = random.Random(4)
    values = sorted(int(draw.lognormvariate(11, 1)) + 1 for _ in range(20_000))
    steps = histogram.spectrum(recorded(values), 200)
    assert len(steps) <= 200
    assert [one_in for _, one_in, _ in steps] == sorted(one_in for _, one_in, _ in steps)
    for quantile, one_in, value in steps[:-1]:
        assert one_in == pytest.approx(1 / (1 - quantile), rel=1e-6)
        rank = max(1, int(np.ceil(quantile * len(values))))
        assert value == pytest.approx(values[rank - 1], rel=1e-3)
    assert steps[-1][:2] == (1.0, 20_000.0)
    assert steps[-1][2] == pytest.approx(values[-1], rel=1e-3)


def test_a_spectrum_of_one_value_is_that_value_and_of_none_is_empty() -> None:
    assert histogram.spectrum(recorded([1_000]), 200) == [(1.0, 1.0, 1_000)]
    assert histogram.spectrum(histogram.empty(), 200) == []


@pytest.mark.parametrize("digits", [2, 3])
def test_counts_between_edges_are_those_of_the_values(digits: int) -> None:
    draw = random.Random(5)
    values = [int(10 ** draw.uniform(0, 11)) for _ in range(5_000)]
    built = HdrHistogram(histogram.LOWEST_NS, histogram.HIGHEST_NS, digits)
    for value in values:
        built.record_value(value)
    edges = [10.0**step for step in range(12)]
    counts = histogram.counts_between(built, edges)
    assert sum(counts) == len(values)
    expected, _ = np.histogram(values, edges)
    # A value beside an edge may be counted with its bucket's middle.
    assert np.abs(np.array(counts) - expected).max() <= 0.02 * len(values)


@pytest.fixture
def agent(client: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(client)


@pytest.fixture
def run(client: Caller) -> Run:
    return make_run(client.principal, resolved_plan(("memcached",), axes=[], trials_per_point=2))


def measure(client: Caller, agent: SimulatedAgent, run: Run) -> str:
    trial_id = first_trial(client, run)
    agent.execute_all(trial_id)
    return trial_id


def point_of(client: Caller, run: Run) -> dict[str, object]:
    found: dict[str, object] = client.get(f"/api/v1/runs/{run.id}/points").json()["items"][0]
    return found


def test_the_spectrum_of_a_point_agrees_with_its_percentiles(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    measure(client, agent, run)
    point = point_of(client, run)
    spectrum = client.get(f"/api/v1/points/{point['id']}/spectrum").json()
    assert (spectrum["count"], spectrum["trials_counted"], spectrum["operations"]) == (1_000, 2, ["get"])
    total = point["total"]
    assert isinstance(total, dict)
    assert spectrum["items"][-1]["value_ns"] == total["response_time_ns"]["max"]
    by_quantile = [(one["quantile"], one["value_ns"]) for one in spectrum["items"]]
    below = max(value for quantile, value in by_quantile if quantile <= 0.9)
    above = min(value for quantile, value in by_quantile if quantile >= 0.9)
    assert below <= total["response_time_ns"]["p90"] <= above


def test_an_operation_that_was_not_measured_has_an_empty_spectrum(
    client: Caller, agent: SimulatedAgent, run: Run
) -> None:
    measure(client, agent, run)
    spectrum = client.get(f"/api/v1/points/{point_of(client, run)['id']}/spectrum", params={"operation": "set"}).json()
    assert (spectrum["count"], spectrum["items"]) == (0, [])


def test_a_heat_map_holds_every_answer_once(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial_id = first_trial(client, run)
    held = agent.claim(trial_id)
    agent.renew(held)
    for seq in range(25):
        agent.send(held, sample(seq, 100))
    agent.finish(held, summary=summary(held, totals(25, 2_500)), sample_count=25)
    heat = client.get(f"/api/v1/trials/{trial_id}/heatmap", params={"max_columns": 10}).json()
    assert len(heat["columns"]) == 9
    assert sum(sum(column["counts"]) for column in heat["columns"]) == 2_500
    assert {len(column["counts"]) for column in heat["columns"]} == {len(heat["edges_ns"]) - 1}
    assert heat["edges_ns"] == sorted(heat["edges_ns"])
    assert {column["phase"] for column in heat["columns"]} == {"measure"}
    only = client.get(f"/api/v1/trials/{trial_id}/heatmap", params={"operation": "get"}).json()
    assert len(only["columns"]) == 25


def test_a_trial_without_seconds_has_an_empty_heat_map(client: Caller, run: Run) -> None:
    heat = client.get(f"/api/v1/trials/{first_trial(client, run)}/heatmap").json()
    assert (heat["columns"], heat["edges_ns"]) == ([], [])


def test_more_histograms_than_can_be_read_at_once_are_refused(
    client: Caller, agent: SimulatedAgent, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latency, "MAX_HISTOGRAMS", 1)
    trial_id = first_trial(client, run)
    held = agent.claim(trial_id)
    agent.send(held, sample(0), sample(1))
    answer = client.get(f"/api/v1/trials/{trial_id}/heatmap")
    assert (answer.status_code, answer.json()["code"]) == (422, "trial_too_long")


def test_another_team_finds_neither(client: Caller, other_team: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial_id = measure(client, agent, run)
    assert other_team.get(f"/api/v1/points/{point_of(client, run)['id']}/spectrum").status_code == 404
    assert other_team.get(f"/api/v1/trials/{trial_id}/heatmap").status_code == 404
