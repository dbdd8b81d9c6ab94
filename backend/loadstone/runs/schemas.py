"""Runs, trials and events as the public API shows them. Times are UTC."""

import uuid
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from loadstone.plans.schemas import AgentSelector, PlanDefinition, RecipeRef, ResolvedPlan
from loadstone.runs.states import Status

TrustVerdict = Literal["pass", "warn", "void"]
RunOrigin = Literal["local", "imported"]


class NamedRef(BaseModel):
    id: uuid.UUID
    name: str


class ErrorRef(BaseModel):
    """Why a run or trial failed, or what it warns of; `detail` holds the last log lines of the store or the engine."""

    code: str
    message: str
    detail: str | None = None


class WaitReason(BaseModel):
    """Why a live run has no trial under way."""

    code: str
    message: str


class StatusCounts(BaseModel):
    """Trials by status; they add up to `trial_count`."""

    queued: int
    claimed: int
    running: int
    cancelling: int
    succeeded: int
    failed: int
    cancelled: int
    crashed: int


class RunSubmit(BaseModel):
    """Exactly one of `plan_id` and `plan`, or the `recipe` alone. Without a selector any agent that can take it may.

    With a plan, `recipe` says what it began as.
    """

    model_config = ConfigDict(extra="forbid")

    plan_id: uuid.UUID | None = None
    plan: PlanDefinition | None = None
    recipe: RecipeRef | None = None
    agent_selector: AgentSelector | None = None
    priority: int = Field(default=0, ge=-1000, le=1000)
    name: str | None = Field(default=None, min_length=1, max_length=200)

    @model_validator(mode="after")
    def _exactly_one_plan(self) -> "RunSubmit":
        if self.plan_id is not None and self.plan is not None:
            raise ValueError("give exactly one of plan_id and plan")
        if self.plan_id is None and self.plan is None and self.recipe is None:
            raise ValueError("give one of plan_id, plan and recipe")
        return self


class RunListItem(BaseModel):
    """`progress` is 0 to 1; `eta_s` counts from now and is null before the start and after the end."""

    id: uuid.UUID
    name: str
    status: Status
    status_counts: StatusCounts
    point_count: int
    trial_count: int
    progress: float
    estimated_s: float
    eta_s: float | None
    agent: NamedRef | None
    wait_reason: WaitReason | None
    priority: int
    created_by: NamedRef | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    cancel_requested_at: datetime | None
    plan_id: uuid.UUID | None
    plan_version: int | None
    error: ErrorRef | None
    last_event_seq: int
    agent_selector: dict[str, Any]
    origin: RunOrigin
    schedule_id: uuid.UUID | None
    recipe: RecipeRef | None
    paused_at: datetime | None


class ChangeRun(BaseModel):
    """What is left out stays as it is; an `agent_selector` of null lets any agent take it."""

    model_config = ConfigDict(extra="forbid")

    name: str | None = Field(default=None, min_length=1, max_length=200)
    priority: int | None = Field(default=None, ge=-1000, le=1000)
    agent_selector: AgentSelector | None = None


class MoveRun(BaseModel):
    """The run goes right before or right after another one that waits, and takes over its priority."""

    model_config = ConfigDict(extra="forbid")

    before: uuid.UUID | None = None
    after: uuid.UUID | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "MoveRun":
        if (self.before is None) == (self.after is None):
            raise ValueError("give exactly one of before and after")
        return self


class CurrentTrial(BaseModel):
    id: uuid.UUID
    point_id: uuid.UUID
    ordinal: int
    status: Status
    attempt: int
    parameters: dict[str, Any]


class RunAxis(BaseModel):
    parameter: str
    values: list[Any]


class RunProvenance(BaseModel):
    """Where an imported run was measured: the installation's address, and the run's id and times there."""

    installation: str
    run_id: uuid.UUID
    team_name: str
    created_at: datetime
    exported_by_version: str
    imported_at: datetime
    bundle_digest: str


class Run(RunListItem):
    """`definition` is the resolved plan as it was submitted: targets as snapshots, the workload itself, the seed."""

    definition: ResolvedPlan
    axes: list[RunAxis]
    current_trial: CurrentTrial | None
    provenance: RunProvenance | None
    """Of an imported run: it stays as it is and takes part in no series unless that was asked for."""


class TrustReason(BaseModel):
    """`evidence` holds the figures and the threshold the verdict rests on."""

    code: str
    message: str
    evidence: dict[str, Any]


class TrialDecision(BaseModel):
    """Somebody included a void trial or excluded one that counted; it stands until `undone_at`."""

    id: uuid.UUID
    kind: Literal["include", "exclude"]
    reason: str
    created_by: NamedRef | None
    created_at: datetime
    undone_by: NamedRef | None
    undone_at: datetime | None


class TrialItem(BaseModel):
    """`ordinal` is the place in the run's execution order, `repetition` within the point; `block` pairs trials.

    `is_counted`: it enters curves, comparisons and series. `decisions` are all that were made, oldest first.
    """

    id: uuid.UUID
    run_id: uuid.UUID
    point_id: uuid.UUID
    ordinal: int
    repetition: int
    block: int
    seed: int
    status: Status
    attempt: int
    parameters: dict[str, Any]
    claimed_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    engine: str | None
    engine_version: str | None
    engine_elapsed_s: float | None
    error: ErrorRef | None
    warnings: list[ErrorRef]
    trust: TrustVerdict | None
    trust_reasons: list[TrustReason]
    is_counted: bool
    decisions: list[TrialDecision]


class TrialEvent(BaseModel):
    """A trial's status changed. Trials that end together by a cancel are told by the `run` event alone."""

    id: uuid.UUID
    point_id: uuid.UUID
    ordinal: int
    repetition: int
    status: Status
    attempt: int
    trust: TrustVerdict | None
    error: ErrorRef | None
