"""Agents: how they join, what they report, what people do with them."""

import uuid
from datetime import UTC, datetime, timedelta

from loadstone_contracts.agent_calls import HeartbeatRequest, HeartbeatResponse
from loadstone_contracts.enrollment import (
    AGENT_PROTOCOL,
    BrokerCredential,
    BrokerCredentialRequest,
    EnrollRequest,
    EnrollResponse,
)
from loadstone_contracts.tasks import agent_queue
from uuid_utils.compat import uuid7

from loadstone import models
from loadstone.agents import credentials, repository
from loadstone.agents.broker_users import BrokerAclRefused, BrokerUnavailable
from loadstone.agents.schemas import Agent, AgentState, CurrentTrial, Enrollment, PatchAgent
from loadstone.agents.suitability import can_take, foreign_engines, is_online, why_not_now
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork, unit_of_work
from loadstone.errors import AppError, Conflict, NotFound
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import AgentPrincipal, Principal
from loadstone.settings import get_settings
from loadstone.tokens import new_token, token_hash

__all__ = ["BrokerAclRefused", "BrokerUnavailable", "can_take", "foreign_engines", "is_online", "why_not_now"]

ENROLLMENT_LIFE = timedelta(hours=1)


class AgentRevoked(AppError):
    code = "agent_revoked"
    status = 401
    title = "The agent's token is not valid"


class EnrollmentInvalid(AppError):
    code = "enrollment_invalid"
    status = 401
    title = "The enrollment token cannot be used"


class AgentNameTaken(Conflict):
    code = "agent_name_taken"
    title = "Another agent has this name"


class AgentTooOld(Conflict):
    code = "agent_too_old"
    title = "The agent's release is too old"


def authenticate_agent(token: str | None) -> AgentPrincipal:
    """Who brought this token; raises AgentRevoked."""
    with unit_of_work(every_team=True, statement_by_statement=True) as unit:
        row = repository.find_agent_by_token(unit.session, token_hash(token)) if token else None
        if row is None:
            raise AgentRevoked("Enroll this agent again with a new enrollment token.")
        return AgentPrincipal(agent_id=row.id, team_id=row.team_id, name=row.name, host_key=row.host_key)


def create_enrollment(unit: UnitOfWork, principal: Principal) -> Enrollment:
    token = new_token("lse_")
    expires_at = datetime.now(UTC) + ENROLLMENT_LIFE
    row = models.AgentEnrollment(
        id=uuid7(),
        team_id=principal.team_id,
        token_hash=token_hash(token),
        created_by=principal.user_id,
        expires_at=expires_at,
    )
    unit.session.add(row)
    audit.record(unit, principal, "enrollment_created", "enrollment", row.id)
    command = f'loadstone-agent enroll --url {get_settings().public_url} --token {token} --name "$(hostname)"'
    return Enrollment(token=token, expires_at=expires_at, command=command)


def enroll(unit: UnitOfWork, request: EnrollRequest) -> EnrollResponse:
    """Return the agent's token and broker credential.

    A host that enrolls again under its name stays the same agent with a new token: its history is kept.
    Raises AgentTooOld, EnrollmentInvalid, AgentNameTaken, BrokerUnavailable, BrokerAclRefused.
    """
    if request.agent_protocol < AGENT_PROTOCOL:
        raise AgentTooOld("It can't sign in to the broker as a user of its own. Upgrade loadstone-agent on this host.")
    now = datetime.now(UTC)
    enrollment = repository.use_enrollment(unit.session, token_hash(request.enrollment_token), now)
    if enrollment is None:
        raise EnrollmentInvalid("It is unknown, used or older than an hour. Make a new one on the page Agents.")
    token = new_token("lsa_")
    row = repository.find_or_insert_agent(
        unit.session, enrollment.team_id, request.name, request.host_key, token_hash(token)
    )
    if row.host_key != request.host_key:
        raise AgentNameTaken("Choose another name: an agent on another host has this one.", path="name")
    row.token_hash = token_hash(token)
    row.labels = dict(request.labels)
    row.revoked_at = None
    unit.session.flush()
    enrolled = AgentPrincipal(agent_id=row.id, team_id=row.team_id, name=row.name, host_key=row.host_key)
    audit.record(unit, enrolled, "agent_enrolled", "agent", row.id, {"name": row.name})
    credential = credentials.issue(unit, row)
    return EnrollResponse(agent_id=str(row.id), token=token, queue=agent_queue(str(row.id)), **credential.model_dump())


