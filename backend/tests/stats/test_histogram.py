"""Histograms: merging and quantiles agree with the values that went in."""

import base64
import math
import random

import pytest
from hdrh.histogram import HdrHistogram
from loadstone.stats import histogram


def _encoded(values: list[int]) -> str:
    built = HdrHistogram(histogram.LOWEST_NS, histogram.HIGHEST_NS, histogram.SIGNIFICANT_DIGITS)
    for value in values:
        built.record_value(value)
    text: bytes = built.encode()
    return text.decode()


def _nearest_rank(values: list[int], quantile: float) -> int:
    return sorted(values)[max(1, math.ceil(quantile * len(values))) - 1]


@pytest.mark.parametrize("size", [1, 2, 7, 100, 5_000])
def test_quantiles_are_nearest_rank_within_three_digits(size: int) -> None:
    draw = random.Random(size)
    values = [int(draw.lognormvariate(11, 1.5)) + 1 for _ in range(size)]
    found = histogram.quantiles(histogram.merge([histogram.unpack(_encoded(values))]))
    for name, quantile in histogram.QUANTILES.items():
        assert found[name] == pytest.approx(_nearest_rank(values, quantile), rel=1e-3)
    assert found["max"] == pytest.approx(max(values), rel=1e-3)


def test_merge_equals_one_histogram_of_all_values() -> None:
    draw = random.Random(4)
    parts = [[draw.randrange(1, 10 ** draw.randrange(2, 10)) for _ in range(500)] for _ in range(5)]
    merged = histogram.merge(histogram.unpack(_encoded(part)) for part in parts)
    whole = histogram.merge([histogram.unpack(_encoded([value for part in parts for value in part]))])
    assert merged.get_total_count() == 2_500
    assert histogram.quantiles(merged) == histogram.quantiles(whole)


def test_merged_percentile_is_not_the_mean_of_percentiles() -> None:
    fast, slow = [1_000] * 990, [1_000_000] * 10
    merged = histogram.quantiles(histogram.merge([histogram.unpack(_encoded(part)) for part in (fast, slow)]))
    assert merged["p99"] == pytest.approx(1_000, rel=1e-3)
    assert merged["p999"] == pytest.approx(1_000_000, rel=1e-3)


def test_empty_histograms_have_no_quantiles() -> None:
    empty = histogram.unpack(_encoded([]))
    assert set(histogram.quantiles(histogram.merge([empty, empty])).values()) == {None}
    assert set(histogram.quantiles(histogram.merge([])).values()) == {None}


def test_empty_parts_leave_the_extremes_alone() -> None:
    parts = [_encoded([]), _encoded([500, 900]), _encoded([])]
    merged = histogram.merge(histogram.unpack(part) for part in parts)
    assert histogram.quantiles(merged)["max"] == 900
    assert merged.get_min_value() == 500


@pytest.mark.parametrize("text", ["not base64!", base64.b64encode(b"other bytes").decode()])
def test_what_is_no_histogram_is_refused_on_arrival(text: str) -> None:
    with pytest.raises(histogram.BadHistogram):
        histogram.unpack(text)


def test_a_damaged_histogram_is_refused_by_the_merge() -> None:
    blob = histogram.unpack(_encoded([1, 2, 3]))
    with pytest.raises(histogram.BadHistogram):
        histogram.merge([blob[:-6]])
