"""Knee, scalability law and capacity, on systems whose truth is known."""

import numpy as np
import pytest
from loadstone.stats.curves.capacity import Step, capacity, is_done, next_rate
from loadstone.stats.curves.knee import find_knee
from loadstone.stats.curves.scalability import fit_scalability

LOADS = np.array([1, 2, 4, 8, 16, 32, 64, 128], dtype=float)


def test_the_knee_is_among_its_places_and_a_curve_that_ends_early_says_so() -> None:
    draw = np.random.default_rng(61)
    # Throughput / response time peaks at the fourth point.
    power = np.log([1.0, 1.6, 2.2, 2.6, 2.3, 1.4])
    held = 0
    for _ in range(100):
        trials = [np.exp(draw.normal(one, 0.05, 5)) for one in power]
        knee = find_knee(trials, [np.ones(5)] * 6)
        assert knee is not None
        held += 3 in knee.places
    assert held >= 93
    cut = find_knee([np.exp(draw.normal(one, 0.02, 5)) for one in power[:4]], [np.ones(5)] * 4)
    assert cut is not None
    assert not cut.is_reached
    assert find_knee([np.ones(3)] * 2, [np.ones(3)] * 2) is None


def usl(a: float, b: float) -> np.ndarray:  # type: ignore[type-arg]
    loads = np.repeat(LOADS, 3)
    return 1_000 * loads / (1 + a * (loads - 1) + b * loads * (loads - 1))


def test_the_law_is_recovered_within_its_intervals() -> None:
    draw = np.random.default_rng(62)
    held = 0
    for _ in range(60):
        found = fit_scalability(np.repeat(LOADS, 3), usl(0.05, 1e-3) * np.exp(draw.normal(0, 0.04, 24)))
        assert found is not None
        held += found.peak_load is not None and found.peak_load.low <= np.sqrt(0.95 / 1e-3) <= found.peak_load.high
    assert held / 60 >= 0.9 - 3 * np.sqrt(0.09 / 60)


def test_a_peak_out_of_reach_is_not_named_and_a_hard_ceiling_does_not_fit() -> None:
    draw = np.random.default_rng(63)
    noise = np.exp(draw.normal(0, 0.02, 24))
    far = fit_scalability(np.repeat(LOADS, 3), usl(0.02, 1e-7) * noise)
    assert far is not None
    assert (far.verdict, far.peak_load, far.coherency) == ("not_within_reach", None, None)
    ceiling = fit_scalability(np.repeat(LOADS, 3), np.minimum(1_000 * np.repeat(LOADS, 3), 9_000) * noise)
    assert ceiling is not None
    assert ceiling.verdict == "does_not_fit"
    assert fit_scalability(LOADS, 1_000 * LOADS) is None


def search(draw: np.random.Generator, cv: float, most: int) -> tuple[float, list[Step]]:
    """A queue whose p99 reaches the goal at `true`."""
    ceiling = 10_000 * draw.uniform(1, 8)
    goal = draw.uniform(3, 10)
    true = ceiling * (1 - 1 / goal)
    steps: list[Step] = []
    while not is_done(steps, most):
        rate = next_rate(steps, 1_000.0)
        over = 50.0 if rate >= 0.995 * ceiling else 1 / (1 - rate / ceiling) / goal
        steps.append(Step(rate, over * float(np.exp(draw.normal(0, cv)))))
    return true, steps


@pytest.mark.parametrize("cv", [0.05, 0.1])
def test_the_capacity_lies_in_its_interval_after_few_trials(cv: float) -> None:
    draw = np.random.default_rng(64)
    held, used = [], []
    for _ in range(80):
        true, steps = search(draw, cv, 24)
        found = capacity(steps)
        assert found is not None
        if found.is_interval:
            held.append(found.low <= true <= found.high)
        used.append(len(steps))
    assert len(held) >= 72
    assert np.mean(held) >= 0.9 - 3 * np.sqrt(0.09 / 80)
    assert np.median(used) <= 20


def test_a_goal_that_was_never_missed_has_no_capacity_and_few_trials_only_a_bracket() -> None:
    assert capacity([Step(1_000, 0.2), Step(2_000, 0.3)]) is None
    found = capacity([Step(1_000, 0.2), Step(2_000, float("inf"))])
    assert found is not None
    assert (found.rate, found.low, found.high, found.is_interval) == (None, 1_000, 2_000, False)
