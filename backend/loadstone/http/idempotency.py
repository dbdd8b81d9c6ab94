"""`Idempotency-Key`: the same POST again gets the first answer, whatever was lost on the way.

The key is a row of the same transaction as the change: a failed request leaves no key, and a second one that
arrives while the first is under way waits for it. Answers that hold a secret are not kept, so the routes that
hand out tokens do not take a key.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Request
from pydantic import BaseModel

from loadstone.db import UnitOfWork
from loadstone.errors import AppError
from loadstone.http import repository
from loadstone.principal import Principal

Answer = TypeVar("Answer", bound=BaseModel)


class IdempotencyKeyReused(AppError):
    code = "idempotency_key_reused"
    status = 409
    title = "The idempotency key was used for another request"


class Once:
    """Carries one request's key; does nothing when there is none."""

    def __init__(self, key: str | None, request_hash: str) -> None:
        self._key = key
        self._request_hash = request_hash

    def answer(self, unit: UnitOfWork, principal: Principal, model: type[Answer], act: Callable[[], Answer]) -> Answer:
        """`act()`, or the answer that it gave the first time; raises IdempotencyKeyReused."""
        if self._key is None:
            return act()
        row = repository.claim_key(unit.session, principal.team_id, principal.user_id, self._key, self._request_hash)
        if row.request_hash != self._request_hash:
            raise IdempotencyKeyReused("Use a new Idempotency-Key for a new request.")
        if row.response is not None:
            return model.model_validate(row.response)
        answer = act()
        row.response = answer.model_dump(mode="json")
        return answer


async def _read_once(
    request: Request,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200, pattern=r"^[!-~]+$")] = None,
) -> Once:
    if idempotency_key is None:
        return Once(None, "")
    text = f"{request.method} {request.url.path}\n".encode() + await request.body()
    return Once(idempotency_key, hashlib.sha256(text).hexdigest())


OnceOnly = Annotated[Once, Depends(_read_once)]


def forget_keys(unit: UnitOfWork, created_before: datetime) -> int:
    """Deletes keys too old to be repeated; returns how many."""
    return repository.delete_keys(unit.session, created_before)
