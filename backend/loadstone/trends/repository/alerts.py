"""SQL of change points and alerts."""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, or_, select, tuple_
from sqlalchemy.orm import Session

from loadstone.models import (
    Alert,
    AlertEvent,
    ChangePoint,
    Membership,
    Point,
    Run,
    Series,
    SeriesExclusion,
    SeriesPoint,
    SeriesValue,
    Trial,
    TrialMetric,
    User,
)


def newest_values(
    session: Session, series_id: uuid.UUID, metric: str, operation: str, since: datetime | None, limit: int
) -> list[Any]:
    """Rows of `at, point_id, value` that nobody excluded, in the order of time; the newest `limit`."""
    excluded = select(SeriesExclusion.point_id).where(
        SeriesExclusion.series_id == series_id, SeriesExclusion.undone_at.is_(None)
    )
    statement = (
        select(SeriesValue.at, SeriesValue.point_id, SeriesValue.value)
        .where(SeriesValue.series_id == series_id, SeriesValue.metric == metric, SeriesValue.operation == operation)
        .where(SeriesValue.point_id.not_in(excluded))
    )
    if since:
        statement = statement.where(SeriesValue.at >= since)
    ordered = statement.order_by(SeriesValue.at.desc(), SeriesValue.point_id.desc()).limit(limit)
    return list(reversed(session.execute(ordered).all()))


def standing_changes(session: Session, series_id: uuid.UUID) -> Sequence[tuple[ChangePoint, Alert]]:
    """All metrics' change points that are not withdrawn, with their alerts, in the order of time."""
    statement = (
        select(ChangePoint, Alert)
        .join(Alert, Alert.id == ChangePoint.alert_id)
        .where(ChangePoint.series_id == series_id, ChangePoint.withdrawn_at.is_(None))
        .order_by(ChangePoint.at, ChangePoint.id)
    )
    return [(row[0], row[1]) for row in session.execute(statement)]


def alert_rows(
    session: Session,
    team_id: uuid.UUID,
    *,
    states: Sequence[str] = (),
    owner_id: uuid.UUID | None = None,
    series_id: uuid.UUID | None = None,
    snoozed: tuple[bool, datetime] | None = None,
    before: uuid.UUID | None = None,
    limit: int,
) -> Sequence[Any]:
    """Rows of `Alert, title, labels, run_id, run_name, owner_name`, newest first."""
    statement = _alerts().where(Alert.team_id == team_id)
    if states:
        statement = statement.where(Alert.state.in_(states))
    if owner_id:
        statement = statement.where(Alert.owner_id == owner_id)
    if series_id:
        statement = statement.where(Alert.series_id == series_id)
    if snoozed:
        is_snoozed, now = snoozed
        awake = or_(Alert.snoozed_until.is_(None), Alert.snoozed_until <= now)
        statement = statement.where(~awake if is_snoozed else awake)
    if before:
        statement = statement.where(Alert.id < before)
    return session.execute(statement.order_by(Alert.id.desc()).limit(limit)).all()


def _alerts() -> Select[Any]:
    return (
        select(
            Alert,
            Series.title,
            Series.labels,
            Run.id.label("run_id"),
            Run.name.label("run_name"),
            User.name.label("owner_name"),
        )
        .join(Series, Series.id == Alert.series_id)
        .join(Point, Point.id == Alert.point_id)
        .join(Run, Run.id == Point.run_id)
        .outerjoin(User, User.id == Alert.owner_id)
    )


def alert_row(session: Session, team_id: uuid.UUID, alert_id: uuid.UUID) -> Any | None:
    return session.execute(_alerts().where(Alert.team_id == team_id, Alert.id == alert_id)).one_or_none()


def lock_alert(session: Session, team_id: uuid.UUID, alert_id: uuid.UUID) -> Alert | None:
    statement = select(Alert).where(Alert.team_id == team_id, Alert.id == alert_id).with_for_update()
    return session.scalars(statement.execution_options(populate_existing=True)).one_or_none()


def changes_of_alerts(session: Session, alert_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, list[ChangePoint]]:
    """The alert's own direction first (a return closes it), and the surest first; withdrawn ones too: they are why
    the alert was."""
    is_return = ChangePoint.direction != Alert.direction
    statement = (
        select(ChangePoint)
        .join(Alert, Alert.id == ChangePoint.alert_id)
        .where(ChangePoint.alert_id.in_(list(alert_ids)))
        .order_by(is_return, ChangePoint.p_value, ChangePoint.metric.desc(), ChangePoint.id)
    )
    found: dict[uuid.UUID, list[ChangePoint]] = {}
    for change in session.scalars(statement):
        found.setdefault(change.alert_id, []).append(change)
    return found


