"""A plan as people write it, as it is resolved for a run, and what the plan endpoints answer."""

import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from loadstone_contracts.agent_calls import Placement, Reset
from loadstone_contracts.engine_load import EngineLoad
from loadstone_contracts.engine_plan import StopRule, StoreProtocol
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from loadstone.accounts.schemas import UserRef
from loadstone.targets.schemas import TargetSnapshot
from loadstone.workloads.schemas import WorkloadDefinition

Order = Literal["interleaved", "sequential", "shuffled"]
OptionName = Annotated[str, Field(max_length=200)]
OptionValue = Annotated[str, Field(max_length=10_000)]
AxisValue = int | Annotated[float, Field(allow_inf_nan=False)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TargetRef(_Written):
    """A saved target."""

    target_id: uuid.UUID


class InlineTarget(_Written):
    """A managed target that is not saved: started by the agent from a profile with overrides."""

    kind: str = Field(max_length=100)
    profile: str = Field(max_length=100)
    options: dict[OptionName, OptionValue] = Field(default_factory=dict, max_length=500)
    protocol: StoreProtocol | None = None
    """None is the kind's first."""
    name: str | None = Field(default=None, min_length=1, max_length=100)
    placement: Placement | None = None
    """Cores, memory and disk that it gets; null is the agent's own choice."""
    optional: bool = False
    """Left out of the run, and said so, where no agent can start it."""


class WorkloadRef(_Written):
    """A saved workload, in the version with this id."""

    workload_id: uuid.UUID


def _tag_by(field: str) -> Discriminator:
    """A reference when `field` is there, else the thing itself: faults are then told for that one shape only."""

    def tag(value: Any) -> str:
        is_ref = field in value if isinstance(value, dict) else hasattr(value, field)
        return "ref" if is_ref else "inline"

    return Discriminator(tag)


PlanTarget = Annotated[Annotated[TargetRef, Tag("ref")] | Annotated[InlineTarget, Tag("inline")], _tag_by("target_id")]
PlanWorkload = Annotated[
    Annotated[WorkloadRef, Tag("ref")] | Annotated[WorkloadDefinition, Tag("inline")], _tag_by("workload_id")
]


TargetName = Annotated[str, Field(min_length=1, max_length=100)]


class PlanAxis(_Written):
    parameter: str = Field(max_length=100)
    values: list[AxisValue] = Field(max_length=1000)


Only = dict[Annotated[str, Field(max_length=100)], Annotated[list[AxisValue], Field(max_length=1000)]]


class PlanStop(StopRule):
    """Exactly one is set. `operations` are all connections' together."""

    operations_per_connection: int | None = Field(default=None, ge=1, le=1_000_000_000)

    def rule(self, connections: int) -> StopRule:
        """As the engine is told."""
        if self.operations_per_connection is None:
            return StopRule(seconds=self.seconds, operations=self.operations, steady=self.steady)
        return StopRule(operations=self.operations_per_connection * connections)


class _EntryCommon(_Written):
    """A value on the axis `workload`. Several entries share a name when each has targets of its own.

    `targets` are names of targets: the others have no such cell. `only` keeps it to some values of some axes. `load`,
    `stop` and `prefill` stand instead of the plan's.
    """

    name: str = Field(min_length=1, max_length=100)
    targets: list[TargetName] | None = Field(default=None, max_length=20)
    only: Only = Field(default_factory=dict, max_length=20)
    load: EngineLoad | None = None
    stop: PlanStop | None = None
    prefill: bool | None = None


class PlanWorkloadEntry(_EntryCommon):
    workload: PlanWorkload


class ResolvedWorkloadEntry(_EntryCommon):
    workload: WorkloadDefinition


class PlanEngine(_Written):
    """A program that makes the load; with more than one, `engine` is an axis. It has cells for `targets` only."""

    name: str = Field(min_length=1, max_length=100)
    label: str | None = Field(default=None, min_length=1, max_length=100)
    targets: list[TargetName] | None = Field(default=None, max_length=20)
    workloads: list[TargetName] | None = Field(default=None, max_length=40)
    """Names of entries; null is all."""
    optional: bool | None = None
    """Left out of the run, and said so, where no agent has it."""


NATIVE_ENGINE = "native"


class _PlanCommon(_Written):
    name: str = Field(min_length=1, max_length=200)
    load: EngineLoad
    engines: list[PlanEngine] = Field(default_factory=lambda: [PlanEngine(name=NATIVE_ENGINE)], max_length=20)
    threads: int = Field(default=1, ge=1, le=256)
    axes: list[PlanAxis] = Field(default_factory=list, max_length=20)
    trials_per_point: int = Field(default=3, ge=0, le=1_000_000)
    order: Order = "interleaved"
    rest_s: float = Field(default=0, ge=0, le=86_400, allow_inf_nan=False)
    """Idle time before each trial but the first."""
    reset: Reset = "restart"
    prefill: bool = True
    warmup: PlanStop | None = None
    stop: PlanStop = PlanStop()
    verify: bool = False
    timeout_ms: int = Field(default=5000, ge=1, le=3_600_000)


RecipeSizeName = Literal["full", "quick"]


class PlanDefinition(_PlanCommon):
    """Targets are always the axis `target`; every other number that varies stands in `axes`.

    Exactly one of `workload` and `workloads`; the latter is the axis `workload`. Without a seed one is drawn.
    """

    targets: list[PlanTarget] = Field(max_length=20)
    workload: PlanWorkload | None = None
    workloads: list[PlanWorkloadEntry] = Field(default_factory=list, max_length=80)
    seed: int | None = Field(default=None, ge=0, le=2**63 - 1)


class ResolvedPlan(_PlanCommon):
    """Everything looked up and drawn: the same document always expands to the same trials."""

    targets: list[TargetSnapshot]
    workload: WorkloadDefinition | None = None
    workloads: list[ResolvedWorkloadEntry] = Field(default_factory=list)
    seed: int


class AgentSelector(_Written):
    """Exactly one of the two."""

    agent_id: uuid.UUID | None = None
    labels: dict[str, str] | None = Field(default=None, max_length=20)

    @model_validator(mode="after")
    def _exactly_one(self) -> "AgentSelector":
        if (self.agent_id is None) == (self.labels is None):
            raise ValueError("give exactly one of agent_id and labels")
        return self

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)


