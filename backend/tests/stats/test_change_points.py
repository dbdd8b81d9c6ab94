"""Where a series shifts: by hand-made series, against another implementation, and by rates."""

import numpy as np
import pytest
import ruptures
from hypothesis import given, settings
from hypothesis import strategies as st
from loadstone.stats import change_points as detector
from loadstone.stats.change_points import direction, newest_change

LEVEL = 100_000.0


def quiet(count: int, seed: int = 1, cv: float = 0.01) -> list[float]:
    return (LEVEL * (1 + cv * np.random.default_rng(seed).normal(size=count))).tolist()  # type: ignore[no-any-return]


def with_step(before: int, after: int, change: float, seed: int = 1, cv: float = 0.01) -> list[float]:
    values = quiet(before + after, seed, cv)
    return values[:before] + [value * (1 + change) for value in values[before:]]


@pytest.mark.parametrize("change", [-0.2, -0.1, 0.1, 0.3])
@pytest.mark.parametrize("after", [3, 8])
def test_a_clear_step_is_found_where_it_is(change: float, after: int) -> None:
    found = newest_change(with_step(30, after, change))
    assert found is not None
    assert abs(found.index - 30) <= 1
    assert found.change == pytest.approx(change, abs=0.02)


def test_one_run_after_a_step_is_not_enough() -> None:
    assert newest_change(with_step(30, 1, -0.2)) is None


@pytest.mark.parametrize(
    "values", [[], [1.0], quiet(10), [5.0] * 40, [0.0] * 40, [1.0, -1.0] * 20, [float("inf")] * 20]
)
def test_what_cannot_be_judged_is_not(values: list[float]) -> None:
    assert newest_change(values) is None


def test_a_step_without_any_noise_is_found() -> None:
    found = newest_change([100.0] * 20 + [90.0] * 4)
    assert found is not None
    assert (found.index, found.before, found.after) == (20, 100.0, 90.0)


@pytest.mark.parametrize("place", [10, 20, 29, 30, 31])
@pytest.mark.parametrize("factor", [0.01, 0.6, 1.5])
def test_one_odd_run_is_no_shift(place: int, factor: float) -> None:
    values = quiet(32)
    values[place] *= factor
    assert newest_change(values) is None


@pytest.mark.parametrize("place", [10, 25, 30, 31, 33])
def test_an_odd_run_does_not_hide_a_shift(place: int) -> None:
    values = with_step(30, 8, -0.1)
    values[place] *= 1.5
    found = newest_change(values)
    assert found is not None
    assert abs(found.index - 30) <= 2


def test_a_step_smaller_than_anyone_needs_to_know_is_none() -> None:
    assert newest_change(with_step(60, 12, -0.015, cv=0.001)) is None
    assert newest_change(with_step(60, 12, -0.03, cv=0.001)) is not None


def test_the_same_values_give_the_same_verdict_at_any_scale() -> None:
    values = with_step(40, 6, -0.08)
    found, scaled = newest_change(values), newest_change([value * 1e-7 for value in values])
    assert found is not None
    assert scaled is not None
    assert found == newest_change(list(values))
    assert (found.index, found.p_value) == (scaled.index, scaled.p_value)


def test_only_the_window_is_looked_at() -> None:
    old = with_step(300, 200, -0.3)
    assert newest_change(old) == newest_change(old[-300:]) or newest_change(old) is None
    found = newest_change(quiet(500) + [LEVEL * 0.8] * 4)
    assert found is not None
    assert found.index == 500


def test_direction_follows_the_metric() -> None:
    assert direction(-0.1, "higher") == direction(0.1, "lower") == "worse"
    assert direction(0.1, "higher") == direction(-0.1, "lower") == "better"


def test_the_statistic_is_the_energy_distance() -> None:
    """Against the definition, pair by pair."""
    values = np.random.default_rng(3).normal(size=25)
    rows = (np.abs(values[:, None] - values[None, :]) ** detector.EXPONENT).sum(axis=1)
    tails = np.array([3, 7])
    scores = detector.energy_scores(values, rows, np.arange(7)[None, :], tails)[0]
    for tail, score in zip(tails, scores, strict=True):
        x, y = values[:tail], values[tail:]
        across = (np.abs(x[:, None] - y[None, :]) ** detector.EXPONENT).mean()
        inside = [(np.abs(z[:, None] - z[None, :]) ** detector.EXPONENT).sum() for z in (x, y)]
        within = [total / (len(z) * (len(z) - 1)) for total, z in zip(inside, (x, y), strict=True)]
        expected = tail * (25 - tail) / 25 * (2 * across - sum(within))
        assert score == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(8))
def test_places_agree_with_ruptures(seed: int) -> None:
    values = with_step(30, 10, -0.08, seed)
    found = newest_change(values)
    other = ruptures.Dynp(model="l1", min_size=3, jump=1).fit(np.log(values)).predict(n_bkps=1)[0]
    assert found is not None
    assert abs(found.index - other) <= 1


@settings(max_examples=60)
@given(st.lists(st.floats(min_value=1e-6, max_value=1e12), max_size=60))
def test_no_values_break_it(values: list[float]) -> None:
    found = newest_change(values)
    if found is not None:
        assert 0 < found.index < len(values)
        assert 0 < found.p_value <= 1


def autocorrelated(draw: np.random.Generator, count: int) -> list[float]:
    """AR(1) 0.5, CV 3 %, 3 % outliers."""
    values = np.zeros(count)
    for place in range(1, count):
        values[place] = 0.5 * values[place - 1] + draw.normal() * np.sqrt(0.75)
    far = 1 + draw.choice([-1, 1], count) * draw.uniform(0.1, 0.3, count)
    return np.where(draw.random(count) < 0.03, far, 1) * (1 + 0.03 * values)  # type: ignore[no-any-return, return-value]


def test_false_alarms_stay_rare_where_runs_depend_on_each_other() -> None:
    """The limit is 0.5 in 100 runs; with 40 x 100 runs, three standard errors above it are 0.84."""
    draw = np.random.default_rng(11)
    alarms = 0
    for _ in range(40):
        values, start = list(autocorrelated(draw, 100)), 0
        for end in range(1, 101):
            found = newest_change(values[start:end])
            if found is not None:
                start += found.index
                alarms += 1
    assert alarms / 40 <= 0.84


def test_steps_of_five_percent_are_seen_within_twelve_runs() -> None:
    """The limit is 75 %; with 60 series, three standard errors below it are 58 %."""
    draw = np.random.default_rng(12)
    seen = 0
    for _ in range(60):
        values = np.array(autocorrelated(draw, 112))
        values[100:] *= 0.95
        seen += any(newest_change(values[:end].tolist()) is not None for end in range(101, 113))
    assert seen / 60 >= 0.58
