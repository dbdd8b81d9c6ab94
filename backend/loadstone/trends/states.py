"""The one table of legal changes of an alert's state. Whatever changes it asks here."""

from collections.abc import Mapping
from enum import StrEnum

from loadstone.errors import Conflict


class AlertState(StrEnum):
    SUSPECTED = "suspected"
    CONFIRMED = "confirmed"
    ACKNOWLEDGED = "acknowledged"
    EXPECTED = "expected"
    FIXED = "fixed"
    FALSE = "false"


TRANSITIONS: Mapping[AlertState, frozenset[AlertState]] = {
    # Fixed: the series went back to its old level before anybody confirmed the alert.
    AlertState.SUSPECTED: frozenset({AlertState.CONFIRMED, AlertState.FALSE, AlertState.EXPECTED, AlertState.FIXED}),
    AlertState.CONFIRMED: frozenset({AlertState.ACKNOWLEDGED, AlertState.EXPECTED, AlertState.FIXED, AlertState.FALSE}),
    AlertState.ACKNOWLEDGED: frozenset({AlertState.EXPECTED, AlertState.FIXED, AlertState.FALSE}),
    # A person who erred can take a closed alert up again.
    AlertState.EXPECTED: frozenset({AlertState.SUSPECTED}),
    # Suspected: the shift is back.
    AlertState.FIXED: frozenset({AlertState.ACKNOWLEDGED, AlertState.SUSPECTED}),
    AlertState.FALSE: frozenset({AlertState.SUSPECTED}),
}
OPEN = frozenset({AlertState.SUSPECTED, AlertState.CONFIRMED, AlertState.ACKNOWLEDGED})
"""Somebody still has to do something."""


class IllegalAlertState(Conflict):
    """A change of state that the table does not know."""

    code = "illegal_alert_state"
    title = "Not possible in this state"


def check_alert(before: str, after: str) -> None:
    """Raises IllegalAlertState."""
    allowed = TRANSITIONS[AlertState(before)]
    if AlertState(after) not in allowed:
        names = ", ".join(sorted(allowed))
        raise IllegalAlertState(f"An alert that is {before} can become {names}, not {after}.", path="state")


def next_states(state: str) -> list[AlertState]:
    """In the order of the enumeration."""
    allowed = TRANSITIONS[AlertState(state)]
    return [one for one in AlertState if one in allowed]
