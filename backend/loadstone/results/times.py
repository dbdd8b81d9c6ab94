"""Times of one operation from its histograms: how they are merged, stated and judged. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadstone_contracts import engine_times
from loadstone_contracts.engine_events import PhaseTotals

from loadstone.stats import distortion, histogram
from loadstone.stats.stated import Quantiles, stated_quantiles

KINDS = ("response", "service")
Delays = dict[str, distortion.Exceeds]
"""By kind of time; empty of engines that do not tell, and of rows older than this."""


@dataclass(frozen=True)
class Part:
    """Times to be merged with others. `count` are the answered operations."""

    count: int
    quantiles: Mapping[str, Any]
    blob: bytes
    unanswered: bytes | None = None
    exceeds: distortion.Exceeds = field(default_factory=list)


def part_of(row: Any, kind: str) -> Part:
    """Of a row of `operation_results` or `point_operations`."""
    return Part(
        row.count,
        getattr(row, f"{kind}_time_ns"),
        getattr(row, f"{kind}_histogram") or histogram.NOTHING,
        getattr(row, f"{kind}_unanswered"),
        row.delays.get(kind, []) if row.delays else [],
    )


def merged(parts: Sequence[Part], kind: str) -> dict[str, Any]:
    """Quantiles, both histograms and the delays of all parts, as columns; `delays` holds this kind alone.

    Percentiles stand alone where an engine keeps no histogram or a stored one cannot be read, answered or not; beside
    others they merge to nothing.
    """
    whole, unreadable = histogram.merge_readable(part.blob for part in parts)
    blobs = [part.unanswered for part in parts if part.unanswered is not None]
    unanswered, unreadable_bounds = histogram.merge_readable(blobs)
    is_readable = not unreadable + unreadable_bounds
    if not is_readable or not all(histogram.is_recorded(part.blob, part.count) for part in parts):
        answered = [part for part in parts if part.count]
        alone: Mapping[str, Any] = dict.fromkeys(histogram.QUANTILE_NAMES)
        if len(answered) == 1:
            alone = answered[0].quantiles
        return _columns(kind, dict(alone), histogram.NOTHING, None, [])
    exceeds = parts[0].exceeds if len(parts) == 1 else distortion.mixed([(one.count, one.exceeds) for one in parts])
    quantiles = stated_quantiles(whole, unanswered, exceeds)
    return _columns(kind, quantiles, histogram.encode(whole), histogram.encode(unanswered) if blobs else None, exceeds)


def _columns(
    kind: str, quantiles: Quantiles, blob: bytes, unanswered: bytes | None, exceeds: distortion.Exceeds
) -> dict[str, Any]:
    return {
        f"{kind}_time_ns": quantiles,
        f"{kind}_histogram": blob,
        f"{kind}_unanswered": unanswered,
        "delays": {kind: exceeds} if exceeds else {},
    }


def told(quantiles: engine_times.Quantiles) -> Quantiles:
    """As the engine told them."""
    return quantiles.model_dump(exclude=None if quantiles.bounds else {"bounds"})


def judged(numbers: dict[str, Any], delays: Delays) -> dict[str, Any]:
    """The columns of one operation's phase, its quantiles with intervals and with what voids them."""
    row = dict(numbers)
    for kind in KINDS:
        blob, unanswered = row[f"{kind}_histogram"], row[f"{kind}_unanswered"]
        if not histogram.is_recorded(blob, row["count"]):
            continue
        # Merging brings both to one layout, whatever precision they were recorded with.
        bounds = histogram.merge([unanswered] if unanswered else [])
        row[f"{kind}_time_ns"] = stated_quantiles(histogram.merge([blob]), bounds, delays.get(kind, []))
    return {**row, "delays": delays}


def delays_of(phase: PhaseTotals) -> Delays:
    """What engine and host may have added to the times of a phase; raises BadHistogram."""
    found = phase.distortion
    if found is None:
        return {}
    pauses = found.pauses
    pause = distortion.exceeds_of_pauses(
        _decoded(pauses.load_histogram),
        pauses.watched_ns,
        _decoded(pauses.host_histogram, pauses.probes),
        pauses.probes,
    )
    lateness = _decoded(found.lateness_histogram, phase.sent) if found.lateness_histogram else None
    response = distortion.exceeds_of_sum(distortion.exceeds_of_lateness(lateness), pause)
    return {"response": distortion.packed(response), "service": distortion.packed(pause)}


def _decoded(text: str, at_most: int = histogram.COUNT_MAX) -> Any:
    return histogram.decode(histogram.unpack(text, at_most))
