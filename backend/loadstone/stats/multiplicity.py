"""Many cells at once: p-values adjusted so that the share of false verdicts stays bounded. Pure.

Source: Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate" (1995), in its step-up form.
"""

import numpy as np

from loadstone.stats.estimates import Floats


def adjust(p_values: Floats) -> Floats:
    """In the order given; a cell is a discovery at rate q when its adjusted p-value is at most q."""
    count = len(p_values)
    order = np.argsort(p_values)[::-1]
    scaled = p_values[order] * count / np.arange(count, 0, -1)
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled))
    return adjusted
