"""What was measured at the points of a comparison, gathered with a fixed number of queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadstone.comparisons import repository
from loadstone.comparisons.sides import SidePoint
from loadstone.db import UnitOfWork
from loadstone.stats.estimates import Floats
from loadstone.stats.metrics import PERCENTILES

NO_VALUES: Floats = np.empty(0)


@dataclass(frozen=True)
class Measured:
    """By point (and metric). Points are looked up by their id as a number: it hashes ten times as fast as a UUID."""

    trials: dict[int, Any]
    values: dict[tuple[int, str], tuple[Sequence[int], Floats]]
    percentiles: dict[tuple[int, str], float | None]

    def facts(self, point: SidePoint) -> Any | None:
        return self.trials.get(point.id.int)

    def of(self, point: SidePoint, metric: str) -> Floats:
        found = self.values.get((point.id.int, metric))
        return found[1] if found else NO_VALUES

    def blocks(self, point: SidePoint, metric: str) -> Sequence[int]:
        found = self.values.get((point.id.int, metric))
        return found[0] if found else []

    def shown(self, point: SidePoint, metric: str) -> float | None:
        """A percentile comes from the merged histogram, everything else is the mean over trials."""
        if metric in PERCENTILES:
            return self.percentiles.get((point.id.int, metric))
        values = self.of(point, metric)
        return float(values.mean()) if len(values) else None


def read_measured(unit: UnitOfWork, points: Sequence[SidePoint], operation: str, metrics: Sequence[str]) -> Measured:
    ids = list({point.id for point in points})
    values = repository.metric_values(unit.session, ids, operation, metrics)
    wanted = [(metric, *_percentile(metric)) for metric in metrics if metric in PERCENTILES]
    return Measured(
        trials=repository.trial_facts(unit.session, ids),
        values={key: (blocks, np.array(found)) for key, (blocks, found) in values.items()},
        percentiles=repository.merged_percentiles(unit.session, ids, operation, wanted) if wanted else {},
    )


def _percentile(metric: str) -> tuple[str, str]:
    """`response_time_p99_ns` is `p99` of the column `response_time_ns`."""
    kind, _, name = metric.removesuffix("_ns").rpartition("_")
    return f"{kind}_ns", name
