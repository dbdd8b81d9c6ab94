"""What a visitor reads of comparisons, trends and dashboards. Every function asks the link first."""

import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from loadstone.comparisons import schemas as comparisons_schemas
from loadstone.comparisons import service as comparisons
from loadstone.dashboards import schemas as dashboards_schemas
from loadstone.dashboards import service as dashboards
from loadstone.db import UnitOfWork
from loadstone.errors import NotFound
from loadstone.exports import service as exports
from loadstone.paging import Page
from loadstone.runs import schemas as runs_schemas
from loadstone.sharing import subjects, visits
from loadstone.sharing.redaction import without_people
from loadstone.sharing.service import Visit
from loadstone.tables import Table
from loadstone.trends import schemas as trends_schemas
from loadstone.trends import service as trends


@dataclass(frozen=True)
class Values:
    series_ids: tuple[uuid.UUID, ...]
    metric: str
    operation: str
    since: datetime | None
    until: datetime | None


def _reach(unit: UnitOfWork, visit: Visit) -> subjects.Reach:
    return subjects.reach(unit, visit.share, visit.principal)


def _beyond() -> NotFound:
    return NotFound("This link does not show that.")


def evaluate(
    unit: UnitOfWork, visit: Visit, definition: comparisons_schemas.ComparisonDefinition
) -> comparisons_schemas.Comparison:
    """Each side must be one of the link's own, word for word. Raises NotFound and what evaluating raises."""
    sides = _reach(unit, visit).sides
    if any(side not in sides for side in (definition.base, *definition.contenders)):
        raise _beyond()
    return comparisons.evaluate(unit, visit.principal, definition)


def get_comparison(unit: UnitOfWork, visit: Visit, comparison_id: uuid.UUID) -> comparisons_schemas.SavedComparison:
    """Raises NotFound."""
    if comparison_id not in _reach(unit, visit).comparison_ids:
        raise _beyond()
    found = comparisons.get_comparison(unit, visit.principal, comparison_id)
    return found.model_copy(update={"created_by": None})


def list_series(unit: UnitOfWork, visit: Visit, labels: Sequence[str]) -> Page[trends_schemas.Series]:
    """Raises NotFound for labels that no panel names."""
    reach = _reach(unit, visit)
    if labels and frozenset(labels) not in reach.by_labels:
        raise _beyond()
    ids = reach.by_labels[frozenset(labels)] if labels else sorted(reach.series_ids)
    return Page(items=[trends.get_series(unit, visit.principal, one) for one in ids], next_cursor=None)


def get_series(unit: UnitOfWork, visit: Visit, series_id: uuid.UUID) -> trends_schemas.Series:
    """Raises NotFound."""
    _admit_series(unit, visit, [series_id])
    return trends.get_series(unit, visit.principal, series_id)


def _admit_series(unit: UnitOfWork, visit: Visit, series_ids: Sequence[uuid.UUID]) -> None:
    if not set(series_ids) <= _reach(unit, visit).series_ids:
        raise _beyond()


def get_neighbours(
    unit: UnitOfWork, visit: Visit, series_id: uuid.UUID, point_id: uuid.UUID
) -> trends_schemas.Neighbours:
    """Raises NotFound."""
    _admit_series(unit, visit, [series_id])
    return trends.neighbours(unit, visit.principal, series_id, point_id)


def list_values(unit: UnitOfWork, visit: Visit, wanted: Values, max_points: int) -> trends_schemas.SeriesValues:
    """Raises NotFound, UnknownMetric."""
    _admit_series(unit, visit, wanted.series_ids)
    found = trends.list_values(
        unit,
        visit.principal,
        wanted.series_ids,
        metric=wanted.metric,
        operation=wanted.operation,
        since=wanted.since,
        until=wanted.until,
        max_points=max_points,
    )
    return without_people(found)


def values_table(unit: UnitOfWork, visit: Visit, wanted: Values) -> Table:
    """Raises NotFound, UnknownMetric."""
    return exports.values_table(list_values(unit, visit, wanted, sys.maxsize))


def get_dashboard(unit: UnitOfWork, visit: Visit, dashboard_id: uuid.UUID) -> dashboards_schemas.Dashboard:
    """Raises NotFound."""
    if dashboard_id not in _reach(unit, visit).dashboard_ids:
        raise _beyond()
    return without_people(dashboards.get_dashboard(unit, visit.principal, dashboard_id))


def latest_run(unit: UnitOfWork, visit: Visit, plan_id: uuid.UUID) -> Page[runs_schemas.RunListItem]:
    """Of a plan that a panel follows; raises NotFound."""
    by_plan = _reach(unit, visit).by_plan
    if plan_id not in by_plan:
        raise _beyond()
    run_id = by_plan[plan_id]
    items: list[runs_schemas.RunListItem] = [visits.get_run(unit, visit, run_id)] if run_id else []
    return Page(items=items, next_cursor=None)
