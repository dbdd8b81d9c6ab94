"""What stands in a bundle: a zip of a manifest, and files of JSON lines that it names with their SHA-256. Pure.

`run.json`, `agents.json`, `environments.json` and `store_configurations.json` are one document each; the others hold
one JSON object a line. The traces that its plan replays lie beside them as they were uploaded, each named by its
SHA-256. Histograms are HdrHistogram V2 compressed, base64, in nanoseconds. Equal runs make equal bytes:
nothing in it says when it was exported.
"""

import re
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from loadstone_contracts.engine_plan import EngineWork
from loadstone_contracts.telemetry import MAX_COUNTERS, CounterKey, EventKind, HostSecond
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from loadstone.plans.schemas import ResolvedPlan
from loadstone.runs.states import TERMINAL, Status
from loadstone.stats.distortion import GRID_NS

FORMAT: Literal["loadstone-run"] = "loadstone-run"
VERSION = 3
MANIFEST = "manifest.json"
FILES = (
    "run.json",
    "agents.json",
    "environments.json",
    "store_configurations.json",
    "points.ndjson",
    "trials.ndjson",
    "point_operations.ndjson",
    "results.ndjson",
    "samples.ndjson",
    "telemetry.ndjson",
    "telemetry_events.ndjson",
)
FILES_OF_VERSION = {1: FILES[:-2], 2: FILES, VERSION: FILES}
"""Version 1 knew no telemetry; its bundles are read as runs without any. Version 2 held no traces."""
TRACE_NAME = re.compile(r"traces/([0-9a-f]{64})\.csv")

Small = Annotated[int, Field(ge=0, le=2**31 - 1)]
Large = Annotated[int, Field(ge=0, le=2**63 - 1)]
Real = Annotated[float, Field(allow_inf_nan=False)]
Name = Annotated[str, Field(max_length=300)]
Text = Annotated[str, Field(max_length=100_000)]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Delays = dict[Literal["response", "service"], Annotated[list[Probability], Field(max_length=len(GRID_NS))]]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def _has_ended(status: Status) -> Status:
    if status not in TERMINAL:
        raise ValueError("it had not ended")
    return status


Ended = Annotated[Status, AfterValidator(_has_ended)]


def trace_name(digest: str) -> str:
    return f"traces/{digest}.csv"


def replayed(definition: Mapping[str, Any]) -> set[str]:
    """Digests of the traces in a run's definition, which may be from before today's plans."""
    workloads = [definition.get("workload"), *(entry["workload"] for entry in definition.get("workloads") or [])]
    return {one["trace"]["digest"] for one in workloads if one is not None and one.get("trace")}


def version_with(trace_count: int) -> int:
    """The oldest that can say it, so that older installations read what they can."""
    return VERSION if trace_count else 2


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ManifestFile(_Record):
    sha256: Sha256
    bytes: Large
    rows: Large


class Manifest(_Record):
    """`installation` is the address of the one that exported it."""

    format: Literal["loadstone-run"]
    version: int
    loadstone_version: Name
    installation: Name
    team_name: Name
    run_id: uuid.UUID
    files: dict[str, ManifestFile]


class RunRecord(_Record):
    id: uuid.UUID
    name: Annotated[str, Field(min_length=1, max_length=200)]
    status: Ended
    seed: Large
    definition: ResolvedPlan
    point_count: Small
    trial_count: Small
    estimated_s: Real
    agent_id: uuid.UUID | None
    error_code: Name | None
    error_detail: Text | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class AgentRecord(_Record):
    id: uuid.UUID
    name: Name


class EnvironmentRecord(_Record):
    id: uuid.UUID
    inventory: dict[str, Any]


class StoreConfigurationRecord(_Record):
    id: uuid.UUID
    kind: Name
    version: Name
    settings: dict[str, Any]


class PointRecord(_Record):
    id: uuid.UUID
    ordinal: Small
    parameters: dict[str, Any]
    target_index: Small
    work: EngineWork
    identity: dict[str, Any]


