"""Keyset pages: a cursor names the last row seen, so a page costs the same wherever it lies."""

import base64
import binascii
import uuid
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from pydantic import BaseModel

from loadstone.errors import AppError

DEFAULT_LIMIT = 50
MAX_LIMIT = 200

Row = TypeVar("Row")
Item = TypeVar("Item")


class InvalidCursor(AppError):
    code = "invalid_cursor"
    status = 422
    title = "The cursor cannot be used"


class Page(BaseModel, Generic[Item]):
    """`next_cursor` is null on the last page."""

    items: list[Item]
    next_cursor: str | None


def encode_cursor(*keys: object) -> str:
    """Opaque to clients: the keys' text, base64url."""
    return base64.urlsafe_b64encode("\n".join(str(key) for key in keys).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *, keys: int = 1) -> list[str]:
    """The keys' text; raises InvalidCursor."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts = base64.b64decode(padded, altchars=b"-_", validate=True).decode().split("\n")
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise InvalidCursor("Start again from the first page.", path="cursor") from error
    if len(parts) != keys:
        raise InvalidCursor("Start again from the first page.", path="cursor")
    return parts


def decode_id_cursor(cursor: str | None) -> uuid.UUID | None:
    """The id that the page comes after; raises InvalidCursor."""
    if cursor is None:
        return None
    try:
        return uuid.UUID(decode_cursor(cursor)[0])
    except ValueError as error:
        raise InvalidCursor("Start again from the first page.", path="cursor") from error


def make_page(
    rows: Sequence[Row],
    limit: int,
    key: Callable[[Row], object],
    render: Callable[[Row], Item],
) -> Page[Item]:
    """`rows` were asked for with `limit + 1`: one too many says that there is a next page."""
    shown = rows[:limit]
    cursor = encode_cursor(key(shown[-1])) if len(rows) > limit and shown else None
    return Page(items=[render(row) for row in shown], next_cursor=cursor)
