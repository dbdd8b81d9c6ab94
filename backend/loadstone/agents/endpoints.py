"""`/api/v1/agents` for people, `/agent/v1/enroll` and `/agent/v1/heartbeat` for agents."""

import uuid

from fastapi import APIRouter
from loadstone_contracts.agent_calls import AGENT_API_PREFIX, HeartbeatRequest, HeartbeatResponse
from loadstone_contracts.enrollment import BrokerCredential, BrokerCredentialRequest, EnrollRequest, EnrollResponse

from loadstone.agents import service
from loadstone.agents.schemas import Agent, Enrollment, PatchAgent
from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Admin, CallingAgent, Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import Page

router = APIRouter(prefix="/api/v1", tags=["agents"])
agent_router = APIRouter(prefix=AGENT_API_PREFIX, tags=["agent calls"])


@router.get("/agents", responses=problems(Unauthenticated))
def list_agents(principal: Reader, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Page[Agent]:
    with unit_of_work() as unit:
        return service.list_agents(unit, principal, cursor, limit)


@router.get("/agents/{agent_id}", responses=problems(Unauthenticated, NotFound))
def get_agent(agent_id: uuid.UUID, principal: Reader) -> Agent:
    with unit_of_work() as unit:
        return service.describe_agent(unit, principal, agent_id)


@router.patch("/agents/{agent_id}", responses=problems(Unauthenticated, Forbidden, NotFound, service.AgentNameTaken))
def change_agent(agent_id: uuid.UUID, body: PatchAgent, principal: Editor) -> Agent:
    with unit_of_work() as unit:
        return service.change_agent(unit, principal, agent_id, body)


@router.delete("/agents/{agent_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def revoke_agent(agent_id: uuid.UUID, principal: Admin) -> None:
    with unit_of_work() as unit:
        service.revoke_agent(unit, principal, agent_id)


@router.post(
    "/agents/{agent_id}/replace-broker-credential",
    status_code=204,
    responses=problems(Unauthenticated, Forbidden, NotFound),
)
def replace_broker_credential(agent_id: uuid.UUID, principal: Admin) -> None:
    """The agent gets a new broker password with its next heartbeat, without a restart. Ten minutes later the old one
    is gone in any case."""
    with unit_of_work() as unit:
        service.replace_broker_credential(unit, principal, agent_id)


@router.post("/agent-enrollments", status_code=201, responses=problems(Unauthenticated, Forbidden))
def create_enrollment(principal: Admin) -> Enrollment:
    with unit_of_work() as unit:
        return service.create_enrollment(unit, principal)


@agent_router.post(
    "/enroll",
    responses=problems(
        service.EnrollmentInvalid,
        service.AgentTooOld,
        service.AgentNameTaken,
        service.BrokerAclRefused,
        service.BrokerUnavailable,
    ),
)
def enroll_agent(body: EnrollRequest) -> EnrollResponse:
    with unit_of_work(every_team=True) as unit:
        return service.enroll(unit, body)


@agent_router.post("/heartbeat", responses=problems(service.AgentRevoked), response_model_exclude_none=True)
def report_heartbeat(body: HeartbeatRequest, agent: CallingAgent) -> HeartbeatResponse:
    with unit_of_work() as unit:
        return service.heartbeat(unit, agent, body)


@agent_router.post(
    "/broker-credential",
    responses=problems(service.AgentRevoked, service.BrokerAclRefused, service.BrokerUnavailable),
)
def renew_broker_credential(body: BrokerCredentialRequest, agent: CallingAgent) -> BrokerCredential:
    with unit_of_work() as unit:
        return service.renew_broker_credential(unit, agent, body)
