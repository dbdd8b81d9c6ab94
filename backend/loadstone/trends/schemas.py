"""Series, alerts and annotations as the public API shows them. Times are UTC."""

import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from loadstone.accounts.schemas import UserRef
from loadstone.stats.metrics import Better
from loadstone.trends.states import AlertState

Direction = Literal["better", "worse"]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
LabelName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
LabelValue = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Labels = Annotated[dict[LabelName, LabelValue], Field(max_length=20)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ChangePoint(BaseModel):
    """`before` and `after` are medians of both sides in the metric's unit; `change` is `after / before - 1`.

    `state` is the alert's. `algorithm_version` names the verdict's rules; its inputs are kept beside it.
    """

    id: uuid.UUID
    at: datetime
    point_id: uuid.UUID
    metric: str
    operation: str
    before: float
    after: float
    change: float
    direction: Direction
    p_value: float
    algorithm_version: str
    alert_id: uuid.UUID
    state: AlertState


class SeriesRef(BaseModel):
    id: uuid.UUID
    title: str
    labels: dict[str, str]


class Series(SeriesRef):
    """`value_count` counts points with at least one trial that counts."""

    identity: dict[str, Any]
    store_versions: list[str]
    value_count: int
    first_at: datetime | None
    last_at: datetime | None
    last_change: ChangePoint | None


class FacetValue(BaseModel):
    value: str
    count: int


class Facet(BaseModel):
    """The commonest values first, 50 at most."""

    label: str
    values: list[FacetValue]


class Facets(BaseModel):
    facets: list[Facet]


class MetricInfo(BaseModel):
    name: str
    title: str
    unit: str
    better: Better


class Exclusion(BaseModel):
    id: uuid.UUID
    point_id: uuid.UUID
    reason: str
    author: UserRef | None
    created_at: datetime


class SeriesValue(BaseModel):
    """`low` and `high` are the lowest and highest trial. An excluded point is shown and judges nothing."""

    point_id: uuid.UUID
    run_id: uuid.UUID
    run_name: str
    at: datetime
    value: float
    low: float
    high: float
    trials_counted: int
    store_version: str | None
    engine_version: str | None
    environment_id: uuid.UUID | None
    excluded: Exclusion | None


class Annotation(BaseModel):
    id: uuid.UUID
    at: datetime
    title: str
    text: str
    labels: dict[str, str]
    author: UserRef | None
    created_at: datetime
    updated_at: datetime


class WriteAnnotation(_Written):
    """Drawn on every series that carries all of `labels`; without labels on every series."""

    at: AwareDatetime
    title: str = Field(min_length=1, max_length=200)
    text: str = Field(default="", max_length=10_000)
    labels: Labels = Field(default_factory=dict)


class SeriesLine(BaseModel):
    """`downsampled`: of every bucket of time the lowest and highest remain, and all that is marked."""

    series: SeriesRef
    values: list[SeriesValue]
    value_count: int
    downsampled: bool
    change_points: list[ChangePoint]
    annotations: list[Annotation]


class SeriesValues(BaseModel):
    metric: MetricInfo
    operation: str
    items: list[SeriesLine]


class PointRef(BaseModel):
    point_id: uuid.UUID
    run_id: uuid.UUID
    run_name: str
    at: datetime


class NeighbourDifference(BaseModel):
    """`path` is a place in the inventory or the effective configuration; a side without it is null."""

    kind: Literal["store_version", "configuration", "environment", "engine"]
    path: str
    before: Any
    after: Any


class Neighbours(BaseModel):
    """What differs between a point and the one before it in its series."""

    before: PointRef | None
    after: PointRef
    differences: list[NeighbourDifference]


class WriteExclusion(_Written):
    point_id: uuid.UUID
    reason: Reason


class ConfirmationNumbers(BaseModel):
    """`change` is after / before - 1 as measured anew, with its 95 % interval; `p_value` is one-sided.

    `method` is `paired` where old and new ran interleaved inside each session, else `sessions`: new ones against those
    recorded before the shift, which is weaker (`welch` in verdicts before version 2). `sessions` is how many were
    measured, `sessions_needed` how many more an undecided answer takes; null where eight would not do.
    """

    verdict: Literal["confirmed", "false", "undecided"]
    method: Literal["paired", "sessions", "welch"]
    change: float
    low: float
    high: float
    p_value: float
    n_before: int
    n_after: int
    sessions: int | None = None
    sessions_needed: int | None = None
    algorithm_version: str
    sentence: str


class Confirmation(BaseModel):
    """`result` is null while the run is under way; `refusal` says why it cannot be judged."""

    run_id: uuid.UUID | None
    method: Literal["paired", "sessions", "welch"]
    explanation: str
    metric: str
    operation: str
    result: ConfirmationNumbers | None
    refusal: str | None


class Alert(BaseModel):
    """One shift of one series, in however many metrics; `changes` begins with the one that says most."""

    id: uuid.UUID
    series: SeriesRef
    point_id: uuid.UUID
    run_id: uuid.UUID | None
    run_name: str | None
    at: datetime
    direction: Direction
    state: AlertState
    next_states: list[AlertState]
    owner: UserRef | None
    snoozed_until: datetime | None
    is_snoozed: bool
    changes: list[ChangePoint]
    confirmation: Confirmation | None
    created_at: datetime
    updated_at: datetime


class AlertEvent(BaseModel):
    """`kind`: found, returned, switched, state, owner, snooze, comment, confirmation or withdrawn; `author` null is the
    product itself."""

    id: uuid.UUID
    kind: str
    text: str
    detail: dict[str, Any]
    author: UserRef | None
    created_at: datetime


class AlertDetail(Alert):
    """`history` in the order in which it happened, comments among it."""

    history: list[AlertEvent]


class PatchAlert(_Written):
    """Fields that are left out stay. `owner_id` and `snoozed_until` may be set to null."""

    state: AlertState | None = None
    owner_id: uuid.UUID | None = None
    snoozed_until: AwareDatetime | None = None


class WriteComment(_Written):
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]
