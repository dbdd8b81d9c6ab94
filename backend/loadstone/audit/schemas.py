"""What the page of the audit log shows."""

import uuid
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

ActorKind = Literal["person", "token", "agent", "system"]


class Actor(BaseModel):
    kind: ActorKind
    id: uuid.UUID | None
    name: str
    token_name: str | None
    """Of the API token that was used, if one was."""


class AuditItem(BaseModel):
    id: uuid.UUID
    at: datetime
    actor: Actor
    action: str
    subject_kind: str
    subject_id: str | None
    detail: dict[str, Any]
