"""How often something may be tried. Counted in Redis, so it holds over every api process.

When Redis is away people may go on: a lock-out would keep everybody from the page just when they must see what is
wrong, and guessing stays slow by the cost of argon2 and its few slots.
"""

from collections.abc import Sequence
from functools import cache

import structlog
from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter

from loadstone.errors import AppError
from loadstone.settings import get_settings

log = structlog.get_logger()

Try = tuple[RateLimitItem, tuple[str, ...]]
"""A limit, and what it is counted by."""


class TooManyAttempts(AppError):
    code = "too_many_attempts"
    status = 429
    title = "Too many attempts"


@cache
def _limiter(broker_url: str) -> FixedWindowRateLimiter:
    storage = RedisStorage(
        broker_url,
        wrap_exceptions=True,
        socket_connect_timeout=0.5,
        socket_timeout=0.5,
    )
    return FixedWindowRateLimiter(storage)


def count_tries(tries: Sequence[Try], detail: str) -> None:
    """Raises TooManyAttempts with `detail`, which says how long to wait."""
    limiter = _limiter(get_settings().broker_url)
    try:
        allowed = all(limiter.hit(limit, *key) for limit, key in tries)
    except StorageError as error:
        log.warning("rate_limit_unavailable", error=str(error))
        return
    if not allowed:
        raise TooManyAttempts(detail)
