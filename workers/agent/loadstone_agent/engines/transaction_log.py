"""pgbench's log of transactions, read while it grows: times by second and script."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hdrh.histogram import HdrHistogram
from loadstone_contracts.engine_plan import Operation

from loadstone_agent.engines.numbers import Second, Tally, histogram_of, refused
from loadstone_agent.errors import EngineInternal

LATE_US = 1000
"""pgbench sleeps between transactions: what begins nearer to its schedule than this is on time."""
NS_PER_US = 1000
NS_PER_S = 1_000_000_000
SETTLED_AFTER_S = 2
"""Threads write their logs in blocks: a second is whole once one so much later has been seen."""


@dataclass
class Times:
    """How often each time, in microseconds, was seen."""

    response: Counter[int] = field(default_factory=Counter)
    service: Counter[int] = field(default_factory=Counter)
    late: int = 0
    failed: int = 0

    def add(self, other: "Times") -> None:
        self.response.update(other.response)
        self.service.update(other.service)
        self.late += other.late
        self.failed += other.failed

    def tally(self, operation: Operation, is_open: bool) -> Tally:
        """In a closed loop a transaction is due when it is sent, so both times are one."""
        tally = Tally(operation.kind, self.response.total(), errors=refused(self.failed))
        tally.late = self.late
        tally.service = _histogram(self.service)
        tally.response = _histogram(self.response) if is_open else None
        return tally


def _histogram(counts: Counter[int]) -> HdrHistogram:
    return histogram_of({value_us * NS_PER_US: count for value_us, count in counts.items()})


class TransactionLog:
    """Lines are `client number time script second microsecond [lag]`, times in microseconds."""

    def __init__(self, folder: Path, operations: list[Operation], is_open: bool) -> None:
        self._folder = folder
        self._operations = operations
        self._is_open = is_open
        self._offsets: dict[Path, int] = {}
        self._seconds: dict[int, dict[int, Times]] = defaultdict(lambda: defaultdict(Times))
        self._first: int | None = None
        self._whole: dict[int, Times] = defaultdict(Times)

    def follow(self) -> Iterator[Second]:
        """What has been written since, as whole seconds. Raises EngineInternal for what is no such line."""
        self._read_new()
        newest = max(self._seconds, default=0)
        yield from self._settle(newest - SETTLED_AFTER_S)

    def rest(self) -> Iterator[Second]:
        """The last seconds, once the log is whole."""
        self._read_new()
        yield from self._settle(max(self._seconds, default=0))

    def totals(self) -> list[Tally]:
        """One tally an operation over all that has been yielded."""
        return [self._whole[place].tally(operation, self._is_open) for place, operation in enumerate(self._operations)]

    def _settle(self, until: int) -> Iterator[Second]:
        for second in sorted(second for second in self._seconds if second <= until):
            scripts = self._seconds.pop(second)
            for place, times in scripts.items():
                self._whole[place].add(times)
            self._first = second if self._first is None else self._first
            tallies = [
                scripts[place].tally(operation, self._is_open) for place, operation in enumerate(self._operations)
            ]
            yield Second((second - self._first + 1) * NS_PER_S, NS_PER_S, tallies)

    def _read_new(self) -> None:
        for path in sorted(self._folder.glob("transactions.*")):
            with path.open("rb") as file:
                file.seek(self._offsets.get(path, 0))
                data = file.read()
            # A line without its end is still being written.
            end = data.rfind(b"\n") + 1
            self._offsets[path] = self._offsets.get(path, 0) + end
            for line in data[:end].splitlines():
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            _, _, time, script, second, _, *lag = line.split()
            times = self._seconds[int(second)][int(script)]
            if time in (b"failed", b"skipped"):
                times.failed += 1
                return
            late_us = int(lag[0]) if lag else 0
            times.response[int(time)] += 1
            times.service[max(0, int(time) - late_us)] += 1
            times.late += late_us > LATE_US
        except ValueError as error:
            shown = line[:200].decode("utf-8", "replace")
            raise EngineInternal("pgbench logged a line that is not of its documentation.", shown) from error
