"""Recipes and published figures as the public API shows them."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from loadstone.plans.schemas import PlanDefinition, RecipeSizeName


class _Shown(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Shown):
    """Who published a study, and where it stood."""

    title: str
    author: str | None
    year: int | None
    note: str | None


class Difference(_Shown):
    """What is not as it was in the study."""

    what: str
    then: str
    now: str


class RecipeSize(_Shown):
    """`full` is as published, `quick` shows the same in minutes."""

    size: RecipeSizeName
    estimated_s: float
    trial_count: int
    definition: PlanDefinition


class RecipeItem(_Shown):
    """A plan that ships with the product, and the question that it answers. `study`: it was published by somebody."""

    slug: str
    title: str
    question: str
    summary: str
    study: bool
    sizes: list[RecipeSize]
    place: int


class PublishedCount(_Shown):
    """Figures that the source prints, and how many of them are laid onto runs."""

    count: int
    mapped: int


class Recipe(RecipeItem):
    method: list[str]
    differences: list[Difference]
    source: Source | None
    published: PublishedCount


class Recipes(_Shown):
    items: list[RecipeItem]


class PublishedPoint(_Shown):
    """`x` is null where the source gives one figure without an axis, `value` where it says that there was none."""

    x: float | None
    value: float | None
    note: str | None


class SourceSeries(_Shown):
    """As the source prints it. `reason` says why a series is not laid onto runs; null where it is."""

    scenario: str
    system: str
    client: str | None
    axis: str | None
    metric: str
    unit: str
    points: list[PublishedPoint]
    reason: str | None


class RecipePublished(_Shown):
    series: list[SourceSeries]
    source: Source | None


class PublishedSeries(_Shown):
    """Laid onto a run: `match` are parameters of its points, `axis` one of its axes, `metric` one of the registry's.

    Values are in the metric's unit, or ratios to the points that `relative_to` says. `derived` says how a value follows
    from the printed one, if it is not the same.
    """

    label: str
    system: str
    client: str | None
    scenario: str
    match: dict[str, Any]
    axis: str | None
    metric: str
    unit: str
    derived: str | None
    relative_to: dict[str, Any] | None
    points: list[PublishedPoint]


class RunPublished(_Shown):
    """`normalise_to` are the parameters that the study compares to; absolute figures depend on the hardware."""

    series: list[PublishedSeries]
    normalise_to: dict[str, Any] | None
    source: Source | None
