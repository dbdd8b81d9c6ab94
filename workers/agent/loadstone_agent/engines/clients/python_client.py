"""The loop around Python's client libraries: `python_client.py MODULE`, in the folder of its input.

A process a connection, because threads would share one interpreter's lock.
"""

import os
import signal
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from loadstone_agent.engines.clients.library import Library, Lost, Refused, TimedOut, Unreachable

LOST_IN_A_ROW = 50
RETRY_AFTER_S = 0.05
REQUEST = struct.Struct("<IIQQ")
NS_PER_S = 1_000_000_000
FIELDS = ("timeout", "connection_lost", "refused", "hits", "misses")
EXIT_UNREACHABLE = 3
EXIT_REFUSED = 5

Properties = dict[str, str]


def read_properties() -> Properties:
    lines = Path("client.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def index_of(value_ns: int) -> int:
    """The bucket of HdrHistogram's layout with 3 significant digits."""
    shift = max(0, value_ns.bit_length() - 11)
    return (shift << 10) + (value_ns >> shift)


class Tallies:
    """What one connection has seen, written a second at a time."""

    def __init__(self, number: int, operations: int) -> None:
        self._file = Path(f"connection.{number}").open("w", buffering=1 << 16)  # noqa: SIM115 - open until the end
        self._operations = range(operations)
        self._second = 0
        self._clear()

    def _clear(self) -> None:
        self.times: list[Counter[int]] = [Counter() for _ in self._operations]
        self.counts: list[Counter[str]] = [Counter() for _ in self._operations]

    def enter(self, second: int) -> None:
        if second > self._second:
            self.flush()
            self._second = second

    def flush(self) -> None:
        for place in self._operations:
            times, counts = self.times[place], self.counts[place]
            figures = " ".join(str(counts[name]) for name in FIELDS)
            buckets = " ".join(f"{index}:{count}" for index, count in times.items())
            self._file.write(f"S {self._second} {place} {times.total()} {figures} {buckets}\n")
        self._file.flush()
        self._clear()

    def end(self, elapsed_ns: int) -> None:
        self.flush()
        self._file.write(f"E {elapsed_ns}\n")
        self._file.close()


class Connection:
    """One closed loop."""

    def __init__(self, library: type[Library], properties: Properties, number: int) -> None:
        self._open: Callable[[], Library] = lambda: library(properties)
        self._number = number
        self._connections = int(properties["connections"])
        self._requests = Path("requests.bin").read_bytes()
        self._pool = Path("pool.bin").read_bytes()
        self._prefix, self._digits = properties["prefix"], int(properties["digits"])
        self._total = int(properties["total"])
        self._each = self._total // self._connections + (number < self._total % self._connections)
        self._seconds = float(properties["seconds"])
        self._per_connection = int(properties["requests_per_connection"])
        self._kinds = properties["operations"].split(",")
        self._tallies = Tallies(number, len(self._kinds))
        self._client: Library | None = None
        self._lost = 0

    def connect(self) -> None:
        self._client = self._open()

    def loop(self, start_ns: int) -> None:
        """Until as many operations or seconds are over as were asked for."""
        now = time.monotonic_ns
        end_ns = start_ns + round(self._seconds * NS_PER_S) if self._seconds else 1 << 63
        requests = len(self._requests) // REQUEST.size
        place = self._number * requests // self._connections
        done, finished = 0, now()
        while done < self._each if self._total else finished < end_ns:
            operation, size, key, tag = REQUEST.unpack_from(self._requests, place % requests * REQUEST.size)
            place += 1
            if self._per_connection and done and done % self._per_connection == 0:
                self._close()
            begun = now()
            outcome = self._ask(operation, f"{self._prefix}{key:0{self._digits}d}", size, tag)
            finished = now()
            self._tallies.enter((finished - start_ns) // NS_PER_S)
            self._count(operation, outcome, finished - begun)
            done += 1
        self._tallies.end(finished - start_ns)

    def _count(self, operation: int, outcome: str, elapsed_ns: int) -> None:
        if outcome in ("ok", "hits", "misses"):
            self._tallies.times[operation][index_of(elapsed_ns)] += 1
        if outcome != "ok":
            self._tallies.counts[operation][outcome] += 1

    def _ask(self, operation: int, key: str, size: int, tag: int) -> str:
        try:
            if self._client is None:
                self._client = self._open()
            outcome = self._client.calls[operation](key, size, tag, self._pool)
            self._lost = 0
        except TimedOut:
            self._close()
            return "timeout"
        except Refused:
            return "refused"
        except (Lost, Unreachable) as fault:
            self._close()
            self._lost += 1
            if self._lost >= LOST_IN_A_ROW:
                raise Unreachable(str(fault)) from fault
            time.sleep(RETRY_AFTER_S)
            return "connection_lost"
        return outcome

    def _close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None


def serve_connection(library: type[Library], properties: Properties, number: int, ready: int, go: int) -> int:
    """The exit code of a process of one connection."""
    try:
        connection = Connection(library, properties, number)
        connection.connect()
        os.write(ready, b"r")
        connection.loop(int(os.read(go, 8) and Path("start").read_text()))
    except Unreachable as fault:
        print(str(fault)[:500], file=sys.stderr)  # noqa: T201
        return EXIT_UNREACHABLE
    except Refused as fault:
        print(str(fault)[:500], file=sys.stderr)  # noqa: T201
        return EXIT_REFUSED
    return 0


def main() -> int:
    library, properties = import_module(f"{__spec__.parent}.{sys.argv[1]}").LIBRARY, read_properties()
    connections = int(properties["connections"])
    (ready, ready_of_child), (go_of_child, go) = os.pipe(), os.pipe()
    children = []
    for number in range(connections):
        pid = os.fork()
        if pid == 0:
            os.close(go)
            os._exit(serve_connection(library, properties, number, ready_of_child, go_of_child))
        children.append(pid)
    os.close(ready_of_child)
    waiting = connections
    while waiting and (told := os.read(ready, waiting)):
        waiting -= len(told)
    if not waiting:
        Path("start").write_text(str(time.monotonic_ns()))
        os.write(go, b"g" * 8 * connections)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] if not waiting else _end(children)
    return next((code for code in codes if code), 0)


def _end(children: list[int]) -> list[int]:
    """One could not begin: none does, and its reason is the program's."""
    codes = []
    for pid in children:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            codes.append(os.waitstatus_to_exitcode(status))
        else:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return codes


if __name__ == "__main__":
    sys.exit(main())
