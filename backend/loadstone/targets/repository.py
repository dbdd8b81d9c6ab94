"""Rows of targets and target checks."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select, update
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from loadstone.models import Agent, Target, TargetCheck

CheckRow = tuple[TargetCheck, str]
"""With the agent's name."""


def _live(team_id: uuid.UUID) -> Select[Target]:
    return select(Target).where(Target.team_id == team_id, Target.archived_at.is_(None))


def list_targets(session: Session, team_id: uuid.UUID, before: uuid.UUID | None, limit: int) -> list[Target]:
    statement = _live(team_id).order_by(Target.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(Target.id < before)
    return list(session.scalars(statement))


def find_target(session: Session, team_id: uuid.UUID, target_id: uuid.UUID) -> Target | None:
    return session.scalars(_live(team_id).where(Target.id == target_id)).one_or_none()


def get_target(session: Session, target_id: uuid.UUID) -> Target:
    """Also an archived one: a run that names it goes on."""
    return session.get_one(Target, target_id)


def _checks() -> Select[TargetCheck, str]:
    return select(TargetCheck, Agent.name).join(Agent, Agent.id == TargetCheck.agent_id)


def last_checks(session: Session, target_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, CheckRow]:
    """The newest check of each target that has one."""
    statement = (
        _checks()
        .where(TargetCheck.target_id.in_(target_ids))
        .ext(distinct_on(TargetCheck.target_id))
        .order_by(TargetCheck.target_id, TargetCheck.id.desc())
    )
    return {check.target_id: (check, name) for check, name in session.execute(statement)}


def find_check(session: Session, target_id: uuid.UUID, check_id: uuid.UUID) -> CheckRow | None:
    statement = _checks().where(TargetCheck.id == check_id, TargetCheck.target_id == target_id)
    row = session.execute(statement).one_or_none()
    return (row[0], row[1]) if row else None


def claim_check(session: Session, agent_id: uuid.UUID, check_id: uuid.UUID) -> TargetCheck | None:
    """The check, if it waits for this agent; a second claim finds nothing."""
    return session.scalars(
        update(TargetCheck)
        .where(TargetCheck.id == check_id, TargetCheck.agent_id == agent_id, TargetCheck.status == "queued")
        .values(status="claimed")
        .returning(TargetCheck)
    ).one_or_none()


def finish_check(
    session: Session, agent_id: uuid.UUID, check_id: uuid.UUID, status: str, result: dict[str, Any], now: datetime
) -> None:
    """Nothing happens to a check that is finished already."""
    session.execute(
        update(TargetCheck)
        .where(TargetCheck.id == check_id, TargetCheck.agent_id == agent_id, TargetCheck.status == "claimed")
        .values(status=status, result=result, finished_at=now)
    )


def fail_checks(session: Session, created_before: datetime, result: dict[str, Any], now: datetime) -> int:
    """Fails what nobody finished; returns how many."""
    failed = session.scalars(
        update(TargetCheck)
        .where(TargetCheck.status.in_(("queued", "claimed")), TargetCheck.created_at < created_before)
        .values(status="failed", result=result, finished_at=now)
        .returning(TargetCheck.id)
    )
    return len(failed.all())
