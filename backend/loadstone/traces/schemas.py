"""What the trace endpoints give."""

import uuid
from datetime import datetime

from pydantic import BaseModel


class TraceFacts(BaseModel):
    """`duration_s` is the time of the last line; `operations` are lines by name, the most frequent first."""

    line_count: int
    key_count: int
    duration_s: float
    largest_value_bytes: int
    """0 where no line has a size: values are then as long as the workload's dataset says."""
    operations: dict[str, int]


class UploadedTrace(TraceFacts):
    """`digest` is the SHA-256 of the file: plans name it by that."""

    id: uuid.UUID
    name: str
    digest: str
    size_bytes: int
    created_at: datetime
