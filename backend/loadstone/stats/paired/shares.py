"""Shares of failed requests: compared on a scale where their variance does not depend on their size. Pure.

Source: F. J. Anscombe, "The transformation of Poisson, binomial and negative-binomial data" (1948):
y = asin(sqrt((e + 3/8) / (N + 3/4))) has the variance 1 / (4 N). Requests of one trial are not independent, so they are
never pooled over trials (as in Fisher's exact test); the trial stays the unit, and 1 / (4 N) is the least variance.
"""

import numpy as np

from loadstone.stats.estimates import Floats


def stabilized(shares: Floats, requests: Floats) -> Floats:
    """`shares` are failed / ended in 0 ... 1 of `requests` that ended."""
    failed = shares * requests
    angles: Floats = np.arcsin(np.sqrt((failed + 0.375) / (requests + 0.75)))
    return angles


def least_variance(requests_base: Floats, requests_contender: Floats) -> float:
    """Return the variance of a difference of two trials if requests failed independently."""
    return float((1 / (4 * requests_base) + 1 / (4 * requests_contender)).mean())


def share_of(angle: float) -> float:
    """Return the share that has this angle; angles outside 0 ... pi/2 are cut."""
    return float(np.sin(min(max(angle, 0.0), np.pi / 2)) ** 2)


def share_limit(base_angle: float, margin: float) -> float:
    """Return the margin on the scale of angles: `margin` of the base's share, at least `margin` percentage points.

    With 2 %: 1 % may become 1.02 %, and no failures may become 0.02 %.
    """
    share = share_of(base_angle)
    return float(np.arcsin(np.sqrt(min(1.0, share + max(margin * share, margin / 100)))) - np.arcsin(np.sqrt(share)))
