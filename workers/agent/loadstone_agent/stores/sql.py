"""What all stores of SQL share: options by name, one database to measure in, tables that tell whose they are."""

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from loadstone_contracts.store_options import VERSION_OPTION

from loadstone_agent.stores.base import (
    DATABASE,
    LOAD_USER,
    MARKER_TABLE,
    MIN_CONNECTIONS,
    SPARE_CONNECTIONS,
    Endpoint,
    StoreControl,
    StoreKind,
)
from loadstone_agent.stores.options import check_options

PROCESS_FILE_BYTES = 32
OR_SHOW = "> install.log 2>&1 || { cat install.log; exit 1; }"
"""Behind a step that makes a data directory: what it said is seen only when it fails."""


class SqlStore(StoreKind):
    title: ClassVar[str]
    load_user = LOAD_USER

    def database_of(self, endpoint: Endpoint) -> str:
        return endpoint.database or DATABASE

    def checked_options(self, options: Mapping[str, str], connections: int) -> Iterator[tuple[str, str]]:
        """With connections enough where nothing is said. Raises BadPlan."""
        check_options(self.kind, self.title, options)
        for name, value in {"max_connections": str(enough_connections(connections)), **options}.items():
            if name != VERSION_OPTION:
                yield name, value


def enough_connections(connections: int) -> int:
    return max(MIN_CONNECTIONS, connections + SPARE_CONNECTIONS)


class Table(NamedTuple):
    schema: str
    name: str


class SqlControl(StoreControl):
    endpoint: Endpoint

    @abstractmethod
    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Raises TargetUnreachable and TargetRefused."""

    @abstractmethod
    def _process_file(self) -> Path:
        """The file that the server says it wrote its process id into: the protocol itself does not tell."""

    @abstractmethod
    def _tables(self) -> list[Table]:
        """Of this database."""

    @abstractmethod
    def _drop(self, table: Table) -> None: ...

    def _word(self, statement: str) -> str:
        return str(self._rows(statement)[0][0])

    def ping(self) -> None:
        self._rows("SELECT 1")

    def process_id(self) -> int:
        try:
            return int(_first_bytes(self._process_file()).split(b"\n", 1)[0])
        except (OSError, ValueError):
            return 0

    def is_empty(self) -> bool:
        return not self._tables()

    def has_marker(self) -> bool:
        return any(table.name == MARKER_TABLE for table in self._tables())

    def write_marker(self) -> None:
        self._rows(f"CREATE TABLE IF NOT EXISTS {MARKER_TABLE} (id INTEGER PRIMARY KEY)")

    def flush(self) -> None:
        """Drops the tables of this database only."""
        for table in self._tables():
            self._drop(table)


def _first_bytes(path: Path) -> bytes:
    """The server names this path, and a server that was taken over may name a pipe or a device that never ends."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return os.read(descriptor, PROCESS_FILE_BYTES)
    finally:
        os.close(descriptor)
