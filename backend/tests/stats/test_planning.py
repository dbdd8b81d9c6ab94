"""What is advised, against what then happens; order statistics, unanswered requests, and a generator's delays."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loadstone.stats import planning
from loadstone.stats.censored import merge, quantile_bounds
from loadstone.stats.distortion import combined_exceedance, delays_to_try, true_quantile
from loadstone.stats.order_statistics import answers_needed, quantile_ranks
from scipy import stats


def power(trials: int, effect: float) -> float:
    critical = stats.t.ppf(0.975, trials - 1)
    return float(stats.nct.sf(critical, trials - 1, effect * math.sqrt(trials)))


def test_with_a_known_spread_the_advice_is_the_textbooks() -> None:
    advice = planning.trials_needed(1.0, 1e6, 0.7)
    assert advice.trials is not None
    assert power(advice.trials, 0.7) >= 0.795
    assert power(advice.trials - 1, 0.7) < 0.805


@pytest.mark.parametrize("freedom", [9, 39])
def test_advised_numbers_decide_on_average_as_often_as_stated(freedom: int) -> None:
    draw = np.random.default_rng(51)
    spreads = np.sqrt(draw.chisquare(freedom, 200) / freedom)
    decided = [power(planning.trials_needed(float(spread), freedom, 0.7).trials or 1_000, 0.7) for spread in spreads]
    assert np.mean(decided) == pytest.approx(0.8, abs=0.05)
    if freedom == 39:
        assert np.mean(np.abs(np.array(decided) - 0.8) <= 0.1) >= 0.5


def test_a_spread_that_is_hardly_known_widens_the_advice() -> None:
    sure, unsure = planning.trials_needed(1.0, 100, 0.7), planning.trials_needed(1.0, 4, 0.7)
    assert (unsure.low or 0) < (sure.low or 0) <= (sure.trials or 0) <= (sure.high or 0) < (unsure.high or 0)
    assert planning.trials_needed(100.0, 10, 0.01).trials is None


def test_what_ten_pairs_will_see_is_predicted_from_five_sessions_on() -> None:
    assert planning.visible_in_next_session([0.02] * 4, 10) is None
    draw = np.random.default_rng(52)
    inside = 0
    for _ in range(200):
        *past, now = 0.03 * np.exp(draw.normal(0, 0.2, 7))
        visible = planning.visible_in_next_session(past, 10)
        assert visible is not None
        inside += visible.low <= 1 - math.exp(-planning.smallest_visible(float(now), 10)) <= visible.high
    assert inside / 200 >= 0.9


def test_ranks_hold_the_quantile() -> None:
    draw = np.random.default_rng(53)
    values = np.sort(draw.random((2_000, 1_000)), axis=1)
    ranks = quantile_ranks(0.99, 1_000)
    assert ranks is not None
    low, high = ranks
    assert high is not None
    held = (values[:, low - 1] <= 0.99) & (values[:, high - 1] >= 0.99)
    assert held.mean() >= 0.94
    assert quantile_ranks(0.99, 100) == (97, None)
    assert quantile_ranks(0.01, 10) is None
    assert (answers_needed(0.99), answers_needed(0.999)) == (1_000, 10_000)


@given(
    st.lists(st.tuples(st.integers(1, 1_000), st.booleans(), st.integers(0, 1_000)), min_size=1, max_size=80),
    st.sampled_from([0.5, 0.9, 0.99, 1.0]),
    st.integers(1, 5),
)
def test_the_true_quantile_lies_between_the_bounds_after_any_merge(
    requests: list[tuple[int, bool, int]], quantile: float, parts: int
) -> None:
    """Each request: what it had waited when it was cut off or answered, whether it was, and how much longer it took."""
    answered: dict[float, int] = {}
    unanswered: dict[float, int] = {}
    for part in range(parts):
        own = requests[part::parts]
        answered = merge(answered, Counter(float(seen) for seen, is_back, _ in own if is_back))
        unanswered = merge(Counter(float(seen) for seen, is_back, _ in own if not is_back), unanswered)
    bounds = quantile_bounds(answered, unanswered, quantile)
    assert bounds is not None
    true = sorted(seen + (0 if is_back else more) for seen, is_back, more in requests)
    rank = min(len(true), max(1, math.ceil(quantile * len(true) * (1 - 1e-12))))
    assert bounds.low <= true[rank - 1] <= bounds.high


def test_without_requests_there_is_no_quantile_and_with_all_answered_it_is_exact() -> None:
    assert quantile_bounds({}, {}, 0.5) is None
    found = quantile_bounds({1.0: 9, 5.0: 1}, {}, 0.9)
    assert found is not None
    assert (found.low, found.is_exact) == (1.0, True)
    hung = quantile_bounds({1.0: 9}, {0.7: 1}, 1.0)
    assert hung is not None
    assert (hung.low, hung.high) == (1.0, math.inf)


@pytest.mark.parametrize(("share", "delay"), [(0.009, 5_000.0), (0.0005, 5_000.0), (0.2, 3.0)])
def test_the_quantile_without_the_delays_lies_within_the_bounds(share: float, delay: float) -> None:
    draw = np.random.default_rng(54)
    times = 100 * np.exp(0.6 * draw.normal(size=200_000))
    late = np.where(draw.random(len(times)) < share, delay, 0.0)
    reported, late_sorted = np.sort(times + late), np.sort(late)

    def exceedance(length: float) -> float:
        return 1 - float(np.searchsorted(late_sorted, length, side="right")) / len(late_sorted)

    delays = delays_to_try(lambda level: float(np.quantile(late_sorted, level)), [])
    for level in (0.5, 0.9, 0.99, 0.999):
        found = true_quantile(lambda q: float(np.quantile(reported, max(q, 0))), exceedance, delays, level)
        true = float(np.quantile(times, level))
        assert found.low <= true * (1 + 1e-3)
        assert true <= found.high * (1 + 1e-3)
        assert found.is_void or found.high / true - 1 <= 0.051


def test_pauses_add_to_lateness() -> None:
    exceedance = combined_exceedance(lambda length: 0.01 if length < 1 else 0.0, np.array([0.5]), 10.0)
    assert exceedance(0.0) == pytest.approx(0.01 + 0.05)
    assert exceedance(2.0) == 0.0
