"""SQL that reads series, their values and what is marked on them. Values are reached through series of the team."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, or_, select, tuple_
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from loadstone.models import (
    Alert,
    Annotation,
    ChangePoint,
    Environment,
    Run,
    Series,
    SeriesExclusion,
    SeriesFacet,
    SeriesPoint,
    SeriesValue,
    StoreConfiguration,
    User,
)

ANNOTATIONS_MAX = 1_000


def find_series(session: Session, team_id: uuid.UUID, series_id: uuid.UUID) -> Series | None:
    return session.scalars(select(Series).where(Series.team_id == team_id, Series.id == series_id)).one_or_none()


def series_by_id(session: Session, team_id: uuid.UUID, ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Series]:
    statement = select(Series).where(Series.team_id == team_id, Series.id.in_(set(ids)))
    return {series.id: series for series in session.scalars(statement)}


def list_series(
    session: Session,
    team_id: uuid.UUID,
    *,
    text: str | None,
    labels: Mapping[str, Sequence[str]],
    before: tuple[datetime, uuid.UUID] | None,
    limit: int,
) -> Sequence[Series]:
    """Newest value first. A label's values are alternatives; all labels must hold."""
    statement = select(Series).where(Series.team_id == team_id, Series.last_at.is_not(None))
    if text:
        statement = statement.where(Series.title.icontains(text, autoescape=True))
    for name, values in labels.items():
        statement = statement.where(or_(*(Series.labels.contains({name: value}) for value in values)))
    if before:
        statement = statement.where(tuple_(Series.last_at, Series.id) < before)
    return session.scalars(statement.order_by(Series.last_at.desc(), Series.id.desc()).limit(limit)).all()


def facets(session: Session, team_id: uuid.UUID, values_max: int) -> Sequence[Any]:
    """Rows of `label, value, series_count`, the commonest values of each label first."""
    place = (
        func.row_number()
        .over(partition_by=SeriesFacet.label, order_by=(SeriesFacet.series_count.desc(), SeriesFacet.value))
        .label("place")
    )
    ranked = (
        select(SeriesFacet.label, SeriesFacet.value, SeriesFacet.series_count, place)
        .where(SeriesFacet.team_id == team_id)
        .subquery()
    )
    return session.execute(
        select(ranked).where(ranked.c.place <= values_max).order_by(ranked.c.label, ranked.c.place)
    ).all()


def last_changes(
    session: Session, series_ids: Iterable[uuid.UUID], metric: str | None, operation: str | None
) -> dict[uuid.UUID, tuple[ChangePoint, str]]:
    """Each series' newest change point that stands, and its alert's state."""
    statement = _changes().where(ChangePoint.series_id.in_(list(series_ids)), Alert.state != "false")
    if metric:
        statement = statement.where(ChangePoint.metric == metric)
    if operation:
        statement = statement.where(ChangePoint.operation == operation)
    ordered = statement.ext(distinct_on(ChangePoint.series_id)).order_by(
        ChangePoint.series_id, ChangePoint.at.desc(), ChangePoint.id.desc()
    )
    return {row[0].series_id: (row[0], row[1]) for row in session.execute(ordered)}


def _changes() -> Select[ChangePoint, str]:
    return (
        select(ChangePoint, Alert.state)
        .join(Alert, Alert.id == ChangePoint.alert_id)
        .where(ChangePoint.withdrawn_at.is_(None))
    )


def changes_of(
    session: Session, series_ids: Iterable[uuid.UUID], metric: str, operation: str
) -> Sequence[tuple[ChangePoint, str]]:
    """Change points that stand, in the order of time, with their alerts' states."""
    statement = _changes().where(
        ChangePoint.series_id.in_(list(series_ids)), ChangePoint.metric == metric, ChangePoint.operation == operation
    )
    return [(row[0], row[1]) for row in session.execute(statement.order_by(ChangePoint.at, ChangePoint.id))]


def values_of(
    session: Session,
    series_ids: Sequence[uuid.UUID],
    metric: str,
    operation: str,
    since: datetime | None,
    until: datetime | None,
) -> Sequence[Any]:
    """Rows of `series_id, at, point_id, value, low, high, trials_counted`, in the order of time."""
    statement = select(
        SeriesValue.series_id,
        SeriesValue.at,
        SeriesValue.point_id,
        SeriesValue.value,
        SeriesValue.low,
        SeriesValue.high,
        SeriesValue.trials_counted,
    ).where(SeriesValue.series_id.in_(series_ids), SeriesValue.metric == metric, SeriesValue.operation == operation)
    if since:
        statement = statement.where(SeriesValue.at >= since)
    if until:
        statement = statement.where(SeriesValue.at <= until)
    return session.execute(statement.order_by(SeriesValue.series_id, SeriesValue.at, SeriesValue.point_id)).all()


