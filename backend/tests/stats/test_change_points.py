"""Where a series shifts: by hand-made series, against another implementation, and by rates."""

import time
from collections.abc import Callable

import numpy as np
import pytest
import ruptures
from hypothesis import given, settings
from hypothesis import strategies as st
from loadstone.stats.change_points import noise, partition
from loadstone.stats.change_points.detector import DEFAULT_SENSITIVITY, Step, direction, find_steps
from loadstone.stats.change_points.tracking import KnownStep, Tracker, classify, match

LEVEL = 100_000.0


def quiet(count: int, seed: int = 2, cv: float = 0.01) -> list[float]:
    return (LEVEL * np.exp(cv * np.random.default_rng(seed).normal(size=count))).tolist()  # type: ignore[no-any-return]


def with_step(before: int, after: int, change: float, seed: int = 2, cv: float = 0.01) -> list[float]:
    values = quiet(before + after, seed, cv)
    return values[:before] + [value * (1 + change) for value in values[before:]]


@pytest.mark.parametrize("change", [-0.2, -0.1, 0.1, 0.3])
@pytest.mark.parametrize("after", [4, 8, 60])
def test_a_clear_step_is_found_where_it_is(change: float, after: int) -> None:
    [step] = find_steps(with_step(30, after, change)).steps
    assert abs(step.index - 30) <= 1
    assert step.change == pytest.approx(change, abs=0.02)
    assert step.p_value < 1e-3


def test_several_steps_are_found_in_one_look_however_old() -> None:
    values = quiet(200, cv=0.01)
    for place, factor in ((40, 0.9), (90, 0.9), (150, 1.3)):
        values[place:] = [value * factor for value in values[place:]]
    assert [step.index for step in find_steps(values).steps] == pytest.approx([40, 90, 150], abs=1)


def test_one_run_after_a_step_is_not_enough() -> None:
    assert find_steps(with_step(30, 1, -0.2)).steps == []


@pytest.mark.parametrize("values", [[], [1.0], quiet(5), [5.0] * 40, [0.0] * 40, [-1.0] * 20, [float("inf")] * 20])
def test_what_cannot_be_judged_is_not(values: list[float]) -> None:
    assert find_steps(values).steps == []


def test_a_step_without_any_noise_is_found() -> None:
    [step] = find_steps([100.0] * 20 + [90.0] * 4).steps
    assert (step.index, step.before, step.after) == (20, pytest.approx(100.0), pytest.approx(90.0, rel=0.01))


@pytest.mark.parametrize("place", [10, 20, 29, 30, 31])
@pytest.mark.parametrize("factor", [0.0, 0.01, 0.6, 1.5])
def test_one_odd_run_is_no_shift(place: int, factor: float) -> None:
    values = quiet(32)
    values[place] *= factor
    assert find_steps(values).steps == []


@pytest.mark.parametrize("place", [10, 25, 30, 33])
@pytest.mark.parametrize("factor", [0.0, 1.5])
def test_an_odd_run_or_a_zero_does_not_hide_a_shift(place: int, factor: float) -> None:
    values = with_step(30, 8, -0.1)
    values[place] *= factor
    assert [step.index for step in find_steps(values).steps] == pytest.approx([30], abs=2)


def test_a_step_smaller_than_anyone_needs_to_know_is_none() -> None:
    assert find_steps(with_step(60, 12, -0.015, cv=0.001)).steps == []
    assert len(find_steps(with_step(60, 12, -0.03, cv=0.001)).steps) == 1


def test_the_same_values_give_the_same_steps_at_any_scale() -> None:
    values = with_step(40, 6, -0.08)
    [step], [scaled] = find_steps(values).steps, find_steps([value * 1e-7 for value in values]).steps
    assert (step.index, step.p_value) == (scaled.index, pytest.approx(scaled.p_value))


def test_only_the_window_is_looked_at() -> None:
    assert find_steps(with_step(300, 200, -0.3)).steps == []
    assert [step.index for step in find_steps(quiet(500) + [LEVEL * 0.8] * 4).steps] == [500]


def test_direction_follows_the_metric() -> None:
    assert direction(-0.1, "higher") == direction(0.1, "lower") == "worse"
    assert direction(0.1, "higher") == direction(-0.1, "lower") == "better"


@pytest.mark.parametrize("seed", range(6))
def test_the_partition_is_that_of_ruptures(seed: int) -> None:
    """The same cost and penalty, by another implementation of the same dynamic program."""
    values = np.log(with_step(60, 50, -0.03, seed, cv=0.02))
    penalty = partition.PENALTY * 0.02**2 * np.log(len(values))
    other = ruptures.Pelt(model="l2", min_size=3, jump=1).fit(values).predict(pen=penalty)[:-1]
    assert partition.best_partition(values, 0.02**2) == other


def test_autocorrelation_is_measured_through_steps() -> None:
    draw = np.random.default_rng(8)
    values = autocorrelated(draw, 4_000, 0.6)
    values[2_000:] += 1.0
    assert noise.measure(values).phi == pytest.approx(0.6, abs=0.1)
    assert noise.measure(values).variance == pytest.approx(0.02**2, rel=0.15)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(min_value=0, max_value=1e12), max_size=60))
def test_no_values_break_it(values: list[float]) -> None:
    for step in find_steps(values).steps:
        assert 0 < step.index < len(values)
        assert 0 <= step.p_value <= 1


def step_at(index: int, change: float) -> Step:
    return Step(index, 100.0, 100.0 * float(np.exp(change)), 0.001)


