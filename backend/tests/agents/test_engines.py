"""Agents are chosen by the engines they have, and trials without a histogram merge to nothing false."""

from types import SimpleNamespace
from typing import Any

from loadstone import models
from loadstone.agents.suitability import can_take, foreign_engines
from loadstone.results.merging import merge_point
from loadstone.stats import histogram

TARGET = {"kind": "redis", "mode": "external", "protocol": "redis"}
OURS = {"name": "loadstone-engine", "protocols": ["redis"], "operations": ["get"], "available": True}


def agent(*engines: dict[str, Any]) -> models.Agent:
    return models.Agent(labels={}, engines=[OURS, *engines], stores=[])


def test_an_agent_without_the_engine_cannot_take_the_run_and_says_what_gets_it() -> None:
    missing = {"name": "sysbench", "protocols": [], "available": False, "remedy": "apt-get install -y sysbench"}
    assert can_take(agent(missing), {}, [TARGET], ["sysbench"]) == "It has no sysbench: apt-get install -y sysbench"
    assert can_take(agent(), {}, [TARGET], ["custom:ours"]) == "It has no custom:ours."
    assert can_take(agent({"name": "sysbench", "protocols": ["mysql"]}), {}, [TARGET], ["sysbench"]) is None
    assert can_take(agent(), {}, [TARGET], foreign_engines([{"name": "native"}])) is None


def test_what_fills_the_store_is_our_engine_and_no_other() -> None:
    foreign = {"name": "redis-benchmark", "protocols": ["redis"], "available": True}
    without = models.Agent(labels={}, engines=[foreign], stores=[])
    assert can_take(without, {}, [TARGET], ["redis-benchmark"]) == "It has no engine that speaks redis."


def row(trial: int, p99: int, blob: bytes) -> Any:
    quantiles: dict[str, int | None] = {**dict.fromkeys(histogram.QUANTILE_NAMES), "p99": p99}
    return SimpleNamespace(
        trial_id=trial,
        operation="get",
        elapsed_ns=1_000_000_000,
        count=10,
        error_count=0,
        errors={},
        throughput_per_s=10.0,
        response_time_ns=quantiles,
        service_time_ns=quantiles,
        response_histogram=blob,
        service_histogram=blob,
        unanswered={},
        response_unanswered=None,
        service_unanswered=None,
        delays={},
    )


def test_percentiles_without_a_histogram_stand_for_one_trial_and_merge_to_nothing() -> None:
    nothing = histogram.unpack("")
    alone = merge_point([row(1, 500, nothing)])[0]
    assert alone["response_time_ns"]["p99"] == 500
    both = merge_point([row(1, 500, nothing), row(2, 700, nothing)])[0]
    assert both["response_time_ns"]["p99"] is None
    assert both["band"]["response_time_ns"]["p99"] == {"low": 500, "high": 700}
    assert both["throughput_per_s"] == 10.0
