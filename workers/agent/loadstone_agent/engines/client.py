"""Client libraries as engines: what a loop in any language is given, and what it writes.

Given is the folder `client.properties` lies in, with lines `name=value`:
`host port username password database protocol connections threads timeout_ms`, `total` (operations; connection c of n
does total / n of them, and one more when c < total % n) or, with a total of 0, `seconds`, `requests_per_connection` (0
for all), `prefix` and `digits` of keys, `operations` (names behind commas, with `entries` and `from` beside them in the
same order), `requests` (how many stand in `requests.bin`).
`requests.bin` holds 24 bytes a request, least byte first: operation (4), size of the value (4), key index (8), tag (8);
a value is the tag and then `pool.bin` from `tag % 65536 + 8` on, cut to its size. Connection c of n begins at request
c x requests / n and goes round.

Connection c writes `connection.<c>`, a line a second and operation, flushed when the second is over:
`S second operation count timeout connection_lost refused hits misses index:count ...` (indexes as in
`numbers.log_linear_value`), and at its end `E nanoseconds since the common start`. All start when all are connected.
Exit codes are those of our engine: 3 unreachable or lost, 5 refused; the reason is the last line on stderr.
"""

import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from loadstone_contracts.engine_events import EXIT_TARGET_REFUSED, EXIT_TARGET_UNREACHABLE, ErrorClass
from loadstone_contracts.engine_plan import EnginePlan, Operation

from loadstone_agent.engines.adapter import Adapter, OutputReader
from loadstone_agent.engines.dataset import DataShape, drawn_keys, drawn_operations, mix64
from loadstone_agent.engines.job import PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second, Tally, histogram_of, log_linear_value
from loadstone_agent.engines.tool import ToolEnd
from loadstone_agent.errors import BadPlan, EngineInternal, TargetRefused, TargetUnreachable

MAX_REQUESTS = 1 << 20
MIN_REQUESTS = 1 << 16
"""Drawn beforehand; a longer phase goes round in them."""
NS_PER_S = 1_000_000_000
MAX_INDEX = 36 << 10
ERROR_CLASSES: tuple[ErrorClass, ...] = ("timeout", "connection_lost", "refused")


class ClientAdapter(Adapter):
    """What every client library shares: its input, its output, and how it fails."""

    def threads(self, plan: EnginePlan) -> int:
        return min(plan.load.connections, max(1, len(plan.cpus)))

    def reader(self, job: PhaseJob) -> "ClientReader":
        return ClientReader(job)

    def explain_exit(self, end: ToolEnd) -> Exception:
        lines = end.log_tail.strip().splitlines() or ["it said nothing"]
        if end.exit_code == EXIT_TARGET_UNREACHABLE:
            return TargetUnreachable(f"{self.info.title} cannot reach the target: {lines[-1]}", end.log_tail)
        if end.exit_code == EXIT_TARGET_REFUSED:
            return TargetRefused(f"The target refused {self.info.title}: {lines[-1]}", end.log_tail)
        return super().explain_exit(end)


def write_input(job: PhaseJob) -> None:
    """Into the job's scratch folder."""
    plan, data = job.plan, DataShape(job.plan.dataset)
    count = max(MIN_REQUESTS, min(MAX_REQUESTS, job.operations or MAX_REQUESTS))
    (job.scratch / "pool.bin").write_bytes(data.pool)
    with (job.scratch / "requests.bin").open("wb") as file:
        pack = struct.Struct("<IIQQ").pack
        requests = zip(drawn_operations(plan, count), drawn_keys(plan, count), strict=True)
        file.writelines(pack(operation, data.size_bytes(key), key, mix64(key)) for operation, key in requests)
    job.secret_file("client.properties", "".join(_line(*pair) for pair in _properties(job, data, count)))


def _line(name: str, value: object) -> str:
    """Raises BadPlan: a password with a line break in it would be a line of its own, and name another host."""
    text = str(value)
    if not all(character.isprintable() for character in text):
        raise BadPlan(f"A client library takes no control characters or line breaks in its {name}: change the {name}.")
    return f"{name}={text}\n"


def _properties(job: PhaseJob, data: DataShape, count: int) -> Iterator[tuple[str, object]]:
    plan, target, operations = job.plan, job.plan.target, job.plan.operations
    yield from (("host", job.address.host), ("port", job.address.port), ("protocol", target.protocol))
    yield from (("username", target.username or ""), ("password", target.password or ""))
    yield "database", "" if target.database is None else target.database
    yield from (("connections", job.connections), ("threads", plan.threads), ("timeout_ms", plan.timeout_ms))
    yield from (("total", job.operations or 0), ("seconds", job.seconds or 0))
    yield "requests_per_connection", plan.load.requests_per_connection or 0
    yield from (("prefix", plan.dataset.key_prefix), ("digits", data.digits), ("requests", count))
    yield "operations", ",".join(operation.kind for operation in operations)
    yield "entries", ",".join(str(operation.entries) for operation in operations)
    yield "from", ",".join(str(operation.from_entry) for operation in operations)


