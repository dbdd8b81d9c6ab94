"""SQL of a whole run, out and in."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from loadstone.bundles.errors import BundleInconsistent
from loadstone.db import Base
from loadstone.models import (
    Agent,
    Environment,
    OperationResult,
    Point,
    PointOperation,
    Run,
    Sample,
    StoreConfiguration,
    TelemetryEvent,
    TelemetryLayout,
    TelemetrySecond,
    Trial,
    TrialDecision,
    User,
)

BATCH_ROWS = 500


def agents_of(session: Session, run: Run) -> Sequence[Agent]:
    """Those that measured any of it."""
    trials = select(Trial.id).where(Trial.run_id == run.id)
    measured = select(OperationResult.agent_id).where(OperationResult.trial_id.in_(trials))
    sampled = select(Sample.agent_id).where(Sample.trial_id.in_(trials))
    ids = set(session.scalars(measured.union(sampled))) | ({run.agent_id} if run.agent_id else set())
    return session.scalars(select(Agent).where(Agent.id.in_(ids)).order_by(Agent.id)).all()


def environments_of(session: Session, run_id: uuid.UUID) -> Sequence[Environment]:
    ids = select(Trial.environment_id).where(Trial.run_id == run_id)
    return session.scalars(select(Environment).where(Environment.id.in_(ids)).order_by(Environment.id)).all()


def store_configurations_of(session: Session, run_id: uuid.UUID) -> Sequence[StoreConfiguration]:
    ids = select(Trial.store_configuration_id).where(Trial.run_id == run_id)
    statement = select(StoreConfiguration).where(StoreConfiguration.id.in_(ids)).order_by(StoreConfiguration.id)
    return session.scalars(statement).all()


def points_of(session: Session, run_id: uuid.UUID) -> Iterator[Point]:
    return _streamed(session, select(Point).where(Point.run_id == run_id).order_by(Point.ordinal))


def trials_of(session: Session, run_id: uuid.UUID) -> Iterator[Trial]:
    return _streamed(session, select(Trial).where(Trial.run_id == run_id).order_by(Trial.ordinal))


def decisions_of(session: Session, run_id: uuid.UUID) -> Sequence[TrialDecision]:
    trials = select(Trial.id).where(Trial.run_id == run_id)
    statement = select(TrialDecision).where(TrialDecision.trial_id.in_(trials)).order_by(TrialDecision.id)
    return session.scalars(statement).all()


def user_names(session: Session, user_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    return {row[0]: row[1] for row in session.execute(select(User.id, User.name).where(User.id.in_(set(user_ids))))}


def point_operations_of(session: Session, run_id: uuid.UUID) -> Iterator[PointOperation]:
    statement = select(PointOperation).join(Point, Point.id == PointOperation.point_id)
    ordered = statement.where(PointOperation.run_id == run_id).order_by(Point.ordinal, PointOperation.operation)
    return _streamed(session, ordered)


def results_of(session: Session, run_id: uuid.UUID) -> Iterator[OperationResult]:
    """Of all attempts."""
    row = OperationResult
    statement = select(row).join(Trial, Trial.id == row.trial_id).where(Trial.run_id == run_id)
    return _streamed(session, statement.order_by(Trial.ordinal, row.attempt, row.agent_id, row.phase, row.operation))


def samples_of(session: Session, run_id: uuid.UUID) -> Iterator[Sample]:
    """Of all attempts."""
    row = Sample
    statement = select(row).join(Trial, Trial.id == row.trial_id).where(Trial.run_id == run_id)
    return _streamed(session, statement.order_by(Trial.ordinal, row.attempt, row.agent_id, row.seq, row.operation))


def telemetry_of(session: Session, run_id: uuid.UUID) -> Iterator[TelemetrySecond]:
    """Of all attempts."""
    row = TelemetrySecond
    statement = select(row).join(Trial, Trial.id == row.trial_id).where(Trial.run_id == run_id)
    return _streamed(session, statement.order_by(Trial.ordinal, row.attempt, row.agent_id, row.seq))


def layout_names(session: Session, run_id: uuid.UUID) -> dict[int, list[str]]:
    """Of every layout that seconds of the run have."""
    row = TelemetrySecond
    used = select(row.layout_id).join(Trial, Trial.id == row.trial_id).where(Trial.run_id == run_id)
    layouts = session.scalars(select(TelemetryLayout).where(TelemetryLayout.id.in_(used)))
    return {layout.id: layout.names for layout in layouts}


def telemetry_events_of(session: Session, run_id: uuid.UUID) -> Iterator[TelemetryEvent]:
    """Of all attempts."""
    row = TelemetryEvent
    statement = select(row).join(Trial, Trial.id == row.trial_id).where(Trial.run_id == run_id)
    return _streamed(session, statement.order_by(Trial.ordinal, row.attempt, row.agent_id, row.seq))


def _streamed(session: Session, statement: Any) -> Iterator[Any]:
    """In batches that are forgotten once they are passed on."""
    for batch in session.scalars(statement, execution_options={"yield_per": BATCH_ROWS}).partitions():
        yield from batch
        for row in batch:
            session.expunge(row)


def lock_digest(session: Session, team_id: uuid.UUID, digest: str) -> None:
    """Two that import one bundle at once do it one after the other."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"{team_id}/{digest}", 0))))


def find_imported(session: Session, team_id: uuid.UUID, digest: str) -> Run | None:
    return session.scalars(select(Run).where(Run.team_id == team_id, Run.bundle_digest == digest)).one_or_none()


def find_foreign_agent(session: Session, team_id: uuid.UUID, host_key: str) -> Agent | None:
    statement = select(Agent).where(Agent.team_id == team_id, Agent.host_key == host_key, Agent.is_foreign)
    return session.scalars(statement).one_or_none()


def insert_rows(session: Session, table: type[Base], rows: Iterable[dict[str, Any]]) -> int:
    """In batches; returns how many. Raises BundleInconsistent for rows that cannot stand beside each other."""
    rows = iter(rows)
    inserted = 0
    while batch := list(islice(rows, BATCH_ROWS)):
        try:
            session.execute(insert(table), batch)
        except IntegrityError as error:
            raise BundleInconsistent(f"Two of its {table.__tablename__} are the same, or break a rule.") from error
        inserted += len(batch)
    return inserted


def trials_in_order(session: Session, run_id: uuid.UUID) -> Sequence[Trial]:
    return session.scalars(select(Trial).where(Trial.run_id == run_id).order_by(Trial.ordinal)).all()


def counted(session: Session, run_id: uuid.UUID) -> dict[uuid.UUID, int]:
    """Trials that count, by point."""
    statement = (
        select(Trial.point_id, func.count()).where(Trial.run_id == run_id, Trial.is_counted).group_by(Trial.point_id)
    )
    return {row[0]: row[1] for row in session.execute(statement)}


def shown(session: Session, run_id: uuid.UUID) -> dict[uuid.UUID, int]:
    """Trials that the merge over all operations says it counts, by point."""
    statement = select(PointOperation.point_id, PointOperation.trials_counted).where(
        PointOperation.run_id == run_id, PointOperation.operation == "all"
    )
    return {row[0]: row[1] for row in session.execute(statement)}
