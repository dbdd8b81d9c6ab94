"""From the agent's messages to rows, and the facts that the trust verdict rests on. Pure."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from loadstone_contracts.agent_calls import FinishRequest
from loadstone_contracts.engine_events import OperationNumbers, PhaseTotals, SampleEvent
from loadstone_contracts.engine_times import UnansweredCause
from loadstone_contracts.engines import ENGINES

from loadstone.models import Trial
from loadstone.results import times
from loadstone.results.merging import TrialMetrics
from loadstone.stats import histogram
from loadstone.stats.trial_facts import TrialFacts

INSTANCE_SETTINGS = frozenset(
    {
        *("port", "bind", "dir", "pidfile", "logfile", "unixsocket", "requirepass", "masterauth"),
        *("tcpport", "udpport", "domain_socket", "inter"),
    }
)
"""Where this start of a store listens and writes, and its secrets: not part of how it is configured."""


@dataclass(frozen=True)
class Attempt:
    """What a row of an attempt is filed under."""

    trial_id: uuid.UUID
    agent_id: uuid.UUID
    attempt: int

    @property
    def key(self) -> dict[str, Any]:
        return {"trial_id": self.trial_id, "agent_id": self.agent_id, "attempt": self.attempt}


def sample_rows(attempt: Attempt, samples: Iterable[SampleEvent]) -> list[dict[str, Any]]:
    """One row an operation and second; raises BadHistogram."""
    return [
        {
            **attempt.key,
            "seq": sample.seq,
            "phase": sample.phase,
            "at": datetime.fromtimestamp(sample.at_unix_ns / 1e9, UTC),
            "elapsed_ns": sample.elapsed_ns,
            "duration_ns": sample.duration_ns,
            "in_flight": sample.in_flight,
            **_numbers(numbers, sample.in_flight),
        }
        for sample in samples
        for numbers in sample.operations
    ]


def result_rows(attempt: Attempt, phases: Sequence[PhaseTotals]) -> list[dict[str, Any]]:
    """One row an operation and phase; raises BadHistogram."""
    return [
        {
            **attempt.key,
            "phase": phase.phase,
            "elapsed_ns": phase.elapsed_ns,
            "throughput_per_s": per_s(numbers.count, phase.elapsed_ns),
            "totals": phase.model_dump(mode="json", exclude={"operations"}),
            **times.judged(_numbers(numbers, phase.in_flight), delays),
        }
        for phase, delays in ((phase, times.delays_of(phase)) for phase in phases)
        for numbers in phase.operations
    ]


def histogram_digits(results: Sequence[dict[str, Any]]) -> int | None:
    """The coarsest precision among an attempt's histograms; None without one."""
    recorded = (row for row in results if histogram.is_recorded(row["response_histogram"], row["count"]))
    return min((histogram.significant_digits(row["response_histogram"]) for row in recorded), default=None)


def metric_rows(trial: Trial, metrics: Mapping[str, TrialMetrics]) -> list[dict[str, Any]]:
    """`metrics` by operation."""
    key = {"point_id": trial.point_id, "trial_id": trial.id}
    return [
        {
            **key,
            **{"operation": operation, "metric": metric, "value": value},
            "is_lower_bound": metric in found.lower_bounds,
        }
        for operation, found in metrics.items()
        for metric, value in found.values.items()
    ]


