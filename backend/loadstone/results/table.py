"""Points as CSV: one line an operation, parameters first. Pure."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from loadstone.results.schemas import Point, PointOperation
from loadstone.stats.histogram import QUANTILE_NAMES

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def points_table(points: Sequence[Point]) -> str:
    """RFC 4180, with a header line; empty cells where there is no value."""
    parameters = list(dict.fromkeys(name for point in points for name in point.parameters))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["point", *parameters, *OPERATION_COLUMNS])
    for point in points:
        bound = [_cell(point.parameters.get(name)) for name in parameters]
        for operation in [*point.operations, *([point.total] if point.total else [])]:
            writer.writerow([point.ordinal, *bound, *_operation_cells(operation)])
    return text.getvalue()


OPERATION_COLUMNS = (
    "operation",
    "trials_counted",
    "count",
    "errors",
    "throughput_per_s",
    "throughput_per_s_low",
    "throughput_per_s_high",
    *(f"response_time_{name}_ns" for name in QUANTILE_NAMES),
    *(f"service_time_{name}_ns" for name in QUANTILE_NAMES),
)


def _operation_cells(operation: PointOperation) -> Iterable[Any]:
    band = operation.band.throughput_per_s
    yield from (operation.operation, operation.trials_counted, operation.count, operation.errors)
    yield from (operation.throughput_per_s, band.low, band.high)
    yield from (getattr(operation.response_time_ns, name) for name in QUANTILE_NAMES)
    yield from (getattr(operation.service_time_ns, name) for name in QUANTILE_NAMES)


def _cell(value: Any) -> Any:
    """Spreadsheets execute text that begins like a formula; a leading quote makes it text again."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value