@dataclass
class _Span:
    """One operation within one span."""

    count: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    hits: int = 0
    misses: int = 0
    times: Counter[int] = field(default_factory=Counter)

    def add(self, other: "_Span") -> None:
        self.count += other.count
        self.hits += other.hits
        self.misses += other.misses
        self.errors.update(other.errors)
        self.times.update(other.times)

    def tally(self, operation: Operation) -> Tally:
        errors = {name: self.errors[name] for name in ERROR_CLASSES if self.errors[name]}
        tally = Tally(operation.kind, self.count, errors=errors, hits=self.hits, misses=self.misses)
        tally.service = histogram_of({log_linear_value(index): count for index, count in self.times.items()})
        return tally


@dataclass
class _Connection:
    path: Path
    offset: int = 0
    second: int = -1
    """The last one it has told of: earlier ones are whole."""
    elapsed_ns: int | None = None


Spans = dict[int, _Span]


class ClientReader(OutputReader):
    def __init__(self, job: PhaseJob) -> None:
        self._operations = job.plan.operations
        self._asked = job.operations
        self._connections = [_Connection(job.scratch / f"connection.{number}") for number in range(job.connections)]
        self._seconds: dict[int, Spans] = defaultdict(lambda: defaultdict(_Span))
        self._whole: Spans = defaultdict(_Span)
        self._told_s = 0

    def read(self, line: str | None) -> Iterable[Second]:
        return () if line is not None else self._follow()

    def _follow(self) -> Iterator[Second]:
        for connection in self._connections:
            self._read_new(connection)
        going = [one.second for one in self._connections if one.elapsed_ns is None]
        yield from self._settle(min(going, default=max(self._seconds, default=-1) + 1))

    def _settle(self, before: int) -> Iterator[Second]:
        """Every second that no connection will speak of any more, empty ones too."""
        while self._told_s < before:
            spans = self._seconds.pop(self._told_s, {})
            for place, span in spans.items():
                self._whole[place].add(span)
            began_ns, self._told_s = self._told_s * NS_PER_S, self._told_s + 1
            tallies = [spans.get(place, _Span()).tally(one) for place, one in enumerate(self._operations)]
            elapsed_ns = min(self._told_s * NS_PER_S, self._elapsed_ns or self._told_s * NS_PER_S)
            yield Second(elapsed_ns, elapsed_ns - began_ns, tallies)

    @property
    def _elapsed_ns(self) -> int | None:
        """Once every connection has ended."""
        ended = [one.elapsed_ns for one in self._connections]
        return None if None in ended else max(one for one in ended if one is not None)

    def rest(self) -> Iterable[Second]:
        return self._follow()

    def _read_new(self, connection: _Connection) -> None:
        try:
            with connection.path.open("rb") as file:
                file.seek(connection.offset)
                data = file.read()
        except FileNotFoundError:
            return
        # A line without its end is still being written.
        end = data.rfind(b"\n") + 1
        connection.offset += end
        for line in data[:end].splitlines():
            try:
                self._take(connection, line.split())
            except (ValueError, IndexError) as error:
                shown = line[:200].decode("utf-8", "replace")
                raise EngineInternal("The client wrote a line that is not of its contract.", shown) from error

    def _take(self, connection: _Connection, words: list[bytes]) -> None:
        if words[0] == b"E":
            connection.elapsed_ns = int(words[1])
            return
        second, place, count, timeout, lost, refused, hits, misses = map(int, words[1:9])
        if words[0] != b"S" or not 0 <= place < len(self._operations) or second < connection.second:
            raise ValueError("no such second or operation")
        times = Counter({int(index): int(seen) for index, _, seen in (word.partition(b":") for word in words[9:])})
        if times.total() != count or not all(0 <= index < MAX_INDEX for index in times):
            raise ValueError("count and histogram differ")
        errors = Counter({"timeout": timeout, "connection_lost": lost, "refused": refused})
        self._seconds[second][place].add(_Span(count, errors, hits, misses, times))
        connection.second = second

    def result(self, end: ToolEnd) -> PhaseResult:
        elapsed_ns = self._elapsed_ns
        if elapsed_ns is None:
            missing = sum(one.elapsed_ns is None for one in self._connections)
            raise EngineInternal(f"{missing} connections of the client told no end: see its last lines.", end.log_tail)
        tallies = [self._whole[place].tally(operation) for place, operation in enumerate(self._operations)]
        done = sum(one.count + one.failed for one in tallies)
        if self._asked is not None and done != self._asked:
            raise EngineInternal(f"The client ended {done} operations of {self._asked}.", end.log_tail)
        return PhaseResult(elapsed_ns, tallies)
