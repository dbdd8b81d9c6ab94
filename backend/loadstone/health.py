"""`/healthz`: the process answers. `/readyz`: so do the database and the broker."""

import redis
import structlog
from fastapi import APIRouter
from pydantic import BaseModel

from loadstone.db import is_database_reachable
from loadstone.errors import AppError
from loadstone.http.problems import problems
from loadstone.settings import get_settings

log = structlog.get_logger()

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: str


class NotReady(AppError):
    code = "not_ready"
    status = 503
    title = "Not ready"


@router.get("/healthz")
def get_health() -> Health:
    return Health(status="ok")


@router.get("/readyz", responses=problems(NotReady))
def get_readiness() -> Health:
    if not is_database_reachable():
        raise NotReady("The database does not answer.")
    if not _is_broker_reachable():
        raise NotReady("The broker does not answer.")
    return Health(status="ok")


def _is_broker_reachable() -> bool:
    client = redis.Redis.from_url(get_settings().broker_url, socket_connect_timeout=1, socket_timeout=1)
    try:
        return bool(client.ping())
    except redis.RedisError as error:
        log.warning("broker_unreachable", error=str(error))
        return False
    finally:
        client.close()