def test_a_step_near_a_known_one_in_the_same_direction_is_that_one_moved() -> None:
    known = [KnownStep(30, -0.1), KnownStep(50, 0.1)]
    assert match(step_at(35, -0.2), known) == 0
    assert match(step_at(35, 0.2), known) is None
    assert match(step_at(40, -0.2), known) is None


def test_a_way_back_is_a_return_and_half_a_way_back_is_not() -> None:
    alarm = KnownStep(30, -0.1)
    assert classify([step_at(30, -0.1), step_at(40, 0.09)], 1, [], 50, alarm) == "return"
    assert classify([step_at(30, -0.1), step_at(40, 0.05)], 1, [], 50, alarm) == "alarm"
    assert classify([step_at(30, -0.1), step_at(40, -0.1)], 1, [], 50, alarm) == "alarm"
    back = KnownStep(40, 0.1, kind="return")
    again = [step_at(30, -0.1), step_at(40, 0.1), step_at(50, -0.1)]
    assert classify(again, 2, [], 55, back) == "return"
    assert classify(again, 2, [30], 55, back) == "alarm"


def test_two_modes_stop_alarming_until_one_lasts_or_a_person_explained_a_switch() -> None:
    steps = [step_at(place, -0.06 if number % 2 == 0 else 0.06) for number, place in enumerate(range(10, 60, 10))]
    back = KnownStep(40, 0.06, kind="return")
    assert classify(steps, 4, [], 55, back) == "mode"
    assert classify(steps, 4, [30], 55, back) == "alarm"
    assert classify(steps, 4, [], 90, back) == "return"


def autocorrelated(draw: np.random.Generator, count: int, phi: float, cv: float = 0.02) -> np.ndarray:  # type: ignore[type-arg]
    shocks = draw.normal(size=count + 50) * np.sqrt(1 - phi**2)
    values = np.zeros(count + 50)
    for place in range(1, count + 50):
        values[place] = phi * values[place - 1] + shocks[place]
    return cv * values[50:]


def outliers(draw: np.random.Generator, count: int) -> np.ndarray:  # type: ignore[type-arg]
    far = np.log1p(draw.choice([-1, 1], count) * draw.uniform(0.1, 0.3, count))
    return draw.normal(0, 0.02, count) + np.where(draw.random(count) < 0.03, far, 0.0)


@pytest.mark.parametrize(
    ("make", "limit"),
    [
        (lambda draw, count: autocorrelated(draw, count, 0.0), 0.3),
        (lambda draw, count: autocorrelated(draw, count, 0.5), 0.3),
        (outliers, 0.3),
        (lambda draw, count: autocorrelated(draw, count, 0.8), 0.8),
    ],
    ids=["iid", "ar_0.5", "outliers", "ar_0.8"],
)
def test_false_alarms_stay_rare(make: Callable[..., np.ndarray], limit: float) -> None:  # type: ignore[type-arg]
    """In 1,600 unchanged runs, looked at after each; three standard errors above the limit in 100 runs."""
    draw = np.random.default_rng(11)
    alarms = 0
    for _ in range(16):
        tracker = Tracker()
        for value in np.exp(make(draw, 100)):
            alarms += tracker.add(float(value)).count("alarm")
    assert alarms / 16 <= limit + 3 * np.sqrt(limit / 16)


@pytest.mark.parametrize(("history", "share"), [(8, 0.85), (12, 0.9), (20, 0.95)])
def test_five_per_cent_less_is_seen_after_a_short_history(history: int, share: float) -> None:
    """At CV 2 %, within 40 runs; the limit less three standard errors of 40 series."""
    draw = np.random.default_rng(12)
    seen = 0
    for _ in range(40):
        values = draw.normal(0, 0.02, history + 40)
        values[history:] += np.log(0.95)
        looks = (find_steps(np.exp(values[:end]).tolist()) for end in range(history + 3, history + 41))
        seen += any(abs(step.index - history) <= 6 and step.change < 0 for look in looks for step in look.steps)
    assert seen / 40 >= share - 3 * np.sqrt(share * (1 - share) / 40)


def test_a_dip_of_six_runs_is_an_alarm_and_its_end_a_return() -> None:
    draw = np.random.default_rng(13)
    both = 0
    for _ in range(20):
        values = draw.normal(0, 0.02, 50)
        values[30:36] += np.log(0.9)
        tracker = Tracker()
        for value in np.exp(values):
            tracker.add(float(value))
        both += [one.kind for one in tracker.known][:2] == ["alarm", "return"]
    assert both >= 13


def test_without_the_autocorrelation_the_same_noise_would_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    """What keeps the rates above: were it not in use, this would find nothing to lose."""
    draw = np.random.default_rng(14)
    series = [np.exp(autocorrelated(draw, 200, 0.8)).tolist() for _ in range(20)]
    with_it = sum(len(find_steps(values).steps) for values in series)
    monkeypatch.setattr(noise, "PHI_MAX", 0.0)
    assert sum(len(find_steps(values).steps) for values in series) > 3 * max(with_it, 3)


def test_a_look_at_200_runs_costs_milliseconds() -> None:
    values = quiet(200)
    find_steps(values)
    started = time.process_time()
    for _ in range(20):
        find_steps(values, DEFAULT_SENSITIVITY)
    # The limit is 5 ms; a busy machine gets twice that.
    assert (time.process_time() - started) / 20 < 0.01
