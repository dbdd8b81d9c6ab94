"""What was measured at the points of a comparison, gathered with a fixed number of queries."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadstone.comparisons import repository
from loadstone.comparisons.sides import SidePoint
from loadstone.db import UnitOfWork
from loadstone.stats.estimates import Floats
from loadstone.stats.metrics import PERCENTILES, SHARES
from loadstone.stats.sessions import SessionVariance, pooled, session_variance, sittings

NO_VALUES: Floats = np.empty(0)
HISTORY_SESSIONS = 50
COUNTED_BY = ("throughput_per_s", "elapsed_s")
"""Throughput times duration are the requests that were answered."""


@dataclass(frozen=True)
class History:
    """Earlier sessions of one series: by point, when, and the mean on the scale of comparisons. In order of time."""

    points: list[uuid.UUID]
    seconds: list[float]
    values: list[float]

    def variance(self, without: set[uuid.UUID]) -> SessionVariance | None:
        """Of sessions, `without` those that are compared."""
        kept = [place for place, point in enumerate(self.points) if point not in without]
        means = sittings([self.seconds[place] for place in kept], np.array([self.values[place] for place in kept]))
        return session_variance(means)

    def count(self, without: set[uuid.UUID]) -> int:
        """Of sessions, as `variance` takes them."""
        kept = [place for place, point in enumerate(self.points) if point not in without]
        return len(sittings([self.seconds[place] for place in kept], np.array([self.values[place] for place in kept])))


@dataclass(frozen=True)
class Measured:
    """By point (and metric). Points are looked up by their id as a number: it hashes ten times as fast as a UUID."""

    trials: dict[int, Any]
    values: dict[tuple[int, str], tuple[Sequence[int], Floats]]
    percentiles: dict[tuple[int, str], float | None]
    histories: dict[tuple[uuid.UUID, str], History] = field(default_factory=dict)
    lower_bounds: set[tuple[int, str]] = field(default_factory=set)

    def facts(self, point: SidePoint) -> Any | None:
        return self.trials.get(point.id.int)

    def of(self, point: SidePoint, metric: str) -> Floats:
        found = self.values.get((point.id.int, metric))
        return found[1] if found else NO_VALUES

    def is_lower_bound(self, point: SidePoint, metric: str) -> bool:
        """Whether a trial that counts has requests without an answer that touch this percentile."""
        return (point.id.int, metric) in self.lower_bounds

    def blocks(self, point: SidePoint, metric: str) -> Sequence[int]:
        found = self.values.get((point.id.int, metric))
        return found[0] if found else []

    def requests(self, point: SidePoint) -> Floats | None:
        """Return how many requests ended in each trial that has an error share; None where nobody kept that."""
        columns = [
            dict(zip(self.blocks(point, name), self.of(point, name), strict=True))
            for name in (*COUNTED_BY, "error_share")
        ]
        blocks = self.blocks(point, "error_share")
        if any(block not in column or columns[2][block] >= 1 for block in blocks for column in columns):
            return None
        return np.array([columns[0][one] * columns[1][one] / (1 - columns[2][one]) for one in blocks])

    def shown(self, point: SidePoint, metric: str) -> float | None:
        """A percentile comes from the merged histogram, everything else is the mean over trials."""
        if metric in PERCENTILES:
            return self.percentiles.get((point.id.int, metric))
        values = self.of(point, metric)
        return float(values.mean()) if len(values) else None

    def learned(self, base: SidePoint, contender: SidePoint, metric: str) -> tuple[SessionVariance | None, int]:
        """Return what the series of both sides teach of sessions, and how many earlier sessions the longer one has."""
        ids = {one.series_id for one in (base, contender) if one.series_id is not None}
        found = [history for one in ids if (history := self.histories.get((one, metric))) is not None]
        without = {base.id, contender.id}
        variances = [variance for one in found if (variance := one.variance(without)) is not None]
        return pooled(variances) if variances else None, max((one.count(without) for one in found), default=0)


def read_measured(
    unit: UnitOfWork,
    points: Sequence[SidePoint],
    operation: str,
    metrics: Sequence[str],
    *,
    with_history: bool = False,
) -> Measured:
    ids = list({point.id for point in points})
    read = [*metrics, *(COUNTED_BY if "error_share" in metrics else ())]
    values = repository.metric_values(unit.session, ids, operation, read)
    wanted = [(metric, *_percentile(metric)) for metric in metrics if metric in PERCENTILES]
    series_ids = list({point.series_id for point in points if point.series_id is not None}) if with_history else []
    return Measured(
        trials=repository.trial_facts(unit.session, ids),
        values={key: (blocks, np.array(found)) for key, (blocks, found) in values.items()},
        percentiles=repository.merged_percentiles(unit.session, ids, operation, wanted) if wanted else {},
        histories=_histories(unit, series_ids, operation, metrics) if series_ids else {},
        lower_bounds=repository.lower_bounds(unit.session, ids, operation, [one[0] for one in wanted])
        if wanted
        else set(),
    )


def _histories(
    unit: UnitOfWork, series_ids: Sequence[uuid.UUID], operation: str, metrics: Sequence[str]
) -> dict[tuple[uuid.UUID, str], History]:
    found: dict[tuple[uuid.UUID, str], History] = {}
    for row in repository.session_means(unit.session, series_ids, operation, metrics, sorted(SHARES), HISTORY_SESSIONS):
        history = found.setdefault((row.series_id, row.metric), History([], [], []))
        history.points.append(row.point_id)
        history.seconds.append(row.at.timestamp())
        history.values.append(float(row.value))
    return found


def _percentile(metric: str) -> tuple[str, str]:
    """`response_time_p99_ns` is `p99` of the column `response_time_ns`."""
    kind, _, name = metric.removesuffix("_ns").rpartition("_")
    return f"{kind}_ns", name
