"""What the dashboard endpoints take and give."""

import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from loadstone.accounts.schemas import UserRef

MAX_PANELS = 60
MAX_SERIES = 20

ShortText = Annotated[str, Field(min_length=1, max_length=200)]
LabelFilter = Annotated[str, Field(min_length=3, max_length=400, pattern=r"^[^:]+:.+$")]
"""`name:value`."""
Name = Annotated[str, Field(min_length=1, max_length=100)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TrendView(_Written):
    """The values of some series over time: those named, or all whose labels match."""

    kind: Literal["trend"] = "trend"
    series_ids: list[uuid.UUID] = Field(default_factory=list, max_length=MAX_SERIES)
    labels: list[LabelFilter] = Field(default_factory=list, max_length=20)
    metric: Name = "throughput_per_s"
    operation: Name = "all"
    days: int | None = Field(default=None, ge=1, le=3660)
    """How far back from now; null for everything."""
    is_split_by_version: bool = False

    @model_validator(mode="after")
    def _names_something(self) -> "TrendView":
        if not self.series_ids and not self.labels:
            raise ValueError("a trend panel names series or labels")
        return self


class RunView(_Written):
    """The curve of one run, or of the latest run of a plan."""

    kind: Literal["run"] = "run"
    run_id: uuid.UUID | None = None
    plan_id: uuid.UUID | None = None
    metric: Name = "throughput_per_s"
    operation: Name = "all"
    axis: Name | None = None
    """The run's first numeric axis when null."""

    @model_validator(mode="after")
    def _names_one(self) -> "RunView":
        if (self.run_id is None) == (self.plan_id is None):
            raise ValueError("a run panel names either a run or a plan")
        return self


class ComparisonView(_Written):
    """A saved comparison."""

    kind: Literal["comparison"] = "comparison"
    comparison_id: uuid.UUID
    metric: Name = "throughput_per_s"


class TextView(_Written):
    """Markdown; HTML in it is shown as text."""

    kind: Literal["text"] = "text"
    markdown: str = Field(max_length=20_000)


PanelView = Annotated[TrendView | RunView | ComparisonView | TextView, Field(discriminator="kind")]


class Panel(_Written):
    id: str = Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")
    """Chosen by who adds it, unique within the dashboard."""
    title: str = Field(default="", max_length=200)
    view: PanelView
    width: int = Field(default=1, ge=1, le=3)
    """Of three columns."""
    height: int = Field(default=2, ge=1, le=4)
    """In steps of about 130 px."""


class DashboardContent(_Written):
    name: ShortText
    refresh_s: int | None = Field(default=None, ge=5, le=86_400)
    """How often the page reads its panels anew; null for never."""
    is_pinned: bool = False
    panels: list[Panel] = Field(default_factory=list, max_length=MAX_PANELS)

    @model_validator(mode="after")
    def _panel_ids_are_unique(self) -> "DashboardContent":
        if len({panel.id for panel in self.panels}) < len(self.panels):
            raise ValueError("two panels have the same id")
        return self

    def as_json(self) -> dict[str, Any]:
        return DashboardContent.model_validate(self.model_dump(exclude={"version"})).model_dump(mode="json")


class CreateDashboard(DashboardContent):
    pass


class ChangeDashboard(DashboardContent):
    version: int = Field(ge=1, le=2**31 - 1)
    """The one this was made from; a dashboard that someone saved meanwhile is not overwritten."""


class DashboardItem(BaseModel):
    id: uuid.UUID
    name: str
    version: int
    is_pinned: bool
    refresh_s: int | None
    panel_count: int
    created_by: UserRef | None
    created_at: datetime
    changed_by: UserRef | None
    changed_at: datetime


class Dashboard(DashboardItem):
    panels: list[Panel]


class DashboardVersionItem(BaseModel):
    version: int
    name: str
    panel_count: int
    changed_by: UserRef | None
    changed_at: datetime


class DashboardVersions(BaseModel):
    """The newest first, at most 100."""

    items: list[DashboardVersionItem]
