"""What every library of Python is to our loop: one connection, used as an application would use it."""

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable

Call = Callable[[str, int, int, bytes], str]
"""Key, size and tag of the value, pool; answers `ok`, `hits` or `misses`."""
PLACES = 65536
TAG_BYTES = 8


class TimedOut(Exception):
    pass


class Lost(Exception):
    pass


class Refused(Exception):
    pass


class Unreachable(Exception):
    pass


def value_of(size: int, tag: int, pool: bytes) -> bytes:
    """As `dataset.DataShape.value`."""
    place = tag % PLACES
    return (struct.pack("<Q", tag) + pool[place + TAG_BYTES : place + size])[:size]


class Library(ABC):
    """One connection. Its calls raise TimedOut, Lost and Refused."""

    def __init__(self, properties: dict[str, str]) -> None:
        """Raises Unreachable and Refused."""
        self.host, self.port = properties["host"], int(properties["port"])
        self.username, self.password = properties["username"] or None, properties["password"] or None
        self.database, self.protocol = properties["database"], properties["protocol"]
        self.timeout_s = int(properties["timeout_ms"]) / 1000
        self.connect()
        names, entries, firsts = (properties[name].split(",") for name in ("operations", "entries", "from"))
        self.calls = [
            self._told_apart(self.call(name, int(count), int(first)))
            for name, count, first in zip(names, entries, firsts, strict=True)
        ]

    @abstractmethod
    def connect(self) -> None: ...

    @abstractmethod
    def call(self, name: str, entries: int, first: int) -> Call: ...

    @abstractmethod
    def close(self) -> None: ...

    def _told_apart(self, call: Call) -> Call:
        def told_apart(key: str, size: int, tag: int, pool: bytes) -> str:
            try:
                return call(key, size, tag, pool)
            except Exception as error:
                raise self.ours(error) from error

        return told_apart

    @abstractmethod
    def ours(self, error: Exception) -> Exception:
        """The library's exception as one of ours."""
