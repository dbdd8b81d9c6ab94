"""Quantiles with requests that never came back, what distorts them, and what a count alone can tell."""

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loadstone.stats import censored, distortion, histogram, order_statistics, stated
from loadstone.stats.censored import Bounded


def histogram_of(values: Sequence[float]) -> Any:
    made = histogram.empty()
    for value in values:
        made.record_value(max(1, int(value)))
    return made


def encloses(found: Bounded, true_ns: int) -> bool:
    if found.kind == "exact":
        return histogram_of([found.value]).get_min_value() <= true_ns <= found.value * 1.001 + 1
    return found.value <= true_ns and (found.to_ns is None or true_ns <= found.to_ns)


REQUESTS = st.lists(
    st.tuples(st.integers(1, 3_000_000_000), st.integers(1, 3_000_000_000), st.integers(0, 19)), min_size=1, max_size=80
)


@settings(deadline=None, max_examples=100)
@given(REQUESTS, st.integers(2, 20), st.randoms(use_true_random=False))
def test_the_true_quantile_lies_in_the_range_however_many_parts_are_merged_in_whatever_order(
    requests: list[tuple[int, int, int]], parts: int, order: random.Random
) -> None:
    cut: list[tuple[list[int], list[int]]] = [([], []) for _ in range(parts)]
    for true_ns, given_up_ns, part in requests:
        answered, unanswered = cut[part % parts]
        (answered if true_ns <= given_up_ns else unanswered).append(min(true_ns, given_up_ns))
    order.shuffle(cut)
    answers = histogram.merge(histogram.encode(histogram_of(answered)) for answered, _ in cut)
    bounds = histogram.merge(histogram.encode(histogram_of(unanswered)) for _, unanswered in cut)
    found = censored.bounded_quantiles(answers, bounds)
    times = sorted(true_ns for true_ns, _, _ in requests)
    for name, quantile in {**histogram.QUANTILES, "max": 1.0}.items():
        true_ns = times[censored.rank_of(quantile, len(times)) - 1]
        assert encloses(found[name], true_ns), (name, found[name], true_ns)


def test_a_store_that_freezes_for_the_last_third_of_a_trial_is_stated_by_lower_bounds() -> None:
    """1,000 requests a second for 3 s, frozen from second 2."""
    generator = np.random.default_rng(1)
    answers = histogram_of(generator.lognormal(math.log(2.8e6), 0.3, 2_000))
    bounds = histogram_of([number * 1e6 + 1 for number in range(1_000)])
    found = censored.bounded_quantiles(answers, bounds)
    assert found["p50"].kind in ("exact", "between")
    assert found["p50"].value == pytest.approx(3.43e6, rel=0.05)
    for name, least_s in (("p90", 0.70), ("p99", 0.97), ("max", 0.999)):
        assert found[name].kind == "at_least"
        assert found[name].value == pytest.approx(least_s * 1e9, rel=0.002), name


def test_answers_alone_are_exact_and_as_they_ever_were() -> None:
    answers = histogram_of(np.random.default_rng(2).exponential(1e6, 5_000))
    exact = histogram.quantiles(answers)
    values = stated.stated_quantiles(answers, None)
    assert values == exact
    assert stated.bound_of(values, "p99") == Bounded(exact["p99"] or 0)


DELAYS = {
    "0.9 % late by 5 ms": (0.009, 5e6, {"p50", "p90"}),
    "0.05 % late by 5 ms": (0.0005, 5e6, {"p50", "p90", "p95", "p99"}),
    "half of a percent late by 20 us": (0.005, 20e3, {"p50", "p90"}),
    "none late": (0.0, 0.0, {"p50", "p90", "p95", "p99", "p999"}),
}


@pytest.mark.parametrize("name", DELAYS)
@pytest.mark.parametrize("seed", range(3))
def test_a_quantile_that_passes_is_within_the_limit_of_the_same_requests_without_the_delay(
    name: str, seed: int
) -> None:
    """Lognormal 100 us, SD 0.6; the delay comes at random, or to the slowest, or to the fastest."""
    share, late_ns, must_pass = DELAYS[name]
    generator = np.random.default_rng(seed)
    true_ns = generator.lognormal(math.log(1e5), 0.6, 100_000)
    count = round(share * len(true_ns))
    chosen = [generator.permutation(len(true_ns)), np.argsort(true_ns), np.argsort(-true_ns)][seed % 3][:count]
    late = np.zeros(len(true_ns))
    late[chosen] = late_ns
    exceeds = distortion.packed(distortion.exceeds_of_lateness(histogram_of(late)))
    found = stated.stated_quantiles(histogram_of(true_ns + late), None, exceeds)
    truth = histogram.quantiles(histogram_of(true_ns))
    passed = {one for one in (*histogram.QUANTILES, "max") if not stated.is_void(found, one)}
    for one in passed:
        assert found[one] <= (truth[one] or 0) * (1 + distortion.LIMIT) * 1.002, one
    assert must_pass <= passed, found.get("void")


