"""Comparing sides, and keeping comparisons."""

import uuid
from collections.abc import Sequence

from loadstone.accounts import service as accounts
from loadstone.accounts.schemas import UserRef
from loadstone.audit import service as audit
from loadstone.comparisons import repository, schemas
from loadstone.comparisons.cells import make_cells
from loadstone.comparisons.differences import rank_differences
from loadstone.comparisons.facts import side_facts
from loadstone.comparisons.measured import Measured, read_measured
from loadstone.comparisons.sentences import comparison_sentence
from loadstone.comparisons.sides import (
    Match,
    ResolvedSide,
    SidePoint,
    choose_points,
    labels,
    match_points,
    matching_parameters,
)
from loadstone.db import UnitOfWork
from loadstone.errors import InvalidInput, NotFound
from loadstone.models import Comparison
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal
from loadstone.runs.schemas import NamedRef
from loadstone.stats.compare import ALGORITHM_VERSION
from loadstone.stats.metrics import METRICS

MAX_CELLS = 20_000
"""Of one comparison; 20 runs of 500 points with two metrics."""
NOTHING_MATCHED = "No setting of this side was measured by the base too. Compare runs of like axes."


class ComparisonTooLarge(InvalidInput):
    code = "comparison_too_large"
    title = "The comparison has too many cells"


def evaluate(unit: UnitOfWork, principal: Principal, definition: schemas.ComparisonDefinition) -> schemas.Comparison:
    """Computed from the trials that count now. Raises NotFound, SideEmpty, SidesAmbiguous, ComparisonTooLarge."""
    sides = resolve_sides(unit, principal, definition)
    names = matching_parameters(sides)
    matches = match_points(sides, names)
    if len(matches) * len(definition.metrics) > MAX_CELLS:
        raise ComparisonTooLarge(f"At most {MAX_CELLS:,} cells. Choose fewer metrics or sides, or fix a parameter.")
    points = [point for side in sides for point in side.points]
    measured = read_measured(
        unit, points, definition.operation, definition.metrics, with_history=len({side.run.id for side in sides}) > 1
    )
    cells, family_size = make_cells(sides, matches, measured, definition)
    shown = _shown_sides(sides, measured)
    return schemas.Comparison.model_construct(
        algorithm_version=ALGORITHM_VERSION,
        definition=definition,
        family_size=family_size,
        metrics=[_metric(name) for name in definition.metrics],
        parameters=names,
        operations=list(repository.operations_of(unit.session, [point.id for point in sides[0].points])),
        sides=shown,
        differences=rank_differences(side_facts(unit, sides, measured)),
        refusals=_unmatched(sides, matches),
        cells=cells,
        curves=[curve(side, metric, measured) for metric in definition.metrics for side in sides],
        sentence=comparison_sentence(shown, cells, definition.margin),
    )


def resolve_sides(
    unit: UnitOfWork, principal: Principal, definition: schemas.ComparisonDefinition
) -> list[ResolvedSide]:
    """The base first. Raises NotFound, SideEmpty."""
    asked = [definition.base, *definition.contenders]
    paths = ["base", *(f"contenders[{index}]" for index in range(len(definition.contenders)))]
    runs_by_point = repository.runs_of_points(
        unit.session, principal.team_id, [side.point_id for side in asked if side.point_id]
    )
    run_ids = [side.run_id or runs_by_point.get(side.point_id or uuid.UUID(int=0)) for side in asked]
    runs = repository.find_runs(unit.session, principal.team_id, [run_id for run_id in run_ids if run_id])
    points: dict[uuid.UUID, list[SidePoint]] = {}
    for row in repository.points_of_runs(unit.session, list(runs)):
        points.setdefault(row.run_id, []).append(
            SidePoint(row.id, row.run_id, row.parameters, row.target_index, row.series_id)
        )
    found = []
    for index, (side, path, run_id) in enumerate(zip(asked, paths, run_ids, strict=True)):
        if run_id is None or run_id not in runs:
            raise NotFound("There is no such run or point.", path=path)
        run, agent_name = runs[run_id]
        found.append(ResolvedSide(index, path, side, run, agent_name, choose_points(side, path, points[run_id])))
    return found


def _metric(name: str) -> schemas.ComparedMetric:
    metric = METRICS[name]
    return schemas.ComparedMetric(name=metric.name, title=metric.title, unit=metric.unit, better=metric.better)


