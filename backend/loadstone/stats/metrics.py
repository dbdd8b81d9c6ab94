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


def quantile_metric(kind: str, quantile: str) -> str:
    """`kind` is response_time or service_time."""
    return f"{kind}_{quantile}_ns"


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
    ]


METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _all()})
