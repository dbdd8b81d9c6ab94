"""Points and seconds as tables: one line an operation, parameters first. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadstone.results.points import OF_OPERATIONS
from loadstone.results.quantiles import Bound
from loadstone.results.schemas import Point, PointOperation, Sample
from loadstone.results.telemetry_schemas import TelemetryItem, TelemetryMark
from loadstone.stats.histogram import QUANTILE_NAMES
from loadstone.tables import Table, columns_of

TIME_COLUMNS = (
    *(f"response_time_{name}_ns" for name in QUANTILE_NAMES),
    *(f"service_time_{name}_ns" for name in QUANTILE_NAMES),
    "unanswered",
    *(f"response_time_{name}" for name in ("bounds", "void")),
    *(f"service_time_{name}" for name in ("bounds", "void")),
)
OPERATION_COLUMNS = (
    "operation",
    "trials_counted",
    "count",
    "errors",
    "error_share",
    "errors_by_class",
    "throughput_per_s",
    "throughput_per_s_low",
    "throughput_per_s_high",
    *OF_OPERATIONS,
    *TIME_COLUMNS,
)
SECOND_COLUMNS = (
    *("seq", "phase", "at", "elapsed_s", "duration_s", "in_flight", "operation", "count", "throughput_per_s"),
    *("late", "errors", "hits", "misses"),
    *TIME_COLUMNS,
)

STORE_COLUMNS = ("store_memory_bytes", "store_children_memory_bytes", "store_disk_bytes", "store_cpu_cores")
TELEMETRY_COLUMNS = ("agent_id", "seq", "phase", "at", "elapsed_s", "duration_s", *STORE_COLUMNS)
EVENT_COLUMNS = ("agent_id", "seq", "kind", "at", "elapsed_s", "duration_s", "title", "detail")


def points_table(points: Sequence[Point]) -> Table:
    """`all` is the merge over operations."""
    parameters = columns_of(point.parameters for point in points)
    rows = [
        [point.ordinal, *(point.parameters.get(name) for name in parameters), *_operation_cells(operation)]
        for point in points
        for operation in [*point.operations, *([point.total] if point.total else [])]
    ]
    return Table(["point", *parameters, *OPERATION_COLUMNS], rows)


def _operation_cells(operation: PointOperation) -> Iterable[Any]:
    band = operation.band.throughput_per_s
    yield from (operation.operation, operation.trials_counted, operation.count, operation.errors)
    yield from (_error_share(operation), _by_class(operation.errors_by_class))
    yield from (operation.throughput_per_s, band.low, band.high)
    yield from (getattr(operation, name) for name in OF_OPERATIONS)
    yield from _times(operation)


def _error_share(operation: PointOperation) -> float | None:
    """Of all that were sent and ended: `count` are those that were answered."""
    ended = operation.count + operation.errors
    return operation.errors / ended if ended else None


def _by_class(errors: Mapping[str, int]) -> str | None:
    """`timeout=12 refused=3`, the most frequent first; empty where nothing failed."""
    return " ".join(f"{name}={count}" for name, count in sorted(errors.items(), key=lambda one: -one[1])) or None


def _times(operation: Any) -> Iterable[Any]:
    yield from (getattr(operation.response_time_ns, name) for name in QUANTILE_NAMES)
    yield from (getattr(operation.service_time_ns, name) for name in QUANTILE_NAMES)
    yield _by_class(operation.unanswered)
    for quantiles in (operation.response_time_ns, operation.service_time_ns):
        yield " ".join(_bound(name, bound) for name, bound in quantiles.bounds.items()) or None
        yield " ".join(f"{name}={void.code}" for name, void in quantiles.void.items()) or None


def _bound(name: str, bound: Bound) -> str:
    """`p99=at_least p95=to:1200000`; a quantile that is not named is exact."""
    return f"{name}=at_least" if bound.to_ns is None else f"{name}=to:{bound.to_ns}"


def seconds_table(samples: Sequence[Sample]) -> Table:
    rows = [
        [
            *(sample.seq, sample.phase, sample.at.isoformat(), sample.elapsed_s, sample.duration_s, sample.in_flight),
            *(one.operation, one.count, one.throughput_per_s, one.late, one.errors, one.hits, one.misses),
            *_times(one),
        ]
        for sample in samples
        for one in sample.operations
    ]
    return Table(SECOND_COLUMNS, rows)


def telemetry_table(items: Sequence[TelemetryItem]) -> Table:
    """Counters of the store as `store.NAME`, numbers of the host as `host.NAME`; empty where one could not be read."""
    counters, numbers = columns_of(item.store for item in items), columns_of(item.host or {} for item in items)
    rows = [
        [
            *(str(item.agent_id), item.seq, item.phase, item.at.isoformat(), item.elapsed_s, item.duration_s),
            *(getattr(item, name) for name in STORE_COLUMNS),
            *(item.store.get(name) for name in counters),
            *((item.host or {}).get(name) for name in numbers),
        ]
        for item in items
    ]
    named = [*(f"store.{name}" for name in counters), *(f"host.{name}" for name in numbers)]
    return Table([*TELEMETRY_COLUMNS, *named], rows)


def events_table(events: Sequence[TelemetryMark]) -> Table:
    rows = [
        [
            *(str(one.agent_id), one.seq, one.kind, one.at.isoformat(), one.elapsed_s, one.duration_s),
            *(one.title, one.detail),
        ]
        for one in events
    ]
    return Table(EVENT_COLUMNS, rows)
