"""Series: lists, values, neighbours, exclusions and annotations."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from loadstone import models
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import Conflict, InvalidInput, NotFound
from loadstone.paging import InvalidCursor, Page, decode_cursor, decode_id_cursor, make_page
from loadstone.principal import Principal
from loadstone.results.downsample import keep_extremes
from loadstone.stats.metrics import METRICS
from loadstone.trends import schemas, views
from loadstone.trends.analysis import judge_series
from loadstone.trends.differences import differences
from loadstone.trends.repository import series as repository

FACET_VALUES_MAX = 50
SERIES_MAX = 60


class UnknownMetric(InvalidInput):
    code = "unknown_metric"
    title = "There is no such metric"


class BadLabel(InvalidInput):
    code = "bad_label"
    title = "The label cannot be read"


class PointExcluded(Conflict):
    code = "point_excluded"
    title = "The point is excluded already"


def list_series(
    unit: UnitOfWork,
    principal: Principal,
    *,
    text: str | None,
    labels: Sequence[str],
    metric: str | None,
    operation: str | None,
    cursor: str | None,
    limit: int,
) -> Page[schemas.Series]:
    """Newest value first; raises InvalidCursor, BadLabel, UnknownMetric."""
    if metric is not None:
        metric_info(metric)
    found = repository.list_series(
        unit.session,
        principal.team_id,
        text=text,
        labels=_parse_labels(labels),
        before=_decode_place(cursor),
        limit=limit + 1,
    )
    changes = repository.last_changes(unit.session, [series.id for series in found], metric, operation)
    return make_page(
        found,
        limit,
        key=lambda series: f"{series.last_at.isoformat()} {series.id}" if series.last_at else "",
        render=lambda series: views.series(series, changes.get(series.id)),
    )


def _parse_labels(labels: Sequence[str]) -> dict[str, list[str]]:
    """`name:value`; a value may hold colons itself."""
    wanted: dict[str, list[str]] = {}
    for label in labels:
        name, colon, value = label.partition(":")
        if not (name and colon):
            raise BadLabel("Write a label as name:value, such as profile:default.", path="label")
        wanted.setdefault(name, []).append(value)
    return wanted


def _decode_place(cursor: str | None) -> tuple[datetime, uuid.UUID] | None:
    if cursor is None:
        return None
    try:
        instant, _, series_id = decode_cursor(cursor)[0].partition(" ")
        at = datetime.fromisoformat(instant)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)), uuid.UUID(series_id)
    except ValueError as error:
        raise InvalidCursor("Start again from the first page.", path="cursor") from error


def get_series(unit: UnitOfWork, principal: Principal, series_id: uuid.UUID) -> schemas.Series:
    """Raises NotFound."""
    series = find_series(unit, principal, series_id)
    return views.series(series, repository.last_changes(unit.session, [series.id], None, None).get(series.id))


def find_series(unit: UnitOfWork, principal: Principal, series_id: uuid.UUID) -> models.Series:
    """Raises NotFound, also for another team's series."""
    series = repository.find_series(unit.session, principal.team_id, series_id)
    if series is None:
        raise NotFound("There is no such series.")
    return series


def list_facets(unit: UnitOfWork, principal: Principal) -> schemas.Facets:
    """How many series carry each label, over the whole team."""
    rows = repository.facets(unit.session, principal.team_id, FACET_VALUES_MAX)
    return schemas.Facets(
        facets=[
            schemas.Facet(
                label=label,
                values=[schemas.FacetValue(value=row.value, count=row.series_count) for row in group],
            )
            for label, group in groupby(rows, key=lambda row: row.label)
        ]
    )


def metric_info(name: str) -> schemas.MetricInfo:
    """Raises UnknownMetric."""
    metric = METRICS.get(name)
    if metric is None:
        raise UnknownMetric(f"Choose one of {', '.join(METRICS)}.", path="metric")
    return schemas.MetricInfo(name=metric.name, title=metric.title, unit=metric.unit, better=metric.better)


