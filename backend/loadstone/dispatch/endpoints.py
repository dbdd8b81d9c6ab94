"""`/agent/v1`: the calls of an agent on trials. Bodies and answers are those of the contracts."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query, Response
from loadstone_contracts.agent_calls import (
    AGENT_API_PREFIX,
    ClaimRequest,
    ClaimResponse,
    FinishRequest,
    FinishResponse,
    RenewRequest,
    RenewResponse,
    SamplesRequest,
    SamplesResponse,
)
from loadstone_contracts.telemetry import TelemetryRequest, TelemetryResponse

from loadstone.agents.service import AgentRevoked
from loadstone.db import unit_of_work
from loadstone.dispatch import service
from loadstone.errors import NotFound
from loadstone.http.principal import CallingAgent
from loadstone.http.problems import problems
from loadstone.results.service import UnusableHistogram

agent_router = APIRouter(prefix=AGENT_API_PREFIX, tags=["agent calls"])


@agent_router.post("/claim", responses=problems(AgentRevoked))
def claim_trial(body: ClaimRequest, agent: CallingAgent) -> ClaimResponse:
    with unit_of_work() as unit:
        return service.claim_trial(unit, agent.agent_id, body.trial_id)


@agent_router.post("/leases/{lease_id}/renew", responses=problems(AgentRevoked, service.LeaseLost))
def renew_lease(lease_id: uuid.UUID, body: RenewRequest, agent: CallingAgent) -> RenewResponse:
    with unit_of_work() as unit:
        return service.renew_lease(unit, agent.agent_id, lease_id, body)


@agent_router.post("/leases/{lease_id}/samples", responses=problems(AgentRevoked, service.LeaseLost, UnusableHistogram))
def store_samples(lease_id: uuid.UUID, body: SamplesRequest, agent: CallingAgent) -> SamplesResponse:
    with unit_of_work() as unit:
        return service.store_samples(unit, agent.agent_id, lease_id, body)


@agent_router.post("/leases/{lease_id}/telemetry", responses=problems(AgentRevoked, service.LeaseLost))
def store_telemetry(lease_id: uuid.UUID, body: TelemetryRequest, agent: CallingAgent) -> TelemetryResponse:
    with unit_of_work() as unit:
        return service.store_telemetry(unit, agent.agent_id, lease_id, body)


@agent_router.get(
    "/leases/{lease_id}/trace",
    response_class=Response,
    responses={
        **problems(AgentRevoked, service.LeaseLost, NotFound),
        200: {"description": "The file.", "content": {"text/csv": {"schema": {"type": "string"}}}},
    },
)
def download_leased_trace(lease_id: uuid.UUID, fence: Annotated[int, Query(ge=0)], agent: CallingAgent) -> Response:
    """The trace that the lease's trial replays, as it was uploaded."""
    with unit_of_work() as unit:
        content = service.leased_trace(unit, agent.agent_id, lease_id, fence)
    return Response(content, media_type="text/csv", headers={"Content-Encoding": "gzip"})


@agent_router.post("/leases/{lease_id}/finish", responses=problems(AgentRevoked, service.LeaseLost, UnusableHistogram))
def finish_trial(lease_id: uuid.UUID, body: FinishRequest, agent: CallingAgent) -> FinishResponse:
    with unit_of_work() as unit:
        return service.finish_trial(unit, agent.agent_id, lease_id, body)
