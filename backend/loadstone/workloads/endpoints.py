"""`/api/v1/workloads`."""

import uuid

from fastapi import APIRouter

from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import Page
from loadstone.workloads import service
from loadstone.workloads.schemas import Workload, WriteWorkload

router = APIRouter(prefix="/api/v1", tags=["workloads"])


@router.get("/workloads", responses=problems(Unauthenticated))
def list_workloads(principal: Reader, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Page[Workload]:
    with unit_of_work() as unit:
        return service.list_workloads(unit, principal, cursor, limit)


@router.post("/workloads", status_code=201, responses=problems(Unauthenticated, Forbidden, IdempotencyKeyReused))
def create_workload(body: WriteWorkload, principal: Editor, once: OnceOnly) -> Workload:
    with unit_of_work() as unit:
        return once.answer(unit, principal, Workload, lambda: service.create_workload(unit, principal, body))


@router.get("/workloads/{workload_id}", responses=problems(Unauthenticated, NotFound))
def get_workload(workload_id: uuid.UUID, principal: Reader) -> Workload:
    with unit_of_work() as unit:
        return service.get_workload(unit, principal, workload_id)


@router.put("/workloads/{workload_id}", responses=problems(Unauthenticated, Forbidden, NotFound))
def change_workload(workload_id: uuid.UUID, body: WriteWorkload, principal: Editor) -> Workload:
    with unit_of_work() as unit:
        return service.change_workload(unit, principal, workload_id, body)


@router.delete("/workloads/{workload_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def archive_workload(workload_id: uuid.UUID, principal: Editor) -> None:
    with unit_of_work() as unit:
        service.archive_workload(unit, principal, workload_id)
