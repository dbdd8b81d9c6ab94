"""Plans: preview, resolve, save."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from loadstone import models
from loadstone.accounts import service as accounts
from loadstone.accounts.schemas import UserRef
from loadstone.agents import service as agents
from loadstone.audit import service as audit
from loadstone.canonical import canonical_hash
from loadstone.db import UnitOfWork
from loadstone.errors import AppError, Conflict, NotFound
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.plans import recipes, repository
from loadstone.plans.cells import engine_of, placed_target
from loadstone.plans.durability import kill_of
from loadstone.plans.engine_refusals import engine_refusals
from loadstone.plans.estimate import estimate_s
from loadstone.plans.figures import figures_for_run, published_count, recipe_figures
from loadstone.plans.findings import finding
from loadstone.plans.grid import Grid, count_points, count_trials, expand
from loadstone.plans.json_schema import plan_json_schema
from loadstone.plans.optional_targets import leave_out
from loadstone.plans.recipe_schemas import Recipe
from loadstone.plans.recipes import list_recipes, recipe_definition, recipe_file
from loadstone.plans.refusals import find_refusals
from loadstone.plans.replay import trace_digests
from loadstone.plans.resolve import look_up
from loadstone.plans.schemas import (
    AgentSelector,
    ChangePlan,
    Finding,
    Plan,
    PlanDefinition,
    PlanVersion,
    PlanVersions,
    Preview,
    PreviewAgent,
    PreviewPoint,
    PreviewRequest,
    RecipeRef,
    ResolvedPlan,
    WritePlan,
)
from loadstone.plans.subset import part_of_plan
from loadstone.plans.warnings import find_warnings
from loadstone.principal import Principal
from loadstone.traces import service as traces

__all__ = [
    "engine_of",
    "estimate_s",
    "expand",
    "figures_for_run",
    "kill_of",
    "list_recipes",
    "part_of_plan",
    "placed_target",
    "plan_json_schema",
    "recipe_definition",
    "recipe_figures",
    "recipe_file",
]

PREVIEW_POINTS = 500


def get_recipe(slug: str) -> Recipe:
    """Raises NotFound."""
    return recipes.get_recipe(slug, published_count(slug))


def recipe_ref(slug: str | None, size: str | None) -> RecipeRef | None:
    """From the two columns."""
    return RecipeRef.model_validate({"slug": slug, "size": size}) if slug and size else None


class PlanRefused(AppError):
    """Carries every refusal as `errors`."""

    code = "plan_refused"
    status = 422
    title = "The plan cannot run"

    def __init__(self, refusals: list[Finding]) -> None:
        super().__init__(refusals[0].message, path=refusals[0].path, errors=[item.model_dump() for item in refusals])


@dataclass(frozen=True)
class _Checked:
    """`plan` is None where a reference leads nowhere; `grid` is empty where anything is refused."""

    plan: ResolvedPlan | None
    grid: Grid
    refusals: list[Finding]
    left_out: list[Finding]


def _check(
    unit: UnitOfWork, principal: Principal, definition: PlanDefinition, selector: AgentSelector | None
) -> _Checked:
    lookup = look_up(unit, principal, definition)
    plan, refusals = lookup.plan, list(lookup.refusals)
    nothing = Grid(points=[], trials=[])
    if plan is not None:
        known = traces.known_facts(unit, principal.team_id, trace_digests(plan))
        refusals += find_refusals(plan, lookup.flush_forbidden, known)
    if plan is None or refusals:
        return _Checked(plan, nothing, refusals, [])
    left_out: list[Finding] = []
    if lookup.optional or any(engine.optional for engine in plan.engines):
        rows = agents.team_agents(unit, principal.team_id)
        plan, left_out = leave_out(plan, lookup.optional, rows, selector.as_json() if selector else {})
    grid = expand(plan)
    refusals += engine_refusals(plan, grid)
    if not grid.points:
        message = "None of the targets can be started: " + " ".join(item.message for item in left_out)
        refusals.append(finding("no_trials", "targets", message))
    return _Checked(plan, nothing if refusals else grid, refusals, left_out)


def resolve_plan(
    unit: UnitOfWork,
    principal: Principal,
    definition: PlanDefinition,
    agent_selector: AgentSelector | None = None,
) -> ResolvedPlan:
    """Everything looked up, checked and drawn, optional targets left out; raises PlanRefused."""
    checked = _check(unit, principal, definition, agent_selector)
    if checked.refusals or checked.plan is None:
        raise PlanRefused(checked.refusals)
    return checked.plan


def preview_plan(unit: UnitOfWork, principal: Principal, request: PreviewRequest) -> Preview:
    """What submitting would do. Faults of meaning are answers here, not errors."""
    checked = _check(unit, principal, request, request.agent_selector)
    plan, grid = checked.plan, checked.grid
    rows, seen = _look_at_agents(unit, principal, request.agent_selector, plan)
    estimated_s = estimate_s(plan, grid) if plan is not None else 0.0
    warnings: list[Finding] = []
    if plan is not None and not checked.refusals:
        cpu_counts = _cpu_counts(rows, seen)
        found = find_warnings(plan, grid, estimated_s, cpu_counts)
        warnings = [*checked.left_out, *_agent_warnings(rows, seen), *found]
    return Preview(
        points=[
            PreviewPoint(ordinal=point.ordinal, parameters=point.parameters) for point in grid.points[:PREVIEW_POINTS]
        ],
        point_count=count_points(plan) if plan is not None else 0,
        trial_count=count_trials(plan) if plan is not None else 0,
        estimated_s=estimated_s,
        finish_at=datetime.now(UTC) + timedelta(seconds=estimated_s),
        refusals=checked.refusals,
        warnings=warnings,
        agents=seen,
    )


def _look_at_agents(
    unit: UnitOfWork, principal: Principal, selector: AgentSelector | None, plan: ResolvedPlan | None
) -> tuple[list[models.Agent], list[PreviewAgent]]:
    rows = agents.team_agents(unit, principal.team_id)
    targets: list[dict[str, Any]] = [target.model_dump() for target in plan.targets] if plan else []
    chosen = selector.as_json() if selector else {}
    engines = agents.foreign_engines([engine.model_dump() for engine in plan.engines] if plan else None)
    reasons = [agents.why_not_now(row, chosen, targets, engines) for row in rows]
    seen = [
        PreviewAgent(id=row.id, name=row.name, can_take=reason is None, reason=reason)
        for row, reason in zip(rows, reasons, strict=True)
    ]
    return rows, seen


def _cpu_counts(rows: list[models.Agent], seen: list[PreviewAgent]) -> list[int]:
    able = (row for row, agent in zip(rows, seen, strict=True) if agent.can_take)
    return [int(row.inventory["cpu_count"]) for row in able if row.inventory]


def _agent_warnings(rows: list[models.Agent], seen: list[PreviewAgent]) -> list[Finding]:
    if not any(agents.is_online(row) for row in rows):
        message = "No agent is online: the run waits until one is."
        return [Finding(code="no_agent_online", path="agent_selector", message=message)]
    if not any(agent.can_take for agent in seen):
        message = "No agent can take this now: " + "; ".join(f"{agent.name}: {agent.reason}" for agent in seen[:5])
        return [Finding(code="no_agent_can_take", path="agent_selector", message=message)]
    return []


class PlanChanged(Conflict):
    """Carries the newest `version`."""

    code = "plan_changed"
    title = "Somebody else has saved this plan"


def list_plans(
    unit: UnitOfWork,
    principal: Principal,
    *,
    text: str | None,
    is_archived: bool,
    cursor: str | None,
    limit: int,
) -> Page[Plan]:
    """Newest first; raises InvalidCursor."""
    rows = repository.list_plans(
        unit.session,
        principal.team_id,
        text=text,
        is_archived=is_archived,
        before=decode_id_cursor(cursor),
        limit=limit + 1,
    )
    names = accounts.user_refs(unit, {author for row in rows for author in _authors(row)})
    return make_page(rows, limit, lambda row: row[0].id, lambda row: _render(row, names))


def _find(unit: UnitOfWork, principal: Principal, plan_id: uuid.UUID, version: int | None = None) -> repository.PlanRow:
    row = repository.find_plan(unit.session, principal.team_id, plan_id, version)
    if row is None:
        raise NotFound("There is no such plan." if version is None else "There is no such version of a plan.")
    return row


def _authors(row: repository.PlanRow) -> set[uuid.UUID | None]:
    return {row[0].created_by, row[1].created_by}


def get_plan(unit: UnitOfWork, principal: Principal, plan_id: uuid.UUID, version: int | None = None) -> Plan:
    """The newest version unless one is named; raises NotFound, also for an archived plan."""
    row = _find(unit, principal, plan_id, version)
    return _render(row, accounts.user_refs(unit, _authors(row)))


def list_versions(unit: UnitOfWork, principal: Principal, plan_id: uuid.UUID) -> PlanVersions:
    """Raises NotFound."""
    _find(unit, principal, plan_id)
    rows = repository.list_versions(unit.session, plan_id)
    names = accounts.user_refs(unit, {row.created_by for row in rows})
    return PlanVersions(
        items=[
            PlanVersion(
                version=row.version,
                created_by=names.get(row.created_by) if row.created_by else None,
                created_at=row.created_at,
            )
            for row in rows
        ]
    )


def create_plan(unit: UnitOfWork, principal: Principal, wanted: WritePlan) -> Plan:
    """Also one that would be refused now: it can be finished later. Raises NotFound for its recipe."""
    if wanted.recipe is not None:
        recipe_file(wanted.recipe.slug)
    plan = models.Plan(
        team_id=principal.team_id,
        name=wanted.name or wanted.definition.name,
        current_version=1,
        created_by=principal.user_id,
        recipe_slug=wanted.recipe.slug if wanted.recipe else None,
        recipe_size=wanted.recipe.size if wanted.recipe else None,
    )
    unit.session.add(plan)
    unit.session.flush()
    _add_version(unit, principal, plan, wanted.definition)
    _note(unit, principal, "plan_created", plan)
    return get_plan(unit, principal, plan.id)


def change_plan(unit: UnitOfWork, principal: Principal, plan_id: uuid.UUID, wanted: ChangePlan) -> Plan:
    """The next version, unless the definition is the newest one's already; raises NotFound, PlanChanged."""
    plan, newest = _find(unit, principal, plan_id)
    repository.lock_plan(unit.session, plan)
    if plan.current_version != wanted.version:
        message = (
            f"It is at version {plan.current_version} now; yours was made from {wanted.version}. "
            "Save yours as a new plan, or open the newest version and make your change there."
        )
        raise PlanChanged(message, path="version", version=plan.current_version)
    plan.name = wanted.name or wanted.definition.name
    if canonical_hash(wanted.definition.model_dump(mode="json")) != newest.definition_hash:
        plan.current_version += 1
        _add_version(unit, principal, plan, wanted.definition)
    _note(unit, principal, "plan_changed", plan)
    return get_plan(unit, principal, plan.id)


