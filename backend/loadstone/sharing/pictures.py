"""The pictures and the badge of a link, from the figures as they are now."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from loadstone.comparisons import kills
from loadstone.comparisons.schemas import Comparison, ComparisonDefinition
from loadstone.dashboards.schemas import ComparisonView, Panel, RunView, TextView, TrendView
from loadstone.db import UnitOfWork
from loadstone.errors import NotFound
from loadstone.sharing import figures, subjects, visits
from loadstone.sharing.badge import badge_svg
from loadstone.sharing.chart import Chart
from loadstone.sharing.figure_charts import comparison_badge, comparison_chart, trend_badge, trend_chart
from loadstone.sharing.kill_chart import kill_chart, kill_chart_badge
from loadstone.sharing.run_chart import Curve, run_badge, run_chart
from loadstone.sharing.service import Visit
from loadstone.stats.metrics import METRICS
from loadstone.trends.schemas import SeriesValues

POINTS_MAX = 500
SERIES_MAX = 10


@dataclass(frozen=True)
class Wanted:
    """What of the subject; what does not fit it is passed over."""

    curve: Curve | None = None
    """Of a run; what it is about when nothing says otherwise: what its kills took, else the throughput."""
    panel: str | None = None
    """Of a dashboard; its first one with a chart when left out."""


@dataclass(frozen=True)
class Figure:
    """What is drawn, and the same in two words."""

    chart: Chart
    label: str
    value: str


def chart(unit: UnitOfWork, visit: Visit, wanted: Wanted) -> Chart:
    """What to draw once the transaction has ended: a drawing would hold its connection. Raises NotFound."""
    return _figure(unit, visit, wanted).chart


def badge(unit: UnitOfWork, visit: Visit, wanted: Wanted) -> bytes:
    """Raises NotFound."""
    figure = _figure(unit, visit, wanted)
    return badge_svg(figure.label, figure.value).encode()


def _figure(unit: UnitOfWork, visit: Visit, wanted: Wanted) -> Figure:
    return _FIGURES[visit.share.kind](unit, visit, wanted)


def _run_figure(unit: UnitOfWork, visit: Visit, wanted: Wanted) -> Figure:
    run_id = uuid.UUID(visit.share.subject["run_id"])
    view = visit.share.view
    is_open = wanted.curve is None and view.get("metric") in (None, kills.LOST)
    return _run(unit, visit, run_id, view, None if is_open else wanted.curve or "throughput", visit.share.title)


def _run(
    unit: UnitOfWork, visit: Visit, run_id: uuid.UUID, view: dict[str, Any], curve: Curve | None, title: str
) -> Figure:
    """Without `curve`: what the run is about."""
    run, points = visits.get_run(unit, visit, run_id), visits.list_points(unit, visit, run_id).items
    killed = [point for point in points if kills.LOST in point.metrics]
    if curve is None and killed:
        said = visits.get_verdict(unit, visit, run_id).sentence
        return Figure(kill_chart(run, killed, view, title, said), *kill_chart_badge(run, killed, view))
    curve = curve or "throughput"
    return Figure(run_chart(run, points, view, curve, title), *run_badge(run, points, view, curve))


def _trend_figure(unit: UnitOfWork, visit: Visit, _wanted: Wanted) -> Figure:
    view = visit.share.view
    ids = [uuid.UUID(one) for one in visit.share.subject["series_ids"]]
    found = _values(unit, visit, ids, view.get("metric"), view.get("op"), view.get("days"))
    return _trend(found, visit.share.title)


def _values(
    unit: UnitOfWork, visit: Visit, series_ids: list[uuid.UUID], metric: Any, operation: Any, days: Any
) -> SeriesValues:
    """What the view leaves out, or says wrongly, is the page's own choice."""
    is_span = isinstance(days, int) and 1 <= days <= 36_600
    return figures.list_values(
        unit,
        visit,
        figures.Values(
            tuple(series_ids[:SERIES_MAX]),
            metric if isinstance(metric, str) and metric in METRICS else "throughput_per_s",
            operation if isinstance(operation, str) else "all",
            datetime.now(UTC) - timedelta(days=days) if is_span else None,
            None,
        ),
        POINTS_MAX,
    )


def _trend(found: SeriesValues, title: str) -> Figure:
    return Figure(trend_chart(found, title), *trend_badge(found, title))


def _comparison_figure(unit: UnitOfWork, visit: Visit, _wanted: Wanted) -> Figure:
    definition = ComparisonDefinition.model_validate(visit.share.subject["definition"])
    return _comparison(figures.evaluate(unit, visit, definition), visit.share.title)


def _comparison(found: Comparison, title: str) -> Figure:
    return Figure(comparison_chart(found, title), *comparison_badge(found))


def _dashboard_figure(unit: UnitOfWork, visit: Visit, wanted: Wanted) -> Figure:
    """Raises NotFound when no panel of it is a chart, or not the one that is wanted."""
    dashboard = figures.get_dashboard(unit, visit, uuid.UUID(visit.share.subject["dashboard_id"]))
    for panel in dashboard.panels:
        if not isinstance(panel.view, TextView) and wanted.panel in (None, panel.id):
            return _panel_figure(unit, visit, panel, panel.title or dashboard.name)
    raise NotFound("The dashboard has no such panel with a chart.")


def _panel_figure(unit: UnitOfWork, visit: Visit, panel: Panel, title: str) -> Figure:
    view = panel.view
    if isinstance(view, ComparisonView):
        return _comparison(figures.get_comparison(unit, visit, view.comparison_id).result, title)
    if isinstance(view, TrendView):
        by_labels = subjects.reach(unit, visit.share, visit.principal).by_labels
        ids = view.series_ids or by_labels[frozenset(view.labels)]
        if not ids:
            raise NotFound("No trend has the labels of this panel yet.")
        return _trend(_values(unit, visit, ids, view.metric, view.operation, view.days), title)
    assert isinstance(view, RunView), "a text has no chart"
    return _run_panel_figure(unit, visit, view, title)


def _run_panel_figure(unit: UnitOfWork, visit: Visit, view: RunView, title: str) -> Figure:
    run_id = view.run_id
    if run_id is None and view.plan_id is not None:
        run_id = subjects.reach(unit, visit.share, visit.principal).by_plan[view.plan_id]
    if run_id is None:
        raise NotFound("The plan of this panel has no run that ended yet.")
    curve: Curve = "throughput" if view.metric == "throughput_per_s" else "response_time"
    return _run(unit, visit, run_id, {"axis": view.axis, "op": view.operation}, curve, title)


_FIGURES: Mapping[str, Callable[[UnitOfWork, Visit, Wanted], Figure]] = {
    "run": _run_figure,
    "comparison": _comparison_figure,
    "trend": _trend_figure,
    "dashboard": _dashboard_figure,
}