def history(session: Session, alert_id: uuid.UUID) -> Sequence[tuple[AlertEvent, str | None]]:
    statement = (
        select(AlertEvent, User.name)
        .outerjoin(User, User.id == AlertEvent.created_by)
        .where(AlertEvent.alert_id == alert_id)
        .order_by(AlertEvent.id)
    )
    return [(row[0], row[1]) for row in session.execute(statement)]


def member_name(session: Session, team_id: uuid.UUID, user_id: uuid.UUID) -> str | None:
    statement = (
        select(User.name)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.team_id == team_id, User.id == user_id)
    )
    return session.scalar(statement)


def alerts_awaiting(session: Session, run_id: uuid.UUID) -> Sequence[Alert]:
    """Alerts that the run was to confirm, locked."""
    statement = select(Alert).where(Alert.confirmation_run_id == run_id).order_by(Alert.id).with_for_update()
    return session.scalars(statement).all()


def point_and_run(session: Session, point_id: uuid.UUID) -> tuple[Point, Run]:
    row = session.execute(select(Point, Run).join(Run, Run.id == Point.run_id).where(Point.id == point_id)).one()
    return row[0], row[1]


def place_of(session: Session, series_id: uuid.UUID, point_id: uuid.UUID) -> SeriesPoint | None:
    statement = select(SeriesPoint).where(SeriesPoint.series_id == series_id, SeriesPoint.point_id == point_id)
    return session.scalars(statement).one_or_none()


def last_before(session: Session, point: SeriesPoint) -> SeriesPoint | None:
    statement = (
        select(SeriesPoint)
        .where(SeriesPoint.series_id == point.series_id)
        .where(tuple_(SeriesPoint.at, SeriesPoint.point_id) < (point.at, point.point_id))
        .order_by(SeriesPoint.at.desc(), SeriesPoint.point_id.desc())
        .limit(1)
    )
    return session.scalars(statement).one_or_none()


def trial_values(session: Session, run_id: uuid.UUID, metric: str, operation: str) -> Sequence[Any]:
    """Rows of `target_index, series_id, block, value` of the run's trials that count, in the order of execution."""
    statement = (
        select(Point.target_index, Point.series_id, Trial.block, TrialMetric.value)
        .join(Trial, Trial.id == TrialMetric.trial_id)
        .join(Point, Point.id == TrialMetric.point_id)
        .where(Trial.run_id == run_id, Point.run_id == run_id, Trial.is_counted)
        .where(TrialMetric.metric == metric, TrialMetric.operation == operation)
        .order_by(Trial.ordinal)
    )
    return session.execute(statement).all()


def explained_alerts(session: Session, alert_ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Those that a person marked as expected or fixed."""
    statement = select(AlertEvent.alert_id).where(
        AlertEvent.alert_id.in_(list(alert_ids)),
        AlertEvent.kind == "state",
        AlertEvent.created_by.is_not(None),
        AlertEvent.detail["to"].astext.in_(["expected", "fixed"]),
    )
    return set(session.scalars(statement))


def sweep_p_values(session: Session, since: datetime, until: datetime, without: uuid.UUID) -> tuple[int, list[float]]:
    """Of the whole installation between two instants: how many series got a value, and the p-values of what was found.

    `without` is the series that is looked at.
    """
    count = session.scalar(select(func.count()).where(Series.last_at.between(since, until))) or 0
    statement = select(ChangePoint.p_value).where(
        ChangePoint.withdrawn_at.is_(None), ChangePoint.at.between(since, until), ChangePoint.series_id != without
    )
    return count, list(session.scalars(statement))


def is_confirmation(session: Session, run: Run) -> bool:
    """Was the run queued to confirm an alert?"""
    statement = select(AlertEvent.id).where(
        AlertEvent.team_id == run.team_id,
        AlertEvent.kind == "confirmation",
        AlertEvent.detail["run_id"].astext == str(run.id),
    )
    return session.scalar(statement.limit(1)) is not None


def session_log_means(session: Session, point_ids: Sequence[uuid.UUID], metric: str, operation: str) -> Sequence[Any]:
    """Rows of `at, value` in the order of time: each point's mean logarithm over its trials that count.

    Of each trial's own value, percentiles too: the unit that new trials have.
    """
    statement = (
        select(SeriesPoint.at, func.avg(func.ln(TrialMetric.value)).label("value"))
        .join(TrialMetric, TrialMetric.point_id == SeriesPoint.point_id)
        .join(Trial, Trial.id == TrialMetric.trial_id)
        .where(SeriesPoint.point_id.in_(point_ids), Trial.is_counted, TrialMetric.value > 0)
        .where(TrialMetric.metric == metric, TrialMetric.operation == operation)
        .group_by(SeriesPoint.at, SeriesPoint.point_id)
        .order_by(SeriesPoint.at)
    )
    return session.execute(statement).all()