def archive_plan(unit: UnitOfWork, principal: Principal, plan_id: uuid.UUID) -> None:
    """Its runs stay. Raises NotFound."""
    plan, _ = _find(unit, principal, plan_id)
    plan.archived_at = datetime.now(UTC)
    _note(unit, principal, "plan_archived", plan)


def restore_plan(unit: UnitOfWork, principal: Principal, plan_id: uuid.UUID) -> Plan:
    """Back from the archive; may be repeated. Raises NotFound."""
    plan = repository.find_archived(unit.session, principal.team_id, plan_id)
    if plan is None:
        raise NotFound("There is no such plan.")
    plan.archived_at = None
    unit.session.flush()
    _note(unit, principal, "plan_restored", plan)
    return get_plan(unit, principal, plan_id)


def _note(unit: UnitOfWork, principal: Principal, action: str, plan: models.Plan) -> None:
    audit.record(unit, principal, action, "plan", plan.id, {"name": plan.name, "version": plan.current_version})


def _add_version(unit: UnitOfWork, principal: Principal, plan: models.Plan, definition: PlanDefinition) -> None:
    document = definition.model_dump(mode="json")
    version = models.PlanVersion(
        plan_id=plan.id,
        version=plan.current_version,
        definition=document,
        definition_hash=canonical_hash(document),
        created_by=principal.user_id,
    )
    unit.session.add(version)
    unit.session.flush()


def _render(row: repository.PlanRow, names: dict[uuid.UUID, UserRef]) -> Plan:
    plan, version = row
    return Plan(
        id=plan.id,
        name=plan.name,
        version=version.version,
        definition=PlanDefinition.model_validate(version.definition),
        created_by=names.get(plan.created_by) if plan.created_by else None,
        created_at=plan.created_at,
        version_created_by=names.get(version.created_by) if version.created_by else None,
        version_created_at=version.created_at,
        archived_at=plan.archived_at,
        recipe=recipe_ref(plan.recipe_slug, plan.recipe_size),
    )
