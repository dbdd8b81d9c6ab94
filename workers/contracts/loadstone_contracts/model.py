"""The base of every message that crosses a process boundary."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Message(BaseModel):
    """A message is immutable and refuses fields it does not know, and numbers that are none."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


Count = Annotated[int, Field(ge=0, le=2**53)]
"""How many: whole, and exact as a float too."""
Bytes = Annotated[int, Field(ge=0, le=2**62)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Sequence = Annotated[int, Field(ge=0, le=2**31 - 1)]
Instant = Annotated[int, Field(ge=0, le=4_000_000_000 * 10**9)]
"""Nanoseconds since 1970, up to the year 2096."""
Span = Annotated[int, Field(ge=0, le=4_000_000_000 * 10**9)]
"""Nanoseconds."""
