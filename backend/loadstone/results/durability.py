"""What was left of acknowledged writes, as metrics of the trial as a whole. Pure."""

from collections.abc import Mapping
from typing import Any

from loadstone_contracts.durability import DurabilityReport


def durability_metrics(kept: Mapping[str, Any] | None) -> dict[str, float]:
    """Shares of the keys that were written; none of a trial that killed nothing, or wrote nothing."""
    if kept is None:
        return {}
    report = DurabilityReport.model_validate(kept)
    if report.keys == 0:
        return {}
    return {
        "lost_share": report.lost / report.keys,
        "torn_share": report.torn / report.keys,
        # Where nothing was lost the window is of no length, not of an unknown one.
        "lost_window_ns": float(report.lost_window_ns or 0),
    }
