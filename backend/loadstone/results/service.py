"""Results in and out. Writes happen under the run's lock and the current fence, both taken by `dispatch`."""

import sys
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from loadstone_contracts.agent_calls import FinishRequest
from loadstone_contracts.durability import DurabilityReport
from loadstone_contracts.engine_events import SampleEvent

from loadstone.db import UnitOfWork
from loadstone.errors import InvalidInput, NotFound
from loadstone.models import OperationResult, Run, Trial
from loadstone.models import Sample as SampleRow
from loadstone.principal import Principal
from loadstone.results import merging, points, repository, rows, schemas, table, telemetry_rows
from loadstone.results.downsample import keep_extremes
from loadstone.results.durability import durability_metrics
from loadstone.results.replica_lag import lag_metrics
from loadstone.results.rows import Attempt
from loadstone.runs import service as runs
from loadstone.runs.states import TERMINAL
from loadstone.stats import trust
from loadstone.stats.histogram import BadHistogram
from loadstone.tables import Table


class UnusableHistogram(InvalidInput):
    code = "unusable_histogram"


def store_samples(
    unit: UnitOfWork, run: Run, trial: Trial, agent_id: uuid.UUID, samples: Sequence[SampleEvent]
) -> None:
    """Stores each second once and tells the listeners of the new ones. Raises UnusableHistogram."""
    attempt = Attempt(trial.id, agent_id, trial.attempt)
    try:
        new_rows = rows.sample_rows(attempt, samples)
    except BadHistogram as error:
        raise UnusableHistogram(str(error)) from error
    new = repository.insert_samples(unit.session, attempt.key, new_rows)
    for _, seconds in groupby((row for row in new_rows if row["seq"] in new), key=lambda row: row["seq"]):
        sample = _sample([SampleRow(**row) for row in seconds])
        event = schemas.SampleEvent(
            **sample.model_dump(), trial_id=trial.id, point_id=trial.point_id, attempt=trial.attempt
        )
        runs.record_event(unit, run, "sample", event)


def store_result(unit: UnitOfWork, trial: Trial, agent_id: uuid.UUID, body: FinishRequest) -> dict[str, Any]:
    """Keeps what the attempt measured and on what; returns the columns of the trial that follow from it.

    The trust verdict is on succeeded trials only: the others count nowhere. Raises UnusableHistogram.
    """
    attempt = Attempt(trial.id, agent_id, trial.attempt)
    try:
        results = rows.result_rows(attempt, body.summary.phases if body.summary else [])
    except BadHistogram as error:
        raise UnusableHistogram(str(error)) from error
    repository.insert_results(unit.session, results)
    point = repository.find_point(unit.session, trial.point_id)
    repository.bind_series(unit.session, point, body.inventory.agent_class)
    return {
        "engine": body.engine,
        "engine_version": body.engine_version,
        "engine_elapsed_s": body.engine_elapsed_s,
        "engine_missing": [one.model_dump() for one in body.summary.missing] if body.summary else [],
        "command_lines": body.command_lines,
        "load_before": body.load_before.model_dump() if body.load_before else None,
        "load_during": body.load_during.model_dump() if body.load_during else None,
        "keys_held": body.keys_held,
        "durability": body.durability.model_dump() if body.durability else None,
        "histogram_digits": rows.histogram_digits(results),
        **_environment(unit, trial, body),
        **_verdict(unit, attempt, point.work, body),
    }


def _environment(unit: UnitOfWork, trial: Trial, body: FinishRequest) -> dict[str, Any]:
    inventory = body.inventory.model_dump(mode="json")
    values = {"environment_id": repository.keep_environment(unit.session, trial.team_id, inventory)}
    if body.store is not None:
        facts = {**body.store.model_dump(), "settings": rows.store_settings(body.store.settings)}
        values["store_configuration_id"] = repository.keep_store_configuration(unit.session, trial.team_id, facts)
    return values


def keep_environment(unit: UnitOfWork, principal: Principal, inventory: dict[str, Any]) -> uuid.UUID:
    """The id of the team's one row with this inventory."""
    return repository.keep_environment(unit.session, principal.team_id, inventory)


