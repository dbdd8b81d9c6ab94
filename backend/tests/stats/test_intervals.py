"""The intervals against SciPy's own tests."""

import numpy as np
import pytest
from loadstone.stats.multiplicity import adjust
from loadstone.stats.paired import SERIAL_WIDENING, _signed_rank_at_most, _signed_rank_distribution, paired
from loadstone.stats.trial_numbers import trials_for
from loadstone.stats.welch import Moments, welch
from scipy import stats


@pytest.mark.parametrize("pairs", [10, 17, 40])
def test_signed_rank_p_values_are_wilcoxons_on_the_shifted_sample(pairs: int) -> None:
    ratios = np.random.default_rng(1).normal(0.3, 1.0, (20, pairs))
    found = paired(ratios, 0.95)
    for row, estimate, p_value in zip(ratios, found.estimate, found.p_value, strict=True):
        shifted = row - estimate * (1 - 1 / SERIAL_WIDENING)
        assert p_value == pytest.approx(stats.wilcoxon(shifted, method="exact").pvalue)


@pytest.mark.parametrize("pairs", [3, 9, 10, 30, 150])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_interval_leaves_out_zero_exactly_when_the_p_value_says_so(pairs: int, confidence: float) -> None:
    ratios = np.random.default_rng(2).normal(0.25, 1.0, (400, pairs))
    found = paired(ratios, confidence)
    is_outside = (found.low > 0) | (found.high < 0)
    assert (is_outside == (found.p_value <= 1 - confidence)).all()
    assert is_outside.any()


def test_a_few_pairs_get_students_interval_widened() -> None:
    ratios = np.random.default_rng(3).normal(0.0, 1.0, (5, 6))
    found = paired(ratios, 0.95)
    for row, low, high in zip(ratios, found.low, found.high, strict=True):
        plain = stats.ttest_1samp(row, 0).confidence_interval(0.95)
        assert high - low == pytest.approx((plain.high - plain.low) * SERIAL_WIDENING)
        assert (high + low) / 2 == pytest.approx(row.mean())


def test_the_estimate_is_the_median_of_the_walsh_averages() -> None:
    row = [0.0, 0.1, 1.0]
    walsh = [0.0, 0.1, 1.0, 0.05, 0.5, 0.55]
    assert paired(np.array([row]), 0.95).estimate[0] == pytest.approx(np.median(walsh))


def test_many_pairs_in_pieces_give_what_they_give_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ratios = np.random.default_rng(4).normal(0.0, 1.0, (7, 12))
    at_once = paired(ratios, 0.95)
    monkeypatch.setattr("loadstone.stats.paired.WALSH_AVERAGES_AT_ONCE", 100)
    assert (paired(ratios, 0.95).low == at_once.low).all()


def test_the_normal_approximation_continues_the_exact_distribution() -> None:
    exact = _signed_rank_distribution(101)
    statistic = np.array([1_800, 2_000, 2_300, 2_575])
    assert _signed_rank_at_most(101, statistic.astype(float)) == pytest.approx(exact[statistic], abs=1e-3)


def test_welch_is_scipys_on_logarithms() -> None:
    draw = np.random.default_rng(5)
    base, contender = draw.normal(0, 1, 5), draw.normal(0.5, 3, 9)
    moments = [Moments(np.array([len(x)]), np.array([x.mean()]), np.array([x.var(ddof=1)])) for x in (base, contender)]
    found = welch(moments[0], moments[1], 0.95)
    expected = stats.ttest_ind(contender, base, equal_var=False)
    assert found.p_value[0] == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert (found.low[0], found.high[0]) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_adjusted_p_values_are_benjaminis_and_hochbergs() -> None:
    p_values = np.random.default_rng(6).random(50) ** 3
    assert adjust(p_values) == pytest.approx(stats.false_discovery_control(p_values))
    assert len(adjust(np.array([]))) == 0


def test_the_numbers_of_trials_follow_the_spread() -> None:
    found = trials_for(np.array([1.0, 2.0, 4.0, 1e9]), np.array([1.0, 1.0, 1.0, 1.0]), 0.95)
    assert found[0] == pytest.approx((1.96 + 0.84) ** 2, abs=3)
    assert found[2] == pytest.approx(16 * found[0], rel=0.3)
    assert found[3] == np.inf
