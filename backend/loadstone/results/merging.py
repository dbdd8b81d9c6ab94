"""From trials to a point: merged histograms, means over trials, and the band. Pure.

A trial's throughput is the sum over its operations (and agents); a percentile is never averaged.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import SimpleNamespace
from typing import Any, Protocol

from loadstone.results import times
from loadstone.stats import histogram
from loadstone.stats.metrics import quantile_metric
from loadstone.stats.stated import Quantiles, bound_of, is_void

TOTAL = "all"
ONE_OPERATION_AND_TOTAL = 2
"""They are the same numbers."""


class Measured(Protocol):
    """A row of `operation_results`: one operation of one trial (and agent)."""

    trial_id: Any
    operation: str
    elapsed_ns: int
    count: int
    error_count: int
    errors: dict[str, Any]
    throughput_per_s: float
    response_time_ns: dict[str, Any]
    service_time_ns: dict[str, Any]
    response_histogram: bytes
    service_histogram: bytes
    unanswered: dict[str, Any]
    response_unanswered: bytes | None
    service_unanswered: bytes | None
    delays: dict[str, Any]


class Aggregate(Protocol):
    """A row of `point_operations`."""

    operation: str
    trials_counted: int
    count: int
    error_count: int
    errors: dict[str, Any]
    throughput_per_s: float
    band: dict[str, Any]
    response_time_ns: dict[str, Any]
    service_time_ns: dict[str, Any]
    response_histogram: bytes | None
    service_histogram: bytes | None
    unanswered: dict[str, Any]
    response_unanswered: bytes | None
    service_unanswered: bytes | None
    delays: dict[str, Any]


@dataclass(frozen=True)
class TrialNumbers:
    """One operation (or all) of one trial."""

    throughput_per_s: float
    response_time_ns: Mapping[str, Any]
    service_time_ns: Mapping[str, Any]


@dataclass(frozen=True)
class TrialMetrics:
    """Metrics of `stats.metrics` that have a value, and which of them are lower bounds."""

    values: Mapping[str, float]
    lower_bounds: frozenset[str] = frozenset()


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
        "unanswered": _sum_causes(rows),
        **_times(rows),
        "band": _band(trials),
    }


def _times(rows: Sequence[Any]) -> dict[str, Any]:
    """Both kinds of time, from rows of results or of points."""
    response = times.merged([times.part_of(row, "response") for row in rows], "response")
    service = times.merged([times.part_of(row, "service") for row in rows], "service")
    return {**response, **service, "delays": response["delays"] | service["delays"]}


def add_trial(stored: Iterable[Aggregate], rows: Sequence[Measured]) -> list[dict[str, Any]] | None:
    """As `merge_point` of all trials, from what is `stored` of those before and the `rows` of one more.

    Costs the same however many trials there are. None when what is stored cannot be added to.
    """
    before = {row.operation: row for row in stored}
    added = merge_point(rows)
    if before and before.keys() != {row["operation"] for row in added}:
        return None
    if any(row.response_histogram is None or row.service_histogram is None for row in before.values()):
        return None
    if not before:
        return added
    if len(added) == ONE_OPERATION_AND_TOTAL:
        combined = _combine(before[added[0]["operation"]], added[0])
        return [combined, {**combined, "operation": TOTAL}]
    return [_combine(before[row["operation"]], row) for row in added]


def _combine(before: Aggregate, added: dict[str, Any]) -> dict[str, Any]:
    trials = before.trials_counted + added["trials_counted"]
    share = added["trials_counted"] / trials
    return {
        "operation": before.operation,
        "trials_counted": trials,
        "count": before.count + added["count"],
        "error_count": before.error_count + added["error_count"],
        "errors": dict(Counter(before.errors) + Counter(added["errors"])),
        "throughput_per_s": before.throughput_per_s * (1 - share) + added["throughput_per_s"] * share,
        "unanswered": dict(Counter(before.unanswered) + Counter(added["unanswered"])),
        **_times([before, SimpleNamespace(**added)]),
        "band": _widen(before.band, added["band"]),
    }


def _sum_causes(rows: Iterable[Measured]) -> dict[str, int]:
    causes: Counter[str] = Counter()
    for row in rows:
        causes.update(row.unanswered)
    return dict(causes)


def _widen(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The band around both, at any depth."""
    if "low" not in one:
        return {name: _widen(one[name], other[name]) for name in one}
    known = [band for band in (one, other) if band["low"] is not None]
    highs = [band["high"] for band in known]
    return {
        "low": min((band["low"] for band in known), default=None),
        # A band without an end stays without one.
        "high": None if None in highs else max(highs, default=None),
    }


