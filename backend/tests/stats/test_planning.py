"""What is advised, against what then happens."""

import math

import numpy as np
import pytest
from loadstone.stats import planning
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