def heartbeat(unit: UnitOfWork, agent: AgentPrincipal, report: HeartbeatRequest) -> HeartbeatResponse:
    row = repository.get_agent(unit.session, agent.agent_id)
    row.boot_id = report.boot_id
    row.agent_version = report.agent_version
    row.inventory = report.inventory.model_dump(mode="json")
    row.stores = [offer.model_dump(mode="json") for offer in report.stores]
    row.engines = [offer.model_dump(mode="json") for offer in report.engines]
    row.load = report.load.model_dump(mode="json")
    row.last_heartbeat_at = datetime.now(UTC)
    return HeartbeatResponse(
        draining=row.is_draining,
        heartbeat_every_s=get_settings().heartbeat_every_s,
        renew_broker_credential=credentials.confirm(unit, row, report.broker_user) or None,
    )


def renew_broker_credential(
    unit: UnitOfWork, agent: AgentPrincipal, request: BrokerCredentialRequest
) -> BrokerCredential:
    """Return a new broker user; the one before stays until a heartbeat names the new one.

    Raises BrokerUnavailable, BrokerAclRefused.
    """
    row = repository.lock_agent(unit.session, agent.agent_id)
    return credentials.issue(unit, row, keep=request.broker_user)


def get_agent(unit: UnitOfWork, agent_id: uuid.UUID) -> models.Agent:
    """For callers that know that it exists: the dispatcher, never a person."""
    return repository.get_agent(unit.session, agent_id)


def team_agents(unit: UnitOfWork, team_id: uuid.UUID) -> list[models.Agent]:
    """All that are not revoked, by name."""
    return repository.all_agents(unit.session, team_id)


def list_agents(unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int) -> Page[Agent]:
    """In the order they joined; raises InvalidCursor."""
    rows = repository.list_agents(unit.session, principal.team_id, decode_id_cursor(cursor), limit + 1)
    work = repository.current_work(unit.session, [row.id for row in rows])
    return make_page(rows, limit, lambda row: row.id, lambda row: _render(row, work.get(row.id)))


def find_agent(unit: UnitOfWork, principal: Principal, agent_id: uuid.UUID) -> models.Agent:
    """Raises NotFound."""
    row = repository.find_agent(unit.session, principal.team_id, agent_id)
    if row is None:
        raise NotFound("There is no such agent.")
    return row


def describe_agent(unit: UnitOfWork, principal: Principal, agent_id: uuid.UUID) -> Agent:
    """Raises NotFound."""
    row = find_agent(unit, principal, agent_id)
    return _render(row, repository.current_work(unit.session, [row.id]).get(row.id))


def change_agent(unit: UnitOfWork, principal: Principal, agent_id: uuid.UUID, change: PatchAgent) -> Agent:
    """Raises NotFound, AgentNameTaken."""
    row = find_agent(unit, principal, agent_id)
    if change.name is not None and change.name != row.name:
        if repository.find_agent_named(unit.session, principal.team_id, change.name) is not None:
            raise AgentNameTaken("Choose another name.", path="name")
        row.name = change.name
    if change.labels is not None:
        row.labels = dict(change.labels)
    if change.is_draining is not None:
        row.is_draining = change.is_draining
    unit.session.flush()
    detail = {"name": row.name, **change.model_dump(mode="json", exclude_none=True)}
    audit.record(unit, principal, "agent_changed", "agent", row.id, detail)
    return describe_agent(unit, principal, agent_id)


def revoke_agent(unit: UnitOfWork, principal: Principal, agent_id: uuid.UUID) -> None:
    """Revoke an agent's token and broker user. Its measurements stay. Raises NotFound."""
    row = find_agent(unit, principal, agent_id)
    row.revoked_at = datetime.now(UTC)
    credentials.revoke(unit, row)
    audit.record(unit, principal, "agent_revoked", "agent", row.id, {"name": row.name})


def replace_broker_credential(unit: UnitOfWork, principal: Principal, agent_id: uuid.UUID) -> None:
    """The agent gets a new broker user with its next heartbeat, without a restart. Raises NotFound."""
    row = find_agent(unit, principal, agent_id)
    credentials.replace(unit, row)
    audit.record(unit, principal, "agent_broker_credential_replaced", "agent", row.id, {"name": row.name})


def sync_broker_users(unit: UnitOfWork) -> None:
    """Bring the broker's users to what the table says. Raises BrokerUnavailable, BrokerAclRefused."""
    credentials.sync(unit)


def _render(row: models.Agent, work: repository.CurrentWork | None) -> Agent:
    return Agent.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "state": agent_state(row, is_working=work is not None),
            "labels": row.labels,
            "host_key": row.host_key,
            "agent_version": row.agent_version,
            "inventory": row.inventory,
            "stores": row.stores,
            "engines": row.engines,
            "load": row.load,
            "is_draining": row.is_draining,
            "last_heartbeat_at": row.last_heartbeat_at,
            "created_at": row.created_at,
            "current": CurrentTrial.model_validate(work._asdict()) if work else None,
        }
    )


def agent_state(row: models.Agent, *, is_working: bool) -> AgentState:
    if row.last_heartbeat_at is None:
        return "never_seen"
    if not is_online(row):
        return "offline"
    if row.is_draining:
        return "draining"
    return "busy" if is_working else "online"
