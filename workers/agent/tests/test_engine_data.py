"""Keys, values and numbers of engines besides ours."""

from collections import Counter
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from loadstone_agent.engines.clients.python_client import index_of
from loadstone_agent.engines.dataset import DataShape, drawn_keys, mix64
from loadstone_agent.engines.numbers import HIGHEST_NS, histogram_of, log_linear_value, quantiles_of
from loadstone_contracts.engine_plan import Dataset, EnginePlan
from loadstone_contracts.engine_sizes import FixedSize


def plan(access: dict[str, Any], keys: int = 1000) -> EnginePlan:
    fields = {
        "target": {"protocol": "redis", "address": {"kind": "tcp", "host": "127.0.0.1", "port": 1}},
        "dataset": {"key_count": keys, "value_size": {"kind": "fixed", "bytes": 10}},
        "operations": [{"kind": "get", "weight": 1}],
        "load": {"kind": "closed", "connections": 1},
        "phases": [{"name": "measure", "stop": {"operations": 1}}],
        "seed": 7,
        "access": access,
    }
    return EnginePlan.model_validate(fields)


def test_a_value_is_the_one_our_engine_writes() -> None:
    """The same bytes stand in the engine's own test of `values.rs`."""
    data = DataShape(Dataset(key_count=10, value_size=FixedSize(bytes=12)))
    assert list(data.value(5)) == [90, 195, 137, 163, 12, 59, 3, 99, 195, 82, 21, 4]
    assert data.key(5) == "k000000000000005"
    assert mix64(5).to_bytes(8, "little") == data.value(5)[:8]


@pytest.mark.parametrize("access", [{"kind": "permutation"}, {"kind": "sequential"}])
def test_orders_without_chance_ask_for_every_key_once(access: dict[str, Any]) -> None:
    assert sorted(drawn_keys(plan(access), 1000)) == list(range(1000))


def test_the_same_seed_asks_for_the_same_keys() -> None:
    drawn = [list(drawn_keys(plan({"kind": "zipf", "exponent": 0.99}), 500)) for _ in range(2)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("exponent", [0.5, 0.99, 1.0, 1.5])
def test_zipf_asks_as_often_as_it_should(exponent: float) -> None:
    count, keys = 40_000, 100
    drawn = Counter(drawn_keys(plan({"kind": "zipf", "exponent": exponent}, keys), count))
    weights = [rank**-exponent for rank in range(1, keys + 1)]
    found = [seen for _, seen in drawn.most_common(3)]
    for seen, weight in zip(found, weights[:3], strict=True):
        assert seen == pytest.approx(count * weight / sum(weights), rel=0.12)


def test_a_hot_set_gets_its_share() -> None:
    access = {"kind": "hot_set", "key_share": 0.1, "operation_share": 0.9}
    drawn = Counter(drawn_keys(plan(access), 20_000))
    assert sum(seen for _, seen in drawn.most_common(100)) == pytest.approx(18_000, rel=0.02)


@pytest.mark.parametrize("value_ns", [1, 2047, 2048, 99_999, 1_234_567, 59_999_999_999])
def test_a_bucket_of_the_clients_is_one_of_the_histogram(value_ns: int) -> None:
    histogram = HdrHistogram(1, HIGHEST_NS, 3)
    middle = log_linear_value(index_of(value_ns))
    assert histogram.values_are_equivalent(value_ns, middle)


def test_quantiles_are_those_of_the_nearest_rank() -> None:
    quantiles = quantiles_of(histogram_of({100: 50, 200: 49, 1000: 1}))
    assert (quantiles.p50, quantiles.p90, quantiles.p99, quantiles.p999, quantiles.max) == (100, 200, 200, 1000, 1000)