def list_values(
    unit: UnitOfWork,
    principal: Principal,
    series_ids: Sequence[uuid.UUID],
    *,
    metric: str,
    operation: str,
    since: datetime | None,
    until: datetime | None,
    max_points: int,
) -> schemas.SeriesValues:
    """Values and marks of several series, in the order asked for; raises NotFound, UnknownMetric."""
    info = metric_info(metric)
    known = repository.series_by_id(unit.session, principal.team_id, series_ids)
    if len(known) < len(set(series_ids)):
        raise NotFound("There is no such series.", path="series_id")
    ids = list(dict.fromkeys(series_ids))
    values = _grouped(repository.values_of(unit.session, ids, metric, operation, since, until))
    changes = _grouped(repository.changes_of(unit.session, ids, metric, operation), lambda row: row[0].series_id)
    exclusions = _grouped(repository.exclusions_of(unit.session, ids), lambda row: row[0].series_id)
    annotations = repository.annotations_between(unit.session, principal.team_id, since, until)
    lines = [
        _Line(known[one], values.get(one, []), changes.get(one, []), exclusions.get(one, []), max_points) for one in ids
    ]
    facts = repository.point_facts(unit.session, [row.point_id for line in lines for row in line.kept])
    return schemas.SeriesValues(
        metric=info, operation=operation, items=[line.render(facts, annotations) for line in lines]
    )


