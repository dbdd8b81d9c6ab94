"""The base of every message that crosses a process boundary."""

from pydantic import BaseModel, ConfigDict


class Message(BaseModel):
    """A message is immutable and refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)
