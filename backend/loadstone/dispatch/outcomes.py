"""What an attempt's end means for its trial. Pure."""

from typing import Literal

from loadstone.runs.states import Status

Outcome = Literal["succeeded", "failed", "cancelled", "crashed"]

RETRYABLE_CODES = frozenset({"engine_killed", "agent_restarted", "store_died"})
"""Neither the engine nor the target said no: something else on the host ended the attempt.

A store that died of what the plan asked of it (`store_out_of_memory`, `store_disk_full`) would die of it again.
"""

GIVE_UP_AFTER = 3
"""A target whose first trials all fail in the same way is not asked again: it would burn hours to say the same."""


def ended_as(outcome: Outcome, error_code: str | None, *, is_cancelling: bool) -> Status:
    """The status an attempt ends in. A trial measured in full counts although a cancel was on its way."""
    if outcome == "succeeded":
        return Status.SUCCEEDED
    if outcome == "failed" and error_code not in RETRYABLE_CODES:
        return Status.FAILED
    # Nobody asked for the cancel of a trial that is not cancelling: the agent itself went down.
    return Status.CANCELLED if is_cancelling else Status.CRASHED


def gave_up_code(first_outcomes: list[tuple[str, str | None]]) -> str | None:
    """The code that every one of a target's first trials failed with; `(status, error_code)` in execution order."""
    if len(first_outcomes) < GIVE_UP_AFTER:
        return None
    codes = {code if status in (Status.FAILED, Status.CRASHED) else None for status, code in first_outcomes}
    return codes.pop() if len(codes) == 1 else None
