"""From rows to what the public API shows."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from loadstone import models
from loadstone.accounts.schemas import UserRef
from loadstone.trends import schemas
from loadstone.trends.states import AlertState, next_states


def series_ref(series: models.Series) -> schemas.SeriesRef:
    return schemas.SeriesRef(id=series.id, title=series.title, labels=series.labels)


def series(row: models.Series, change: tuple[models.ChangePoint, str] | None) -> schemas.Series:
    return schemas.Series(
        **series_ref(row).model_dump(),
        identity=row.identity,
        store_versions=row.store_versions,
        value_count=row.value_count,
        first_at=row.first_at,
        last_at=row.last_at,
        last_change=change_point(*change) if change else None,
    )


def change_point(row: models.ChangePoint, state: str) -> schemas.ChangePoint:
    return schemas.ChangePoint(
        id=row.id,
        at=row.at,
        point_id=row.point_id,
        metric=row.metric,
        operation=row.operation,
        before=row.before,
        after=row.after,
        change=row.change,
        direction=row.direction,
        p_value=row.p_value,
        algorithm_version=row.algorithm_version,
        alert_id=row.alert_id,
        state=AlertState(state),
    )


def person(user_id: uuid.UUID | None, name: str | None) -> UserRef | None:
    return UserRef(id=user_id, name=name) if user_id and name is not None else None


def exclusion(row: models.SeriesExclusion, author: str | None) -> schemas.Exclusion:
    return schemas.Exclusion(
        id=row.id,
        point_id=row.point_id,
        reason=row.reason,
        author=person(row.created_by, author),
        created_at=row.created_at,
    )


def annotation(row: models.Annotation, author: str | None) -> schemas.Annotation:
    return schemas.Annotation(
        id=row.id,
        at=row.at,
        title=row.title,
        text=row.text,
        labels=row.labels,
        author=person(row.created_by, author),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def value(row: Any, facts: Any, excluded: schemas.Exclusion | None) -> schemas.SeriesValue:
    return schemas.SeriesValue(
        point_id=row.point_id,
        run_id=facts.run_id,
        run_name=facts.run_name,
        at=row.at,
        value=row.value,
        low=row.low,
        high=row.high,
        trials_counted=row.trials_counted,
        store_version=facts.store_version,
        engine_version=facts.engine_version,
        environment_id=facts.environment_id,
        excluded=excluded,
    )


def point_ref(row: models.SeriesPoint, names: Mapping[uuid.UUID, str]) -> schemas.PointRef:
    return schemas.PointRef(point_id=row.point_id, run_id=row.run_id, run_name=names[row.run_id], at=row.at)


def alert_event(row: models.AlertEvent, author: str | None) -> schemas.AlertEvent:
    return schemas.AlertEvent(
        id=row.id,
        kind=row.kind,
        text=row.text,
        detail=row.detail,
        author=person(row.created_by, author),
        created_at=row.created_at,
    )


def alert(row: Any, changes: list[models.ChangePoint]) -> schemas.Alert:
    """`row` as `repository.alerts.alert_rows` gives it."""
    one: models.Alert = row.Alert
    confirmation = {"run_id": one.confirmation_run_id, "result": None, "refusal": None, **(one.confirmation or {})}
    return schemas.Alert(
        id=one.id,
        series=schemas.SeriesRef(id=one.series_id, title=row.title, labels=row.labels),
        point_id=one.point_id,
        run_id=row.run_id,
        run_name=row.run_name,
        at=one.at,
        direction=one.direction,
        state=AlertState(one.state),
        next_states=next_states(one.state),
        owner=person(one.owner_id, row.owner_name),
        snoozed_until=one.snoozed_until,
        is_snoozed=one.snoozed_until is not None and one.snoozed_until > datetime.now(UTC),
        changes=[change_point(change, one.state) for change in changes],
        confirmation=schemas.Confirmation.model_validate(confirmation) if one.confirmation else None,
        created_at=one.created_at,
        updated_at=one.updated_at,
    )
