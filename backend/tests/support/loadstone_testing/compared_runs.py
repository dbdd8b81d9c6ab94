"""Many measured runs at once, written straight into the tables that comparisons read."""

import random
import uuid
from datetime import UTC, datetime
from typing import Any

from loadstone.db import unit_of_work
from loadstone.models import Point, PointOperation, Run, Trial, TrialMetric
from loadstone.principal import Principal
from sqlalchemy import insert, select, update

from loadstone_testing import factories
from loadstone_testing.run_factories import make_run, resolved_plan

TIMES = {"p50": 60_000, "p90": 90_000, "p95": 120_000, "p99": 200_000, "p999": 900_000, "max": 4_000_000}


def fill_runs(runs: int, points: int, trials: int) -> tuple[Principal, list[uuid.UUID]]:
    """Of one target on as many connection counts as there are points; each trial with throughput and p99."""
    principal = factories.make_principal(factories.make_team("compared"))
    axes = [{"parameter": "connections", "values": list(range(1, points + 1))}]
    draw = random.Random(1)
    ids = []
    for _ in range(runs):
        run = make_run(principal, resolved_plan(("memcached",), axes=axes, trials_per_point=trials))
        _measure(run, draw)
        ids.append(run.id)
    return principal, ids


def _measure(run: Run, draw: random.Random) -> None:
    now = datetime.now(UTC)
    done = {"status": "succeeded", "trust": "pass", "is_counted": True, "attempt": 1, "histogram_digits": 3}
    with unit_of_work() as unit:
        statement = update(Trial).where(Trial.run_id == run.id)
        unit.session.execute(statement.values(**done, engine="native", engine_version="0.1.0", finished_at=now))
        trials = unit.session.execute(select(Trial.id, Trial.point_id).where(Trial.run_id == run.id)).all()
        unit.session.execute(insert(TrialMetric), [row for trial in trials for row in _metrics(trial, draw)])
        point_ids = unit.session.scalars(select(Point.id).where(Point.run_id == run.id)).all()
        unit.session.execute(insert(PointOperation), [_merged(run, point_id) for point_id in point_ids])


def _metrics(trial: Any, draw: random.Random) -> list[dict[str, Any]]:
    key = {"point_id": trial.point_id, "trial_id": trial.id, "operation": "all"}
    return [
        {**key, "metric": "throughput_per_s", "value": 100_000 * draw.lognormvariate(0, 0.02)},
        {**key, "metric": "response_time_p99_ns", "value": 200_000 * draw.lognormvariate(0, 0.05)},
    ]


def _merged(run: Run, point_id: uuid.UUID) -> dict[str, Any]:
    numbers = {"trials_counted": 5, "count": 500_000, "error_count": 0, "errors": {}, "throughput_per_s": 100_000.0}
    times = {"response_time_ns": TIMES, "service_time_ns": TIMES, "band": {}}
    return {"point_id": point_id, "run_id": run.id, "operation": "all", **numbers, **times}