def keep_store_configuration(unit: UnitOfWork, principal: Principal, facts: dict[str, Any]) -> uuid.UUID:
    """The id of the team's one row with this `kind`, `version` and `settings`."""
    return repository.keep_store_configuration(unit.session, principal.team_id, facts)


def join_series(unit: UnitOfWork, run: Run) -> None:
    """Binds the points of an imported run to series by the class of the host that they were measured on."""
    for point, inventory in repository.measured_points(unit.session, run.id):
        repository.bind_series(unit.session, point, str(inventory.get("agent_class", "")))


def _verdict(unit: UnitOfWork, attempt: Attempt, work: dict[str, Any], body: FinishRequest) -> dict[str, Any]:
    if body.outcome != "succeeded":
        return {}
    missing = body.sample_count - repository.sample_count(unit.session, **attempt.key)
    seen = telemetry_rows.store_troubles(
        repository.telemetry_of(unit.session, attempt.trial_id, attempt.attempt, phase="measure"),
        repository.telemetry_events_of(unit.session, attempt.trial_id, attempt.attempt),
    )
    verdict, reasons = trust.judge(replace(rows.trial_facts(work, body, missing), **seen))
    return {"trust": verdict, "trust_reasons": reasons, "is_counted": verdict != "void"}


def count_trial(unit: UnitOfWork, run: Run, trial: Trial) -> None:
    """Keeps the metrics of a trial that has succeeded, adds it to its point if it counts, and tells the listeners."""
    measured = keep_metrics(unit, trial)
    merged = None
    if trial.is_counted:
        merged = merging.add_trial(repository.merged_operations(unit.session, trial.point_id), measured)
        if merged is None:
            refresh_point(unit, run, trial.point_id)
            return
    _show_point(unit, run, trial.point_id, merged)


def keep_metrics(unit: UnitOfWork, trial: Trial) -> Sequence[OperationResult]:
    """The metrics of a trial that has succeeded, from what it measured, which is returned."""
    measured = repository.measured_results(unit.session, trial.id)
    connections = int(repository.find_point(unit.session, trial.point_id).work["load"]["connections"])
    repository.insert_metrics(unit.session, rows.metric_rows(trial, merging.trial_metrics(measured, connections)))
    whole = durability_metrics(trial.durability) | repository.footprint(unit.session, trial) | lag_metrics(measured)
    repository.insert_metrics(unit.session, rows.metric_rows(trial, {merging.TOTAL: merging.TrialMetrics(whole)}))
    return measured


def refresh_point(unit: UnitOfWork, run: Run, point_id: uuid.UUID) -> None:
    """Merges the point's counted trials anew, after a decision on one of them, and tells the listeners."""
    _show_point(unit, run, point_id, merging.merge_point(repository.counted_results(unit.session, point_id)))


def _show_point(unit: UnitOfWork, run: Run, point_id: uuid.UUID, merged: list[dict[str, Any]] | None) -> None:
    point = repository.find_point(unit.session, point_id)
    if merged is not None:
        repository.replace_point_operations(unit.session, point, merged)
    if run.status in TERMINAL:
        # Its stream has ended: who watches reads the points anew.
        return
    trials = repository.trials_of(unit.session, run.id, point_id)
    operations = repository.point_operations_of(unit.session, run.id, point_id)
    summaries = repository.metric_summaries(unit.session, run.id, point_id)
    runs.record_event(unit, run, "point", points.shown_point(point, trials, operations, summaries))