def _shown_sides(sides: Sequence[ResolvedSide], measured: Measured) -> list[schemas.ComparedSide]:
    return [_shown_side(side, label, measured) for side, label in zip(sides, labels(sides), strict=True)]


def _shown_side(side: ResolvedSide, label: str, measured: Measured) -> schemas.ComparedSide:
    facts = [row for point in side.points if (row := measured.facts(point)) is not None]
    run = side.run
    agent = NamedRef(id=run.agent_id, name=side.agent_name) if run.agent_id and side.agent_name else None
    return schemas.ComparedSide(
        index=side.index,
        label=label,
        run=NamedRef(id=run.id, name=run.name),
        target=side.target["name"] if side.target else None,
        target_kind=side.target["kind"] if side.target else None,
        agent=agent,
        started_at=run.started_at,
        point_count=len(side.points),
        trial_count=sum(one.trial_count for one in facts),
        trials_counted=sum(one.counted for one in facts),
        trials_void=sum(one.void for one in facts),
    )


def _unmatched(sides: Sequence[ResolvedSide], matches: Sequence[Match]) -> list[schemas.ContenderRefusal]:
    matched = {match.contender for match in matches}
    return [
        schemas.ContenderRefusal(contender=side.index, code="nothing_matched", message=NOTHING_MATCHED)
        for side in sides[1:]
        if side.index not in matched
    ]


def curve(side: ResolvedSide, metric: str, measured: Measured) -> schemas.Curve:
    points = [_curve_point(point, metric, measured) for point in side.points]
    return schemas.Curve.model_construct(side=side.index, metric=metric, points=points)


def _curve_point(point: SidePoint, metric: str, measured: Measured) -> schemas.CurvePoint:
    values = measured.of(point, metric)
    return schemas.CurvePoint.model_construct(
        point_id=point.id,
        parameters=point.parameters,
        value=measured.shown(point, metric),
        low=float(values.min()) if len(values) else None,
        high=float(values.max()) if len(values) else None,
        trials_counted=len(values),
    )


def create_comparison(
    unit: UnitOfWork, principal: Principal, wanted: schemas.CreateComparison
) -> schemas.SavedComparison:
    """Keeps the question. Raises what `evaluate` raises."""
    result = evaluate(unit, principal, wanted.definition)
    row = Comparison(
        team_id=principal.team_id,
        name=wanted.name,
        definition=wanted.definition.model_dump(mode="json", exclude_none=True),
        created_by=principal.user_id,
    )
    unit.session.add(row)
    unit.session.flush()
    audit.record(unit, principal, "comparison_saved", "comparison", row.id, {"name": row.name})
    people = accounts.user_refs(unit, {row.created_by})
    return schemas.SavedComparison(**dict(_item(row, people)), result=result)


def list_comparisons(
    unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int
) -> Page[schemas.SavedComparisonItem]:
    """Newest first; raises InvalidCursor."""
    rows = repository.list_comparisons(unit.session, principal.team_id, decode_id_cursor(cursor), limit + 1)
    people = accounts.user_refs(unit, {row.created_by for row in rows})
    return make_page(rows, limit, lambda row: row.id, lambda row: _item(row, people))


def get_comparison(unit: UnitOfWork, principal: Principal, comparison_id: uuid.UUID) -> schemas.SavedComparison:
    """With its answer of now. Raises NotFound, and what `evaluate` raises."""
    row = _find(unit, principal, comparison_id)
    item = _item(row, accounts.user_refs(unit, {row.created_by}))
    return schemas.SavedComparison(**dict(item), result=evaluate(unit, principal, item.definition))


def delete_comparison(unit: UnitOfWork, principal: Principal, comparison_id: uuid.UUID) -> None:
    """Raises NotFound. The runs stay."""
    row = _find(unit, principal, comparison_id)
    repository.delete_comparison(unit.session, row)
    audit.record(unit, principal, "comparison_deleted", "comparison", row.id, {"name": row.name})


def _find(unit: UnitOfWork, principal: Principal, comparison_id: uuid.UUID) -> Comparison:
    row = repository.find_comparison(unit.session, principal.team_id, comparison_id)
    if row is None:
        raise NotFound("There is no such comparison.")
    return row


def _item(row: Comparison, people: dict[uuid.UUID, UserRef]) -> schemas.SavedComparisonItem:
    return schemas.SavedComparisonItem(
        id=row.id,
        name=row.name,
        definition=schemas.ComparisonDefinition.model_validate(row.definition),
        created_by=people.get(row.created_by) if row.created_by else None,
        created_at=row.created_at,
    )
