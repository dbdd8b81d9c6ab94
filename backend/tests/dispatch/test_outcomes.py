"""What the end of an attempt means."""

import pytest
from loadstone.dispatch.outcomes import RETRYABLE_CODES, Outcome, ended_as, gave_up_code


@pytest.mark.parametrize(
    ("outcome", "code", "is_cancelling", "status"),
    [
        ("succeeded", None, False, "succeeded"),
        ("succeeded", None, True, "succeeded"),
        ("failed", "target_unreachable", False, "failed"),
        ("failed", "target_unreachable", True, "failed"),
        ("failed", "engine_killed", False, "crashed"),
        ("failed", "engine_killed", True, "cancelled"),
        ("cancelled", None, True, "cancelled"),
        ("cancelled", None, False, "crashed"),
        ("crashed", "agent_restarted", False, "crashed"),
        ("crashed", "agent_restarted", True, "cancelled"),
    ],
)
def test_outcomes_become_statuses(outcome: Outcome, code: str | None, is_cancelling: bool, status: str) -> None:
    assert ended_as(outcome, code, is_cancelling=is_cancelling) == status


def test_what_the_target_said_is_never_tried_again() -> None:
    assert not RETRYABLE_CODES & {"target_unreachable", "target_refused", "store_missing", "flush_refused", "bad_plan"}


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ([("failed", "store_missing")] * 3, "store_missing"),
        ([("failed", "store_missing")] * 2, None),
        ([("failed", "store_missing"), ("succeeded", None), ("failed", "store_missing")], None),
        ([("failed", "store_missing"), ("failed", "target_lost"), ("failed", "store_missing")], None),
        ([("crashed", "lease_expired")] * 3, "lease_expired"),
    ],
)
def test_a_target_is_given_up_when_its_first_trials_fail_alike(
    outcomes: list[tuple[str, str | None]], code: str | None
) -> None:
    assert gave_up_code(outcomes) == code
