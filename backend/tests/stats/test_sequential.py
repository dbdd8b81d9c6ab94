"""Looking whenever one likes: false calls stay rare, and a plain t test's do not."""

import numpy as np
import pytest
from loadstone.stats import sequential
from scipy import stats

SERIES, PAIRS = 400, 120


def wrong_under_looks(log_e: np.ndarray) -> float:  # type: ignore[type-arg]
    return float((log_e.max(axis=1) >= np.log(20)).mean())


@pytest.mark.parametrize("name", ["iid", "bimodal", "t3"])
def test_looking_after_every_pair_is_wrong_in_at_most_five_per_cent(name: str) -> None:
    draw = np.random.default_rng(31)
    noise = {
        "iid": draw.normal(0, 0.03, (SERIES, PAIRS)),
        "bimodal": draw.normal(0, 0.01, (SERIES, PAIRS)) + 0.15 * draw.choice([-1, 0, 1], (SERIES, PAIRS)),
        "t3": 0.03 * draw.standard_t(3, (SERIES, PAIRS)),
    }[name]
    assert wrong_under_looks(sequential.log_e_values(noise)) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / SERIES)


def test_a_plain_t_test_after_every_pair_is_wrong_far_more_often() -> None:
    noise = np.random.default_rng(32).normal(0, 0.03, (300, 100))
    looks = [stats.ttest_1samp(noise[:, :count], 0, axis=1).pvalue <= 0.05 for count in range(4, 101)]
    assert np.any(looks, axis=0).mean() > 0.25


def test_the_e_value_reaches_its_bar_exactly_where_the_interval_leaves_the_effect_out() -> None:
    differences = np.random.default_rng(33).normal(0.02, 0.03, 60)
    for count in range(4, 61):
        mean, squares = sequential._running_moments(differences[:count])
        half = np.sqrt(sequential._width_factor(np.array([float(count)]), 0.05)[0] * squares[-1] / count)
        assert (abs(mean[-1]) > half) == (sequential.log_e_values(differences[:count])[-1] > np.log(20))


def test_the_intersection_covers_the_effect_at_all_looks_at_once() -> None:
    draw = np.random.default_rng(34)
    covered = 0
    for _ in range(200):
        looks = sequential.look(draw.normal(0.03, 0.03, 80))
        covered += bool(looks.low[-1] <= 0.03 <= looks.high[-1])
    assert covered / 200 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 200)


def test_it_settles_on_worse_equivalent_or_nothing() -> None:
    draw = np.random.default_rng(35)
    noise = draw.normal(0, 0.01, 60)
    assert sequential.settle(sequential.look(noise - 0.05), 0.02)[0] == "worse"
    assert sequential.settle(sequential.look(noise), 0.02)[0] == "equivalent"
    assert sequential.settle(sequential.look(draw.normal(-0.02, 0.03, 10)), 0.02)[0] == "open"
    verdict, pairs = sequential.settle(sequential.look(draw.normal(-0.69, 0.03, 20)), 0.02)
    assert (verdict, pairs <= 8) == ("worse", True)


def test_against_the_margin_the_e_value_is_no_larger_than_against_no_effect() -> None:
    differences = np.random.default_rng(36).normal(-0.05, 0.02, 30)
    beyond, zero = sequential.log_e_beyond(differences, 0.02), sequential.log_e_values(differences)
    assert (beyond <= zero + 1e-9)[5:].all()
    assert beyond[-1] > np.log(20)
