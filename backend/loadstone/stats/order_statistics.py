"""The interval of a quantile from the counts alone. Pure.

Source: H. A. David and H. N. Nagaraja, "Order statistics" (3rd ed. 2003), section 7.1: the number of values below the
true q-quantile is binomial, whatever the distribution.
"""

from scipy.stats import binom


def quantile_ranks(quantile: float, count: int, confidence: float = 0.95) -> tuple[int, int | None] | None:
    """Return the ranks (1 is the smallest value) that hold the quantile between them.

    None where `count` values are too few for a lower rank. The upper rank is None where it lies beyond the largest.
    """
    level = (1 - confidence) / 2
    # P(X < low) <= level, where X values of `count` lie at or below the quantile.
    low = int(binom.ppf(level, count, quantile))
    high = int(binom.ppf(1 - level, count, quantile)) + 1
    if low < 1:
        return None
    return low, high if high <= count else None


def answers_needed(quantile: float) -> int:
    """Return the least number of answers for a quantile to be stated at all: ten beyond it.

    The interval around p99 is then about -12 to +22 % wide where times are log-normal (sigma 0.6).
    """
    return round(10 / (1 - quantile))
