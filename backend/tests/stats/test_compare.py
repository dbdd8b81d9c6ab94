"""The verdict on cells: direction, margin, family, refusals, and how often it is wrong."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loadstone.stats.compare import Cell, CellResult, Verdicts, compare_cells
from loadstone.stats.metrics import METRICS
from loadstone_testing.noises import NOISES, session, split_abba

REPETITIONS = 1_000
BINOMIAL_ERROR = 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)
"""Three standard errors: with a fixed seed a sound rule fails no test, an unsound one most."""


def cell(base: Any, contender: Any, *, is_paired: bool = True, better: Any = "higher") -> Cell:
    return Cell(np.array(base, dtype=float), np.array(contender, dtype=float), is_paired, better)


def compare(*cells: Cell, margin: float = 0.02) -> Verdicts:
    return compare_cells(cells, margin=margin, confidence=0.95)


def alone(one: Cell, margin: float = 0.02) -> CellResult:
    return compare(one, margin=margin).cells[0]


def each_alone(
    base: Any, contender: Any, *, is_paired: bool = True, better: Any = "higher", margin: float = 0.02
) -> list[CellResult]:
    """One comparison of one cell for every row."""
    rows = zip(base, contender, strict=True)
    return [alone(cell(one, other, is_paired=is_paired, better=better), margin) for one, other in rows]


def alarm_share(results: list[CellResult]) -> float:
    return sum(result.verdict in ("better", "worse") for result in results) / len(results)


@pytest.mark.parametrize("pairs", [3, 5, 10, 20])
@pytest.mark.parametrize("name", NOISES)
def test_equal_targets_are_called_different_in_at_most_five_per_cent(name: str, pairs: int) -> None:
    draw = np.random.default_rng(11)
    base, contender = split_abba(NOISES[name](draw, REPETITIONS, 2 * pairs))
    # Without a margin, so that no false alarm hides as equivalence.
    assert alarm_share(each_alone(base, contender, margin=1e-6)) <= 0.05 + BINOMIAL_ERROR


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_three_per_cent_less_is_seen_with_ten_pairs_and_called_by_its_direction(better: str) -> None:
    draw = np.random.default_rng(12)
    base, contender = split_abba(session(draw, REPETITIONS, 20))
    verdicts: list[str] = [result.verdict for result in each_alone(base, contender * 0.97, better=better)]
    right, wrong = ("worse", "better") if better == "higher" else ("better", "worse")
    assert verdicts.count(right) / len(verdicts) >= 0.95 - 0.02
    assert verdicts.count(wrong) == 0


def test_every_metric_knows_its_better_direction() -> None:
    higher = {name for name, metric in METRICS.items() if metric.better == "higher"}
    assert higher == {"throughput_per_s", "throughput_per_connection_per_s"}


def test_independent_trials_compared_by_welch_hold_five_per_cent() -> None:
    draw = np.random.default_rng(13)
    logs = np.exp(draw.normal(0, 0.015, (REPETITIONS, 12)))
    assert alarm_share(each_alone(logs[:, :5], logs[:, 5:], is_paired=False, margin=1e-6)) <= 0.05 + BINOMIAL_ERROR


def test_a_family_of_equal_cells_raises_no_alarm_in_nineteen_of_twenty() -> None:
    draw = np.random.default_rng(14)
    alarms = 0
    for _ in range(200):
        base, contender = split_abba(NOISES["iid"](draw, 40, 10))
        found = compare(*(cell(one, other) for one, other in zip(base, contender, strict=True)))
        assert found.family_size == 40
        alarms += alarm_share(found.cells) > 0
    assert alarms / 200 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


def test_a_difference_within_the_margin_is_equivalent_even_when_it_is_certain() -> None:
    base = [100.0, 101.0, 99.0, 100.5, 99.7]
    contender = [value * (1.005 + shift) for value, shift in zip(base, (0, 1e-4, -1e-4, 2e-4, 0), strict=True)]
    assert alone(cell(base, contender)).verdict == "equivalent"
    assert alone(cell(base, contender), margin=0.002).verdict == "better"


def test_what_is_open_says_how_many_trials_are_needed_and_that_many_settle_it() -> None:
    draw = np.random.default_rng(15)
    base, contender = split_abba(NOISES["iid"](draw, 300, 10))
    still_open = [one for one in each_alone(base, contender * 0.98) if one.verdict == "not_enough_data"]
    needed = [one.trials_needed for one in still_open if one.trials_needed is not None]
    assert len(needed) > 20
    typical = 5 + int(np.median(needed))
    base, contender = split_abba(NOISES["iid"](draw, 300, 2 * typical))
    settled = [one.verdict != "not_enough_data" for one in each_alone(base, contender * 0.98)]
    assert sum(settled) / len(settled) >= 0.7


def test_two_pairs_show_an_interval_but_never_a_verdict() -> None:
    found = compare(cell([100, 101], [200, 203]))
    assert found.family_size == 0
    assert found.cells[0].verdict == "not_enough_data"
    assert found.cells[0].p_value is None
    assert found.cells[0].ratio == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (cell([100], [90]), "one_trial"),
        (cell([], []), "one_trial"),
        (cell([100, 101, 99], [90], is_paired=False), "one_trial"),
        (cell([100, 100, 100], [90, 90, 90]), "zero_variance"),
        (cell([100, 100, 100], [90, 90, 90], is_paired=False), "zero_variance"),
        (cell([0, 0.1, 0.2], [0.1, 0.1, 0.3]), "zero_values"),
    ],
)
def test_what_cannot_be_judged_is_refused_and_leaves_the_family(one: Cell, code: str) -> None:
    found = compare(one, cell([100, 101, 99], [99, 101, 100]))
    assert found.cells[0] == CellResult(refusal=code)  # type: ignore[arg-type]
    assert found.family_size == 1


@given(
    st.lists(st.floats(1e-3, 1e9), min_size=3, max_size=25),
    st.lists(st.floats(0.5, 2.0), min_size=25, max_size=25),
    st.booleans(),
)
def test_swapping_the_sides_inverts_the_ratio_and_the_verdict(
    values: list[float], factors: list[float], is_paired: bool
) -> None:
    base = np.array(values)
    contender = base * np.array(factors[: len(values)])
    there = alone(cell(base, contender, is_paired=is_paired))
    back = alone(cell(contender, base, is_paired=is_paired))
    assert there.refusal == back.refusal
    if there.ratio is not None and back.ratio is not None and there.low is not None and back.high is not None:
        assert there.ratio * back.ratio == pytest.approx(1, rel=1e-6)
        assert there.low == pytest.approx(1 / back.high, rel=1e-6)
        opposite = {"better": "worse", "worse": "better"}
        assert back.verdict == opposite.get(there.verdict, there.verdict)
