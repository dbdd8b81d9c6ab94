"""A bundle's records as rows of a new run: new ids throughout, and every reference within the bundle itself."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from uuid_utils.compat import uuid7

from loadstone.bundles import format as records
from loadstone.bundles import repository
from loadstone.bundles.errors import BundleInconsistent, BundleRowInvalid
from loadstone.bundles.reading import BundleReader
from loadstone.canonical import canonical_hash
from loadstone.db import UnitOfWork
from loadstone.models import (
    Agent,
    OperationResult,
    Point,
    PointOperation,
    Run,
    Sample,
    TelemetryEvent,
    TelemetrySecond,
    Trial,
    TrialDecision,
)
from loadstone.principal import Principal
from loadstone.results import service as results
from loadstone.results import telemetry
from loadstone.runs.states import Status, empty_counts
from loadstone.settings import get_settings
from loadstone.stats.histogram import BadHistogram, unpack
from loadstone.tokens import new_token, token_hash
from loadstone.traces import service as traces


@dataclass
class Ids:
    """What the ids of the bundle became here."""

    agents: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    environments: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    configurations: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    points: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    trials: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)


def _of(ids: dict[uuid.UUID, uuid.UUID], one: uuid.UUID, what: str) -> uuid.UUID:
    try:
        return ids[one]
    except KeyError as error:
        raise BundleInconsistent(f"It refers to {what} {one}, which it does not hold.") from error


class Import:
    """One bundle into one team. Everything is one transaction: what fails leaves nothing."""

    def __init__(self, unit: UnitOfWork, principal: Principal, reader: BundleReader) -> None:
        self.unit = unit
        self.principal = principal
        self.reader = reader
        self.ids = Ids()
        self.run_id = uuid7()

    def carry_out(self) -> Run:
        """Raises BundleRefused and what derives from it."""
        self._import_surroundings()
        run = self._import_run()
        self._import_traces(run)
        self._import_points(run)
        self._import_trials(run)
        self._import_measurements()
        self._check_counts(run)
        for trial in repository.trials_in_order(self.unit.session, run.id):
            if trial.status == Status.SUCCEEDED:
                results.keep_metrics(self.unit, trial)
        return run

    def _import_surroundings(self) -> None:
        for agent in self.reader.records("agents.json", records.AgentRecord):
            self.ids.agents[agent.id] = self._foreign_agent(agent)
        for environment in self.reader.records("environments.json", records.EnvironmentRecord):
            kept = results.keep_environment(self.unit, self.principal, environment.inventory)
            self.ids.environments[environment.id] = kept
        for found in self.reader.records("store_configurations.json", records.StoreConfigurationRecord):
            facts = found.model_dump(exclude={"id"})
            self.ids.configurations[found.id] = results.keep_store_configuration(self.unit, self.principal, facts)

    def _foreign_agent(self, agent: records.AgentRecord) -> uuid.UUID:
        """One row for each agent of elsewhere, however many of its runs are imported."""
        host_key = f"elsewhere:{agent.id}"
        row = repository.find_foreign_agent(self.unit.session, self.principal.team_id, host_key)
        if row is None:
            row = Agent(
                team_id=self.principal.team_id,
                name=f"{agent.name} (elsewhere, {str(agent.id)[-6:]})",
                host_key=host_key,
                token_hash=token_hash(new_token("lsa_")),
                is_foreign=True,
                revoked_at=datetime.now(UTC),
            )
            self.unit.session.add(row)
            self.unit.session.flush()
        return row.id

    def _import_run(self) -> Run:
        found = self.reader.record("run.json", records.RunRecord)
        definition = found.definition.model_dump(mode="json")
        # Targets and plans of elsewhere are not ours, whatever their ids.
        definition["targets"] = [target | {"target_id": None} for target in definition["targets"]]
        run = Run(
            id=self.run_id,
            team_id=self.principal.team_id,
            **found.model_dump(include={"name", "status", "seed", "point_count", "trial_count", "estimated_s"}),
            **found.model_dump(include={"error_code", "error_detail", "started_at", "finished_at"}),
            definition=definition,
            definition_hash=canonical_hash(definition),
            agent_id=_of(self.ids.agents, found.agent_id, "agent") if found.agent_id else None,
            status_counts=empty_counts(0),
            created_by=self.principal.user_id,
            created_at=datetime.now(UTC),
            last_event_seq=0,
            origin="imported",
            provenance=self._provenance(found),
            bundle_digest=self.reader.digest,
        )
        self.unit.session.add(run)
        self.unit.session.flush()
        return run

    def _provenance(self, found: records.RunRecord) -> dict[str, Any]:
        manifest = self.reader.manifest
        return {
            "installation": manifest.installation,
            "run_id": str(found.id),
            "team_name": manifest.team_name,
            "created_at": found.created_at.isoformat(),
            "exported_by_version": manifest.loadstone_version,
            "imported_at": datetime.now(UTC).isoformat(),
            "bundle_digest": self.reader.digest,
        }

    def _import_traces(self, run: Run) -> None:
        """Those that the team lacks, so that the run can be repeated here."""
        held = self.reader.trace_digests
        if not records.replayed(run.definition).issuperset(held):
            raise BundleInconsistent("It holds a trace that its plan does not replay.")
        known = traces.known_facts(self.unit, self.principal.team_id, held)
        for digest in held:
            if digest in known:
                continue
            try:
                read = traces.read_trace(self.reader.trace(digest, get_settings().max_trace_bytes))
            except traces.TraceUnreadable as fault:
                raise BundleRowInvalid(f"The trace {digest[:12]}… in it is none. {fault.detail}") from fault
            traces.keep_trace(self.unit, self.principal, read, f"{run.name[:150]}, trace {digest[:12]}")

    def _import_points(self, run: Run) -> None:
        target_count = len(run.definition["targets"])

        def rows() -> Iterator[dict[str, Any]]:
            for point in self.reader.records("points.ndjson", records.PointRecord):
                if point.target_index >= target_count:
                    raise BundleInconsistent(f"Point {point.ordinal} is of a target that the plan does not have.")
                self.ids.points[point.id] = uuid7()
                yield {
                    **point.model_dump(mode="json", exclude={"id"}),
                    "id": self.ids.points[point.id],
                    "team_id": self.principal.team_id,
                    "run_id": run.id,
                    "identity_hash": canonical_hash(point.identity),
                }

        self._insert(Point, rows(), run.point_count)

    def _import_trials(self, run: Run) -> None:
        decisions: list[dict[str, Any]] = []
        counts = empty_counts(0)

        def rows() -> Iterator[dict[str, Any]]:
            for trial in self.reader.records("trials.ndjson", records.TrialRecord):
                row = self._trial_row(run, trial)
                counts[trial.status] += 1
                decisions.extend(self._decision_row(row["id"], decision) for decision in trial.decisions)
                yield row

        self._insert(Trial, rows(), run.trial_count)
        repository.insert_rows(self.unit.session, TrialDecision, decisions)
        run.status_counts = counts

    def _trial_row(self, run: Run, trial: records.TrialRecord) -> dict[str, Any]:
        ids = self.ids
        ids.trials[trial.id] = uuid7()
        if trial.is_counted and trial.status != Status.SUCCEEDED:
            raise BundleInconsistent(f"Trial {trial.ordinal} is counted and has not succeeded.")
        environment, configuration = trial.environment_id, trial.store_configuration_id
        return {
            **trial.model_dump(exclude={"decisions"}),
            "id": ids.trials[trial.id],
            "team_id": self.principal.team_id,
            "run_id": run.id,
            "point_id": _of(ids.points, trial.point_id, "point"),
            "environment_id": _of(ids.environments, environment, "environment") if environment else None,
            "store_configuration_id": _of(ids.configurations, configuration, "configuration")
            if configuration
            else None,
        }

    def _decision_row(self, trial_id: uuid.UUID, decision: records.DecisionRecord) -> dict[str, Any]:
        """Whoever decided has no account here, so the reason says who it was."""
        who = f" (decided elsewhere by {decision.created_by or 'somebody'})"
        return {
            **decision.model_dump(include={"kind", "created_at", "undone_at"}),
            "reason": decision.reason + who,
            "team_id": self.principal.team_id,
            "trial_id": trial_id,
        }

    def _insert(self, table: Any, rows: Iterator[dict[str, Any]], expected: int) -> None:
        inserted = repository.insert_rows(self.unit.session, table, rows)
        if inserted != expected:
            raise BundleInconsistent(f"It has {inserted} {table.__tablename__}, and its run says {expected}.")

    def _import_measurements(self) -> None:
        session = self.unit.session
        merged = self.reader.records("point_operations.ndjson", records.PointOperationRecord)
        repository.insert_rows(session, PointOperation, (self._merged_row(one) for one in merged))
        found = self.reader.records("results.ndjson", records.ResultRecord)
        repository.insert_rows(session, OperationResult, (self._measured_row(one) for one in found))
        seconds = self.reader.records("samples.ndjson", records.SampleRecord)
        repository.insert_rows(session, Sample, (self._measured_row(one) for one in seconds))
        seen = self.reader.records("telemetry.ndjson", records.TelemetryRecord)
        repository.insert_rows(session, TelemetrySecond, (self._telemetry_row(one) for one in seen))
        events = self.reader.records("telemetry_events.ndjson", records.TelemetryEventRecord)
        repository.insert_rows(session, TelemetryEvent, (one.model_dump() | self._place(one) for one in events))

    def _merged_row(self, merged: records.PointOperationRecord) -> dict[str, Any]:
        point_id = _of(self.ids.points, merged.point_id, "point")
        return {**_with_histograms(merged), "point_id": point_id, "run_id": self.run_id}

    def _measured_row(self, measured: records.ResultRecord | records.SampleRecord) -> dict[str, Any]:
        return {**_with_histograms(measured), **self._place(measured)}

    def _telemetry_row(self, second: records.TelemetryRecord) -> dict[str, Any]:
        return {
            **second.model_dump(exclude={"store", "host"}),
            **telemetry.stored_numbers(self.unit, second.store, second.host),
            **self._place(second),
        }

    def _place(self, one: records.Placed) -> dict[str, Any]:
        """Whose row it is, by its new ids."""
        return {
            "trial_id": _of(self.ids.trials, one.trial_id, "trial"),
            "agent_id": _of(self.ids.agents, one.agent_id, "agent"),
        }

    def _check_counts(self, run: Run) -> None:
        """A point shows as many trials as count: what is drawn is what was measured."""
        counted = repository.counted(self.unit.session, run.id)
        shown = repository.shown(self.unit.session, run.id)
        if shown != counted:
            raise BundleInconsistent("Its points are not the merge of the trials that count.")


def _with_histograms(
    record: records.PointOperationRecord | records.ResultRecord | records.SampleRecord,
) -> dict[str, Any]:
    values = record.model_dump()
    for name in ("response_histogram", "service_histogram"):
        values[name] = _histogram(values[name])
    for name in ("response_unanswered", "service_unanswered"):
        values[name] = _histogram(values[name]) if values[name] else None
    return values


def _histogram(text: str) -> bytes:
    try:
        return unpack(text)
    except BadHistogram as error:
        raise BundleRowInvalid(f"A histogram in it cannot be read: {error}.") from error
