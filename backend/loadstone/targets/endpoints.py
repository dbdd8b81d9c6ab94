"""`/api/v1/targets` and `/store-kinds` for people, `/agent/v1/checks` for agents."""

import uuid

from fastapi import APIRouter
from loadstone_contracts.agent_calls import AGENT_API_PREFIX, CheckClaimResponse, CheckFinishRequest

from loadstone.agents.service import AgentRevoked
from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import CallingAgent, Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import Page
from loadstone.targets import service
from loadstone.targets.checks import NoAgentOnline
from loadstone.targets.schemas import CreateTargetCheck, Target, TargetCheck, WriteTarget
from loadstone.targets.store_kinds import StoreKinds
from loadstone.vault import SecretUnreadable

router = APIRouter(prefix="/api/v1", tags=["targets"])
agent_router = APIRouter(prefix=AGENT_API_PREFIX, tags=["agent calls"])


@router.get("/store-kinds", responses=problems(Unauthenticated))
def list_store_kinds(_principal: Reader) -> StoreKinds:
    return service.list_store_kinds()


@router.get("/targets", responses=problems(Unauthenticated))
def list_targets(principal: Reader, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Page[Target]:
    with unit_of_work() as unit:
        return service.list_targets(unit, principal, cursor, limit)


@router.post("/targets", status_code=201, responses=problems(Unauthenticated, Forbidden, IdempotencyKeyReused))
def create_target(body: WriteTarget, principal: Editor, once: OnceOnly) -> Target:
    with unit_of_work() as unit:
        return once.answer(unit, principal, Target, lambda: service.create_target(unit, principal, body))


@router.get("/targets/{target_id}", responses=problems(Unauthenticated, NotFound))
def get_target(target_id: uuid.UUID, principal: Reader) -> Target:
    with unit_of_work() as unit:
        return service.describe_target(unit, principal, target_id)


@router.put("/targets/{target_id}", responses=problems(Unauthenticated, Forbidden, NotFound))
def change_target(target_id: uuid.UUID, body: WriteTarget, principal: Editor) -> Target:
    with unit_of_work() as unit:
        return service.change_target(unit, principal, target_id, body)


@router.delete("/targets/{target_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def archive_target(target_id: uuid.UUID, principal: Editor) -> None:
    with unit_of_work() as unit:
        service.archive_target(unit, principal, target_id)


@router.post(
    "/targets/{target_id}/checks",
    status_code=201,
    responses=problems(Unauthenticated, Forbidden, NotFound, NoAgentOnline, IdempotencyKeyReused),
)
def create_target_check(
    target_id: uuid.UUID, body: CreateTargetCheck, principal: Editor, once: OnceOnly
) -> TargetCheck:
    with unit_of_work() as unit:
        target = service.find_target(unit, principal, target_id)
        return once.answer(
            unit, principal, TargetCheck, lambda: service.create_check(unit, principal, target, body.agent_id)
        )


@router.get("/targets/{target_id}/checks/{check_id}", responses=problems(Unauthenticated, NotFound))
def get_target_check(target_id: uuid.UUID, check_id: uuid.UUID, principal: Reader) -> TargetCheck:
    with unit_of_work() as unit:
        return service.get_check(unit, principal, target_id, check_id)


@agent_router.post("/checks/{check_id}/claim", responses=problems(AgentRevoked, SecretUnreadable))
def claim_target_check(check_id: uuid.UUID, agent: CallingAgent) -> CheckClaimResponse:
    with unit_of_work() as unit:
        check = service.claim_check(unit, agent, check_id)
        return CheckClaimResponse(target=service.check_assignment(unit, check) if check else None)


@agent_router.post("/checks/{check_id}/finish", status_code=204, responses=problems(AgentRevoked))
def finish_target_check(check_id: uuid.UUID, body: CheckFinishRequest, agent: CallingAgent) -> None:
    with unit_of_work() as unit:
        service.finish_check(unit, agent, check_id, body)
