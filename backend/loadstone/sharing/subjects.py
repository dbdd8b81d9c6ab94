"""What a link shows, and which ids may be reached through it."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from loadstone.comparisons import service as comparisons
from loadstone.comparisons.schemas import ComparisonDefinition, Side
from loadstone.dashboards import service as dashboards
from loadstone.dashboards.schemas import ComparisonView, RunView, TrendView
from loadstone.db import UnitOfWork
from loadstone.models import Share
from loadstone.principal import Principal
from loadstone.runs import service as runs
from loadstone.sharing import repository, schemas
from loadstone.trends import service as trends

SERIES_OF_LABELS_MAX = 60
"""As many as the pages ask values of at once."""


@dataclass(frozen=True)
class Subject:
    """`id` is null where nothing was saved under one; `stored` is what the link keeps of it."""

    id: uuid.UUID | None
    name: str
    stored: dict[str, Any]


@dataclass
class Reach:
    """The ids that a link opens. Everything else is not there for its visitors."""

    run_ids: set[uuid.UUID] = field(default_factory=set)
    series_ids: set[uuid.UUID] = field(default_factory=set)
    comparison_ids: set[uuid.UUID] = field(default_factory=set)
    dashboard_ids: set[uuid.UUID] = field(default_factory=set)
    sides: list[Side] = field(default_factory=list)
    by_labels: dict[frozenset[str], list[uuid.UUID]] = field(default_factory=dict)
    """The series of a dashboard's panel that names labels."""
    by_plan: dict[uuid.UUID, uuid.UUID | None] = field(default_factory=dict)
    """The newest run of each plan that a panel of the dashboard follows."""


def resolve(unit: UnitOfWork, principal: Principal, wanted: schemas.CreateShare) -> Subject:
    """Raises NotFound when the principal's team has no such thing."""
    match wanted:
        case schemas.ShareRun():
            run = runs.find_run(unit, principal, wanted.subject.run_id)
            return Subject(run.id, run.name, _stored(wanted))
        case schemas.ShareComparison():
            return _comparison(unit, principal, wanted)
        case schemas.ShareTrend():
            found = [trends.get_series(unit, principal, one) for one in wanted.subject.series_ids]
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            return Subject(found[0].id if len(found) == 1 else None, found[0].title + more, _stored(wanted))
        case schemas.ShareDashboard():
            dashboard = dashboards.get_dashboard(unit, principal, wanted.subject.dashboard_id)
            return Subject(dashboard.id, dashboard.name, _stored(wanted))


def _stored(wanted: schemas.CreateShare) -> dict[str, Any]:
    return wanted.subject.model_dump(mode="json", exclude_none=True)


def _comparison(unit: UnitOfWork, principal: Principal, wanted: schemas.ShareComparison) -> Subject:
    """A saved one's question is kept with the link, so that visits need not look it up."""
    subject = wanted.subject
    if subject.comparison_id is not None:
        saved = comparisons.get_comparison(unit, principal, subject.comparison_id)
        definition = saved.definition.model_dump(mode="json", exclude_none=True)
        return Subject(saved.id, saved.name, {**_stored(wanted), "definition": definition})
    assert subject.definition is not None, "the schema asks for one of the two"
    sides = comparisons.resolve_sides(unit, principal, subject.definition)
    names = [side.run.name for side in sides]
    return Subject(None, " against ".join(dict.fromkeys(names))[:200], _stored(wanted))


def reach(unit: UnitOfWork, share: Share, visitor: Principal) -> Reach:
    """As things are now: a dashboard that was changed shows what it shows the team."""
    return _REACHES[share.kind](unit, share.subject, visitor)


def _run_reach(_unit: UnitOfWork, subject: dict[str, Any], _visitor: Principal) -> Reach:
    return Reach(run_ids={uuid.UUID(subject["run_id"])})


def _comparison_reach(_unit: UnitOfWork, subject: dict[str, Any], _visitor: Principal) -> Reach:
    definition = ComparisonDefinition.model_validate(subject["definition"])
    ids = {uuid.UUID(subject["comparison_id"])} if "comparison_id" in subject else set()
    return Reach(comparison_ids=ids, sides=[definition.base, *definition.contenders])


def _trend_reach(_unit: UnitOfWork, subject: dict[str, Any], _visitor: Principal) -> Reach:
    return Reach(series_ids={uuid.UUID(one) for one in subject["series_ids"]})


def _dashboard_reach(unit: UnitOfWork, subject: dict[str, Any], visitor: Principal) -> Reach:
    dashboard = dashboards.get_dashboard(unit, visitor, uuid.UUID(subject["dashboard_id"]))
    found = Reach(dashboard_ids={dashboard.id})
    for panel in dashboard.panels:
        match panel.view:
            case TrendView(series_ids=[], labels=labels):
                matching = _matching_series(unit, visitor, labels)
                found.by_labels[frozenset(labels)] = matching
                found.series_ids.update(matching)
            case TrendView(series_ids=series_ids):
                found.series_ids.update(series_ids)
            case RunView(run_id=run_id) if run_id is not None:
                found.run_ids.add(run_id)
            case RunView(plan_id=plan_id) if plan_id is not None:
                newest = repository.newest_run(unit.session, visitor.team_id, plan_id)
                found.by_plan[plan_id] = newest
                found.run_ids.update([newest] if newest else [])
            case ComparisonView(comparison_id=comparison_id):
                found.comparison_ids.add(comparison_id)
            case _:
                pass
    return found


def _matching_series(unit: UnitOfWork, visitor: Principal, labels: list[str]) -> list[uuid.UUID]:
    page = trends.list_series(
        unit,
        visitor,
        text=None,
        labels=labels,
        metric=None,
        operation=None,
        cursor=None,
        limit=SERIES_OF_LABELS_MAX,
    )
    return [series.id for series in page.items]


_REACHES: Mapping[str, Callable[[UnitOfWork, dict[str, Any], Principal], Reach]] = {
    "run": _run_reach,
    "comparison": _comparison_reach,
    "trend": _trend_reach,
    "dashboard": _dashboard_reach,
}
