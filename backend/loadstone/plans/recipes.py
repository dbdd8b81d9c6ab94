"""Plans that ship with the product: data, read from `recipe_files/*.json`."""

from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from loadstone.plans.estimate import estimate_s
from loadstone.plans.grid import expand
from loadstone.plans.resolve import Lookup, assemble, inline_snapshot, written_workloads
from loadstone.plans.schemas import InlineTarget, PlanDefinition, Recipe, Recipes
from loadstone.workloads.schemas import WorkloadDefinition


class _RecipeFile(BaseModel):
    """`definition` names managed targets only, so it resolves without a database."""

    model_config = ConfigDict(extra="forbid")

    place: int
    title: str
    question: str
    description: str
    definition: PlanDefinition


@cache
def list_recipes() -> Recipes:
    folder = resources.files(__package__).joinpath("recipe_files")
    files = [(path.name.removesuffix(".json"), path.read_text(encoding="utf-8")) for path in folder.iterdir()]
    read = [(slug, _RecipeFile.model_validate_json(text)) for slug, text in files]
    return Recipes(items=[_recipe(slug, file) for slug, file in sorted(read, key=lambda item: item[1].place)])


def _recipe(slug: str, file: _RecipeFile) -> Recipe:
    return Recipe(
        slug=slug,
        title=file.title,
        question=file.question,
        description=file.description,
        estimated_s=_estimated_s(file.definition),
        definition=file.definition,
    )


def _estimated_s(definition: PlanDefinition) -> float:
    lookup = Lookup()
    snapshots = [
        snapshot
        for index, written in enumerate(definition.targets)
        if isinstance(written, InlineTarget) and (snapshot := inline_snapshot(lookup, written, index)) is not None
    ]
    workloads = [one for _, one in written_workloads(definition) if isinstance(one, WorkloadDefinition)]
    plan = assemble(definition, snapshots, workloads)
    return estimate_s(plan, expand(plan))
