"""Broker credentials of agents: made at enrollment, renewed while the agent works, gone with it.

See decisions/0008-a-broker-user-per-agent.md.
"""

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from loadstone_contracts.broker_address import BrokerUser as SignIn
from loadstone_contracts.broker_address import with_user
from loadstone_contracts.enrollment import BrokerCredential
from uuid_utils.compat import uuid7

from loadstone import models
from loadstone.agents import broker_users, repository
from loadstone.agents.broker_users import BrokerAclRefused, BrokerUnavailable, make_user, user_name
from loadstone.db import UnitOfWork
from loadstone.settings import get_settings

log = structlog.get_logger()

__all__ = ["BrokerAclRefused", "BrokerUnavailable"]

REPLACED_VALID_FOR: Final = timedelta(minutes=10)
"""How long an agent that does not call keeps a credential that was to be renewed."""


def issue(unit: UnitOfWork, agent: models.Agent, keep: str | None = None) -> BrokerCredential:
    """Make a broker user for the agent; of its others only `keep` stays, until the agent names the new one.

    Raises BrokerUnavailable, BrokerAclRefused.
    """
    now = datetime.now(UTC)
    doomed = []
    for row in repository.broker_users_of(unit.session, agent.id):
        if user_name(row.id) == keep:
            row.replaced_at = row.replaced_at or now
        else:
            doomed.append(row)
    _delete(unit, doomed)
    password = secrets.token_urlsafe(32)
    row = models.BrokerUser(
        id=uuid7(),
        team_id=agent.team_id,
        agent_id=agent.id,
        # A plain hash is enough for 256 random bits, and it is what Redis compares.
        password_hash=hashlib.sha256(password.encode()).hexdigest(),
    )
    unit.session.add(row)
    # Before the commit: an agent must not be enrolled with a credential that opens nothing. A user whose row is then
    # not committed is removed by the sweep.
    broker_users.put(make_user(row.id, agent.id, row.password_hash))
    settings = get_settings()
    name = user_name(row.id)
    address = settings.agent_broker_url or settings.broker_url
    return BrokerCredential(broker_url=with_user(address, SignIn(name, password)), broker_user=name)


def confirm(unit: UnitOfWork, agent: models.Agent, used: str | None) -> bool:
    """Take note of the broker user that the agent uses; returns whether it must ask for another one."""
    rows = repository.broker_users_of(unit.session, agent.id)
    mine = next((row for row in rows if user_name(row.id) == used), None)
    if mine is None or mine.replaced_at is not None:
        return True
    # It has the newest one, so nobody else may go on with those before.
    _delete(unit, [row for row in rows if row is not mine])
    return mine.created_at < datetime.now(UTC) - timedelta(days=get_settings().broker_credential_days)


def replace(unit: UnitOfWork, agent: models.Agent) -> None:
    """Let the agent renew its credential with its next heartbeat."""
    for row in repository.broker_users_of(unit.session, agent.id):
        row.replaced_at = row.replaced_at or datetime.now(UTC)


def revoke(unit: UnitOfWork, agent: models.Agent) -> None:
    """Take all credentials of the agent away, and end its connections once the commit stands."""
    _delete(unit, repository.broker_users_of(unit.session, agent.id))


def sync(unit: UnitOfWork) -> None:
    """Bring Redis to what the table says. Raises BrokerUnavailable, BrokerAclRefused."""
    repository.delete_replaced_broker_users(unit.session, datetime.now(UTC) - REPLACED_VALID_FOR)
    users = [make_user(row.id, row.agent_id, row.password_hash) for row in repository.all_broker_users(unit.session)]
    changed = broker_users.sync(users)
    if changed.total():
        log.info("broker_users_synced", **changed)


def _delete(unit: UnitOfWork, rows: list[models.BrokerUser]) -> None:
    names = [user_name(row.id) for row in rows]
    for row in rows:
        unit.session.delete(row)
    if names:
        unit.after_commit(broker_users.remove_later(names))
