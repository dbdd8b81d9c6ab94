"""Between sessions: what history teaches, three answers, and how often they are wrong."""

import numpy as np
import pytest
from loadstone.stats import sessions
from loadstone.stats.paired.moderation import Prior
from scipy import stats

SERIES = 500
ERROR = 3 * np.sqrt(0.05 * 0.95 / SERIES)


def answers(tau: float, change: float, new: int, history: int = 20, trials: int = 10) -> list[str]:
    draw = np.random.default_rng(41)
    found = []
    for _ in range(SERIES):
        spread = np.hypot(tau, 0.015 / np.sqrt(trials))
        shift = sessions.new_against_history(draw.normal(change, spread, new), draw.normal(0, spread, history))
        assert shift is not None
        found.append(sessions.answer(shift, is_lower=True))
    return found


@pytest.mark.parametrize("tau", [0.0, 0.01, 0.04])
@pytest.mark.parametrize("new", [1, 3])
def test_an_unchanged_series_is_confirmed_and_a_true_change_called_false_in_at_most_five_per_cent(
    tau: float, new: int
) -> None:
    assert answers(tau, 0.0, new).count("confirmed") / SERIES <= 0.05 + ERROR
    assert answers(tau, np.log(0.97), new).count("false") / SERIES <= 0.05 + ERROR


def test_a_change_is_confirmed_where_sessions_differ_little_and_undecided_where_they_differ_much() -> None:
    assert answers(0.005, np.log(0.97), 2).count("confirmed") / SERIES >= 0.8
    assert answers(0.04, np.log(0.97), 1).count("undecided") / SERIES >= 0.7


def test_trials_of_two_sessions_taken_as_independent_are_wrong_in_a_quarter_and_more() -> None:
    """Why the session is the unit."""
    draw = np.random.default_rng(42)
    levels = draw.normal(0, 0.02, (2, SERIES, 1))
    sides = levels + draw.normal(0, 0.015, (2, SERIES, 10))
    wrong = stats.ttest_ind(sides[0], sides[1], axis=1, equal_var=False).pvalue <= 0.05
    assert wrong.mean() > 0.25


@pytest.mark.parametrize("omega", [0.0, 0.02])
def test_old_against_new_inside_eight_sessions_confirms_three_per_cent(omega: float) -> None:
    draw = np.random.default_rng(43)
    spread = np.hypot(omega, 0.015 * np.sqrt(2 / 5))
    seen, wrong = 0, 0
    for _ in range(SERIES):
        shift = sessions.side_by_side(draw.normal(np.log(0.97), spread, 8))
        null = sessions.side_by_side(draw.normal(0, spread, 8))
        assert shift is not None
        assert null is not None
        seen += sessions.answer(shift, is_lower=True) == "confirmed"
        wrong += sessions.answer(null, is_lower=True) == "confirmed"
    assert seen / SERIES >= 0.8
    assert wrong / SERIES <= 0.05 + ERROR


def test_one_session_alone_says_nothing_without_a_passport() -> None:
    assert sessions.side_by_side(np.array([-0.2])) is None
    assert sessions.side_by_side(np.array([-0.2]), Prior(0.01**2, 8)) is not None


def test_a_short_history_teaches_nothing() -> None:
    assert sessions.session_variance(np.zeros(7)) is None
    assert sessions.new_against_history(np.zeros(1), np.zeros(7)) is None


def test_runs_of_one_hour_are_one_sitting() -> None:
    found = sessions.sittings([0, 1_000, 2_000, 90_000, 200_000], np.array([1.0, 2.0, 3.0, 5.0, 7.0]))
    assert found.tolist() == [2.0, 5.0, 7.0]
    assert len(sessions.sittings([], np.array([]))) == 0


def test_neighbours_that_depend_on_each_other_widen_the_mean() -> None:
    assert sessions.mean_inflation(0.0, 5) == 1.0
    assert sessions.mean_inflation(0.5, 3) == pytest.approx(1 + 2 * (2 / 3 * 0.5 + 1 / 3 * 0.25))


def test_a_new_session_in_the_known_low_mode_is_no_rare_event() -> None:
    history = np.array([0.0] * 15 + [-0.06] * 6)
    assert (sessions.rank_p_value(np.array([-0.06]), history, is_lower=True) or 0) > 0.05
    assert (sessions.rank_p_value(np.array([-0.2]), history, is_lower=True) or 1) <= 0.05
    assert sessions.rank_p_value(np.array([-0.2]), np.zeros(5), is_lower=True) is None


def test_more_spread_needs_more_sessions() -> None:
    assert sessions.sessions_needed(0.01, 0.03) == 4
    assert sessions.sessions_needed(0.1, 0.03) is None
