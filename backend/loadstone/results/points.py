"""A point as the API shows it, from its rows. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from loadstone.models import PointOperation
from loadstone.results import merging, schemas

OF_OPERATIONS = ("elapsed_s", "time_per_operation_ns", "throughput_per_connection_per_s")
SHOWN_OTHERWISE = frozenset({*OF_OPERATIONS, "throughput_per_s", "error_share"})
UNKNOWN = {"low": None, "high": None}


def shown_point(
    point: Any, trials: Iterable[Any], operations: Iterable[PointOperation], summaries: Iterable[Any]
) -> schemas.Point:
    """`summaries` are rows of `operation, metric, mean, low, high`."""
    by_name = {(row.operation, row.metric): row for row in summaries}
    shown = [_operation(row, by_name) for row in operations]
    return schemas.Point(
        id=point.id,
        ordinal=point.ordinal,
        parameters=point.parameters,
        series_id=point.series_id,
        trials=[_trial(row) for row in trials],
        operations=[one for one in shown if one.operation != merging.TOTAL],
        total=next((one for one in shown if one.operation == merging.TOTAL), None),
        metrics={
            metric: schemas.MetricBand(mean=row.mean, low=row.low, high=row.high)
            for (operation, metric), row in by_name.items()
            if operation == merging.TOTAL and metric not in SHOWN_OTHERWISE
        },
    )


def _trial(row: Any) -> schemas.PointTrial:
    names = ("id", "ordinal", "repetition", "status", "trust", "is_counted", "attempt")
    return schemas.PointTrial(**{name: getattr(row, name) for name in names})


def _operation(row: PointOperation, summaries: Mapping[tuple[str, str], Any]) -> schemas.PointOperation:
    found = {name: summaries.get((row.operation, name)) for name in OF_OPERATIONS}
    bands = {name: {"low": one.low, "high": one.high} if one else UNKNOWN for name, one in found.items()}
    return schemas.PointOperation(
        operation=row.operation,
        trials_counted=row.trials_counted,
        count=row.count,
        errors=row.error_count,
        errors_by_class=row.errors,
        unanswered=row.unanswered,
        throughput_per_s=row.throughput_per_s,
        **{name: one.mean if one else None for name, one in found.items()},
        response_time_ns=row.response_time_ns,
        service_time_ns=row.service_time_ns,
        band={**row.band, **bands},
    )
