"""What a trial is measured by: names, units and which direction is better. Pure.

The registry is the one place that knows them: series, comparisons, alerts and charts all ask here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from loadstone.stats.histogram import QUANTILE_NAMES

Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Metric:
    """`unit` is what stored values are in: ops/s, ns, ratio (0 to 1) or s."""

    name: str
    title: str
    unit: str
    better: Better


QUANTILE_TITLES = {"p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p99.9", "max": "maximum"}


PERCENTILES = frozenset(
    f"{kind}_{quantile}_ns" for kind in ("response_time", "service_time") for quantile in QUANTILE_NAMES
)
"""Metrics that come from histograms, merged over trials: they are never averaged."""


def quantile_metric(kind: str, quantile: str) -> str:
    """`kind` is response_time or service_time."""
    return f"{kind}_{quantile}_ns"


SHARES = frozenset({"error_share", "lost_share", "torn_share", "replica_lag_lost_share"})
"""Metrics in 0 ... 1 that are often zero: compared as differences, never as ratios."""

LAG_QUANTILES = ("p50", "p99", "max")


def lag_metric(quantile: str) -> str:
    return f"replica_lag_{quantile}_ns"


def _all() -> list[Metric]:
    return [
        Metric("throughput_per_s", "Throughput", "ops/s", "higher"),
        *(
            Metric(quantile_metric(kind, name), f"{title}, {QUANTILE_TITLES[name]}", "ns", "lower")
            for kind, title in (("response_time", "Response time"), ("service_time", "Service time"))
            for name in QUANTILE_NAMES
        ),
        Metric("error_share", "Share of failed operations", "ratio", "lower"),
        Metric("elapsed_s", "Duration of the measure phase", "s", "lower"),
        Metric("memory_after_prefill_bytes", "Memory of the store after the prefill", "bytes", "lower"),
        Metric("memory_peak_bytes", "Highest memory of the store and its children", "bytes", "lower"),
        Metric("disk_after_bytes", "Room on disk after the trial", "bytes", "lower"),
        Metric("lost_share", "Acknowledged keys lost to a kill", "ratio", "lower"),
        Metric("torn_share", "Keys that hold what was never sent", "ratio", "lower"),
        Metric("lost_window_ns", "Age of the oldest write lost to a kill", "ns", "lower"),
        *(
            Metric(lag_metric(name), f"Lag of the replica, {QUANTILE_TITLES[name]}", "ns", "lower")
            for name in LAG_QUANTILES
        ),
        Metric("replica_lag_lost_share", "Share of markers that did not reach the replica in time", "ratio", "lower"),
        Metric("time_per_operation_ns", "Time per operation of one client", "ns", "lower"),
        Metric("throughput_per_connection_per_s", "Throughput of one client", "ops/s", "higher"),
    ]


METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _all()})