def trial_metrics(rows: Sequence[Measured], connections: int) -> dict[str, TrialMetrics]:
    """Of one trial, by operation (and `all`)."""
    operations = list(dict.fromkeys(row.operation for row in rows))
    found = {name: _metrics([row for row in rows if row.operation == name], connections) for name in operations}
    if not rows:
        return {}
    return {**found, TOTAL: found[operations[0]] if len(operations) == 1 else _metrics(rows, connections)}


def _metrics(rows: Sequence[Measured], connections: int) -> TrialMetrics:
    numbers = _trial_numbers(rows)
    errors = sum(row.error_count for row in rows)
    count = sum(row.count for row in rows)
    elapsed_ns = max(row.elapsed_ns for row in rows)
    ended = errors + count
    found: dict[str, float | None] = {
        "throughput_per_s": numbers.throughput_per_s,
        "error_share": errors / ended if ended else None,
        "elapsed_s": elapsed_ns / 1e9,
        "time_per_operation_ns": elapsed_ns * connections / count if count else None,
        "throughput_per_connection_per_s": numbers.throughput_per_s / connections,
        **_quantile_metrics("response_time", numbers.response_time_ns),
        **_quantile_metrics("service_time", numbers.service_time_ns),
    }
    bounds = {
        quantile_metric(kind, name)
        for kind, quantiles in (("response_time", numbers.response_time_ns), ("service_time", numbers.service_time_ns))
        for name in quantiles.get("bounds", ())
    }
    values = {name: float(value) for name, value in found.items() if value is not None}
    return TrialMetrics(values, frozenset(bounds & values.keys()))


def _quantile_metrics(kind: str, quantiles: Mapping[str, Any]) -> dict[str, float | None]:
    """A quantile that is touched by requests without an answer enters as its lower bound, a void one not at all."""
    names = (name for name in histogram.QUANTILE_NAMES if not is_void(dict(quantiles), name))
    return {quantile_metric(kind, name): quantiles[name] for name in names}


def _by_trial(rows: Iterable[Measured]) -> Iterable[list[Measured]]:
    groups: dict[Any, list[Measured]] = {}
    for row in rows:
        groups.setdefault(row.trial_id, []).append(row)
    return groups.values()


def _trial_numbers(rows: Sequence[Measured]) -> TrialNumbers:
    if len(rows) == 1:
        return TrialNumbers(rows[0].throughput_per_s, rows[0].response_time_ns, rows[0].service_time_ns)
    found = _times(rows)
    throughput_per_s = sum(row.throughput_per_s for row in rows)
    return TrialNumbers(throughput_per_s, found["response_time_ns"], found["service_time_ns"])


def _band(trials: Sequence[TrialNumbers]) -> dict[str, Any]:
    return {
        "throughput_per_s": _range([trial.throughput_per_s for trial in trials]),
        "response_time_ns": _quantile_bands([trial.response_time_ns for trial in trials]),
        "service_time_ns": _quantile_bands([trial.service_time_ns for trial in trials]),
    }


def _quantile_bands(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: _quantile_band([dict(trial) for trial in trials], name) for name in histogram.QUANTILE_NAMES}


def _quantile_band(trials: Sequence[Quantiles], name: str) -> dict[str, float | None]:
    """Void quantiles are no part of it; above one that is only known to be at least so long there is no end."""
    found = [one for one in (bound_of(trial, name) for trial in trials if not is_void(trial, name)) if one is not None]
    highs = [one.value if one.kind == "exact" else one.to_ns for one in found]
    known = [high for high in highs if high is not None]
    high = max(known) if known and len(known) == len(highs) else None
    return {"low": min((one.value for one in found), default=None), "high": high}


def _range(values: Iterable[float | None]) -> dict[str, float | None]:
    known = [value for value in values if value is not None]
    return {"low": min(known, default=None), "high": max(known, default=None)}
