"""The queue as the public API shows it. Times are UTC."""

import uuid
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from loadstone.agents.schemas import AgentState
from loadstone.queue.forecast import Basis
from loadstone.runs.schemas import NamedRef, RunListItem, WaitReason
from loadstone.runs.states import Status


class TimelineSlot(BaseModel):
    """A run on an agent. What is under way or planned ends when it is expected to."""

    run_id: uuid.UUID
    run_name: str
    status: Status
    trial_count: int
    starts_at: datetime
    ends_at: datetime


class QueueAgent(BaseModel):
    """`recent`: the last six hours, oldest first. `planned` in order, the next twenty at most."""

    id: uuid.UUID
    name: str
    state: AgentState
    is_draining: bool
    labels: dict[str, str]
    lease_state: str | None
    recent: list[TimelineSlot]
    current: TimelineSlot | None
    planned: list[TimelineSlot]


class QueuedRun(BaseModel):
    """`place` counts from 1; times are null while nobody will begin it (`reason` says why).

    `basis` says what the times rest on: the run's own pace, past runs of the same definition, or the estimate.
    """

    place: int
    run: RunListItem
    agent: NamedRef | None
    starts_at: datetime | None
    ends_at: datetime | None
    basis: Basis
    reason: WaitReason | None


class Queue(BaseModel):
    """`runs` are the first 200 that have no trial under way; the counts are of all."""

    now: datetime
    agents: list[QueueAgent]
    runs: list[QueuedRun]
    waiting_run_count: int
    waiting_trial_count: int


class QueuedTrial(BaseModel):
    """`place` counts waiting trials from 1; `ordinal` is the trial's place within its run."""

    place: int
    id: uuid.UUID
    run_id: uuid.UUID
    run_name: str
    point_id: uuid.UUID
    ordinal: int
    repetition: int
    attempt: int
    parameters: dict[str, Any]
    agent: NamedRef | None
    starts_at: datetime | None
    ends_at: datetime | None
    reason: WaitReason | None