def point_facts(session: Session, point_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Any]:
    """By which run and on what each point was measured."""
    statement = (
        select(
            SeriesPoint.point_id,
            SeriesPoint.run_id,
            Run.name.label("run_name"),
            SeriesPoint.store_version,
            SeriesPoint.engine_version,
            SeriesPoint.environment_id,
        )
        .join(Run, Run.id == SeriesPoint.run_id)
        .where(SeriesPoint.point_id.in_(point_ids))
    )
    return {row.point_id: row for row in session.execute(statement)}


def exclusions_of(session: Session, series_ids: Sequence[uuid.UUID]) -> Sequence[tuple[SeriesExclusion, str | None]]:
    """Those that stand, with their author's name."""
    statement = (
        select(SeriesExclusion, User.name)
        .outerjoin(User, User.id == SeriesExclusion.created_by)
        .where(SeriesExclusion.series_id.in_(series_ids), SeriesExclusion.undone_at.is_(None))
    )
    return [(row[0], row[1]) for row in session.execute(statement)]


def find_exclusion(session: Session, series_id: uuid.UUID, exclusion_id: uuid.UUID) -> SeriesExclusion | None:
    """Standing only."""
    statement = select(SeriesExclusion).where(
        SeriesExclusion.series_id == series_id,
        SeriesExclusion.id == exclusion_id,
        SeriesExclusion.undone_at.is_(None),
    )
    return session.scalars(statement.with_for_update()).one_or_none()


def standing_exclusion(session: Session, series_id: uuid.UUID, point_id: uuid.UUID) -> SeriesExclusion | None:
    statement = select(SeriesExclusion).where(
        SeriesExclusion.series_id == series_id,
        SeriesExclusion.point_id == point_id,
        SeriesExclusion.undone_at.is_(None),
    )
    return session.scalars(statement).one_or_none()


def find_point(session: Session, series_id: uuid.UUID, point_id: uuid.UUID) -> SeriesPoint | None:
    statement = select(SeriesPoint).where(SeriesPoint.series_id == series_id, SeriesPoint.point_id == point_id)
    return session.scalars(statement).one_or_none()


def point_before(session: Session, point: SeriesPoint) -> SeriesPoint | None:
    """The newest point of the same series before this one."""
    statement = (
        select(SeriesPoint)
        .where(SeriesPoint.series_id == point.series_id)
        .where(tuple_(SeriesPoint.at, SeriesPoint.point_id) < (point.at, point.point_id))
        .order_by(SeriesPoint.at.desc(), SeriesPoint.point_id.desc())
        .limit(1)
    )
    return session.scalars(statement).one_or_none()


def run_names(session: Session, run_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    statement = select(Run.id, Run.name).where(Run.id.in_(set(run_ids)))
    return {row[0]: row[1] for row in session.execute(statement)}


def inventory(session: Session, environment_id: uuid.UUID | None) -> Mapping[str, Any]:
    row = session.get(Environment, environment_id) if environment_id else None
    return row.inventory if row else {}


def store_settings(session: Session, configuration_id: uuid.UUID | None) -> Mapping[str, Any]:
    row = session.get(StoreConfiguration, configuration_id) if configuration_id else None
    return row.settings if row else {}


def annotations_between(
    session: Session, team_id: uuid.UUID, since: datetime | None, until: datetime | None
) -> Sequence[tuple[Annotation, str | None]]:
    """The newest, in the order of time, with their author's name."""
    statement = (
        select(Annotation, User.name)
        .outerjoin(User, User.id == Annotation.created_by)
        .where(Annotation.team_id == team_id)
    )
    if since:
        statement = statement.where(Annotation.at >= since)
    if until:
        statement = statement.where(Annotation.at <= until)
    rows = session.execute(statement.order_by(Annotation.at.desc(), Annotation.id.desc()).limit(ANNOTATIONS_MAX)).all()
    return [(row[0], row[1]) for row in reversed(rows)]


def list_annotations(
    session: Session, team_id: uuid.UUID, before: uuid.UUID | None, limit: int
) -> Sequence[tuple[Annotation, str | None]]:
    """Newest first, by when they were written."""
    statement = (
        select(Annotation, User.name)
        .outerjoin(User, User.id == Annotation.created_by)
        .where(Annotation.team_id == team_id)
    )
    if before:
        statement = statement.where(Annotation.id < before)
    return [(row[0], row[1]) for row in session.execute(statement.order_by(Annotation.id.desc()).limit(limit))]


def find_annotation(
    session: Session, team_id: uuid.UUID, annotation_id: uuid.UUID
) -> tuple[Annotation, str | None] | None:
    statement = (
        select(Annotation, User.name)
        .outerjoin(User, User.id == Annotation.created_by)
        .where(Annotation.team_id == team_id, Annotation.id == annotation_id)
    )
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None
