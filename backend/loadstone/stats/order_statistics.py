"""The interval of a quantile from the order statistics around it. Pure.

The number of values below the true quantile is binomial, so two ranks enclose it with a stated confidence whatever the
distribution (H. A. David and H. N. Nagaraja, "Order Statistics", 3rd edition, 2003, section 7.1). Requests of one trial
depend on each other: the interval says what the count alone can tell, and is no interval over trials.
"""

from scipy.stats import binom

from loadstone.stats.censored import Distribution, at_rank

CONFIDENCE = 0.95
FEWEST_BEYOND = 10
"""Fewer values than this beyond a quantile leave it to a handful of requests: its interval is -12 to +22 % and more."""


def needed(quantile: float) -> int:
    """Requests that a quantile needs: 10 / (1 - q)."""
    return round(FEWEST_BEYOND / (1 - quantile))


def interval(
    found: Distribution, quantile: float, confidence: float = CONFIDENCE
) -> tuple[int | None, int | None] | None:
    """Nanoseconds; an end without enough values beyond it, or with no answer at it, is None. None without values."""
    if not found.total:
        return None
    low = int(binom.ppf((1 - confidence) / 2, found.total, quantile))
    high = int(binom.ppf((1 + confidence) / 2, found.total, quantile)) + 1
    least = at_rank(found, low).value if low >= 1 else None
    if high > found.total:
        return least, None
    most = at_rank(found, high)
    return least, most.value if most.kind == "exact" else most.to_ns
