"""SQL of samples, results, points' numbers, environments and series."""

import uuid
from collections.abc import Sequence
from typing import Any

from loadstone_contracts.redaction import redact_settings
from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, defer

from loadstone.canonical import canonical_hash
from loadstone.db.copying import copy_rows
from loadstone.models import (
    Environment,
    OperationResult,
    Point,
    PointOperation,
    Run,
    Sample,
    Series,
    StoreConfiguration,
    TelemetryEvent,
    TelemetryLayout,
    TelemetrySecond,
    Trial,
    TrialDecision,
    TrialMetric,
)
from loadstone.stats.metrics import PERCENTILES


def _without_histograms(model: type[Sample | OperationResult | PointOperation]) -> list[Any]:
    names = ("response_histogram", "service_histogram", "response_unanswered", "service_unanswered")
    return [defer(getattr(model, name)) for name in names]


def insert_samples(session: Session, key: dict[str, Any], rows: list[dict[str, Any]]) -> set[int]:
    """Stores the seconds of one attempt that are not there yet; returns their numbers.

    The run's lock keeps everyone else from adding to the attempt meanwhile.
    """
    told = {(row["seq"], row["operation"]): row for row in rows}
    known = select(Sample.seq).filter_by(**key).where(Sample.seq.in_({seq for seq, _ in told})).distinct()
    new = {seq for seq, _ in told} - set(session.scalars(known))
    copy_rows(session, Sample, [row for (seq, _), row in told.items() if seq in new])
    return new


def keep_layout(session: Session, names: Sequence[str]) -> int:
    """The id of the one row with these names in this order."""
    fingerprint = canonical_hash(list(names))
    found = select(TelemetryLayout.id).where(TelemetryLayout.fingerprint == fingerprint)
    known = session.scalar(found)
    if known is not None:
        return known
    values = {"fingerprint": fingerprint, "names": list(names)}
    session.execute(insert(TelemetryLayout).values(**values).on_conflict_do_nothing())
    return session.scalars(found).one()


