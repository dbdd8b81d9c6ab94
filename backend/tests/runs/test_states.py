"""The transition tables and what a run's status follows from."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loadstone.runs import states
from loadstone.runs.states import LIVE, RUN_TRANSITIONS, TERMINAL, TRIAL_TRANSITIONS, Status

PAIRS = list(itertools.product(Status, Status))


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_trials_change_along_the_table_only(before: Status, after: Status) -> None:
    if after in TRIAL_TRANSITIONS[before]:
        states.check_trial(before, after)
    else:
        with pytest.raises(states.IllegalTransition):
            states.check_trial(before, after)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_runs_change_along_the_table_only(before: Status, after: Status) -> None:
    if after in RUN_TRANSITIONS[before]:
        states.check_run(before, after)
    else:
        with pytest.raises(states.IllegalTransition):
            states.check_run(before, after)


@pytest.mark.parametrize("table", [TRIAL_TRANSITIONS, RUN_TRANSITIONS])
def test_every_status_is_in_the_table_and_every_live_one_reaches_an_end(
    table: dict[Status, frozenset[Status]],
) -> None:
    assert set(table) == set(Status)
    for start in LIVE:
        reached = {start}
        while new := {after for status in reached for after in table[status]} - reached:
            reached |= new
        assert reached & TERMINAL


def test_only_a_crash_is_attempted_again() -> None:
    assert [before for before in TERMINAL if TRIAL_TRANSITIONS[before]] == [Status.CRASHED]


@pytest.mark.parametrize(
    ("ended", "status"),
    [
        ({"succeeded": 4}, "succeeded"),
        ({"succeeded": 3, "failed": 1}, "failed"),
        ({"succeeded": 3, "crashed": 1}, "failed"),
        ({"succeeded": 2, "failed": 1, "cancelled": 1}, "cancelled"),
    ],
)
def test_a_run_ends_as_its_trials_did(ended: dict[str, int], status: str) -> None:
    counts = {**states.empty_counts(0), **ended}
    assert states.run_status("running", counts) == status


@given(st.randoms(use_true_random=False))
def test_any_walk_of_the_trials_moves_the_run_along_its_table(draw: random.Random) -> None:
    """Trials of one run, one active at a time, walk their table at random until none is live."""
    run, trials = Status.QUEUED, [Status.QUEUED] * 4
    while any(trial in LIVE for trial in trials):
        index = next(i for i, trial in enumerate(trials) if trial in LIVE)
        trials[index] = draw.choice(sorted(TRIAL_TRANSITIONS[trials[index]]))
        if trials[index] is Status.CANCELLING and run is not Status.CANCELLING:
            states.check_run(run, Status.CANCELLING)
            run = Status.CANCELLING
        counts = {status.value: trials.count(status) for status in Status}
        after = states.run_status(run, counts)
        if after is not run:
            states.check_run(run, after)
            run = after
    assert run in TERMINAL
