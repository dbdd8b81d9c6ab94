"""Down-sampling keeps what a person would be angry to miss."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loadstone.results.downsample import keep_extremes

Second = tuple[int, float, float | None]
KEYS = [lambda item: item[1], lambda item: item[2]]


def _seconds(count: int) -> list[Second]:
    draw = random.Random(7)
    return [(seq, draw.uniform(900, 1_100), draw.uniform(10, 12)) for seq in range(count)]


@given(st.integers(1, 5_000), st.integers(6, 400))
def test_never_more_than_asked_and_always_in_order(count: int, max_points: int) -> None:
    kept = keep_extremes(_seconds(count), max_points, KEYS)
    assert len(kept) <= max_points or len(kept) == count
    assert kept == sorted(kept)
    assert kept[0][0] == 0
    assert kept[-1][0] == count - 1


@pytest.mark.parametrize("stall_at", [1, 33, 4_999, 8_191])
def test_one_stalled_second_survives(stall_at: int) -> None:
    seconds = _seconds(10_000)
    seconds[stall_at] = (stall_at, 3.0, 900.0)
    assert seconds[stall_at] in keep_extremes(seconds, 100, KEYS)


def test_few_items_are_left_alone() -> None:
    seconds = _seconds(50)
    assert keep_extremes(seconds, 50, KEYS) == seconds


def test_seconds_without_a_percentile_do_not_hide_the_others() -> None:
    seconds: list[Second] = [(seq, 100.0, None) for seq in range(1_000)]
    seconds[500] = (500, 100.0, 7.0)
    assert seconds[500] in keep_extremes(seconds, 20, KEYS)
