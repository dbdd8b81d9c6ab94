"""What is kept of a trial and how it is read back."""

import csv
import io
import random
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from loadstone.db import unit_of_work
from loadstone.models import Environment, OperationResult, Point, Run, Series, StoreConfiguration
from loadstone.stats import histogram
from loadstone_contracts.engine_events import OperationNumbers, SampleEvent
from loadstone_contracts.engine_times import Quantiles
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, make_run, resolved_plan
from loadstone_testing.simulated_agent import (
    INVENTORY,
    SECOND_NS,
    STORE,
    SimulatedAgent,
    measured,
    sample,
    summary,
    totals,
)
from sqlalchemy import func, select


@pytest.fixture
def agent(client: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(client)


@pytest.fixture
def run(client: Caller) -> Run:
    """One point of three trials."""
    return make_run(client.principal, resolved_plan(("memcached",), axes=[], trials_per_point=3))


def count(table: type[Any]) -> int:
    with unit_of_work() as unit:
        return unit.session.scalar(select(func.count()).select_from(table)) or 0


def points(client: Caller, run: Run) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get(f"/api/v1/runs/{run.id}/points").json()["items"]
    return items


def _numbers(values: list[int]) -> OperationNumbers:
    built = HdrHistogram(histogram.LOWEST_NS, histogram.HIGHEST_NS, histogram.SIGNIFICANT_DIGITS)
    for value in values:
        built.record_value(value)
    template = measured("get", len(values), draw=random.Random(1))
    times = Quantiles.model_validate(histogram.quantiles(built))
    text = built.encode().decode()
    changes = {"response_time_ns": times, "response_histogram": text}
    return template.model_copy(update=changes)


def test_percentiles_of_a_point_are_those_of_all_its_answers(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    draw = random.Random(9)
    trial_id: str | None = first_trial(client, run)
    values: list[int] = []
    p99s: list[int | None] = []
    for scale in (1, 2, 4):
        assert trial_id is not None
        part = [int(draw.lognormvariate(11, 0.5)) * scale + 1 for _ in range(1_000)]
        values += part
        held = agent.claim(trial_id)
        phase = totals(2, 1_000).model_copy(update={"operations": [_numbers(part)]})
        p99s.append(phase.operations[0].response_time_ns.p99)
        trial_id = agent.finish(held, summary=summary(held, phase)).next_trial_id
    point = points(client, run)[0]
    assert point["operations"][0]["trials_counted"] == 3
    found = point["total"]["response_time_ns"]
    ordered = sorted(values)
    for name, rank in (("p50", 1_500), ("p90", 2_700), ("p99", 2_970), ("max", 3_000)):
        assert found[name] == pytest.approx(ordered[rank - 1], rel=1e-3)
    assert found["p99"] != pytest.approx(sum(p99 or 0 for p99 in p99s) / 3, rel=0.02)
    assert point["total"]["band"]["response_time_ns"]["p99"] == {"low": p99s[0], "high": p99s[2]}


def test_a_trial_shows_how_it_was_measured(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial_id = first_trial(client, run)
    held = agent.claim(trial_id)
    agent.renew(held)
    prefill = totals(1, 1_000, operation="set", phase="prefill", started_at_unix_ns=1)
    agent.finish(held, summary=summary(held, prefill, totals(2, 3_000)))
    trial = client.get(f"/api/v1/trials/{trial_id}").json()
    assert (trial["status"], trial["trust"], trial["engine_version"]) == ("succeeded", "pass", "0.1.0")
    assert trial["environment"]["cpu_model"] == INVENTORY.cpu_model
    assert (trial["store"]["version"], trial["store"]["settings"]["maxbytes"]) == (STORE.version, "67108864")
    assert trial["load_before"]["load_1min"] == 0.1
    assert trial["command_lines"] == ["memcached -l 127.0.0.1"]
    assert [phase["phase"] for phase in trial["phases"]] == ["prefill", "measure"]
    measure = trial["phases"][1]
    assert (measure["totals"]["answered"], measure["operations"][0]["throughput_per_s"]) == (3_000, 1_500.0)
    # A prefill is no part of the result.
    assert [one["operation"] for one in points(client, run)[0]["operations"]] == ["get"]


def test_what_trials_ran_on_is_kept_once(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial_id: str | None = first_trial(client, run)
    for port in (33_117, 40_001, 40_002):
        assert trial_id is not None
        # Every start listens elsewhere, which is no other configuration.
        store = STORE.model_copy(update={"settings": {**STORE.settings, "tcpport": str(port)}})
        trial_id = agent.finish(agent.claim(trial_id), store=store).next_trial_id
    assert (count(Environment), count(StoreConfiguration)) == (1, 1)
    other = make_run(client.principal, resolved_plan(("memcached",), axes=[]))
    tuned = STORE.model_copy(update={"settings": {**STORE.settings, "maxbytes": "1"}})
    upgraded = INVENTORY.model_copy(update={"kernel": "6.2"})
    agent.finish(agent.claim(first_trial(client, other)), store=tuned, inventory=upgraded)
    assert (count(Environment), count(StoreConfiguration)) == (2, 2)


def test_equal_points_on_one_class_of_agent_are_one_series(client: Caller, agent: SimulatedAgent) -> None:
    def execute(agent: SimulatedAgent, **changes: Any) -> set[str]:
        plan = resolved_plan(("memcached",), trials_per_point=1, **changes)
        run = make_run(client.principal, plan)
        agent.execute_all(first_trial(client, run))
        return {point["series_id"] for point in points(client, run)}

    first = execute(agent)
    assert len(first) == 2
    assert execute(agent, seed=7) == first
    assert not execute(agent, load={"kind": "closed", "connections": 4, "pipeline": 2}) & first
    with unit_of_work() as unit:
        assert unit.session.scalar(select(func.count(Point.id)).where(Point.series_id.is_(None))) == 0
        assert set(unit.session.scalars(select(Series.agent_class))) == {INVENTORY.agent_class}


def test_samples_are_thinned_but_a_stall_stays_visible(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    shared = sample(0, 10_000)
    for start in range(0, 300, 60):
        batch = [
            shared.model_copy(update={"seq": seq, "elapsed_ns": (seq + 1) * SECOND_NS})
            for seq in range(start, start + 60)
        ]
        assert agent.send(held, *(_stalled(one) if one.seq == 217 else one for one in batch)).status_code == 200
    url = f"/api/v1/trials/{held.trial_id}/samples"
    whole = client.get(url).json()
    assert (len(whole["items"]), whole["downsampled"], whole["attempt"]) == (300, False, 1)
    thin = client.get(f"{url}?max_points=20").json()
    assert thin["downsampled"]
    assert len(thin["items"]) <= 20
    assert {0, 217, 299} <= {item["seq"] for item in thin["items"]}
    assert client.get(f"{url}?max_points=1").status_code == 422


def _stalled(event: SampleEvent) -> SampleEvent:
    return event.model_copy(update={"operations": [measured("get", 3, draw=random.Random(1), median_ns=900_000_000)]})


def test_points_are_exported_as_csv(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    agent.execute_all(first_trial(client, run))
    response = client.get(f"/api/v1/runs/{run.id}/points.csv")
    assert response.headers["content-type"].startswith("text/csv")
    assert "attachment" in response.headers["content-disposition"]
    lines = list(csv.DictReader(io.StringIO(response.text)))
    total = points(client, run)[0]["total"]
    assert [line["operation"] for line in lines] == ["get", "all"]
    assert float(lines[1]["throughput_per_s"]) == total["throughput_per_s"]
    assert int(lines[1]["response_time_p99_ns"]) == total["response_time_ns"]["p99"]


def test_what_a_cancelled_trial_had_measured_is_kept_but_counts_nowhere(
    client: Caller, agent: SimulatedAgent, run: Run
) -> None:
    held = agent.claim(first_trial(client, run))
    agent.renew(held)
    client.post(f"/api/v1/runs/{run.id}/cancel")
    agent.finish(held, "cancelled", summary=summary(held, totals(1, 500), stopped=True))
    assert count(OperationResult) == 1
    assert points(client, run)[0]["total"] is None
    assert client.get(f"/api/v1/trials/{held.trial_id}").json()["phases"][0]["totals"]["answered"] == 500


def test_a_trial_that_never_ran_has_nothing_to_show(client: Caller, run: Run) -> None:
    trial_id = first_trial(client, run)
    trial = client.get(f"/api/v1/trials/{trial_id}").json()
    assert (trial["environment"], trial["store"], trial["phases"], trial["trust"]) == (None, None, [], None)
    assert client.get(f"/api/v1/trials/{trial_id}/samples").json() == {"items": [], "attempt": 0, "downsampled": False}
