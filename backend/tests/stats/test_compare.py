"""The verdict on cells: direction, margin, family, refusals, and how often it is wrong."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loadstone.stats.cells import Cell
from loadstone.stats.compare import CellResult, Verdicts, compare_cells
from loadstone.stats.metrics import METRICS
from loadstone.stats.sessions import SessionVariance
from loadstone_testing.noises import NOISES, PERIODIC, session, split_abba, split_randomized

REPETITIONS = 400
BINOMIAL_ERROR = 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)
"""Three standard errors: with a fixed seed a sound rule fails no test, an unsound one most."""
CALLED = ("better", "worse", "changed")


def cell(base: Any, contender: Any, design: Any = "paired", better: Any = "higher", **more: Any) -> Cell:
    return Cell(np.array(base, dtype=float), np.array(contender, dtype=float), design, better, **more)


def compare(*cells: Cell, margin: float = 0.02) -> Verdicts:
    return compare_cells(cells, margin=margin, confidence=0.95)


def alone(one: Cell, margin: float = 0.02) -> CellResult:
    return compare(one, margin=margin).cells[0]


def each_alone(base: Any, contender: Any, *, margin: float = 0.02, **more: Any) -> list[CellResult]:
    """One comparison of one cell for every row."""
    return [alone(cell(one, other, **more), margin) for one, other in zip(base, contender, strict=True)]


def alarm_share(results: list[CellResult]) -> float:
    return sum(result.verdict in CALLED for result in results) / len(results)


@pytest.mark.parametrize("pairs", [3, 10])
@pytest.mark.parametrize("name", NOISES)
def test_equal_targets_are_called_different_in_at_most_five_per_cent(name: str, pairs: int) -> None:
    draw = np.random.default_rng(11)
    base, contender = split_randomized(draw, NOISES[name](draw, REPETITIONS, 2 * pairs))
    # Almost without a margin, so that no false alarm hides as equivalence.
    assert alarm_share(each_alone(base, contender, margin=1e-6)) <= 0.05 + BINOMIAL_ERROR


@pytest.mark.parametrize("members", [2, 5])
@pytest.mark.parametrize("name", PERIODIC)
def test_a_rhythm_of_the_machine_is_no_difference(name: str, members: int) -> None:
    draw = np.random.default_rng(12)
    base, contender = split_randomized(draw, PERIODIC[name](draw, REPETITIONS, 10 * members), members)
    assert alarm_share(each_alone(base, contender, margin=1e-6)) <= 0.065 + BINOMIAL_ERROR


def test_the_fixed_order_of_before_is_defeated_by_a_rhythm_of_four() -> None:
    """Why blocks are randomized: if this stops failing so often, the test above proves nothing."""
    draw = np.random.default_rng(13)
    base, contender = split_abba(PERIODIC["period_4"](draw, 300, 20))
    assert alarm_share(each_alone(base, contender, margin=1e-6)) > 0.4


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_three_per_cent_less_is_seen_with_ten_pairs_and_called_by_its_direction(better: str) -> None:
    draw = np.random.default_rng(14)
    base, contender = split_randomized(draw, session(draw, 300, 20))
    verdicts = [result.verdict for result in each_alone(base, contender * 0.97, better=better, margin=1e-6)]
    right, wrong = ("worse", "better") if better == "higher" else ("better", "worse")
    assert verdicts.count(right) / len(verdicts) >= 0.9
    assert verdicts.count(wrong) == 0


def test_worse_means_by_more_than_the_margin() -> None:
    draw = np.random.default_rng(15)
    base, contender = split_randomized(draw, NOISES["iid"](draw, 150, 40))
    found = [result.verdict for result in each_alone(base, contender * 0.99)]
    assert found.count("worse") / len(found) <= 0.01
    found = [result.verdict for result in each_alone(base, contender * 0.95)]
    assert found.count("worse") / len(found) >= 0.95
    found = [result.verdict for result in each_alone(base, contender * 0.975)]
    assert found.count("changed") / len(found) >= 0.7


def test_every_metric_knows_its_better_direction() -> None:
    higher = {name for name, metric in METRICS.items() if metric.better == "higher"}
    assert higher == {"throughput_per_s", "throughput_per_connection_per_s"}


def test_independent_trials_of_one_session_compared_by_welch_hold_five_per_cent() -> None:
    logs = np.exp(np.random.default_rng(16).normal(0, 0.015, (REPETITIONS, 12)))
    found = each_alone(logs[:, :5], logs[:, 5:], design="welch", margin=1e-6)
    assert alarm_share(found) <= 0.05 + BINOMIAL_ERROR


@pytest.mark.parametrize(("name", "pairs"), [("iid", 10), ("bimodal", 3), ("bimodal", 5), ("t3", 3)])
def test_a_family_of_equal_cells_raises_no_alarm_in_nineteen_of_twenty(name: str, pairs: int) -> None:
    draw = np.random.default_rng(17)
    alarms = 0
    for _ in range(80):
        base, contender = split_randomized(draw, NOISES[name](draw, 30, 2 * pairs))
        found = compare(*(cell(one, other) for one, other in zip(base, contender, strict=True)), margin=1e-6)
        assert found.family_size == 30
        alarms += alarm_share(found.cells) > 0
    assert alarms / 80 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 80)


@pytest.mark.parametrize("pairs", [5, 10])
@pytest.mark.parametrize("size", [1, 30, 1_000])
def test_half_the_throughput_in_one_cell_is_called_in_a_family_of_any_size(size: int, pairs: int) -> None:
    draw = np.random.default_rng(18)
    for _ in range(3):
        base, contender = np.exp(draw.normal(0, 0.03, (2, size, pairs)))
        contender[0] *= 0.5
        found = compare(*(cell(one, other) for one, other in zip(base, contender, strict=True)))
        assert found.cells[0].verdict == "worse"
        assert alarm_share(found.cells[1:]) <= 0.02 if size > 1 else True


def test_a_difference_within_the_margin_is_equivalent_even_when_it_is_certain() -> None:
    base = [100.0, 101.0, 99.0, 100.5, 99.7]
    contender = [value * (1.005 + shift) for value, shift in zip(base, (0, 1e-4, -1e-4, 2e-4, 0), strict=True)]
    assert alone(cell(base, contender)).verdict == "equivalent"
    assert alone(cell(base, contender), margin=0.002).verdict == "better"


def test_what_is_inconclusive_says_how_many_trials_see_the_margin_and_what_it_can_see_now() -> None:
    draw = np.random.default_rng(19)
    base, contender = split_randomized(draw, NOISES["iid"](draw, 100, 10))
    open_cells = [one for one in each_alone(base, contender) if one.verdict == "not_enough_data"]
    assert len(open_cells) > 20
    for one in open_cells:
        assert one.trials_needed is not None
        assert one.trials_needed_low is not None
        assert one.trials_needed_low <= one.trials_needed
        assert one.visible_change is not None
    # SD of a pair 2.1 %, five pairs: 2.8 / sqrt(5) times that and more, since the SD itself is not known.
    typical = float(np.median([one.visible_change for one in open_cells if one.visible_change]))
    assert 0.02 < typical < 0.06


def test_two_pairs_show_an_interval_but_never_a_verdict() -> None:
    found = compare(cell([100, 101], [200, 203]))
    assert found.family_size == 0
    assert found.cells[0].verdict == "not_enough_data"
    assert found.cells[0].p_value is None
    assert found.cells[0].ratio == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize("design", ["paired", "welch"])
def test_constants_are_compared_at_their_resolution(design: Any) -> None:
    found = alone(cell([100] * 3, [50] * 3, design))
    assert (found.verdict, found.ratio) == ("worse", pytest.approx(0.5))
    assert found.p_value is not None
    assert found.p_value < 1e-4
    assert alone(cell([100] * 3, [100] * 3, design)).verdict == "equivalent"


def test_values_that_are_equal_because_a_histogram_rounds_them_are_no_certainty() -> None:
    coarse, fine = (alone(cell([100] * 5, [101] * 5, resolution=step), margin=1e-6) for step in (0.1, 0.001))
    assert (coarse.verdict, fine.verdict) == ("not_enough_data", "better")


def test_no_failures_against_thirty_per_cent_is_called_and_shown_as_a_difference() -> None:
    share = {"is_share": True, "better": "lower"}
    requests = (np.full(5, 10_000.0), np.full(5, 10_000.0))
    found = alone(cell([0] * 5, [0.3, 0.31, 0.29, 0.3, 0.32], requests=requests, **share))
    assert found.verdict == "worse"
    assert found.ratio is None
    assert found.difference == pytest.approx(0.304, abs=0.01)
    assert found.difference_low is not None
    assert found.difference_high is not None
    assert found.difference_low < 0.304 < found.difference_high
    many = (np.full(5, 1e8), np.full(5, 1e8))
    assert alone(cell([0] * 5, [0] * 5, requests=many, **share)).verdict == "equivalent"
    few = (np.full(5, 50.0), np.full(5, 50.0))
    assert alone(cell([0] * 5, [0] * 5, requests=few, **share)).verdict == "not_enough_data"
    assert alone(cell([0] * 5, [0.9] * 5, **share)).verdict == "worse"


@pytest.mark.parametrize("share", [1e-4, 1e-2])
def test_equal_shares_of_failures_are_called_different_in_at_most_five_per_cent(share: float) -> None:
    draw = np.random.default_rng(20)
    count, pairs = 20_000, 5
    # Half as much again varies as independent requests would.
    rates = share * draw.gamma(2 * count * share, 1 / (2 * count * share), (2, REPETITIONS, pairs))
    failed = draw.poisson(rates * count)
    requests = (np.full(pairs, float(count)), np.full(pairs, float(count)))
    found = each_alone(*(failed / count), is_share=True, requests=requests, margin=1e-9)
    # The least margin of a share is absolute, so the p-value says it.
    wrong = sum(one.p_value is not None and one.p_value <= 0.05 for one in found) / REPETITIONS
    assert wrong <= 0.05 + BINOMIAL_ERROR


def test_sessions_are_compared_by_what_earlier_sessions_taught_or_not_at_all() -> None:
    base, contender = [100, 101, 99], [90, 91, 89]
    assert alone(cell(base, contender, "sessions")).refusal == "no_session_history"
    steady = SessionVariance(0.005**2, 15, 0.0, 16)
    assert alone(cell(base, contender, "sessions", sessions=steady)).verdict == "worse"
    restless = SessionVariance(0.05**2, 15, 0.0, 16)
    found = alone(cell(base, contender, "sessions", sessions=restless))
    assert (found.verdict, found.interval_kind) == ("not_enough_data", "sessions")


SLOW, FAST = [100, 101, 99, 100.5, 99.5], [50, 50.5, 49.5, 50.2, 49.8]


@pytest.mark.parametrize("design", ["paired", "welch"])
@pytest.mark.parametrize(
    ("base", "contender", "lower_bounds", "verdict"),
    [
        (FAST, SLOW, (False, True), "worse"),
        (FAST, SLOW, (True, False), None),
        (SLOW, FAST, (False, True), None),
        (SLOW, FAST, (True, False), "better"),
        (SLOW, SLOW[::-1], (False, True), None),
        (SLOW, SLOW[::-1], (True, False), None),
        (FAST, SLOW, (True, True), None),
        (SLOW, FAST, (True, True), None),
    ],
)
def test_a_lower_bound_speaks_against_its_own_side_and_for_nobody(
    base: Any, contender: Any, lower_bounds: Any, verdict: str | None, design: Any
) -> None:
    one = cell(base, contender, design, "lower")
    assert alone(one).verdict != "not_enough_data", "without bounds all of these are decided"
    found = alone(replace(one, lower_bounds=lower_bounds))
    if verdict is None:
        assert found == CellResult(refusal="lower_bound")
    else:
        assert (found.verdict, found.refusal) == (verdict, None)


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (cell([100], [90]), "one_trial"),
        (cell([], []), "one_trial"),
        (cell([100, 101, 99], [90], "welch"), "one_trial"),
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
    st.sampled_from(["paired", "welch"]),
)
def test_swapping_the_sides_inverts_the_ratio_and_the_verdict(
    values: list[float], factors: list[float], design: Any
) -> None:
    base = np.array(values)
    contender = base * np.array(factors[: len(values)])
    there, back = alone(cell(base, contender, design)), alone(cell(contender, base, design))
    assert there.refusal == back.refusal
    if there.ratio is not None and back.ratio is not None and there.low is not None and back.high is not None:
        assert there.ratio * back.ratio == pytest.approx(1, rel=1e-6)
        assert there.low == pytest.approx(1 / back.high, rel=1e-6)
        opposite = {"better": "worse", "worse": "better"}
        assert back.verdict == opposite.get(there.verdict, there.verdict)
