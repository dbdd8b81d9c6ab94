"""What a run says in one sentence: what its kills took, or who leads, by how much, at which setting; and what was left
out."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from loadstone.comparisons import kills, repository, schemas, sentences, service
from loadstone.comparisons.measured import Measured, read_measured
from loadstone.comparisons.sides import ResolvedSide
from loadstone.db import UnitOfWork
from loadstone.principal import Principal

METRIC = "throughput_per_s"
NOUNS = {"get": "gets", "set": "sets", "delete": "deletes", "multi_get": "multi-gets", "select": "selects"}
NOT_YET = "Nothing has been measured yet that counts."


def run_verdict(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> schemas.RunVerdict:
    """Raises NotFound."""
    whole = schemas.ComparisonDefinition(
        base=schemas.Side(run_id=run_id), contenders=[schemas.Side(run_id=run_id)], metrics=[METRIC]
    )
    side = service.resolve_sides(unit, principal, whole)[0]
    measured = read_measured(unit, side.points, whole.operation, [METRIC, kills.LOST, kills.TORN])
    losses = kills.losses_of(
        (point.parameters, measured.shown(point, kills.LOST), measured.shown(point, kills.TORN))
        for point in side.points
    )
    if losses:
        sentence, cell = kills.kill_sentence(losses), None
    else:
        sentence, cell = _fastest(unit, principal, side, measured)
    trial_count = sum(row.trial_count for row in measured.trials.values())
    void = sum(row.void for row in measured.trials.values())
    excluded = repository.excluded_count(unit.session, run_id)
    return schemas.RunVerdict(
        sentence=sentences.with_trust(sentence, void, excluded, trial_count),
        cell=cell,
        trials_void=void,
        trials_excluded=excluded,
        trial_count=trial_count,
    )


def _fastest(
    unit: UnitOfWork, principal: Principal, side: ResolvedSide, measured: Measured
) -> tuple[str, schemas.Cell | None]:
    points = service.curve(side, METRIC, measured).points
    peak = max(points, key=lambda point: point.value or 0.0)
    if peak.value is None:
        return NOT_YET, None
    operations = _operations(side.run.definition)
    noun = NOUNS.get(operations.pop(), "operations") if len(operations) == 1 else "operations"
    rivals = _rivals(points, peak)
    if rivals:
        return _lead(unit, principal, side.run.id, peak, rivals, noun)
    low, high = peak.low or peak.value, peak.high or peak.value
    target = str(peak.parameters["target"])
    return sentences.peak_sentence(target, noun, peak.parameters, peak.value, low, high), None


def _operations(definition: Mapping[str, Any]) -> set[str]:
    """Kinds of all the run's workloads."""
    entries = definition.get("workloads") or [definition]
    return {one["kind"] for entry in entries for one in entry["workload"]["operations"]}


def _rivals(points: Sequence[schemas.CurvePoint], peak: schemas.CurvePoint) -> list[schemas.CurvePoint]:
    """The other targets at the peak's setting, fastest first."""
    setting = _setting(peak)
    found = [point for point in points if point is not peak and point.value is not None and _setting(point) == setting]
    return sorted(found, key=lambda point: -(point.value or 0.0))


def _setting(point: schemas.CurvePoint) -> dict[str, object]:
    return {name: value for name, value in point.parameters.items() if name != "target"}


def _lead(
    unit: UnitOfWork,
    principal: Principal,
    run_id: uuid.UUID,
    peak: schemas.CurvePoint,
    rivals: Sequence[schemas.CurvePoint],
    noun: str,
) -> tuple[str, schemas.Cell]:
    """Every rival and setting is in the family: the leader was chosen by looking."""
    leader, other = str(peak.parameters["target"]), str(rivals[0].parameters["target"])
    definition = schemas.ComparisonDefinition(
        base=schemas.Side(run_id=run_id, target=other),
        contenders=[schemas.Side(run_id=run_id, target=leader)],
        metrics=[METRIC],
    )
    cells = service.evaluate(unit, principal, definition).cells
    cell = next(cell for cell in cells if cell.contender_point_id == peak.point_id)
    shown = cell.model_copy(update={"parameters": _setting(peak)})
    return sentences.lead_sentence(leader, other, len(rivals) - 1, noun, shown, definition.margin), cell
