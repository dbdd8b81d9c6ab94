"""The table of engines and what it refuses."""

from typing import Any

import pytest
from loadstone_contracts.engine_plan import EngineWork
from loadstone_contracts.engines import ENGINES, engine_faults


def work(**changes: Any) -> EngineWork:
    fields: dict[str, Any] = {
        "dataset": {"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}},
        "operations": [{"kind": "get", "weight": 1}],
        "load": {"kind": "closed", "connections": 4},
        "phases": [{"name": "prefill"}, {"name": "measure", "stop": {"operations": 1000}}],
        "seed": 1,
    }
    return EngineWork.model_validate({**fields, **changes})


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_every_engine_can_get_a_thousand_times_in_a_closed_loop(name: str) -> None:
    assert engine_faults(name, work(), ENGINES[name].protocols[0]) == []


@pytest.mark.parametrize(
    ("name", "changes", "path"),
    [
        ("memslap", {"operations": [{"kind": "incr", "weight": 1}]}, "operations[0]"),
        ("memslap", {"operations": [{"kind": "get", "weight": 1}, {"kind": "set", "weight": 1}]}, "operations"),
        ("redis-benchmark", {"load": {"kind": "open", "connections": 1, "rate_per_s": 10}}, "load.kind"),
        ("redis-benchmark", {"phases": [{"name": "measure", "stop": {"seconds": 1}}]}, "phases[0].stop"),
        ("redis-benchmark", {"access": {"kind": "zipf", "exponent": 1}}, "access.kind"),
        ("pgbench", {"load": {"kind": "closed", "connections": 1, "pipeline": 2}}, "load.pipeline"),
        ("pgbench", {"verify": True}, "verify"),
        (
            "pgbench",
            {"load": {"kind": "closed", "connections": 4, "connection_steps": [{"connections": 2, "seconds": 1}]}},
            "load.connection_steps",
        ),
        (
            "redis-benchmark",
            {"phases": [{"name": "warmup", "stop": {"steady": {}}}, {"name": "measure", "stop": {"operations": 9}}]},
            "phases[0].stop.steady",
        ),
        (
            "redis-benchmark",
            {"load": {"kind": "closed", "connections": 1, "requests_per_connection": 5}},
            "load.requests_per_connection",
        ),
        (
            "redis-benchmark",
            {"dataset": {"key_count": 9, "key_size_bytes": 10, "value_size": {"kind": "fixed", "bytes": 1}}},
            "dataset.key_size_bytes",
        ),
    ],
)
def test_what_an_engine_cannot_do_is_named_with_its_place(name: str, changes: dict[str, Any], path: str) -> None:
    assert [where for where, _ in engine_faults(name, work(**changes))] == [path]


def test_an_unknown_engine_and_a_foreign_protocol_are_faults() -> None:
    assert [path for path, _ in engine_faults("jmeter", work())] == ["engine"]
    assert [path for path, _ in engine_faults("pgbench", work(), "redis")] == ["protocol"]


def test_engines_of_a_prefix_that_a_shell_or_sql_might_read_are_refused() -> None:
    dataset = {"key_count": 9, "key_prefix": "k'", "value_size": {"kind": "fixed", "bytes": 1}}
    assert [path for path, _ in engine_faults("mysqlslap", work(dataset=dataset))] == ["dataset.key_prefix"]
