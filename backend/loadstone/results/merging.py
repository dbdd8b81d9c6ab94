"""From trials to a point: merged histograms, means over trials, and the band. Pure.

A trial's throughput is the sum over its operations (and agents); a percentile is never averaged.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Protocol

from loadstone.stats import histogram

TOTAL = "all"


class Measured(Protocol):
    """A row of `operation_results`: one operation of one trial (and agent)."""

    trial_id: Any
    operation: str
    count: int
    error_count: int
    errors: dict[str, Any]
    throughput_per_s: float
    response_time_ns: dict[str, Any]
    service_time_ns: dict[str, Any]
    response_histogram: bytes
    service_histogram: bytes


@dataclass(frozen=True)
class TrialNumbers:
    """One operation (or all) of one trial."""

    throughput_per_s: float
    response_time_ns: Mapping[str, int | None]
    service_time_ns: Mapping[str, int | None]


def merge_point(rows: Sequence[Measured]) -> list[dict[str, Any]]:
    """Values of `point_operations`, one per operation and one for `all`; empty when nothing counts."""
    operations = list(dict.fromkeys(row.operation for row in rows))
    merged = [_merge(name, [row for row in rows if row.operation == name]) for name in operations]
    if len(operations) == 1:
        return [*merged, {**merged[0], "operation": TOTAL}]
    return [*merged, _merge(TOTAL, rows)] if rows else []


def _merge(operation: str, rows: Sequence[Measured]) -> dict[str, Any]:
    trials = [_trial_numbers(group) for group in _by_trial(rows)]
    errors: Counter[str] = Counter()
    for row in rows:
        errors.update(row.errors)
    return {
        "operation": operation,
        "trials_counted": len(trials),
        "count": sum(row.count for row in rows),
        "error_count": sum(row.error_count for row in rows),
        "errors": dict(errors),
        "throughput_per_s": fmean(trial.throughput_per_s for trial in trials),
        "response_time_ns": _quantiles(row.response_histogram for row in rows),
        "service_time_ns": _quantiles(row.service_histogram for row in rows),
        "band": _band(trials),
    }


def _by_trial(rows: Iterable[Measured]) -> Iterable[list[Measured]]:
    groups: dict[Any, list[Measured]] = {}
    for row in rows:
        groups.setdefault(row.trial_id, []).append(row)
    return groups.values()


def _trial_numbers(rows: Sequence[Measured]) -> TrialNumbers:
    if len(rows) == 1:
        return TrialNumbers(rows[0].throughput_per_s, rows[0].response_time_ns, rows[0].service_time_ns)
    return TrialNumbers(
        sum(row.throughput_per_s for row in rows),
        _quantiles(row.response_histogram for row in rows),
        _quantiles(row.service_histogram for row in rows),
    )


def _quantiles(blobs: Iterable[bytes]) -> histogram.Quantiles:
    return histogram.quantiles(histogram.merge(blobs))


def _band(trials: Sequence[TrialNumbers]) -> dict[str, Any]:
    return {
        "throughput_per_s": _range([trial.throughput_per_s for trial in trials]),
        "response_time_ns": _quantile_bands([trial.response_time_ns for trial in trials]),
        "service_time_ns": _quantile_bands([trial.service_time_ns for trial in trials]),
    }


def _quantile_bands(trials: Sequence[Mapping[str, int | None]]) -> dict[str, Any]:
    return {name: _range([trial[name] for trial in trials]) for name in histogram.QUANTILE_NAMES}


def _range(values: Iterable[float | None]) -> dict[str, float | None]:
    known = [value for value in values if value is not None]
    return {"low": min(known, default=None), "high": max(known, default=None)}