def insert_telemetry(
    session: Session, model: type[TelemetrySecond | TelemetryEvent], key: dict[str, Any], rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Stores what is not there yet of one attempt, and returns it. The run's lock keeps everyone else from it."""
    told = {row["seq"]: row for row in rows}
    known = set(session.scalars(select(model.seq).filter_by(**key).where(model.seq.in_(told))))
    new = [row for seq, row in told.items() if seq not in known]
    copy_rows(session, model, new)
    return new


def telemetry_of(
    session: Session, trial_id: uuid.UUID, attempt: int, phase: str | None = None
) -> list[tuple[TelemetrySecond, list[str]]]:
    """Seconds of one attempt (or of one phase of it) in the order of time, each with the names of its counters."""
    statement = (
        select(TelemetrySecond, TelemetryLayout.names)
        .join(TelemetryLayout, TelemetryLayout.id == TelemetrySecond.layout_id)
        .where(TelemetrySecond.trial_id == trial_id, TelemetrySecond.attempt == attempt)
        .order_by(TelemetrySecond.at, TelemetrySecond.agent_id)
    )
    if phase is not None:
        statement = statement.where(TelemetrySecond.phase == phase)
    return [(row[0], row[1]) for row in session.execute(statement)]


def telemetry_events_of(session: Session, trial_id: uuid.UUID, attempt: int) -> Sequence[TelemetryEvent]:
    statement = select(TelemetryEvent).where(TelemetryEvent.trial_id == trial_id, TelemetryEvent.attempt == attempt)
    return session.scalars(statement.order_by(TelemetryEvent.at, TelemetryEvent.agent_id, TelemetryEvent.seq)).all()


def first_second(session: Session, trial_id: uuid.UUID, attempt: int) -> Any | None:
    """`(at, duration_ns)` of the first sample of an attempt."""
    statement = select(Sample.at, Sample.duration_ns).where(Sample.trial_id == trial_id, Sample.attempt == attempt)
    return session.execute(statement.order_by(Sample.at).limit(1)).first()


def target_kind(session: Session, trial: Trial) -> str:
    """Of the store that a trial measures."""
    target = Run.definition["targets"][Point.target_index]["kind"].astext
    statement = select(target).where(Point.id == trial.point_id, Run.id == Point.run_id)
    kind: str = session.scalars(statement).one()
    return kind


def footprint(session: Session, trial: Trial) -> dict[str, float]:
    """Memory and disk that the store of a trial's last attempt took, as metrics; what was not seen is not there.

    Memory is the server's and its children's. After the prefill it is read at that phase's end, before a measure
    phase adds to it; disk is what was allocated at the very end.
    """
    row = TelemetrySecond
    memory = row.store_memory_bytes + func.coalesce(row.store_children_memory_bytes, 0)
    seconds = select(func.max(memory)).where(row.trial_id == trial.id, row.attempt == trial.attempt)
    whole = select(memory).where(row.trial_id == trial.id, row.attempt == trial.attempt)
    prefilled = whole.where(row.phase == "prefill", row.ends_phase).order_by(row.seq.desc()).limit(1)
    disk = select(row.store_disk_bytes).where(row.trial_id == trial.id, row.attempt == trial.attempt)
    last_disk = disk.where(row.store_disk_bytes.is_not(None)).order_by(row.seq.desc()).limit(1)
    found = {
        "memory_after_prefill_bytes": session.scalar(prefilled),
        "memory_peak_bytes": session.scalar(seconds),
        "disk_after_bytes": session.scalar(last_disk),
    }
    return {name: float(value) for name, value in found.items() if value is not None}


def sample_count(session: Session, trial_id: uuid.UUID, agent_id: uuid.UUID, attempt: int) -> int:
    """How many seconds of this attempt arrived."""
    statement = (
        select(Sample.seq)
        .where(Sample.trial_id == trial_id, Sample.agent_id == agent_id, Sample.attempt == attempt)
        .distinct()
    )
    return len(session.scalars(statement).all())


def insert_results(session: Session, rows: list[dict[str, Any]]) -> None:
    if rows:
        session.execute(insert(OperationResult).on_conflict_do_nothing(), rows)


def counted_results(session: Session, point_id: uuid.UUID) -> Sequence[OperationResult]:
    """The measure phase of every trial that counts, its last attempt."""
    statement = (
        _measured()
        .where(Trial.point_id == point_id, Trial.is_counted)
        .order_by(OperationResult.operation, Trial.ordinal)
    )
    return session.scalars(statement).all()


def measured_results(session: Session, trial_id: uuid.UUID) -> Sequence[OperationResult]:
    """The measure phase of one trial's last attempt."""
    return session.scalars(_measured().where(Trial.id == trial_id).order_by(OperationResult.operation)).all()


def _measured() -> Select[OperationResult]:
    return (
        select(OperationResult)
        .join(Trial, (Trial.id == OperationResult.trial_id) & (Trial.attempt == OperationResult.attempt))
        .where(OperationResult.phase == "measure")
    )


def insert_metrics(session: Session, rows: list[dict[str, Any]]) -> None:
    if rows:
        session.execute(insert(TrialMetric).on_conflict_do_nothing(), rows)


def replace_point_operations(session: Session, point: Point, rows: list[dict[str, Any]]) -> None:
    session.execute(delete(PointOperation).where(PointOperation.point_id == point.id))
    if rows:
        session.execute(insert(PointOperation), [{**row, "point_id": point.id, "run_id": point.run_id} for row in rows])


def keep_environment(session: Session, team_id: uuid.UUID, inventory: dict[str, Any]) -> uuid.UUID:
    """The id of the one row with this inventory."""
    values = {"team_id": team_id, "fingerprint": canonical_hash(inventory), "inventory": inventory}
    session.execute(insert(Environment).values(**values).on_conflict_do_nothing())
    statement = select(Environment.id).where(
        Environment.team_id == team_id, Environment.fingerprint == values["fingerprint"]
    )
    return session.scalars(statement).one()


def keep_store_configuration(session: Session, team_id: uuid.UUID, facts: dict[str, Any]) -> uuid.UUID:
    """The id of the one row with this store, version and configuration, without what may not be shown."""
    facts = {**facts, "settings": redact_settings(facts["kind"], facts["settings"])}
    fingerprint = canonical_hash(facts)
    session.execute(
        insert(StoreConfiguration).values(team_id=team_id, fingerprint=fingerprint, **facts).on_conflict_do_nothing()
    )
    statement = select(StoreConfiguration.id).where(
        StoreConfiguration.team_id == team_id, StoreConfiguration.fingerprint == fingerprint
    )
    return session.scalars(statement).one()


def bind_series(session: Session, point: Point, agent_class: str) -> None:
    """The series of the point's identity on this class of agent."""
    session.execute(
        insert(Series)
        .values(
            team_id=point.team_id,
            identity_hash=point.identity_hash,
            identity=point.identity,
            agent_class=agent_class,
        )
        .on_conflict_do_nothing()
    )
    series = select(Series.id).where(
        Series.team_id == point.team_id,
        Series.identity_hash == point.identity_hash,
        Series.agent_class == agent_class,
    )
    session.execute(update(Point).where(Point.id == point.id).values(series_id=series.scalar_subquery()))


def measured_points(session: Session, run_id: uuid.UUID) -> Sequence[tuple[Point, dict[str, Any]]]:
    """Each point with the inventory that one of its trials was measured on."""
    statement = (
        select(Point, Environment.inventory)
        .join(Trial, Trial.point_id == Point.id)
        .join(Environment, Environment.id == Trial.environment_id)
        .where(Point.run_id == run_id)
        .order_by(Point.ordinal, Trial.ordinal)
    )
    found = {row[0].id: (row[0], row[1]) for row in session.execute(statement)}
    return list(found.values())


def find_point(session: Session, point_id: uuid.UUID) -> Point:
    return session.scalars(select(Point).where(Point.id == point_id).execution_options(populate_existing=True)).one()


def points_of(session: Session, run_id: uuid.UUID) -> Sequence[Point]:
    """In order, without what only the agent needs."""
    statement = select(Point).where(Point.run_id == run_id).order_by(Point.ordinal)
    return session.scalars(
        statement.options(defer(Point.work, raiseload=True), defer(Point.identity, raiseload=True))
    ).all()


def trials_of(session: Session, run_id: uuid.UUID, point_id: uuid.UUID | None = None) -> Sequence[Any]:
    """Rows of `point_id, id, ordinal, repetition, status, trust, is_counted, attempt`, in execution order."""
    statement = select(
        Trial.point_id,
        Trial.id,
        Trial.ordinal,
        Trial.repetition,
        Trial.status,
        Trial.trust,
        Trial.is_counted,
        Trial.attempt,
    ).where(Trial.run_id == run_id)
    if point_id is not None:
        statement = statement.where(Trial.point_id == point_id)
    return session.execute(statement.order_by(Trial.ordinal)).all()


def merged_operations(session: Session, point_id: uuid.UUID) -> Sequence[PointOperation]:
    """With their histograms."""
    return session.scalars(select(PointOperation).where(PointOperation.point_id == point_id)).all()


def point_operations_of(
    session: Session, run_id: uuid.UUID, point_id: uuid.UUID | None = None
) -> Sequence[PointOperation]:
    """Without histograms."""
    statement = (
        select(PointOperation)
        .where(PointOperation.run_id == run_id)
        .options(*_without_histograms(PointOperation))
        .execution_options(populate_existing=True)
    )
    if point_id is not None:
        statement = statement.where(PointOperation.point_id == point_id)
    return session.scalars(statement.order_by(PointOperation.operation)).all()


def metric_summaries(session: Session, run_id: uuid.UUID, point_id: uuid.UUID | None = None) -> Sequence[Any]:
    """Rows of `point_id, operation, metric, mean, low, high` over the counted trials, without percentiles."""
    counted = (Trial.id == TrialMetric.trial_id) & Trial.is_counted
    statement = (
        select(
            TrialMetric.point_id,
            TrialMetric.operation,
            TrialMetric.metric,
            func.avg(TrialMetric.value).label("mean"),
            func.min(TrialMetric.value).label("low"),
            func.max(TrialMetric.value).label("high"),
        )
        .join(Point, Point.id == TrialMetric.point_id)
        .join(Trial, counted)
        .where(Point.run_id == run_id, TrialMetric.metric.not_in(PERCENTILES))
        .group_by(TrialMetric.point_id, TrialMetric.operation, TrialMetric.metric)
    )
    if point_id is not None:
        statement = statement.where(Point.id == point_id)
    return session.execute(statement).all()


def find_trial(session: Session, team_id: uuid.UUID, trial_id: uuid.UUID) -> tuple[Trial, dict[str, Any]] | None:
    """With its point's parameters."""
    statement = (
        select(Trial, Point.parameters)
        .join(Point, Point.id == Trial.point_id)
        .where(Trial.team_id == team_id, Trial.id == trial_id)
    )
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None


def standing_decision(session: Session, trial_id: uuid.UUID) -> TrialDecision | None:
    """The one that was not undone."""
    statement = select(TrialDecision).where(TrialDecision.trial_id == trial_id, TrialDecision.undone_at.is_(None))
    return session.scalars(statement).one_or_none()


def find_decision(
    session: Session, team_id: uuid.UUID, trial_id: uuid.UUID, decision_id: uuid.UUID
) -> TrialDecision | None:
    statement = select(TrialDecision).where(
        TrialDecision.team_id == team_id, TrialDecision.trial_id == trial_id, TrialDecision.id == decision_id
    )
    return session.scalars(statement).one_or_none()


def environment_of(session: Session, trial: Trial) -> Environment | None:
    return session.get(Environment, trial.environment_id) if trial.environment_id else None


def store_configuration_of(session: Session, trial: Trial) -> StoreConfiguration | None:
    return session.get(StoreConfiguration, trial.store_configuration_id) if trial.store_configuration_id else None


def results_of(session: Session, trial: Trial) -> Sequence[OperationResult]:
    """Of the last attempt, without histograms."""
    statement = (
        select(OperationResult)
        .where(OperationResult.trial_id == trial.id, OperationResult.attempt == trial.attempt)
        .options(*_without_histograms(OperationResult))
        .order_by(OperationResult.phase, OperationResult.operation)
    )
    return session.scalars(statement).all()


def samples_of(session: Session, trial_id: uuid.UUID, attempt: int) -> Sequence[Sample]:
    """All seconds of one attempt, without histograms."""
    statement = (
        select(Sample)
        .where(Sample.trial_id == trial_id, Sample.attempt == attempt)
        .options(*_without_histograms(Sample))
        .order_by(Sample.seq, Sample.agent_id, Sample.operation)
    )
    return session.scalars(statement).all()


def find_point_of_team(session: Session, team_id: uuid.UUID, point_id: uuid.UUID) -> Point | None:
    return session.scalars(select(Point).where(Point.team_id == team_id, Point.id == point_id)).one_or_none()


def sample_histograms(
    session: Session, trial_id: uuid.UUID, attempt: int, *, operation: str | None, kind: str, limit: int
) -> Sequence[Any]:
    """`(seq, phase, at, duration_ns, histogram, unanswered)` of one attempt in order, of one operation or of all."""
    answered = Sample.response_histogram if kind == "response" else Sample.service_histogram
    bounds = Sample.response_unanswered if kind == "response" else Sample.service_unanswered
    columns = (answered.label("histogram"), bounds.label("unanswered"))
    statement = (
        select(Sample.seq, Sample.phase, Sample.at, Sample.duration_ns, *columns)
        .where(Sample.trial_id == trial_id, Sample.attempt == attempt)
        .order_by(Sample.seq, Sample.agent_id, Sample.operation)
        .limit(limit)
    )
    if operation is not None:
        statement = statement.where(Sample.operation == operation)
    return session.execute(statement).all()
