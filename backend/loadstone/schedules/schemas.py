"""Schedules and their firings as the public API shows them. Instants are UTC."""

import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from loadstone.accounts.schemas import UserRef
from loadstone.plans.schemas import AgentSelector

State = Literal["active", "paused", "ended", "broken"]
OverlapPolicy = Literal["skip", "queue", "cancel"]
Outcome = Literal["submitted", "skipped", "refused", "missed"]
Cron = Annotated[str, Field(min_length=1, max_length=200)]
TimeZoneName = Annotated[str, Field(min_length=1, max_length=100)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WriteSchedule(_Written):
    """`plan_version` null follows the newest version. `overlap_policy` says what happens while an earlier run lives."""

    name: str = Field(min_length=1, max_length=200)
    plan_id: uuid.UUID
    plan_version: int | None = Field(default=None, ge=1, le=2**31 - 1)
    cron: Cron
    time_zone: TimeZoneName = "UTC"
    overlap_policy: OverlapPolicy = "skip"
    starts_at: AwareDatetime | None = None
    ends_at: AwareDatetime | None = None
    agent_selector: AgentSelector | None = None
    priority: int = Field(default=0, ge=-1000, le=1000)


class ChangeSchedule(WriteSchedule):
    """`version` is the one that the change was made from."""

    version: int = Field(ge=1)


class PreviewSchedule(_Written):
    cron: Cron
    time_zone: TimeZoneName = "UTC"
    starts_at: AwareDatetime | None = None
    ends_at: AwareDatetime | None = None


class DueTime(BaseModel):
    """`local` is the wall clock in the schedule's zone, with its offset: `2026-10-25T02:30:00+02:00`."""

    at: datetime
    local: str


class SchedulePreview(BaseModel):
    """`cron` has aliases resolved. `firings` are the next five, fewer when the end comes first."""

    cron: str
    description: str
    firings: list[DueTime]


class ScheduleError(BaseModel):
    code: str
    message: str


class Firing(BaseModel):
    """`missed_count`: earlier due times that it stands for, after an outage."""

    id: uuid.UUID
    due_at: datetime
    fired_at: datetime
    is_manual: bool
    outcome: Outcome
    run_id: uuid.UUID | None
    run_name: str | None
    run_status: str | None
    error: ScheduleError | None
    missed_count: int


class Schedule(BaseModel):
    """`error` says why a schedule is broken; saving or resuming it tries anew."""

    id: uuid.UUID
    name: str
    plan_id: uuid.UUID
    plan_name: str
    plan_version: int | None
    cron: str
    description: str
    time_zone: str
    overlap_policy: OverlapPolicy
    starts_at: datetime | None
    ends_at: datetime | None
    state: State
    error: ScheduleError | None
    next_fire_at: datetime | None
    last_firing: Firing | None
    agent_selector: dict[str, Any]
    priority: int
    version: int
    created_by: UserRef | None
    created_at: datetime
    updated_at: datetime
