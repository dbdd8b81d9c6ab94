"""Telemetry between the agent's messages, the rows that are kept, and what the api shows. Pure."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from loadstone_contracts.redaction import redact_text
from loadstone_contracts.store_counters import describe_counters
from loadstone_contracts.telemetry import HostSecond, TelemetryEvent, TelemetrySecond

from loadstone.results import telemetry_schemas
from loadstone.results.rows import Attempt

HOST_FIELDS = tuple(HostSecond.model_fields)
EVICTIONS = "evictions_per_s"


def layout_of(store: Mapping[str, float]) -> tuple[str, ...]:
    """The names of its counters, in the order in which they are stored."""
    return tuple(sorted(store))


def stored_numbers(store: Mapping[str, float], host: HostSecond | None) -> dict[str, Any]:
    """As arrays, which are tuples to whoever writes them."""
    return {
        "counters": tuple(float(store[name]) for name in layout_of(store)),
        "host": tuple(float(getattr(host, name)) for name in HOST_FIELDS) if host else None,
    }


def named_numbers(row: Any, names: Sequence[str]) -> dict[str, Any]:
    """The other way round: `names` is the layout of the stored row."""
    return {
        "store": dict(zip(names, row.counters, strict=True)),
        "host": dict(zip(HOST_FIELDS, row.host, strict=False)) if row.host is not None else None,
    }


def second_row(attempt: Attempt, second: TelemetrySecond, layout_id: int) -> dict[str, Any]:
    return {
        **attempt.key,
        "seq": second.seq,
        "at": _instant(second.at_unix_ns),
        "duration_ns": second.duration_ns,
        "phase": second.phase,
        "ends_phase": second.ends_phase,
        "layout_id": layout_id,
        **stored_numbers(second.store, second.host),
        "store_memory_bytes": second.store_memory_bytes,
        "store_children_memory_bytes": second.store_children_memory_bytes,
        "store_disk_bytes": second.store_disk_bytes,
        "store_cpu_cores": second.store_cpu_cores,
    }


def event_row(attempt: Attempt, event: TelemetryEvent) -> dict[str, Any]:
    return {
        **attempt.key,
        "seq": event.seq,
        "at": _instant(event.at_unix_ns),
        "kind": event.kind,
        "title": event.title,
        "detail": redact_text(event.detail),
        "duration_s": event.duration_s,
    }


def _instant(unix_ns: int) -> datetime:
    return datetime.fromtimestamp(unix_ns / 1e9, UTC)


def shown_second(row: Any, names: Sequence[str], origin: datetime) -> telemetry_schemas.TelemetryItem:
    """`row` as it is stored, `names` its layout; `origin` is where the trial's time axis begins."""
    return telemetry_schemas.TelemetryItem(
        agent_id=row.agent_id,
        seq=row.seq,
        phase=row.phase,
        at=row.at,
        elapsed_s=_elapsed_s(row.at, origin),
        duration_s=row.duration_ns / 1e9,
        **named_numbers(row, names),
        store_memory_bytes=row.store_memory_bytes,
        store_children_memory_bytes=row.store_children_memory_bytes,
        store_disk_bytes=row.store_disk_bytes,
        store_cpu_cores=row.store_cpu_cores,
    )


def shown_event(row: Any, origin: datetime) -> telemetry_schemas.TelemetryMark:
    return telemetry_schemas.TelemetryMark(
        agent_id=row.agent_id,
        seq=row.seq,
        kind=row.kind,
        at=row.at,
        elapsed_s=_elapsed_s(row.at, origin),
        title=row.title,
        detail=row.detail,
        duration_s=row.duration_s,
    )


def _elapsed_s(at: datetime, origin: datetime) -> float:
    return round((at - origin).total_seconds(), 3)


def shown_names(kind: str, items: Sequence[telemetry_schemas.TelemetryItem]) -> list[telemetry_schemas.CounterName]:
    """Titles and units of every counter of the store that any of the seconds has."""
    found = {name for item in items for name in item.store}
    return [
        telemetry_schemas.CounterName(name=one.name, title=one.title, unit=one.unit)
        for one in describe_counters(kind, found)
    ]


def extreme_keys(items: Sequence[telemetry_schemas.TelemetryItem]) -> list[Any]:
    """What a thinned series keeps the lowest and highest of: every line that a chart draws."""
    names = sorted({name for item in items for name in item.store})
    hosts = [name for name in HOST_FIELDS if name != "cpu_idle_share"]
    return [
        lambda item: item.store_memory_bytes,
        lambda item: item.store_children_memory_bytes,
        lambda item: item.store_disk_bytes,
        lambda item: item.store_cpu_cores,
        *(lambda item, name=name: item.store.get(name) for name in names),
        *(lambda item, name=name: item.host.get(name) if item.host else None for name in hosts),
    ]


def store_troubles(seconds: Sequence[tuple[Any, Sequence[str]]], events: Sequence[Any]) -> dict[str, Any]:
    """Facts for the verdict on a trial: `seconds` are those of the measure phase, each with its layout."""
    kinds = [event.kind for event in events]
    return {
        "evicted": sum(_evicted(row, names) for row, names in seconds),
        "ran_out_of_memory": "out_of_memory" in kinds,
        "store_restarted": "store_restarted" in kinds,
    }


def _evicted(row: Any, names: Sequence[str]) -> float:
    counted = dict(zip(names, row.counters, strict=True))
    return float(counted.get(EVICTIONS, 0.0) * row.duration_ns / 1e9)
