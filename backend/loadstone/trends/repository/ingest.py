"""SQL that takes a run's points into their series."""

import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from loadstone.models import (
    Point,
    PointOperation,
    Run,
    Series,
    SeriesFacet,
    SeriesPoint,
    SeriesValue,
    StoreConfiguration,
    Trial,
    TrialMetric,
)

VALUES_A_STATEMENT = 5_000


def unanalysed_runs(session: Session, limit: int) -> Sequence[uuid.UUID]:
    """Runs measured here that have ended and whose points are not in their series yet, oldest first."""
    statement = (
        select(Run.id)
        .where(Run.analysed_at.is_(None), Run.finished_at.is_not(None), Run.origin == "local")
        .order_by(Run.finished_at)
        .limit(limit)
    )
    return session.scalars(statement).all()


def try_lock_unanalysed(session: Session, run_id: uuid.UUID) -> Run | None:
    """None when there is nothing to do, or someone else is doing it."""
    statement = (
        select(Run)
        .where(Run.id == run_id, Run.analysed_at.is_(None), Run.finished_at.is_not(None), Run.origin == "local")
        .with_for_update(skip_locked=True, key_share=True)
        .execution_options(populate_existing=True)
    )
    return session.scalars(statement).one_or_none()


def mark_analysed(session: Session, run_id: uuid.UUID) -> None:
    session.execute(update(Run).where(Run.id == run_id).values(analysed_at=datetime.now(UTC)))


def was_taken(session: Session, run_id: uuid.UUID) -> bool:
    """Were its points in series before?"""
    return session.scalar(select(SeriesPoint.point_id).where(SeriesPoint.run_id == run_id).limit(1)) is not None


def counted_points(session: Session, run_id: uuid.UUID) -> Sequence[Any]:
    """Of every point with a trial that counts: its series, parameters, how many count, and what the first ran on."""
    began = (
        select(Trial.point_id, func.min(Trial.started_at).label("at"))
        .where(Trial.run_id == run_id, Trial.status == "succeeded")
        .group_by(Trial.point_id)
        .subquery()
    )
    statement = (
        select(
            Point.id,
            Point.series_id,
            Point.parameters,
            func.coalesce(began.c.at, Trial.finished_at).label("at"),
            func.count().over(partition_by=Point.id).label("trials_counted"),
            Trial.engine_version,
            Trial.environment_id,
            Trial.store_configuration_id,
            StoreConfiguration.version.label("store_version"),
        )
        .join(Trial, Trial.point_id == Point.id)
        .join(began, began.c.point_id == Point.id)
        .outerjoin(StoreConfiguration, StoreConfiguration.id == Trial.store_configuration_id)
        .where(Point.run_id == run_id, Trial.run_id == run_id, Trial.is_counted, Point.series_id.is_not(None))
        .order_by(Point.ordinal, Trial.ordinal)
    )
    first: dict[uuid.UUID, Any] = {}
    for row in session.execute(statement):
        first.setdefault(row.id, row)
    return list(first.values())


def run_points(session: Session, run_id: uuid.UUID) -> Sequence[uuid.UUID]:
    return session.scalars(select(Point.id).where(Point.run_id == run_id)).all()


def series_of_run(session: Session, run_id: uuid.UUID) -> set[uuid.UUID]:
    """The series that the run's points are in, or were taken into before."""
    bound = select(Point.series_id).where(Point.run_id == run_id, Point.series_id.is_not(None))
    taken = select(SeriesPoint.series_id).where(SeriesPoint.run_id == run_id)
    return {found for found in session.scalars(bound.union(taken)) if found is not None}


def lock_series(session: Session, series_ids: Iterable[uuid.UUID]) -> Sequence[Series]:
    """In the order of their ids, so that two analyses never wait for each other in a ring."""
    statement = select(Series).where(Series.id.in_(list(series_ids))).order_by(Series.id).with_for_update()
    return session.scalars(statement.execution_options(populate_existing=True)).all()


def metric_rows(session: Session, run_id: uuid.UUID) -> Sequence[Any]:
    """Each metric of each point over the trials that count: mean, lowest, highest, how many."""
    statement = (
        select(
            TrialMetric.point_id,
            TrialMetric.operation,
            TrialMetric.metric,
            func.avg(TrialMetric.value).label("value"),
            func.min(TrialMetric.value).label("low"),
            func.max(TrialMetric.value).label("high"),
            func.count().label("trials_counted"),
        )
        .join(Trial, Trial.id == TrialMetric.trial_id)
        .where(Trial.run_id == run_id, Trial.is_counted)
        .where(TrialMetric.point_id.in_(select(Point.id).where(Point.run_id == run_id)))
        .group_by(TrialMetric.point_id, TrialMetric.operation, TrialMetric.metric)
    )
    return session.execute(statement).all()


def merged_quantiles(session: Session, run_id: uuid.UUID) -> Sequence[Any]:
    """Quantiles of the histograms merged over each point's trials."""
    statement = select(
        PointOperation.point_id,
        PointOperation.operation,
        PointOperation.response_time_ns,
        PointOperation.service_time_ns,
    ).where(PointOperation.run_id == run_id)
    return session.execute(statement).all()


def replace_points(
    session: Session, run_id: uuid.UUID, points: list[dict[str, Any]], values: list[dict[str, Any]]
) -> None:
    """What the run's points were before is forgotten."""
    ids = select(Point.id).where(Point.run_id == run_id)
    session.execute(delete(SeriesValue).where(SeriesValue.point_id.in_(ids)))
    session.execute(delete(SeriesPoint).where(SeriesPoint.run_id == run_id))
    if points:
        session.execute(insert(SeriesPoint), points)
    for start in range(0, len(values), VALUES_A_STATEMENT):
        session.execute(insert(SeriesValue), values[start : start + VALUES_A_STATEMENT])


def series_summary(session: Session, series_id: uuid.UUID) -> tuple[int, datetime | None, datetime | None, list[str]]:
    """Points, first and last instant, and store versions in the order they were first seen."""
    statement = (
        select(
            SeriesPoint.store_version,
            func.count().label("points"),
            func.min(SeriesPoint.at).label("first_at"),
            func.max(SeriesPoint.at).label("last_at"),
        )
        .where(SeriesPoint.series_id == series_id)
        .group_by(SeriesPoint.store_version)
        .order_by(func.min(SeriesPoint.at))
    )
    rows = session.execute(statement).all()
    if not rows:
        return 0, None, None, []
    versions = [row.store_version for row in rows if row.store_version is not None]
    return sum(row.points for row in rows), rows[0].first_at, max(row.last_at for row in rows), versions


def count_labels(session: Session, team_id: uuid.UUID, changes: dict[tuple[str, str], int]) -> None:
    """Adds to the counts of labels; one that no series carries any more goes."""
    rows = [
        {"team_id": team_id, "label": label, "value": value, "series_count": change}
        for (label, value), change in sorted(changes.items())
        if change
    ]
    if not rows:
        return
    statement = insert(SeriesFacet)
    added = SeriesFacet.series_count + statement.excluded.series_count
    session.execute(
        statement.on_conflict_do_update(index_elements=["team_id", "label", "value"], set_={"series_count": added}),
        rows,
    )
    session.execute(delete(SeriesFacet).where(SeriesFacet.team_id == team_id, SeriesFacet.series_count <= 0))