class Finding(BaseModel):
    """A refusal or a warning: `path` is the field at fault, such as `axes[0].values[2]`."""

    code: str
    message: str
    path: str


class PreviewRequest(PlanDefinition):
    agent_selector: AgentSelector | None = None


class PreviewPoint(BaseModel):
    ordinal: int
    parameters: dict[str, Any]


class PreviewAgent(BaseModel):
    """`reason` is null exactly when the agent can take the run."""

    id: uuid.UUID
    name: str
    can_take: bool
    reason: str | None


class Preview(BaseModel):
    """`points` are the first 500 of `point_count`. Without refusals, submitting the plan will succeed."""

    points: list[PreviewPoint]
    point_count: int
    trial_count: int
    estimated_s: float
    finish_at: datetime
    refusals: list[Finding]
    warnings: list[Finding]
    agents: list[PreviewAgent]


class RecipeRef(_Written):
    """The recipe that a plan or run began as, and in which size."""

    slug: str = Field(min_length=1, max_length=100)
    size: RecipeSizeName


class WritePlan(_Written):
    definition: PlanDefinition
    name: str | None = Field(default=None, min_length=1, max_length=200)
    """The definition's own name when left out."""
    recipe: RecipeRef | None = None
    """Kept from the first version on."""


class ChangePlan(WritePlan):
    """`version` is the one that the change was made from: if it is not the newest any more, nothing is saved."""

    version: int = Field(ge=1, le=2**31 - 1)


class Plan(BaseModel):
    """`created_by` and `created_at` are the plan's, `version_created_by` and `version_created_at` this version's."""

    id: uuid.UUID
    name: str
    version: int
    definition: PlanDefinition
    created_by: UserRef | None
    created_at: datetime
    version_created_by: UserRef | None
    version_created_at: datetime
    archived_at: datetime | None
    recipe: RecipeRef | None


class PlanVersion(BaseModel):
    version: int
    created_by: UserRef | None
    created_at: datetime


class PlanVersions(BaseModel):
    """The newest 500, newest first."""

    items: list[PlanVersion]
