"""The one table of legal status changes of runs and trials. Whatever changes a status asks here."""

from collections.abc import Mapping
from enum import StrEnum

from loadstone.errors import Conflict


class Status(StrEnum):
    QUEUED = "queued"
    CLAIMED = "claimed"
    RUNNING = "running"
    CANCELLING = "cancelling"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    CRASHED = "crashed"


ACTIVE = frozenset({Status.CLAIMED, Status.RUNNING, Status.CANCELLING})
"""Of a trial: an agent holds it."""
LIVE = ACTIVE | {Status.QUEUED}
TERMINAL = frozenset(Status) - LIVE

TRIAL_TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    # failed: the run lost its agent, or its target was given up.
    Status.QUEUED: frozenset({Status.CLAIMED, Status.CANCELLED, Status.FAILED}),
    Status.CLAIMED: frozenset(
        {Status.RUNNING, Status.CANCELLING, Status.FAILED, Status.CANCELLED, Status.CRASHED},
    ),
    Status.RUNNING: frozenset(
        {Status.SUCCEEDED, Status.CANCELLING, Status.FAILED, Status.CANCELLED, Status.CRASHED},
    ),
    # succeeded, failed: the trial ended by itself before the agent heard of the cancel.
    Status.CANCELLING: frozenset({Status.CANCELLED, Status.SUCCEEDED, Status.FAILED}),
    # queued: the next attempt. Without one, crashed is the end.
    Status.CRASHED: frozenset({Status.QUEUED}),
    Status.SUCCEEDED: frozenset(),
    Status.FAILED: frozenset(),
    Status.CANCELLED: frozenset(),
}

RUN_TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    Status.QUEUED: frozenset({Status.CLAIMED, Status.CANCELLED, Status.FAILED}),
    Status.CLAIMED: frozenset({Status.RUNNING, Status.CANCELLING, Status.CANCELLED, Status.FAILED}),
    Status.RUNNING: frozenset({Status.CANCELLING, Status.SUCCEEDED, Status.CANCELLED, Status.FAILED}),
    # succeeded: nothing was left to cancel when the last trial ended.
    Status.CANCELLING: frozenset({Status.CANCELLED, Status.SUCCEEDED, Status.FAILED}),
    # A run never is crashed: its trials are, and then it has failed.
    Status.CRASHED: frozenset(),
    Status.SUCCEEDED: frozenset(),
    Status.FAILED: frozenset(),
    Status.CANCELLED: frozenset(),
}


class IllegalTransition(Conflict):
    """A status change that the table does not know."""

    code = "illegal_transition"
    title = "Not possible in this status"


def check_trial(before: str, after: str) -> None:
    """Raises IllegalTransition."""
    _check("trial", TRIAL_TRANSITIONS, before, after)


def check_run(before: str, after: str) -> None:
    """Raises IllegalTransition."""
    _check("run", RUN_TRANSITIONS, before, after)


def _check(noun: str, table: Mapping[Status, frozenset[Status]], before: str, after: str) -> None:
    if Status(after) not in table[Status(before)]:
        raise IllegalTransition(f"A {noun} that is {before} cannot become {after}.")


def empty_counts(trial_count: int) -> dict[str, int]:
    """Trials by status when a run starts: all queued."""
    return {status.value: trial_count if status is Status.QUEUED else 0 for status in Status}


def has_active(counts: Mapping[str, int]) -> bool:
    """Does an agent hold a trial of the run?"""
    return _any(counts, ACTIVE)


def run_status(before: str, counts: Mapping[str, int]) -> Status:
    """What a run is, given its trials: derived, so that it cannot disagree with them.

    It ends as cancelled if any trial was, else as failed if any trial failed or crashed.
    """
    current = Status(before)
    if current in TERMINAL:
        return current
    if _any(counts, LIVE):
        return _live_status(current, counts)
    if counts[Status.CANCELLED]:
        return Status.CANCELLED
    return Status.FAILED if _any(counts, {Status.FAILED, Status.CRASHED}) else Status.SUCCEEDED


def _live_status(current: Status, counts: Mapping[str, int]) -> Status:
    """A live run goes forward only: between two trials it stays what it was."""
    if current is Status.CANCELLING:
        return current
    for reached in (Status.RUNNING, Status.CLAIMED):
        if current is reached or counts[reached]:
            return reached
    return Status.QUEUED


def _any(counts: Mapping[str, int], statuses: frozenset[Status] | set[Status]) -> bool:
    return any(counts[status] for status in statuses)
