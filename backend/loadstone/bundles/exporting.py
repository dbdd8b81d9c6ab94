"""A run's rows as the records of a bundle."""

import base64
import gzip
import io
import uuid
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

from pydantic import BaseModel

from loadstone.bundles import format as records
from loadstone.bundles import repository
from loadstone.bundles.writing import BundleFile
from loadstone.db import UnitOfWork
from loadstone.models import Run, TrialDecision
from loadstone.results import telemetry_rows
from loadstone.settings import get_settings
from loadstone.traces import service as traces

Record = TypeVar("Record", bound=BaseModel)


def manifest(run: Run, team_name: str, trace_count: int) -> records.Manifest:
    """Without its files."""
    return records.Manifest(
        format=records.FORMAT,
        version=records.version_with(trace_count),
        loadstone_version=_version(),
        installation=get_settings().public_url,
        team_name=team_name,
        run_id=run.id,
        files={},
    )


def _version() -> str:
    try:
        return version("loadstone")
    except PackageNotFoundError:
        return "from a checkout"


def traces_of(unit: UnitOfWork, run: Run) -> list[str]:
    """Digests of the traces that its plan names and the team has: a run from elsewhere may have come without."""
    return sorted(traces.known_facts(unit, run.team_id, records.replayed(run.definition)))


def bundle_files(unit: UnitOfWork, run: Run, digests: Iterable[str]) -> Iterator[BundleFile]:
    """In the order in which an importer reads them: what is referred to comes first."""
    session = unit.session
    yield BundleFile("run.json", _lines(records.RunRecord, [run]))
    yield BundleFile("agents.json", _lines(records.AgentRecord, repository.agents_of(session, run)))
    environments = repository.environments_of(session, run.id)
    yield BundleFile("environments.json", _lines(records.EnvironmentRecord, environments))
    configurations = repository.store_configurations_of(session, run.id)
    yield BundleFile("store_configurations.json", _lines(records.StoreConfigurationRecord, configurations))
    yield BundleFile("points.ndjson", _lines(records.PointRecord, repository.points_of(session, run.id)))
    yield BundleFile("trials.ndjson", _trial_lines(unit, run.id))
    merged = repository.point_operations_of(session, run.id)
    yield BundleFile("point_operations.ndjson", _lines(records.PointOperationRecord, merged))
    yield BundleFile("results.ndjson", _lines(records.ResultRecord, repository.results_of(session, run.id)))
    yield BundleFile("samples.ndjson", _lines(records.SampleRecord, repository.samples_of(session, run.id)))
    yield BundleFile("telemetry.ndjson", _telemetry_lines(unit, run.id))
    events = repository.telemetry_events_of(session, run.id)
    yield BundleFile("telemetry_events.ndjson", _lines(records.TelemetryEventRecord, events))
    for digest in digests:
        packed = traces.content_gzip(unit, run.team_id, digest)
        yield BundleFile(records.trace_name(digest), gzip.GzipFile(fileobj=io.BytesIO(packed)))


def _lines(model: type[BaseModel], rows: Iterable[Any], **more: Any) -> Iterator[bytes]:
    for row in rows:
        yield _line(model, row, **more)


def _line(model: type[BaseModel], row: Any, **more: Any) -> bytes:
    values = {name: _plain(getattr(row, name)) for name in model.model_fields if name not in more}
    # Rows of this database are right by its constraints; an older run may still lack what newer plans must have.
    return model.model_construct(**values, **more).model_dump_json(warnings=False).encode() + b"\n"


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _telemetry_lines(unit: UnitOfWork, run_id: uuid.UUID) -> Iterator[bytes]:
    names = repository.layout_names(unit.session, run_id)
    for second in repository.telemetry_of(unit.session, run_id):
        named = telemetry_rows.named_numbers(second, names[second.layout_id])
        yield _line(records.TelemetryRecord, second, **named)


def _trial_lines(unit: UnitOfWork, run_id: uuid.UUID) -> Iterator[bytes]:
    decided: dict[uuid.UUID, list[records.DecisionRecord]] = {}
    decisions = repository.decisions_of(unit.session, run_id)
    people = {one for decision in decisions for one in (decision.created_by, decision.undone_by) if one is not None}
    names = repository.user_names(unit.session, people)
    for decision in decisions:
        decided.setdefault(decision.trial_id, []).append(_decision(decision, names))
    for trial in repository.trials_of(unit.session, run_id):
        yield _line(records.TrialRecord, trial, decisions=decided.get(trial.id, []))


def _decision(decision: TrialDecision, names: dict[uuid.UUID, str]) -> records.DecisionRecord:
    return records.DecisionRecord(
        kind=decision.kind,
        reason=decision.reason,
        created_by=names.get(decision.created_by) if decision.created_by else None,
        created_at=decision.created_at,
        undone_by=names.get(decision.undone_by) if decision.undone_by else None,
        undone_at=decision.undone_at,
    )