def _numbers(numbers: OperationNumbers, in_flight: int) -> dict[str, Any]:
    error_count = sum(numbers.errors.values())
    # Whatever has a time was answered, has failed, or was still waiting for its answer.
    timed = numbers.count + error_count + in_flight
    waited = sum(numbers.unanswered.values())
    return {
        "operation": numbers.operation,
        "count": numbers.count,
        "late": numbers.late,
        "error_count": error_count,
        "errors": dict(numbers.errors),
        "hits": numbers.hits,
        "misses": numbers.misses,
        "bytes_sent": numbers.bytes_sent,
        "bytes_received": numbers.bytes_received,
        "response_time_ns": times.told(numbers.response_time_ns),
        "service_time_ns": times.told(numbers.service_time_ns),
        "response_histogram": histogram.unpack(numbers.response_histogram, timed),
        "service_histogram": histogram.unpack(numbers.service_histogram, timed),
        "unanswered": dict(numbers.unanswered),
        "response_unanswered": histogram.unpack_some(numbers.response_unanswered_histogram, waited),
        "service_unanswered": histogram.unpack_some(numbers.service_unanswered_histogram, waited),
    }


def per_s(count: int, span_ns: int) -> float:
    return count * 1e9 / span_ns if span_ns else 0.0


def store_settings(settings: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in settings.items() if name not in INSTANCE_SETTINGS}


def trial_facts(work: dict[str, Any], body: FinishRequest, samples_missing: int) -> TrialFacts:
    """A finished trial without a measure phase has answered nothing."""
    phases = body.summary.phases if body.summary else []
    measure = next((phase for phase in phases if phase.phase == "measure"), None)
    numbers = measure.operations if measure else []
    load = work["load"]
    return TrialFacts(
        answered=measure.answered if measure else 0,
        failed=measure.failed if measure else 0,
        offered=measure.offered if measure else 0,
        elapsed_ns=measure.elapsed_ns if measure else 0,
        late_share=measure.late_share if measure else 0.0,
        engine_busy_share=measure.engine_busy_share if measure else 0.0,
        littles_law_residual=(measure.littles_law_residual if measure else None) or 0.0,
        saturated=measure.saturated if measure else False,
        open_loop=load["kind"] == "open",
        stopped_early=bool(body.summary and body.summary.stopped),
        rate_per_s=load.get("rate_per_s"),
        prefilled=any(phase["name"] == "prefill" for phase in work["phases"]),
        hits=sum(one.hits for one in numbers),
        misses=sum(one.misses for one in numbers),
        planned_hit_ratio=work["dataset"].get("hit_ratio", 1.0),
        keys_planned=None if _has_own_data(body.engine) else _keys_planned(work),
        keys_held=body.keys_held,
        steal_share=body.load_during.steal_share if body.load_during else None,
        others_busy_share=body.load_during.others_busy_share if body.load_during else None,
        swapped_bytes=body.load_during.swapped_bytes if body.load_during else None,
        cpu_busy_share_before=body.load_before.cpu_busy_share if body.load_before else None,
        swap_used_bytes=body.load_before.swap_used_bytes if body.load_before else None,
        shared_cpu=any(warning.code == "shared_cpu" for warning in body.warnings),
        samples_missing=samples_missing,
        store_killed=body.durability is not None,
        lost=sum(one.unanswered.get(cause, 0) for one in numbers for cause in LOST),
        unanswered=sum(count for one in numbers for count in one.unanswered.values()),
        hung_connections=measure.hung.connections if measure and measure.hung else 0,
        hung_ns=measure.hung.longest_ns if measure and measure.hung else 0,
    )


LOST: tuple[UnansweredCause, ...] = ("timed_out", "connection_lost")
"""They count as failed."""

KEEPS_KEYS = frozenset({"get", "set", "multi_get", "multi_set"})
"""Operations on the keys of the prefill alone: they neither add any nor take any away."""


def _has_own_data(engine: str | None) -> bool:
    """Some foreign engines cannot read the workload's keys: what they leave in the store is theirs."""
    info = ENGINES.get(engine or "")
    return info is not None and info.own_data


def _keys_planned(work: dict[str, Any]) -> int | None:
    if not {operation["kind"] for operation in work["operations"]} <= KEEPS_KEYS:
        return None
    if any(operation.get("expire_s") for operation in work["operations"]):
        return None
    if work.get("trace") is not None:
        return None
    count: int = work["dataset"]["key_count"]
    return count