class DecisionRecord(_Record):
    """People are named: they have no account where the bundle goes."""

    kind: Literal["include", "exclude"]
    reason: Text
    created_by: Name | None
    created_at: datetime
    undone_by: Name | None
    undone_at: datetime | None


class TrialRecord(_Record):
    id: uuid.UUID
    point_id: uuid.UUID
    ordinal: Small
    repetition: Small
    block: Small
    seed: Large
    group_size: Small
    status: Ended
    attempt: Small
    claimed_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    engine: Name | None
    engine_version: Name | None
    engine_elapsed_s: Real | None
    error_code: Name | None
    error_message: Text | None
    error_detail: Text | None
    warnings: list[Any]
    trust: Literal["pass", "warn", "void"] | None
    trust_reasons: list[Any]
    is_counted: bool
    environment_id: uuid.UUID | None
    store_configuration_id: uuid.UUID | None
    load_before: dict[str, Any] | None
    load_during: dict[str, Any] | None
    histogram_digits: Small | None
    keys_held: Large | None
    durability: dict[str, Any] | None = None
    engine_missing: list[Any] = Field(default_factory=list)
    command_lines: list[Text]
    decisions: list[DecisionRecord]


class BoundRecord(_Record):
    kind: Literal["at_least", "between"]
    to_ns: Large | None


class VoidRecord(_Record):
    code: Name
    message: Text


class IntervalRecord(_Record):
    low_ns: Large | None
    high_ns: Large | None


Quantile = Literal["p50", "p90", "p95", "p99", "p999", "max"]


class QuantilesRecord(_Record):
    p50: Large | None
    p90: Large | None
    p95: Large | None
    p99: Large | None
    p999: Large | None
    max: Large | None
    bounds: dict[Quantile, BoundRecord] = Field(default_factory=dict)
    void: dict[Quantile, VoidRecord] = Field(default_factory=dict)
    intervals: dict[Quantile, IntervalRecord] = Field(default_factory=dict)


class _Histograms(_Record):
    """What requests without an answer have waited at least stands apart; older bundles have none."""

    response_time_ns: QuantilesRecord
    service_time_ns: QuantilesRecord
    response_histogram: str
    service_histogram: str
    unanswered: dict[Name, Large] = Field(default_factory=dict)
    response_unanswered: str | None = None
    service_unanswered: str | None = None


class PointOperationRecord(_Histograms):
    point_id: uuid.UUID
    operation: Name
    trials_counted: Small
    count: Large
    error_count: Large
    errors: dict[str, Large]
    throughput_per_s: Real
    band: dict[str, Any]
    delays: Delays = Field(default_factory=dict)


class Placed(_Record):
    """What an agent measured in one attempt of a trial."""

    trial_id: uuid.UUID
    agent_id: uuid.UUID
    attempt: Small


class _Measured(_Histograms, Placed):
    phase: Literal["prefill", "warmup", "measure"]
    operation: Name
    elapsed_ns: Large
    count: Large
    late: Large
    error_count: Large
    errors: dict[str, Large]
    hits: Large
    misses: Large
    bytes_sent: Large
    bytes_received: Large


class ResultRecord(_Measured):
    throughput_per_s: Real
    totals: dict[str, Any]
    delays: Delays = Field(default_factory=dict)


class _Seen(Placed):
    seq: Small
    at: datetime


class TelemetryRecord(_Seen):
    """`store` and `host` by the names of their numbers; null is what could not be read."""

    duration_ns: Large
    phase: Literal["prefill", "warmup", "measure"] | None
    ends_phase: bool
    store: dict[CounterKey, Real] = Field(max_length=MAX_COUNTERS)
    host: HostSecond | None
    store_memory_bytes: Large | None
    store_children_memory_bytes: Large | None
    store_disk_bytes: Large | None
    store_cpu_cores: Real | None


class TelemetryEventRecord(_Seen):
    kind: EventKind
    title: Annotated[str, Field(max_length=100)]
    detail: Annotated[str, Field(max_length=500)]
    duration_s: Real | None


class SampleRecord(_Measured):
    seq: Small
    at: datetime
    duration_ns: Large
    in_flight: Small