def _grouped(rows: Iterable[Any], key: Any = lambda row: row.series_id) -> dict[uuid.UUID, list[Any]]:
    groups: dict[uuid.UUID, list[Any]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


class _Line:
    """One series of a chart: thinned out, but with all that is marked."""

    def __init__(
        self, series: models.Series, rows: list[Any], changes: list[Any], exclusions: list[Any], max_points: int
    ) -> None:
        self.series = series
        self.changes = [row for row in changes if any(value.point_id == row[0].point_id for value in rows)]
        self.exclusions = {row[0].point_id: views.exclusion(*row) for row in exclusions}
        self.value_count = len(rows)
        marked = {row[0].point_id for row in self.changes} | self.exclusions.keys()
        thin = keep_extremes(rows, max_points, (lambda row: row.value, lambda row: row.low, lambda row: row.high))
        kept = {row.point_id for row in thin} | marked
        self.kept = [row for row in rows if row.point_id in kept]

    def render(self, facts: Mapping[uuid.UUID, Any], annotations: Iterable[Any]) -> schemas.SeriesLine:
        labels = self.series.labels.items()
        return schemas.SeriesLine(
            series=views.series_ref(self.series),
            values=[views.value(row, facts[row.point_id], self.exclusions.get(row.point_id)) for row in self.kept],
            value_count=self.value_count,
            downsampled=len(self.kept) < self.value_count,
            change_points=[views.change_point(*row) for row in self.changes],
            annotations=[views.annotation(*row) for row in annotations if row[0].labels.items() <= labels],
        )


def neighbours(unit: UnitOfWork, principal: Principal, series_id: uuid.UUID, point_id: uuid.UUID) -> schemas.Neighbours:
    """What changed between a point and the one before it; raises NotFound."""
    after = _find_point(unit, find_series(unit, principal, series_id), point_id)
    before = repository.point_before(unit.session, after)
    names = repository.run_names(unit.session, [point.run_id for point in (before, after) if point])
    return schemas.Neighbours(
        before=views.point_ref(before, names) if before else None,
        after=views.point_ref(after, names),
        differences=point_differences(unit, before, after) if before else [],
    )


def _find_point(unit: UnitOfWork, series: models.Series, point_id: uuid.UUID) -> models.SeriesPoint:
    point = repository.find_point(unit.session, series.id, point_id)
    if point is None:
        raise NotFound("The series has no such point.", path="point_id")
    return point


def point_differences(
    unit: UnitOfWork, before: models.SeriesPoint, after: models.SeriesPoint
) -> list[schemas.NeighbourDifference]:
    """Store version, effective configuration, environment, engine: the likeliest causes first."""
    found = list(differences("store_version", {"store": before.store_version}, {"store": after.store_version}))
    if before.store_configuration_id != after.store_configuration_id:
        sides = [repository.store_settings(unit.session, one.store_configuration_id) for one in (before, after)]
        found += differences("configuration", *sides)
    if before.environment_id != after.environment_id:
        sides = [repository.inventory(unit.session, one.environment_id) for one in (before, after)]
        found += differences("environment", *sides)
    return [*found, *differences("engine", {"engine": before.engine_version}, {"engine": after.engine_version})]


def exclude_point(
    unit: UnitOfWork, principal: Principal, series_id: uuid.UUID, body: schemas.WriteExclusion
) -> schemas.Exclusion:
    """The point judges nothing from now on; raises NotFound, PointExcluded."""
    series = find_series(unit, principal, series_id)
    point = _find_point(unit, series, body.point_id)
    if repository.standing_exclusion(unit.session, series.id, point.point_id):
        raise PointExcluded("Undo the other exclusion first.", path="point_id")
    row = models.SeriesExclusion(
        team_id=principal.team_id,
        series_id=series.id,
        point_id=point.point_id,
        reason=body.reason,
        created_by=principal.user_id,
        created_at=datetime.now(UTC),
    )
    unit.session.add(row)
    unit.session.flush()
    audit.record(unit, principal, "point_excluded", "series", series.id, {"point_id": str(point.point_id)})
    judge_series(unit, series, None, is_revised=True)
    return views.exclusion(row, principal.user_name)


def undo_exclusion(unit: UnitOfWork, principal: Principal, series_id: uuid.UUID, exclusion_id: uuid.UUID) -> None:
    """The point counts again; raises NotFound."""
    series = find_series(unit, principal, series_id)
    row = repository.find_exclusion(unit.session, series.id, exclusion_id)
    if row is None:
        raise NotFound("There is no such exclusion, or it was undone already.")
    row.undone_by, row.undone_at = principal.user_id, datetime.now(UTC)
    unit.session.flush()
    audit.record(unit, principal, "point_exclusion_undone", "series", series.id, {"point_id": str(row.point_id)})
    judge_series(unit, series, None, is_revised=True)


def list_annotations(
    unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int
) -> Page[schemas.Annotation]:
    """The last written first; raises InvalidCursor."""
    rows = repository.list_annotations(unit.session, principal.team_id, decode_id_cursor(cursor), limit + 1)
    return make_page(rows, limit, key=lambda row: row[0].id, render=lambda row: views.annotation(*row))


def annotate(unit: UnitOfWork, principal: Principal, body: schemas.WriteAnnotation) -> schemas.Annotation:
    now = datetime.now(UTC)
    row = models.Annotation(
        team_id=principal.team_id,
        created_by=principal.user_id,
        created_at=now,
        updated_at=now,
        **body.model_dump(),
    )
    unit.session.add(row)
    unit.session.flush()
    audit.record(unit, principal, "annotation_written", "annotation", row.id, {"title": row.title})
    return views.annotation(row, principal.user_name)


def change_annotation(
    unit: UnitOfWork, principal: Principal, annotation_id: uuid.UUID, body: schemas.WriteAnnotation
) -> schemas.Annotation:
    """Raises NotFound."""
    row, author = _find_annotation(unit, principal, annotation_id)
    for name, value in body.model_dump().items():
        setattr(row, name, value)
    row.updated_at = datetime.now(UTC)
    audit.record(unit, principal, "annotation_changed", "annotation", row.id, {"title": row.title})
    return views.annotation(row, author)


def delete_annotation(unit: UnitOfWork, principal: Principal, annotation_id: uuid.UUID) -> None:
    """Raises NotFound."""
    row, _ = _find_annotation(unit, principal, annotation_id)
    audit.record(unit, principal, "annotation_deleted", "annotation", row.id, {"title": row.title})
    unit.session.delete(row)


def _find_annotation(
    unit: UnitOfWork, principal: Principal, annotation_id: uuid.UUID
) -> tuple[models.Annotation, str | None]:
    found = repository.find_annotation(unit.session, principal.team_id, annotation_id)
    if found is None:
        raise NotFound("There is no such annotation.")
    return found