def test_a_late_percent_voids_the_tail_and_nothing_else() -> None:
    true_ns = np.random.default_rng(5).lognormal(math.log(1e5), 0.6, 100_000)
    late = np.where(np.arange(len(true_ns)) % 111 == 0, 5e6, 0.0)
    exceeds = distortion.packed(distortion.exceeds_of_lateness(histogram_of(late)))
    found = stated.stated_quantiles(histogram_of(true_ns + late), None, exceeds)
    assert {"p99", "p999", "max"} <= set(found["void"]) <= {"p95", "p99", "p999", "max"}
    assert {one["code"] for one in found["void"].values()} == {"distorted"}


def test_pauses_count_by_the_time_that_is_left_of_them() -> None:
    """Ten pauses of 10 ms in 10 s: one request in a hundred meets one, half of those for more than 5 ms."""
    exceeds = distortion.exceeds_of_pauses(histogram_of([10e6] * 10), 10_000_000_000, histogram.empty(), 0)
    at = {limit: exceeds[np.searchsorted(distortion.GRID_NS, limit)] for limit in (1e3, 5e6, 11e6)}
    assert at[1e3] == pytest.approx(0.01, rel=0.01)
    assert at[5e6] == pytest.approx(0.005, rel=0.2)
    assert at[11e6] == 0


def test_two_delays_together_exceed_no_less_than_each_alone() -> None:
    late = distortion.exceeds_of_lateness(histogram_of([1] * 990 + [2_000_000] * 10))
    pause = distortion.exceeds_of_pauses(histogram_of([5e6] * 20), 10_000_000_000, histogram.empty(), 0)
    both = distortion.exceeds_of_sum(late, pause)
    assert (both + 1e-12 >= np.maximum(late, pause)).all()
    assert both[np.searchsorted(distortion.GRID_NS, 8e6)] == 0


def test_trials_put_together_have_the_mean_of_their_delays() -> None:
    assert distortion.mixed([(100, [0.5, 0.5]), (300, [0.1])]) == [0.2, 0.125]


@pytest.mark.parametrize(
    ("name", "needed"), [("p50", 20), ("p90", 100), ("p95", 200), ("p99", 1_000), ("p999", 10_000)]
)
def test_a_quantile_with_too_few_requests_is_void_alone(name: str, needed: int) -> None:
    def void(count: int) -> dict[str, Any]:
        values = [1e6 + number for number in range(count)]
        return stated.stated_quantiles(histogram_of(values), None, []).get("void", {})

    assert name in void(needed - 1)
    assert name not in void(needed)
    assert "max" not in void(needed - 1)


def test_the_interval_of_a_quantile_holds_as_often_as_it_says() -> None:
    generator = np.random.default_rng(7)
    held = 0
    for _ in range(300):
        whole = censored.distribution(histogram_of(generator.exponential(1e6, 2_000)), None)
        low, high = order_statistics.interval(whole, 0.99) or (None, None)
        true_ns = -math.log(0.01) * 1e6
        held += low is not None and high is not None and low * 0.999 <= true_ns <= high
    assert held / 300 >= 0.93


def test_an_interval_that_reaches_requests_without_an_answer_has_no_upper_end() -> None:
    whole = censored.distribution(histogram_of([1e6] * 980), histogram_of([5e6] * 20))
    low, high = order_statistics.interval(whole, 0.97) or (None, None)
    assert low == pytest.approx(1e6, rel=0.01)
    assert high is None


def test_an_interval_has_no_end_beyond_the_values_that_there_are() -> None:
    values = [1_000_000.0 + 10_000 * number for number in range(100)]
    low, high = order_statistics.interval(censored.distribution(histogram_of(values), None), 0.99) or (None, None)
    assert low == pytest.approx(values[96], rel=0.001)
    assert high is None
    few = order_statistics.interval(censored.distribution(histogram_of(values[:10]), None), 0.01)
    assert few is not None
    assert few[0] is None
    assert order_statistics.interval(censored.distribution(histogram.empty(), None), 0.5) is None


def test_every_range_of_a_frozen_store_holds_for_every_share_and_moment() -> None:
    """1, half or all of ten connections freeze at the start, in the middle or in the last tenth."""
    for frozen, moment in itertools.product((1, 5, 10), (0.0, 0.5, 0.9)):
        due = [(number / 1_000, number % 10) for number in range(1_000)]
        answered = [1e6 for at, connection in due if at < moment or connection >= frozen]
        waits = [(1.0 - at) * 1e9 for at, connection in due if at >= moment and connection < frozen]
        found = censored.bounded_quantiles(histogram_of(answered), histogram_of(waits))
        for name, quantile in {**histogram.QUANTILES, "max": 1.0}.items():
            is_answered = censored.rank_of(quantile, 1_000) <= len(answered)
            assert encloses(found[name], 1_000_000 if is_answered else 10**12), (frozen, moment, name)
