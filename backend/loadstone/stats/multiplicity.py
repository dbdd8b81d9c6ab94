"""Many cells at once: p-values and e-values judged so that the share of false verdicts stays bounded. Pure.

Sources: Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate" (1995), as SciPy has it. Cells of one
trial depend on each other positively, and the procedure holds then too: Y. Benjamini and D. Yekutieli, "The control of
the false discovery rate in multiple testing under dependency" (2001). For e-values, which may depend on each other in
any way: R. Wang and A. Ramdas, "False discovery rate control with e-values" (2022).
"""

import numpy as np
from scipy.stats import false_discovery_control

from loadstone.stats.estimates import Floats


def adjust(p_values: Floats) -> Floats:
    """In the order given; a cell is a discovery at rate q when its adjusted p-value is at most q."""
    if not len(p_values):
        return np.empty(0)
    adjusted: Floats = false_discovery_control(p_values, method="bh")
    return adjusted


def e_discoveries(log_e_values: Floats, level: float) -> list[int]:
    """Return the places of the cells to call at this false-discovery rate.

    With e-values in descending order these are the k largest, for the largest k with e(k) >= m / (level k). A cell that
    stopped takes part with the e-value it stopped at, never with its running maximum.
    """
    count = len(log_e_values)
    if not count:
        return []
    order = np.argsort(log_e_values)[::-1]
    bars = np.log(count / (level * np.arange(1, count + 1)))
    reached = np.nonzero(log_e_values[order] >= bars)[0]
    return sorted(int(place) for place in order[: reached[-1] + 1]) if len(reached) else []
