"""What store and host did while a trial was measured, as the api tells it."""

import uuid
from datetime import datetime
from typing import Literal

from pydantic import BaseModel

CounterUnit = Literal["per_s", "bytes", "bytes_per_s", "count", "ratio", "s"]


class CounterName(BaseModel):
    """One of the store's own counters; a unit with `per_s` is a rate over the second."""

    name: str
    title: str
    unit: CounterUnit


class TelemetryItem(BaseModel):
    """One second of store and host. `elapsed_s` is its end, since the trial's first second began.

    Null is what could not be read. `host` holds shares of all CPU time, rates and `memory_available_bytes`.
    `store_children_memory_bytes` is what forked children hold beyond the server's own resident memory.
    """

    agent_id: uuid.UUID
    seq: int
    phase: str | None
    at: datetime
    elapsed_s: float
    duration_s: float
    store: dict[str, float]
    store_memory_bytes: int | None
    store_children_memory_bytes: int | None
    store_disk_bytes: int | None
    store_cpu_cores: float | None
    host: dict[str, float] | None


class TelemetryMark(BaseModel):
    """Something that happened; `duration_s` is of what ended with it."""

    agent_id: uuid.UUID
    seq: int
    kind: str
    at: datetime
    elapsed_s: float
    title: str
    detail: str
    duration_s: float | None


class TelemetryList(BaseModel):
    """`downsampled`: of each bucket only the seconds with the lowest or highest of some line are here."""

    items: list[TelemetryItem]
    names: list[CounterName]
    events: list[TelemetryMark]
    attempt: int
    downsampled: bool


class TelemetryNews(BaseModel):
    """What arrived at once, as the live stream tells it. `names` are of its own items."""

    trial_id: uuid.UUID
    point_id: uuid.UUID
    attempt: int
    items: list[TelemetryItem]
    names: list[CounterName]
    events: list[TelemetryMark]
