"""Links as the people who made them see them, and as their visitors do."""

import json
import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from loadstone.accounts.schemas import UserRef
from loadstone.comparisons.schemas import ComparisonDefinition

ShareKind = Literal["run", "comparison", "trend", "dashboard"]
ShareState = Literal["active", "expired", "revoked"]

VIEW_BYTES_MAX = 16_384
SERIES_MAX = 60


def _is_small(view: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(view)) > VIEW_BYTES_MAX:
        raise ValueError(f"a view takes at most {VIEW_BYTES_MAX} bytes of JSON")
    return view


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RunSubject(_Written):
    run_id: uuid.UUID


class _CreateShare(_Written):
    """`view` holds the page's search parameters: the link opens exactly so."""

    view: Annotated[dict[str, Any], AfterValidator(_is_small)] = Field(default_factory=dict)
    title: str | None = Field(default=None, min_length=1, max_length=200)
    """The subject's own name when left out."""
    expires_at: datetime | None = None
    password: str | None = Field(default=None, min_length=8, max_length=200)


class ComparisonSubject(_Written):
    """A saved one, or a question that nobody saved: exactly one of the two."""

    comparison_id: uuid.UUID | None = None
    definition: ComparisonDefinition | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "ComparisonSubject":
        if (self.comparison_id is None) == (self.definition is None):
            raise ValueError("give exactly one of comparison_id and definition")
        return self


class TrendSubject(_Written):
    series_ids: list[uuid.UUID] = Field(min_length=1, max_length=SERIES_MAX)


class DashboardSubject(_Written):
    """The link shows the dashboard as it is when it is opened."""

    dashboard_id: uuid.UUID


class ShareRun(_CreateShare):
    kind: Literal["run"]
    subject: RunSubject


class ShareComparison(_CreateShare):
    kind: Literal["comparison"]
    subject: ComparisonSubject


class ShareTrend(_CreateShare):
    kind: Literal["trend"]
    subject: TrendSubject


class ShareDashboard(_CreateShare):
    kind: Literal["dashboard"]
    subject: DashboardSubject


CreateShare = ShareRun | ShareComparison | ShareTrend | ShareDashboard


class ShareItem(BaseModel):
    """`view_count` counts openings of the page and of the embedded page, not of pictures and badges."""

    id: uuid.UUID
    kind: ShareKind
    subject: dict[str, Any]
    subject_id: uuid.UUID | None
    view: dict[str, Any]
    title: str
    state: ShareState
    has_password: bool
    expires_at: datetime | None
    revoked_at: datetime | None
    view_count: int
    last_viewed_at: datetime | None
    created_by: UserRef | None
    created_at: datetime


class ShareAddresses(BaseModel):
    """Where the link leads; a link with a password has no pictures, for nobody could enter it there."""

    page: str
    embed: str
    chart_svg: str | None
    chart_png: str | None
    badge: str | None


class CreatedShare(ShareItem):
    """`token` and the addresses that hold it are shown this once."""

    token: str
    url: str
    addresses: ShareAddresses


class SharedView(BaseModel):
    """What a visitor may know about the link itself."""

    kind: ShareKind
    subject: dict[str, Any]
    view: dict[str, Any]
    title: str
    team_name: str
    has_password: bool
    expires_at: datetime | None
    created_at: datetime


class Unlock(_Written):
    password: str = Field(min_length=1, max_length=200)
