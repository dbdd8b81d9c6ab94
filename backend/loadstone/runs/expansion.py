"""From a plan's grid to the rows of its points and trials. Pure: ids are made here, nothing is written."""

import uuid
from typing import Any, NamedTuple

from uuid_utils.compat import uuid7

from loadstone.canonical import canonical_hash
from loadstone.plans.grid import Grid
from loadstone.runs.states import Status


class Expansion(NamedTuple):
    points: list[dict[str, Any]]
    trials: list[dict[str, Any]]


def expand_rows(grid: Grid, team_id: uuid.UUID, run_id: uuid.UUID) -> Expansion:
    """Every trial queued, in its place in the order of execution."""
    common = {"team_id": team_id, "run_id": run_id}
    points = [
        {
            **common,
            "id": uuid7(),
            "ordinal": point.ordinal,
            "parameters": point.parameters,
            "target_index": point.target_index,
            "work": point.work.model_dump(mode="json"),
            "identity": point.identity,
            "identity_hash": canonical_hash(point.identity),
        }
        for point in grid.points
    ]
    trials = [
        {
            **common,
            "id": uuid7(),
            "point_id": points[trial.point_ordinal]["id"],
            "ordinal": trial.ordinal,
            "repetition": trial.repetition,
            "block": trial.block,
            "seed": trial.seed,
            "status": Status.QUEUED,
        }
        for trial in grid.trials
    ]
    return Expansion(points, trials)
