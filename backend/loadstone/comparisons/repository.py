"""Reads what comparisons rest on, set by set; and saved comparisons."""

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Double, Uuid, any_, case, delete, func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session
from sqlalchemy.types import NullType

from loadstone.models import (
    Agent,
    Comparison,
    Environment,
    Point,
    PointOperation,
    Run,
    SeriesExclusion,
    SeriesPoint,
    StoreConfiguration,
    Trial,
    TrialDecision,
    TrialMetric,
)

Ids = Sequence[uuid.UUID]


def runs_of_points(session: Session, team_id: uuid.UUID, point_ids: Ids) -> dict[uuid.UUID, uuid.UUID]:
    statement = select(Point.id, Point.run_id).where(Point.team_id == team_id, Point.id.in_(point_ids))
    return {row[0]: row[1] for row in session.execute(statement)}


def find_runs(session: Session, team_id: uuid.UUID, run_ids: Ids) -> dict[uuid.UUID, tuple[Run, str | None]]:
    """Each with its agent's name."""
    statement = (
        select(Run, Agent.name)
        .outerjoin(Agent, Agent.id == Run.agent_id)
        .where(Run.team_id == team_id, Run.id.in_(run_ids))
    )
    return {row[0].id: (row[0], row[1]) for row in session.execute(statement)}


def points_of_runs(session: Session, run_ids: Ids) -> Sequence[Any]:
    """Rows of `id, run_id, parameters, target_index, series_id`, in order."""
    statement = (
        select(Point.id, Point.run_id, Point.parameters, Point.target_index, Point.series_id)
        .where(Point.run_id.in_(run_ids))
        .order_by(Point.run_id, Point.ordinal)
    )
    return session.execute(statement).all()


def _is_one_of(column: Any, ids: Ids) -> ColumnElement[bool]:
    """One array instead of thousands of parameters, which cost more to bind than the rows to find."""
    found: ColumnElement[bool] = column == any_(literal(list(ids), ARRAY(Uuid)))
    return found


def trial_facts(session: Session, point_ids: Ids) -> dict[int, Any]:
    """By point (its id as a number): how many trials there are and count, and on what those that succeeded ran."""
    succeeded = Trial.status == "succeeded"
    statement = (
        select(
            Trial.point_id,
            func.count().label("trial_count"),
            func.count().filter(succeeded).label("succeeded"),
            func.count().filter(Trial.is_counted).label("counted"),
            func.count().filter(Trial.trust == "void").label("void"),
            _distinct(func.concat_ws(" ", Trial.engine, Trial.engine_version)).filter(succeeded).label("engines"),
            _distinct(func.concat_ws(" ", Trial.engine, Trial.engine_version))
            .filter(Trial.is_counted)
            .label("counted_engines"),
            _distinct(Trial.histogram_digits).filter(Trial.is_counted).label("digits"),
            _distinct(Trial.environment_id).filter(succeeded).label("environments"),
            _distinct(Trial.store_configuration_id).filter(succeeded).label("configurations"),
        )
        .where(_is_one_of(Trial.point_id, point_ids))
        .group_by(Trial.point_id)
    )
    return {row.point_id.int: row for row in session.execute(statement)}


def _distinct(value: Any) -> Any:
    return _list(value.distinct())


def _list(value: Any) -> Any:
    """The driver makes lists of arrays; the processing that SQLAlchemy adds would cost more than the query."""
    return func.array_agg(value, type_=NullType())


def metric_values(
    session: Session, point_ids: Ids, operation: str, metrics: Sequence[str]
) -> dict[tuple[int, str], tuple[Sequence[int], Sequence[float]]]:
    """By point (its id as a number) and metric, in the order of execution: blocks and values of the counted trials."""
    by_ordinal = Trial.ordinal
    statement = (
        select(
            TrialMetric.point_id,
            TrialMetric.metric,
            _list(aggregate_order_by(Trial.block, by_ordinal)),
            _list(aggregate_order_by(TrialMetric.value, by_ordinal)),
        )
        .join(Trial, Trial.id == TrialMetric.trial_id)
        .where(_is_one_of(TrialMetric.point_id, point_ids), TrialMetric.operation == operation)
        .where(TrialMetric.metric.in_(metrics), _is_one_of(Trial.point_id, point_ids), Trial.is_counted)
        .group_by(TrialMetric.point_id, TrialMetric.metric)
    )
    return {(row[0].int, row[1]): (row[2], row[3]) for row in session.execute(statement)}


def lower_bounds(session: Session, point_ids: Ids, operation: str, metrics: Sequence[str]) -> set[tuple[int, str]]:
    """Points (their ids as numbers) and metrics of which a counted trial has a lower bound only."""
    statement = (
        select(TrialMetric.point_id, TrialMetric.metric)
        .distinct()
        .join(Trial, Trial.id == TrialMetric.trial_id)
        .where(_is_one_of(TrialMetric.point_id, point_ids), TrialMetric.operation == operation)
        .where(TrialMetric.metric.in_(metrics), TrialMetric.is_lower_bound, Trial.is_counted)
    )
    return {(row.point_id.int, row.metric) for row in session.execute(statement)}


