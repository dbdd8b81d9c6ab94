"""How often one address may try to sign in. Counted in Redis, so it holds over every api process.

When Redis is away people may sign in: a lock-out would keep everybody from the page just when they must see what
is wrong, and guessing stays slow by the cost of argon2 and its few slots.
"""

from functools import cache

import structlog
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter

from loadstone.errors import AppError
from loadstone.settings import get_settings

log = structlog.get_logger()

PER_ACCOUNT = RateLimitItemPerMinute(10, 5)
PER_ADDRESS = RateLimitItemPerMinute(50, 5)


class TooManyAttempts(AppError):
    code = "too_many_attempts"
    status = 429
    title = "Too many attempts to sign in"


@cache
def _limiter(broker_url: str) -> FixedWindowRateLimiter:
    storage = RedisStorage(
        broker_url,
        wrap_exceptions=True,
        socket_connect_timeout=0.5,
        socket_timeout=0.5,
    )
    return FixedWindowRateLimiter(storage)


def count_attempt(address: str, email: str) -> None:
    """Raises TooManyAttempts."""
    tries: list[tuple[RateLimitItem, tuple[str, ...]]] = [
        (PER_ADDRESS, ("sign-in", address)),
        (PER_ACCOUNT, ("sign-in", address, email)),
    ]
    limiter = _limiter(get_settings().broker_url)
    try:
        allowed = all(limiter.hit(limit, *key) for limit, key in tries)
    except StorageError as error:
        log.warning("sign_in_limit_unavailable", error=str(error))
        return
    if not allowed:
        raise TooManyAttempts("Wait five minutes before you try again.")
