"""`/api/v1/plans` and `/recipes`."""

import uuid
from typing import Annotated, Any

from fastapi import APIRouter, Query

from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import Page
from loadstone.plans import service
from loadstone.plans.recipe_schemas import Recipe, RecipePublished, Recipes
from loadstone.plans.schemas import ChangePlan, Plan, PlanVersions, Preview, PreviewRequest, WritePlan

router = APIRouter(prefix="/api/v1", tags=["plans"])

VersionQuery = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


@router.get("/recipes", responses=problems(Unauthenticated))
def list_recipes(_principal: Reader) -> Recipes:
    return service.list_recipes()


@router.get("/recipes/{slug}", responses=problems(Unauthenticated, NotFound))
def get_recipe(slug: str, _principal: Reader) -> Recipe:
    """With its method, its source and what differs from it."""
    return service.get_recipe(slug)


@router.get("/recipes/{slug}/published", responses=problems(Unauthenticated, NotFound))
def get_recipe_figures(slug: str, _principal: Reader) -> RecipePublished:
    """Every figure that the source prints, as it prints it; empty for a recipe of our own."""
    return service.recipe_figures(slug)


@router.get("/schemas/plan.json")
def get_plan_schema() -> dict[str, Any]:
    """The JSON Schema of plans. Open to all: editors fetch it without a token."""
    return service.plan_json_schema()


@router.post("/plans/preview", responses=problems(Unauthenticated, Forbidden))
def preview_plan(body: PreviewRequest, principal: Reader) -> Preview:
    with unit_of_work() as unit:
        return service.preview_plan(unit, principal, body)


@router.get("/plans", responses=problems(Unauthenticated))
def list_plans(
    principal: Reader,
    q: Annotated[str | None, Query(max_length=200)] = None,
    is_archived: bool = False,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[Plan]:
    """Newest first, each in its newest version. `q` is looked for in the name."""
    with unit_of_work() as unit:
        return service.list_plans(unit, principal, text=q, is_archived=is_archived, cursor=cursor, limit=limit)


@router.post("/plans", status_code=201, responses=problems(Unauthenticated, Forbidden, IdempotencyKeyReused))
def create_plan(body: WritePlan, principal: Editor, once: OnceOnly) -> Plan:
    with unit_of_work() as unit:
        return once.answer(unit, principal, Plan, lambda: service.create_plan(unit, principal, body))


@router.get("/plans/{plan_id}", responses=problems(Unauthenticated, NotFound))
def get_plan(plan_id: uuid.UUID, principal: Reader, version: VersionQuery = None) -> Plan:
    """The newest version, or the one asked for."""
    with unit_of_work() as unit:
        return service.get_plan(unit, principal, plan_id, version)


@router.get("/plans/{plan_id}/versions", responses=problems(Unauthenticated, NotFound))
def list_plan_versions(plan_id: uuid.UUID, principal: Reader) -> PlanVersions:
    with unit_of_work() as unit:
        return service.list_versions(unit, principal, plan_id)


@router.post("/plans/{plan_id}/restore", responses=problems(Unauthenticated, Forbidden, NotFound))
def restore_plan(plan_id: uuid.UUID, principal: Editor) -> Plan:
    """Back from the archive; may be repeated."""
    with unit_of_work() as unit:
        return service.restore_plan(unit, principal, plan_id)


@router.put("/plans/{plan_id}", responses=problems(Unauthenticated, Forbidden, NotFound, service.PlanChanged))
def change_plan(plan_id: uuid.UUID, body: ChangePlan, principal: Editor) -> Plan:
    with unit_of_work() as unit:
        return service.change_plan(unit, principal, plan_id, body)


@router.delete("/plans/{plan_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def archive_plan(plan_id: uuid.UUID, principal: Editor) -> None:
    with unit_of_work() as unit:
        service.archive_plan(unit, principal, plan_id)
