"""`?limit=&cursor=` of every list."""

from typing import Annotated

from fastapi import Query

from loadstone.paging import DEFAULT_LIMIT, MAX_LIMIT

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Cursor = Annotated[str | None, Query(max_length=500)]

__all__ = ["DEFAULT_LIMIT", "Cursor", "Limit"]
