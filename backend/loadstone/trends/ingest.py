"""Takes the points of a run that has ended into their series. Doing it again gives the same rows."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from loadstone.db import UnitOfWork
from loadstone.models import Run, Series
from loadstone.stats.histogram import QUANTILE_NAMES
from loadstone.stats.metrics import quantile_metric
from loadstone.stats.stated import is_void
from loadstone.trends.labels import series_labels, series_title
from loadstone.trends.repository import alerts
from loadstone.trends.repository import ingest as repository

Labels = Mapping[str, str]


def take_points(unit: UnitOfWork, run: Run) -> list[Series]:
    """Rewrites what the locked run gave to its series; returns those series, locked.

    A run that was cancelled gives nothing, nor does a point of which one trial is left of several. A run that confirms
    an alert names no series: its plan and target are not what the series is measured by.
    """
    locked = repository.lock_series(unit.session, repository.series_of_run(unit.session, run.id))
    counted = _complete(run, repository.counted_points(unit.session, run.id))
    points = [_point_row(run, row) for row in counted]
    keys = {row["point_id"]: {"series_id": row["series_id"], "at": row["at"]} for row in points}
    repository.replace_points(unit.session, run.id, points, _value_rows(unit, run.id, keys))
    newest: dict[uuid.UUID, dict[str, str]] = {}
    if not alerts.is_confirmation(unit.session, run):
        newest = {
            row.series_id: {"target": row.parameters.get("target"), "plan": run.definition["name"]} for row in counted
        }
    changes: Counter[tuple[str, str]] = Counter()
    for series in locked:
        before = series.labels if series.value_count else {}
        _summarise(unit, series, newest.get(series.id, {}))
        changes.update((series.labels if series.value_count else {}).items())
        changes.subtract(before.items())
    repository.count_labels(unit.session, run.team_id, changes)
    return list(locked)


def _complete(run: Run, counted: Sequence[Any]) -> list[Any]:
    if run.status == "cancelled":
        return []
    least = min(2, run.definition["trials_per_point"])
    return [row for row in counted if row.trials_counted >= least]


def _point_row(run: Run, row: Any) -> dict[str, Any]:
    return {
        "series_id": row.series_id,
        "at": row.at,
        "point_id": row.id,
        "team_id": run.team_id,
        "run_id": run.id,
        "store_version": row.store_version,
        "engine_version": row.engine_version,
        "environment_id": row.environment_id,
        "store_configuration_id": row.store_configuration_id,
    }


def _value_rows(unit: UnitOfWork, run_id: uuid.UUID, keys: Mapping[uuid.UUID, dict[str, Any]]) -> list[dict[str, Any]]:
    merged = _merged_quantiles(unit, run_id)
    return [
        {
            **keys[row.point_id],
            "point_id": row.point_id,
            "operation": row.operation,
            "metric": row.metric,
            # A percentile is never averaged: it comes from the merged histogram.
            "value": merged.get((row.point_id, row.operation, row.metric), row.value),
            "low": row.low,
            "high": row.high,
            "trials_counted": row.trials_counted,
        }
        for row in repository.metric_rows(unit.session, run_id)
        if row.point_id in keys
    ]


def _merged_quantiles(unit: UnitOfWork, run_id: uuid.UUID) -> dict[tuple[uuid.UUID, str, str], float]:
    found = {}
    for row in repository.merged_quantiles(unit.session, run_id):
        for name in QUANTILE_NAMES:
            for kind, times in (("response_time", row.response_time_ns), ("service_time", row.service_time_ns)):
                if times.get(name) is not None and not is_void(times, name):
                    found[row.point_id, row.operation, quantile_metric(kind, name)] = float(times[name])
    return found


def _summarise(unit: UnitOfWork, series: Series, newest: Labels) -> None:
    """`newest` holds the labels that the identity does not know, of the run that is being taken in."""
    series.value_count, series.first_at, series.last_at, series.store_versions = repository.series_summary(
        unit.session, series.id
    )
    kept = {name: series.labels[name] for name in ("target", "plan") if name in series.labels}
    series.labels = series_labels(series.identity, series.agent_class) | kept | dict(newest)
    series.title = series_title(series.labels)
    unit.session.flush()
