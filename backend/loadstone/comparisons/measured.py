"""What was measured at the points of a comparison, gathered with a fixed number of queries."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadstone.comparisons import repository
from loadstone.comparisons.sides import SidePoint
from loadstone.db import UnitOfWork
from loadstone.stats.estimates import Floats
from loadstone.stats.metrics import METRICS

NO_VALUES: Floats = np.empty(0)


@dataclass(frozen=True)
class Measured:
    """By point (and metric)."""

    trials: dict[uuid.UUID, Any]
    values: dict[tuple[uuid.UUID, str], tuple[Sequence[int], Floats]]
    percentiles: dict[uuid.UUID, tuple[dict[str, Any], dict[str, Any]]]

    def of(self, point: SidePoint, metric: str) -> Floats:
        return self.values[point.id, metric][1] if (point.id, metric) in self.values else NO_VALUES

    def blocks(self, point: SidePoint, metric: str) -> Sequence[int]:
        return self.values[point.id, metric][0] if (point.id, metric) in self.values else []

    def shown(self, point: SidePoint, metric: str) -> float | None:
        """A percentile comes from the merged histogram, everything else is the mean over trials."""
        if METRICS[metric].unit == "ns":
            response, service = self.percentiles.get(point.id, ({}, {}))
            kind, _, name = metric.removesuffix("_ns").rpartition("_")
            found = (response if kind == "response_time" else service).get(name)
            return float(found) if found is not None else None
        values = self.of(point, metric)
        return float(values.mean()) if len(values) else None


def read_measured(unit: UnitOfWork, points: Sequence[SidePoint], operation: str, metrics: Sequence[str]) -> Measured:
    ids = list({point.id for point in points})
    values = repository.metric_values(unit.session, ids, operation, metrics)
    has_percentiles = any(METRICS[metric].unit == "ns" for metric in metrics)
    return Measured(
        trials=repository.trial_facts(unit.session, ids),
        values={key: (blocks, np.array(found)) for key, (blocks, found) in values.items()},
        percentiles=repository.merged_percentiles(unit.session, ids, operation) if has_percentiles else {},
    )