def list_points(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> schemas.PointList:
    """All points of a run, in order; raises NotFound."""
    run = runs.find_run(unit, principal, run_id)
    trials = _grouped(repository.trials_of(unit.session, run.id))
    operations = _grouped(repository.point_operations_of(unit.session, run.id))
    summaries = _grouped(repository.metric_summaries(unit.session, run.id))
    return schemas.PointList(
        items=[
            points.shown_point(
                point, trials.get(point.id, []), operations.get(point.id, []), summaries.get(point.id, [])
            )
            for point in repository.points_of(unit.session, run.id)
        ]
    )


def _grouped(found: Iterable[Any]) -> dict[uuid.UUID, list[Any]]:
    groups: dict[uuid.UUID, list[Any]] = {}
    for row in found:
        groups.setdefault(row.point_id, []).append(row)
    return groups


def points_table(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> Table:
    """One line an operation of a point; raises NotFound."""
    return table.points_table(list_points(unit, principal, run_id).items)


def seconds_table(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, attempt: int | None) -> Table:
    """Every second of one attempt, not thinned; raises NotFound."""
    found = list_samples(unit, principal, trial_id, attempt=attempt, max_points=sys.maxsize)
    return table.seconds_table(found.items)


def get_trial(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID) -> schemas.Trial:
    """Raises NotFound."""
    trial, parameters = find_trial(unit, principal, trial_id)
    environment = repository.environment_of(unit.session, trial)
    store = repository.store_configuration_of(unit.session, trial)
    return schemas.Trial(
        **runs.trial_item(unit, trial, parameters).model_dump(),
        environment=environment.inventory if environment else None,
        store=schemas.StoreState(kind=store.kind, version=store.version, settings=store.settings) if store else None,
        load_before=trial.load_before,
        load_during=trial.load_during,
        keys_held=trial.keys_held,
        missing=trial.engine_missing,
        durability=DurabilityReport.model_validate(trial.durability) if trial.durability else None,
        command_lines=trial.command_lines,
        phases=_phases(repository.results_of(unit.session, trial)),
    )


def find_trial(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID) -> tuple[Trial, dict[str, Any]]:
    found = repository.find_trial(unit.session, principal.team_id, trial_id)
    if found is None:
        raise NotFound("There is no such trial.")
    return found


def _phases(results: Sequence[OperationResult]) -> list[schemas.Phase]:
    """In the order in which they were executed."""
    ordered = sorted(results, key=lambda row: row.totals["started_at_unix_ns"])
    phases = {row.phase: row.totals for row in ordered}
    return [
        schemas.Phase(
            phase=name,
            # Histograms of delays are for the verdict, which stands with the quantiles.
            totals={key: value for key, value in totals.items() if key != "distortion"},
            operations=[
                schemas.PhaseOperation(**_operation(row), throughput_per_s=row.throughput_per_s)
                for row in ordered
                if row.phase == name
            ],
        )
        for name, totals in phases.items()
    ]


def list_samples(
    unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, *, attempt: int | None, max_points: int
) -> schemas.SampleList:
    """The seconds of one attempt (the last one unless said otherwise); raises NotFound."""
    trial, _ = find_trial(unit, principal, trial_id)
    shown = attempt if attempt is not None else trial.attempt
    stored = repository.samples_of(unit.session, trial.id, shown)
    items = [_sample(list(seconds)) for _, seconds in groupby(stored, key=lambda row: row.seq)]
    kept = keep_extremes(items, max_points, (_throughput, _p99))
    return schemas.SampleList(items=kept, attempt=shown, downsampled=len(kept) < len(items))


def _throughput(sample: schemas.Sample) -> float:
    return sum(one.throughput_per_s for one in sample.operations)


def _p99(sample: schemas.Sample) -> float | None:
    known = [one.response_time_ns.p99 for one in sample.operations if one.response_time_ns.p99 is not None]
    return max(known, default=None)


def _sample(operations: Sequence[SampleRow]) -> schemas.Sample:
    first = operations[0]
    return schemas.Sample(
        seq=first.seq,
        phase=first.phase,
        at=first.at,
        elapsed_s=first.elapsed_ns / 1e9,
        duration_s=first.duration_ns / 1e9,
        in_flight=first.in_flight,
        operations=[
            schemas.SampleOperation(**_operation(row), throughput_per_s=rows.per_s(row.count, row.duration_ns))
            for row in operations
        ],
    )


def _operation(row: SampleRow | OperationResult) -> dict[str, Any]:
    return {
        "operation": row.operation,
        "count": row.count,
        "late": row.late,
        "errors": row.error_count,
        "errors_by_class": row.errors,
        # A row that was not stored yet lacks the table's default.
        "unanswered": row.unanswered or {},
        "hits": row.hits,
        "misses": row.misses,
        "response_time_ns": row.response_time_ns,
        "service_time_ns": row.service_time_ns,
    }
