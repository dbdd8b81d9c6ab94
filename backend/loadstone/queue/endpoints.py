"""`/api/v1/queue`."""

from fastapi import APIRouter

from loadstone.db import unit_of_work
from loadstone.errors import Unauthenticated
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Reader
from loadstone.http.problems import problems
from loadstone.paging import InvalidCursor, Page
from loadstone.queue import schemas, service

router = APIRouter(prefix="/api/v1", tags=["queue"])


@router.get("/queue", responses=problems(Unauthenticated))
def get_queue(principal: Reader) -> schemas.Queue:
    """A timeline for each agent, and the runs that wait in the order in which they will begin."""
    with unit_of_work() as unit:
        return service.get_queue(unit, principal)


@router.get("/queue/trials", responses=problems(Unauthenticated, InvalidCursor))
def list_queued_trials(
    principal: Reader, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.QueuedTrial]:
    """Every waiting trial with its place, in the order in which they will be executed."""
    with unit_of_work() as unit:
        return service.list_trials(unit, principal, cursor, limit)
