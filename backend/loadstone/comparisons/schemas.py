"""A comparison as people ask for it, and its answer. Ratios are contender / base."""

import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from loadstone.accounts.schemas import UserRef
from loadstone.runs.schemas import NamedRef
from loadstone.stats.metrics import METRICS, Better

ParameterValue = str | int | Annotated[float, Field(allow_inf_nan=False)]
Method = Literal["paired", "welch", "sessions"]
IntervalKind = Literal["t", "welch", "sessions"]
Order = Literal["interleaved", "shuffled", "sequential", "unpaired", "sessions"]
Verdict = Literal["better", "worse", "equivalent", "changed", "not_enough_data"]
DifferenceKind = Literal["store_version", "engine", "configuration", "plan", "environment"]


class Side(BaseModel):
    """A run (all of it, one target, or the points where parameters have these values), or one point."""

    model_config = ConfigDict(extra="forbid")

    run_id: uuid.UUID | None = None
    target: str | None = Field(default=None, min_length=1, max_length=200)
    where: dict[str, ParameterValue] | None = Field(default=None, max_length=20)
    point_id: uuid.UUID | None = None

    @model_validator(mode="after")
    def _run_or_point(self) -> "Side":
        if (self.run_id is None) == (self.point_id is None):
            raise ValueError("give exactly one of run_id and point_id")
        if self.point_id is not None and (self.target is not None or self.where is not None):
            raise ValueError("target and where choose from a run; a point is chosen already")
        return self


class ComparisonDefinition(BaseModel):
    """`margin` is the share that does not matter (0.02 is 2 %)."""

    model_config = ConfigDict(extra="forbid")

    base: Side
    contenders: list[Side] = Field(min_length=1, max_length=19)
    metrics: list[str] = Field(default=["throughput_per_s", "response_time_p99_ns"], min_length=1, max_length=15)
    operation: str = Field(default="all", min_length=1, max_length=100)
    margin: float = Field(default=0.02, gt=0, lt=1, allow_inf_nan=False)
    confidence: float = Field(default=0.95, ge=0.5, le=0.999, allow_inf_nan=False)

    @field_validator("metrics")
    @classmethod
    def _known_metrics(cls, names: list[str]) -> list[str]:
        unknown = [name for name in names if name not in METRICS]
        if unknown:
            raise ValueError(f"there is no metric {unknown[0]}; there are {', '.join(METRICS)}")
        return list(dict.fromkeys(names))


class ComparedMetric(BaseModel):
    name: str
    title: str
    unit: str
    better: Better


class ComparedSide(BaseModel):
    """`index` 0 is the base. `target` is null where a side holds several."""

    index: int
    label: str
    run: NamedRef
    target: str | None
    target_kind: str | None
    agent: NamedRef | None
    started_at: datetime | None
    point_count: int
    trial_count: int
    trials_counted: int
    trials_void: int


class Difference(BaseModel):
    """`values` has one text a side, null where the side knows nothing of it. A higher `weight` matters more."""

    kind: DifferenceKind
    path: str
    values: list[str | None]
    weight: int


class Interval(BaseModel):
    low: float
    high: float


class RefusalRef(BaseModel):
    code: str
    message: str


class ContenderRefusal(RefusalRef):
    """Why a contender has no cell at all. `contender` is its index among the sides."""

    contender: int


class Cell(BaseModel):
    """One metric at one setting, a contender against the base.

    `method`: `paired` where trials were interleaved, `sessions` where the sides are two runs (the variance of a session
    comes from earlier ones of the series), else `welch`. `order` says how the two were measured. Values are means over
    trials, percentiles from merged histograms; `ratio` rests on each trial's own percentile.

    `verdict`: `worse` and `better` are so by more than the margin, `equivalent` is within it, `changed` differs from no
    change but perhaps by less than the margin, `not_enough_data` is inconclusive. `p_value` is against no change,
    `p_adjusted` that over all cells, `p_margin` against the margin over all cells (Benjamini-Hochberg); `p_sign_flip`
    is the exact one of a lone cell. Shares of failures have a `difference` instead of a ratio.

    `trials_needed`: more on each side to see a difference as large as the margin in four of five cases, and the same at
    the 10 and 90 % points of the spread; null with a verdict, and where 1,000 would not do. `visible_change` is
    what so many trials see in four of five cases, as a share. With a `refusal` there are no figures, and the verdict is
    `not_enough_data`.
    """

    contender: int
    parameters: dict[str, Any]
    base_point_id: uuid.UUID
    contender_point_id: uuid.UUID
    metric: str
    operation: str
    method: Method
    interval_kind: IntervalKind | None
    order: Order
    n_base: int
    n_contender: int
    n_pairs: int
    base_value: float | None
    contender_value: float | None
    ratio: float | None
    interval: Interval | None
    difference: float | None
    difference_interval: Interval | None
    p_value: float | None
    p_adjusted: float | None
    p_margin: float | None
    p_sign_flip: float | None
    verdict: Verdict
    trials_needed: int | None
    trials_needed_low: int | None
    trials_needed_high: int | None
    visible_change: float | None
    refusal: RefusalRef | None


class CurvePoint(BaseModel):
    """`low` and `high` are the lowest and the highest trial."""

    point_id: uuid.UUID
    parameters: dict[str, Any]
    value: float | None
    low: float | None
    high: float | None
    trials_counted: int


class Curve(BaseModel):
    side: int
    metric: str
    points: list[CurvePoint]


class Comparison(BaseModel):
    """`family_size` is the number of cells tested together; `parameters` are those that cells differ by."""

    algorithm_version: str
    definition: ComparisonDefinition
    family_size: int
    metrics: list[ComparedMetric]
    parameters: list[str]
    operations: list[str]
    sides: list[ComparedSide]
    differences: list[Difference]
    refusals: list[ContenderRefusal]
    cells: list[Cell]
    curves: list[Curve]
    sentence: str


class CreateComparison(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: str = Field(min_length=1, max_length=200)
    definition: ComparisonDefinition


class SavedComparisonItem(BaseModel):
    id: uuid.UUID
    name: str
    definition: ComparisonDefinition
    created_by: UserRef | None
    created_at: datetime


class SavedComparison(SavedComparisonItem):
    """The question is what was saved; `result` answers it with the trials that count now."""

    result: Comparison


class QueueTrials(BaseModel):
    """Without `trials_per_point`: as many as the open cell that needs most says, 3 to 50."""

    model_config = ConfigDict(extra="forbid")

    definition: ComparisonDefinition
    trials_per_point: int | None = Field(default=None, ge=2, le=1_000)


class RunVerdict(BaseModel):
    """What a run says in one sentence, and the cell it rests on where targets were compared."""

    sentence: str
    cell: Cell | None
    trials_void: int
    trials_excluded: int
    trial_count: int
