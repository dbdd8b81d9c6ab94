"""From what a foreign engine says to the numbers of the contract. Pure; times are nanoseconds."""

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hdrh.histogram import HdrHistogram
from loadstone_contracts.engine_events import ErrorClass, OperationNumbers, PhaseTotals
from loadstone_contracts.engine_plan import OperationKind, PhaseName
from loadstone_contracts.engine_times import Quantiles

LOWEST_NS = 1
HIGHEST_NS = 36_000_000_000_000
SIGNIFICANT_DIGITS = 3
SATURATED_SHARE = 0.97
"""Of the CPU time that an engine's threads could have had: above it there is no slack left."""
NO_QUANTILES = Quantiles(p50=None, p90=None, p95=None, p99=None, p999=None, max=None)
RANKS = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99, "p999": 0.999}


def new_histogram() -> HdrHistogram:
    return HdrHistogram(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)


def histogram_of(counts: Mapping[int, int]) -> HdrHistogram:
    """From how often each value (nanoseconds) was seen."""
    histogram = new_histogram()
    for value_ns, count in counts.items():
        histogram.record_value(min(max(value_ns, LOWEST_NS), HIGHEST_NS), count)
    return histogram


def log_linear_value(index: int) -> int:
    """The middle of a bucket of our clients' histogram: 2048 steps of 1 ns, then 1024 for each doubling.

    The layout of HdrHistogram with 3 significant digits; `index = (shift << 10) + (value >> shift)`.
    """
    shift = max(0, (index >> 10) - 1)
    return ((index - (shift << 10)) << shift) + ((1 << shift) >> 1)


def encoded(histogram: HdrHistogram | None) -> str:
    """V2 compressed, base64; empty for none."""
    return "" if histogram is None else str(histogram.encode().decode())


def decoded(text: str) -> HdrHistogram:
    """From base64 of V2 compressed. Raises ValueError for anything else."""
    try:
        base64.b64decode(text, validate=True)
        return HdrHistogram.decode(text.encode())
    except Exception as error:
        raise ValueError(f"no histogram of V2: {error}") from error


def from_microseconds(text: str) -> HdrHistogram:
    """A histogram of microseconds as one of nanoseconds. Raises ValueError."""
    items = decoded(text).get_recorded_iterator()
    return histogram_of({int(item.value_iterated_to) * 1000: item.count_at_value_iterated_to for item in items})


def quantiles_of(histogram: HdrHistogram) -> Quantiles:
    """Nearest rank; all null when it is empty."""
    total = histogram.get_total_count()
    if not total:
        return NO_QUANTILES
    found = {name: _value_at(histogram, max(1, math.ceil(share * total))) for name, share in RANKS.items()}
    return Quantiles(**found, max=int(histogram.get_max_value()))


def _value_at(histogram: HdrHistogram, rank: int) -> int:
    seen = 0
    for item in histogram.get_recorded_iterator():
        seen += item.count_at_value_iterated_to
        if seen >= rank:
            return int(item.value_iterated_to)
    return int(histogram.get_max_value())


def refused(count: int) -> dict[ErrorClass, int]:
    """Errors that an engine counts without saying which."""
    return {"refused": count} if count else {}


@dataclass
class Tally:
    """What one operation came to within one span. `times` and `quantiles` are None where the engine has none."""

    operation: OperationKind
    count: int
    errors: dict[ErrorClass, int] = field(default_factory=dict)
    hits: int = 0
    misses: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    late: int = 0
    service: HdrHistogram | None = None
    response: HdrHistogram | None = None
    """From the intended start; the service times again where the loop is closed."""
    quantiles: Quantiles | None = None
    mean_ns: float | None = None
    """Of the service time, where the engine says no more than that."""

    def numbers(self) -> OperationNumbers:
        response = self.response or self.service
        found = quantiles_of(self.service) if self.service else self.quantiles or NO_QUANTILES
        return OperationNumbers(
            operation=self.operation,
            count=self.count,
            late=self.late,
            errors=self.errors,
            hits=self.hits,
            misses=self.misses,
            bytes_sent=self.bytes_sent,
            bytes_received=self.bytes_received,
            response_time_ns=quantiles_of(response) if self.response else found,
            service_time_ns=found,
            response_histogram=encoded(response),
            service_histogram=encoded(self.service),
        )

    @property
    def failed(self) -> int:
        return sum(self.errors.values())

    @property
    def mean_service_ns(self) -> float | None:
        return float(self.service.get_mean_value()) if self.service else self.mean_ns


@dataclass(frozen=True)
class Second:
    """One sample; `elapsed_ns` since the phase began."""

    elapsed_ns: int
    duration_ns: int
    tallies: Sequence[Tally]


@dataclass(frozen=True)
class PhaseResult:
    """`elapsed_ns` is the time of the load itself, without the start of the program, where the program tells it."""

    elapsed_ns: int
    tallies: Sequence[Tally]
    late_share: float = 0.0
    offered: int | None = None


def phase_totals(
    name: PhaseName, started_at_unix_ns: int, result: PhaseResult, cpu_ns: int, in_flight: int | None, threads: int
) -> PhaseTotals:
    """A foreign engine has nothing in flight at its end: it waits for its last answers.

    `in_flight` is what a closed loop keeps in flight all the time, None in an open one.
    """
    answered, failed = sum(one.count for one in result.tallies), sum(one.failed for one in result.tallies)
    busy = min(1.0, cpu_ns / max(1, result.elapsed_ns * threads))
    return PhaseTotals(
        phase=name,
        started_at_unix_ns=started_at_unix_ns,
        elapsed_ns=result.elapsed_ns,
        sent=answered + failed,
        answered=answered,
        failed=failed,
        in_flight=0,
        offered=result.offered or answered + failed,
        late_share=result.late_share,
        engine_cpu_ns=cpu_ns,
        engine_busy_share=busy,
        littles_law_residual=_littles_law(result, in_flight) if in_flight else None,
        saturated=busy >= SATURATED_SHARE,
        operations=[one.numbers() for one in result.tallies],
    )


def _littles_law(result: PhaseResult, planned: int) -> float | None:
    in_flight = 0.0
    for one in result.tallies:
        mean_ns = one.mean_service_ns
        if mean_ns is None:
            return None
        in_flight += one.count * mean_ns / max(1, result.elapsed_ns)
    return (planned - in_flight) / planned


def merged(parts: Iterable[HdrHistogram | None]) -> HdrHistogram:
    whole = new_histogram()
    for part in parts:
        if part is not None:
            whole.add(part)
    return whole
