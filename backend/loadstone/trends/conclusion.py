"""What the sessions of a confirmation say, in numbers and in words. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scipy.special import stdtr

from loadstone.models import ChangePoint
from loadstone.stats import sessions
from loadstone.stats.compare import ALGORITHM_VERSION
from loadstone.stats.estimates import Floats
from loadstone.stats.metrics import METRICS
from loadstone.trends import schemas

RANK_LEVEL = 0.05
SAID = {"confirmed": "It is there", "false": "It is not there", "undecided": "Undecided"}


def one_session_text(change: ChangePoint, mean: float) -> str:
    return (
        f"{METRICS[change.metric].title} {math.expm1(mean):+.1%} in one session. One session can't tell the change "
        "from the day: confirm again on another day (2 to 8 sessions decide)."
    )


def against_history(new: Floats, history: Floats, *, is_lower: bool) -> sessions.Shift | None:
    """Return the shift, or None without a long enough history.

    Where the new sessions lie within what history has shown before (two modes, say), the error is widened so far that
    nothing is confirmed.
    """
    shift = sessions.new_against_history(new, history)
    if shift is None:
        return None
    rank = sessions.rank_p_value(new, history, is_lower=is_lower)
    if rank is None or rank <= RANK_LEVEL:
        return shift
    return replace(shift, error=max(shift.error, abs(shift.estimate)))


def numbers(
    change: ChangePoint, shift: sessions.Shift, measured: Sequence[Mapping[str, Any]], is_paired: bool
) -> schemas.ConfirmationNumbers:
    """Confirmed: no change is ruled out. False: the least change that matters is. Each one-sided at 2.5 %."""
    is_lower = change.change < 0
    verdict = sessions.answer(shift, is_lower=is_lower)
    count = len(measured)
    low, high = shift.bound(sessions.ONE_SIDED_LEVEL), shift.bound(1 - sessions.ONE_SIDED_LEVEL)
    trials = sum(one["trials"] for one in measured)
    before = trials if is_paired else change.inputs["index"] - change.inputs.get("from", 0)
    needed = _more_sessions(shift, count) if verdict == "undecided" and is_paired else None
    against = f"{_sessions(count)} against {before} before (weaker)"
    if is_paired:
        against = f"old against new in {count} sessions"
    more = f"; about {needed} more needed" if needed else ""
    sentence = (
        f"{SAID[verdict]}: {METRICS[change.metric].title} {math.expm1(shift.estimate):+.1%} "
        f"({math.expm1(low):+.1%} to {math.expm1(high):+.1%}), {against}; found was {change.change:+.1%}{more}."
    )
    signed = -shift.estimate if is_lower else shift.estimate
    return schemas.ConfirmationNumbers(
        verdict=verdict,
        method="paired" if is_paired else "sessions",
        change=math.expm1(shift.estimate),
        low=math.expm1(low),
        high=math.expm1(high),
        p_value=float(stdtr(shift.freedom, -signed / shift.error)),
        n_before=before,
        n_after=trials,
        sessions=count,
        sessions_needed=needed,
        algorithm_version=ALGORITHM_VERSION,
        sentence=sentence,
    )


def _sessions(count: int) -> str:
    return f"{count} new session{'s' if count != 1 else ''}"


def _more_sessions(shift: sessions.Shift, count: int) -> int | None:
    """To see the least effect; None where the eight that anyone should spend would not do."""
    spread = shift.error * math.sqrt(count)
    total = sessions.sessions_needed(spread, math.log1p(sessions.LEAST_EFFECT), most=sessions.SESSIONS_MAX)
    return max(1, total - count) if total else None
