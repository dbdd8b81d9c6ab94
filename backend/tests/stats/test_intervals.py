"""Tests and intervals against SciPy's own, and against their definitions."""

import random
from itertools import product

import numpy as np
import pytest
from loadstone.stats.multiplicity import adjust, e_discoveries
from loadstone.stats.paired.moderation import NO_PRIOR, Prior, prior_of_family, prior_of_passport
from loadstone.stats.paired.order import block_orders, runs_on_both_sides
from loadstone.stats.paired.pairs import hodges_lehmann, pair_variances, paired_t, sign_flip_p
from loadstone.stats.paired.shares import least_variance, stabilized
from loadstone.stats.welch import Moments, welch
from scipy import stats


@pytest.mark.parametrize("pairs", [3, 9, 30])
def test_without_a_family_pairs_get_students_interval_and_p_value(pairs: int) -> None:
    rows = np.random.default_rng(3).normal(0.3, 1.0, (5, pairs))
    found = paired_t(rows, pair_variances(rows))
    low, high = found.interval(0.95)
    for place, row in enumerate(rows):
        plain = stats.ttest_1samp(row, 0)
        interval = plain.confidence_interval(0.95)
        assert (low[place], high[place]) == (pytest.approx(interval.low), pytest.approx(interval.high))
        assert found.p_value()[place] == pytest.approx(plain.pvalue)


@pytest.mark.parametrize("limit", [0.0, 0.1])
def test_the_interval_lies_beyond_the_limit_exactly_when_the_p_value_says_so(limit: float) -> None:
    rows = np.random.default_rng(2).normal(0.25, 1.0, (400, 9))
    found = paired_t(rows, pair_variances(rows))
    low, high = found.interval(0.95)
    is_beyond = (low > limit) | (high < -limit)
    assert (is_beyond == (found.p_value(limit) <= 0.05)).all()
    assert is_beyond.any()


def test_the_prior_is_what_variances_were_drawn_from() -> None:
    draw = np.random.default_rng(4)
    freedom = np.full(4_000, 4.0)
    true = 0.02**2 * 8 / draw.chisquare(8, 4_000)
    variances = true * draw.chisquare(4, 4_000) / 4
    found = prior_of_family(variances, freedom)
    assert found.freedom == pytest.approx(8, rel=0.25)
    assert found.variance == pytest.approx(0.02**2, rel=0.1)


def test_equal_variances_give_a_prior_that_is_capped_at_the_cells_own_freedom() -> None:
    draw = np.random.default_rng(5)
    variances = 0.02**2 * draw.chisquare(4, 50) / 4
    moderated, freedom = prior_of_family(variances, np.full(50, 4.0)).moderate(variances, np.full(50, 4.0))
    assert freedom.max() <= 8
    assert moderated.std() < variances.std()


def test_a_small_family_has_no_prior_but_the_passports_if_today_is_as_quiet() -> None:
    variances, freedom = np.full(3, 0.02**2), np.full(3, 4.0)
    assert prior_of_family(variances, freedom) == NO_PRIOR
    passport = Prior(0.02**2, 9)
    assert prior_of_passport(passport, variances, freedom) == passport
    assert prior_of_passport(passport, 20 * variances, freedom) == NO_PRIOR


def test_the_estimate_is_the_median_of_the_means_of_all_pairs() -> None:
    row = [0.0, 0.1, 1.0]
    assert hodges_lehmann(np.array([row]))[0] == pytest.approx(np.median([0.0, 0.1, 1.0, 0.05, 0.5, 0.55]))


def test_the_sign_flip_p_value_is_the_share_of_all_patterns() -> None:
    row = np.random.default_rng(6).normal(0.4, 1.0, 7)
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, row, strict=True))) for signs in product((1, -1), repeat=7)
    ]
    assert sign_flip_p(row) == pytest.approx(np.mean(np.array(sums) >= abs(row.sum()) - 1e-9))
    assert sign_flip_p(np.full(5, 1.0)) == 2**-4
    assert sign_flip_p(np.ones(40)) is None


def test_welch_is_scipys_on_logarithms() -> None:
    draw = np.random.default_rng(5)
    base, contender = draw.normal(0, 1, 5), draw.normal(0.5, 3, 9)
    moments = [Moments(np.array([len(x)]), np.array([x.mean()]), np.array([x.var(ddof=1)])) for x in (base, contender)]
    found = welch(*moments)
    expected = stats.ttest_ind(contender, base, equal_var=False)
    assert found.p_value()[0] == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert tuple(float(one[0]) for one in found.interval(0.95)) == pytest.approx((interval.low, interval.high))


def test_no_p_values_are_adjusted_to_none() -> None:
    assert adjust(np.array([0.01, 0.04, 0.03])) == pytest.approx([0.03, 0.04, 0.04])
    assert len(adjust(np.array([]))) == 0


def test_e_values_are_called_from_the_largest_down() -> None:
    assert e_discoveries(np.log([1.0, 100.0, 45.0, 2.0]), 0.05) == [1, 2]
    assert e_discoveries(np.log([70.0, 1.0, 1.0, 1.0]), 0.05) == []
    assert e_discoveries(np.array([]), 0.05) == []


def test_stabilized_shares_have_the_variance_that_is_promised() -> None:
    draw = np.random.default_rng(7)
    counts = np.full(20_000, 2_000.0)
    for share in (0.005, 0.1, 0.5):
        angles = stabilized(draw.binomial(2_000, share, 20_000) / 2_000, counts)
        assert 2 * angles.var() == pytest.approx(least_variance(counts, counts), rel=0.05)


def test_every_order_is_equally_likely_and_few_blocks_put_each_contender_on_both_sides() -> None:
    draw = random.Random(1)
    orders = block_orders(3, 6_000, draw)
    counts = {order: orders.count(list(order)) for order in {tuple(one) for one in orders}}
    assert len(counts) == 6
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3
    assert all(runs_on_both_sides(block_orders(members, 3, draw)) for members in (2, 3, 8) for _ in range(50))
    assert [sorted(order) for order in block_orders(1, 3, draw)] == [[0]] * 3
