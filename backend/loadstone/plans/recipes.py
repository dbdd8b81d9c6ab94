"""Plans that ship with the product: data, read from `recipe_files/*.json`.

A file holds what its sizes have in common and what each changes of it (RFC 7386: a null takes away). Targets,
workloads and axes stand there by name, so that a size can change one; an entry's `name` may differ from its key.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from pydantic import BaseModel, ConfigDict

from loadstone.errors import NotFound
from loadstone.plans.estimate import estimate_s
from loadstone.plans.grid import expand
from loadstone.plans.recipe_schemas import (
    Difference,
    PublishedCount,
    Recipe,
    RecipeItem,
    Recipes,
    RecipeSize,
    Source,
)
from loadstone.plans.resolve import Lookup, assemble, inline_snapshot, written_workloads
from loadstone.plans.schemas import InlineTarget, PlanDefinition, RecipeRef, RecipeSizeName
from loadstone.workloads.schemas import WorkloadDefinition


class RecipeFile(BaseModel):
    """`plan` and its sizes name managed targets and own workloads only, so they resolve without a database."""

    model_config = ConfigDict(extra="forbid")

    place: int
    title: str
    question: str
    summary: str
    method: list[str]
    differences: list[Difference] = []
    source: Source | None = None
    plan: dict[str, Any]
    sizes: dict[RecipeSizeName, dict[str, Any]]

    def definition(self, size: RecipeSizeName) -> PlanDefinition:
        merged = merge_patch(self.plan, self.sizes[size])
        listed = {
            "targets": _named(merged["targets"]),
            "axes": [{"parameter": name, "values": values} for name, values in merged.get("axes", {}).items()],
        }
        if "workloads" in merged:
            listed["workloads"] = _named(merged["workloads"])
        return PlanDefinition.model_validate({"name": self.title, **merged, **listed})


def merge_patch(whole: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(whole) if isinstance(whole, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged


def _named(entries: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": name, **entry} for name, entry in entries.items()]


@cache
def recipe_files() -> Mapping[str, RecipeFile]:
    """By slug, in their places."""
    folder = resources.files(__package__).joinpath("recipe_files")
    read = {
        path.name.removesuffix(".json"): RecipeFile.model_validate(json.loads(path.read_text(encoding="utf-8")))
        for path in folder.iterdir()
    }
    return dict(sorted(read.items(), key=lambda item: item[1].place))


@cache
def list_recipes() -> Recipes:
    return Recipes(items=[_item(slug, file) for slug, file in recipe_files().items()])


def get_recipe(slug: str, published: PublishedCount) -> Recipe:
    """Raises NotFound."""
    file = recipe_file(slug)
    item = next(item for item in list_recipes().items if item.slug == slug)
    return Recipe(
        **dict(item), method=file.method, differences=file.differences, source=file.source, published=published
    )


def recipe_file(slug: str) -> RecipeFile:
    """Raises NotFound."""
    file = recipe_files().get(slug)
    if file is None:
        raise NotFound(f"There is no recipe {slug!r}.", path="recipe.slug")
    return file


def recipe_definition(ref: RecipeRef) -> PlanDefinition:
    """Raises NotFound."""
    file = recipe_file(ref.slug)
    if ref.size not in file.sizes:
        raise NotFound(f"The recipe has no size {ref.size!r}: it has {', '.join(file.sizes)}.", path="recipe.size")
    return file.definition(ref.size)


def _item(slug: str, file: RecipeFile) -> RecipeItem:
    return RecipeItem(
        slug=slug,
        title=file.title,
        question=file.question,
        summary=file.summary,
        study=file.source is not None,
        sizes=[_size(size, file.definition(size)) for size in file.sizes],
        place=file.place,
    )


def _size(size: RecipeSizeName, definition: PlanDefinition) -> RecipeSize:
    lookup = Lookup()
    snapshots = [
        snapshot
        for index, written in enumerate(inline_targets(definition))
        if (snapshot := inline_snapshot(lookup, written, index)) is not None
    ]
    workloads = [one for _, one in written_workloads(definition) if isinstance(one, WorkloadDefinition)]
    plan = assemble(definition, snapshots, workloads)
    grid = expand(plan)
    return RecipeSize(
        size=size, estimated_s=estimate_s(plan, grid), trial_count=len(grid.trials), definition=definition
    )


def inline_targets(definition: PlanDefinition) -> Iterable[InlineTarget]:
    return (target for target in definition.targets if isinstance(target, InlineTarget))
