"""Quantiles as they may be stated: value, bound, interval, and what voids one. Pure.

The one place that makes them from histograms; everything that shows or merges a quantile comes here.
"""

import math
from typing import Any, Final

from hdrh.histogram import HdrHistogram

from loadstone.stats import censored, distortion, order_statistics
from loadstone.stats.censored import Bounded
from loadstone.stats.histogram import QUANTILE_NAMES, QUANTILES

TITLES: Final = {"p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p99.9", "max": "The maximum"}

Quantiles = dict[str, Any]
"""`p50` ... `max` in nanoseconds; `bounds`, `void` and `intervals` by quantile name, left out where there is none."""


def stated_quantiles(
    answered: HdrHistogram, unanswered: HdrHistogram | None, exceeds: distortion.Exceeds | None = None
) -> Quantiles:
    """`exceeds` of what may have distorted them; without it they are stated but not judged."""
    found = censored.bounded_quantiles(answered, unanswered)
    values: Quantiles = {name: found[name].value if found else None for name in QUANTILE_NAMES}
    bounds = {name: {"kind": one.kind, "to_ns": one.to_ns} for name, one in found.items() if one.kind != "exact"}
    if bounds:
        values["bounds"] = bounds
    if exceeds is None or not found:
        return values
    whole = censored.distribution(answered, unanswered)
    void = {name: why for name in found if (why := _void(whole, name, exceeds)) is not None}
    if void:
        values["void"] = void
    spans = {name: order_statistics.interval(whole, quantile) for name, quantile in QUANTILES.items()}
    values["intervals"] = {
        name: {"low_ns": span[0], "high_ns": span[1]} for name, span in spans.items() if span is not None
    }
    return values


def _void(whole: censored.Distribution, name: str, exceeds: distortion.Exceeds) -> dict[str, Any] | None:
    quantile = QUANTILES.get(name, 1.0)
    if quantile < 1.0 and whole.total < (least := order_statistics.needed(quantile)):
        message = f"{TITLES[name]} needs {least:,} requests, and there were {whole.total:,}."
        return {"code": "too_few_answers", "message": message}
    moved = distortion.distortion(whole, quantile, exceeds)
    if moved <= distortion.LIMIT:
        return None
    by = "more than it says" if math.isinf(moved) else f"up to {moved:.0%}"
    message = f"Late sends and pauses of the engine's host may have raised {TITLES[name]} by {by}; the limit is 5 %."
    return {"code": "distorted", "message": message}


def is_void(quantiles: Quantiles, name: str) -> bool:
    return name in quantiles.get("void", {})


def bound_of(quantiles: Quantiles, name: str) -> Bounded | None:
    """None where there is no value. What was stored before bounds were kept is exact."""
    value = quantiles.get(name)
    if value is None:
        return None
    bound = quantiles.get("bounds", {}).get(name)
    return Bounded(value) if bound is None else Bounded(value, bound["kind"], bound["to_ns"])