def session_means(
    session: Session, series_ids: Ids, operation: str, metrics: Sequence[str], shares: Sequence[str], limit: int
) -> Sequence[Any]:
    """Rows of `series_id, metric, point_id, at, value`: the newest `limit` sessions of each series, in order of time.

    `value` is the mean over the trials that count of the logarithm, or of asin(sqrt) for shares; a percentile's is of
    the trials' own, as in `metric_values`. Sessions with a single trial and excluded points are left out.
    """
    place = func.row_number().over(partition_by=SeriesPoint.series_id, order_by=SeriesPoint.at.desc())
    excluded = select(SeriesExclusion.point_id).where(
        SeriesExclusion.series_id == SeriesPoint.series_id, SeriesExclusion.undone_at.is_(None)
    )
    newest = (
        select(SeriesPoint.series_id, SeriesPoint.point_id, SeriesPoint.at, place.label("place"))
        .where(_is_one_of(SeriesPoint.series_id, series_ids), SeriesPoint.point_id.not_in(excluded))
        .subquery()
    )
    is_share = TrialMetric.metric.in_(shares)
    scaled = case(
        (is_share, func.asin(func.sqrt(func.least(TrialMetric.value, 1.0)))),
        (TrialMetric.value > 0, func.ln(TrialMetric.value)),
    )
    statement = (
        select(newest.c.series_id, TrialMetric.metric, newest.c.point_id, newest.c.at, func.avg(scaled).label("value"))
        .join(TrialMetric, TrialMetric.point_id == newest.c.point_id)
        .join(Trial, Trial.id == TrialMetric.trial_id)
        .where(newest.c.place <= limit, TrialMetric.operation == operation, TrialMetric.metric.in_(metrics))
        .where(Trial.is_counted)
        .group_by(newest.c.series_id, TrialMetric.metric, newest.c.point_id, newest.c.at)
        .having(func.count(scaled) > 1)
        .order_by(newest.c.series_id, TrialMetric.metric, newest.c.at)
    )
    return session.execute(statement).all()


def merged_percentiles(
    session: Session, point_ids: Ids, operation: str, wanted: Sequence[tuple[str, str, str]]
) -> dict[tuple[int, str], float | None]:
    """By point (its id as a number) and metric, from merged histograms; `wanted` is `(metric, column, percentile)`."""
    columns = [getattr(PointOperation, column)[name].astext.cast(Double) for _, column, name in wanted]
    statement = select(PointOperation.point_id, *columns).where(
        _is_one_of(PointOperation.point_id, point_ids), PointOperation.operation == operation
    )
    return {
        (row[0].int, metric): value
        for row in session.execute(statement)
        for (metric, _, _), value in zip(wanted, row[1:], strict=True)
    }


def operations_of(session: Session, point_ids: Ids) -> Sequence[str]:
    statement = select(PointOperation.operation).where(_is_one_of(PointOperation.point_id, point_ids)).distinct()
    return session.scalars(statement.order_by(PointOperation.operation)).all()


def environments(session: Session, ids: Ids) -> dict[uuid.UUID, dict[str, Any]]:
    statement = select(Environment.id, Environment.inventory).where(Environment.id.in_(ids))
    return {row[0]: row[1] for row in session.execute(statement)}


def store_configurations(session: Session, ids: Ids) -> dict[uuid.UUID, StoreConfiguration]:
    statement = select(StoreConfiguration).where(StoreConfiguration.id.in_(ids))
    return {row.id: row for row in session.scalars(statement)}


def excluded_count(session: Session, run_id: uuid.UUID) -> int:
    """Trials of a run that a person left out."""
    statement = (
        select(func.count())
        .select_from(TrialDecision)
        .join(Trial, Trial.id == TrialDecision.trial_id)
        .where(Trial.run_id == run_id, TrialDecision.kind == "exclude", TrialDecision.undone_at.is_(None))
    )
    return session.scalar(statement) or 0


def list_comparisons(
    session: Session, team_id: uuid.UUID, before: uuid.UUID | None, limit: int
) -> Sequence[Comparison]:
    """Newest first."""
    statement = select(Comparison).where(Comparison.team_id == team_id)
    if before is not None:
        statement = statement.where(Comparison.id < before)
    return session.scalars(statement.order_by(Comparison.id.desc()).limit(limit)).all()


def find_comparison(session: Session, team_id: uuid.UUID, comparison_id: uuid.UUID) -> Comparison | None:
    statement = select(Comparison).where(Comparison.team_id == team_id, Comparison.id == comparison_id)
    return session.scalars(statement).one_or_none()


def delete_comparison(session: Session, comparison: Comparison) -> None:
    session.execute(delete(Comparison).where(Comparison.id == comparison.id))
