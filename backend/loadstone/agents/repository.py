"""Rows of agents and enrollments."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Select, delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from loadstone.models import Agent, AgentEnrollment, BrokerUser, Lease, Run, Trial


class CurrentWork(NamedTuple):
    agent_id: uuid.UUID
    run_id: uuid.UUID
    run_name: str
    trial_id: uuid.UUID
    lease_state: str


def _live(team_id: uuid.UUID) -> Select[Agent]:
    return select(Agent).where(Agent.team_id == team_id, Agent.revoked_at.is_(None))


def list_agents(session: Session, team_id: uuid.UUID, after: uuid.UUID | None, limit: int) -> list[Agent]:
    statement = _live(team_id).order_by(Agent.id).limit(limit)
    if after is not None:
        statement = statement.where(Agent.id > after)
    return list(session.scalars(statement))


def all_agents(session: Session, team_id: uuid.UUID) -> list[Agent]:
    return list(session.scalars(_live(team_id).order_by(Agent.name)))


def find_agent(session: Session, team_id: uuid.UUID, agent_id: uuid.UUID) -> Agent | None:
    return session.scalars(_live(team_id).where(Agent.id == agent_id)).one_or_none()


def get_agent(session: Session, agent_id: uuid.UUID) -> Agent:
    return session.get_one(Agent, agent_id)


def find_agent_named(session: Session, team_id: uuid.UUID, name: str) -> Agent | None:
    """Also a revoked one: names stay taken."""
    return session.scalars(select(Agent).where(Agent.team_id == team_id, Agent.name == name)).one_or_none()


def find_or_insert_agent(session: Session, team_id: uuid.UUID, name: str, host_key: str, token_hash: str) -> Agent:
    """The agent of this name, locked: of two that come with a new name at once, the second finds the first one's."""
    values = {"team_id": team_id, "name": name, "host_key": host_key, "token_hash": token_hash, "labels": {}}
    session.execute(insert(Agent).values(**values).on_conflict_do_nothing(index_elements=["team_id", "name"]))
    statement = select(Agent).where(Agent.team_id == team_id, Agent.name == name).with_for_update()
    return session.scalars(statement.execution_options(populate_existing=True)).one()


def find_agent_by_token(session: Session, token_hash: str) -> Agent | None:
    return session.scalars(
        select(Agent).where(Agent.token_hash == token_hash, Agent.revoked_at.is_(None))
    ).one_or_none()


def current_work(session: Session, agent_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, CurrentWork]:
    """By agent, of those that hold a lease."""
    statement = (
        select(Lease.agent_id, Run.id, Run.name, Trial.id, Lease.state)
        .join(Trial, Trial.id == Lease.trial_id)
        .join(Run, Run.id == Trial.run_id)
        .where(Lease.agent_id.in_(agent_ids), Lease.status == "active")
    )
    return {row[0]: CurrentWork(*row) for row in session.execute(statement)}


def use_enrollment(session: Session, token_hash: str, now: datetime) -> AgentEnrollment | None:
    """Marks the token as used, if it may still be: of two that come with it at once, one gets it."""
    return session.scalars(
        update(AgentEnrollment)
        .where(
            AgentEnrollment.token_hash == token_hash,
            AgentEnrollment.used_at.is_(None),
            AgentEnrollment.expires_at > now,
        )
        .values(used_at=now)
        .returning(AgentEnrollment)
    ).one_or_none()


def broker_users_of(session: Session, agent_id: uuid.UUID) -> list[BrokerUser]:
    """Oldest first."""
    return list(session.scalars(select(BrokerUser).where(BrokerUser.agent_id == agent_id).order_by(BrokerUser.id)))


def all_broker_users(session: Session) -> list[BrokerUser]:
    """Of all agents that are not revoked."""
    statement = select(BrokerUser).join(Agent, Agent.id == BrokerUser.agent_id).where(Agent.revoked_at.is_(None))
    return list(session.scalars(statement))


def delete_replaced_broker_users(session: Session, replaced_before: datetime) -> None:
    session.execute(delete(BrokerUser).where(BrokerUser.replaced_at < replaced_before))


def lock_agent(session: Session, agent_id: uuid.UUID) -> Agent:
    """The agent, held until the commit."""
    statement = select(Agent).where(Agent.id == agent_id).with_for_update().execution_options(populate_existing=True)
    return session.scalars(statement).one()
