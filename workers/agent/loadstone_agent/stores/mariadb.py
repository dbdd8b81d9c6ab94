"""MariaDB: a data directory of its own, made anew at every start, and one database to measure in."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymysql
from loadstone_contracts.agent_calls import StoreFacts
from pymysql.constants import ER
from pymysql.err import MySQLError, OperationalError

from loadstone_agent.errors import BadPlan, TargetRefused, TargetUnreachable
from loadstone_agent.stores.base import (
    CONNECT_TIMEOUT_S,
    DATABASE,
    MARKER_TABLE,
    MIN_CONNECTIONS,
    SPARE_CONNECTIONS,
    Endpoint,
    StoreControl,
    StoreKind,
    numbers_in,
)
from loadstone_agent.tls import client_context

OPTION = re.compile(r"[a-z][a-z0-9_]*")
VALUE = re.compile(r"[A-Za-z0-9_.:,-]*")
RESERVED = frozenset(
    [
        "datadir",
        "basedir",
        "port",
        "socket",
        "bind_address",
        "user",
        "pid_file",
        "init_file",
        "tmpdir",
        "plugin_dir",
        "plugin_load",
        "plugin_load_add",
        "secure_file_priv",
        "log_error",
        "general_log_file",
        "skip_grant_tables",
        "local_infile",
        "slow_query_log_file",
        "innodb_data_home_dir",
        "innodb_log_group_home_dir",
    ]
)
"""The agent decides where a managed store listens and writes, and no option loads code on the agent's host."""
UNREACHABLE = {ER.CON_COUNT_ERROR, 2002, 2003, 2006, 2013}
"""Refused for want of a connection, not by what the server knows of us; 2xxx are the client library's own."""
PREPARE = (
    'mariadb-install-db --no-defaults --datadir="$PWD" --auth-root-authentication-method=normal --skip-test-db '
    f"> install.log 2>&1 || {{ cat install.log; exit 1; }}; "
    f"echo 'CREATE DATABASE IF NOT EXISTS {DATABASE};' > init.sql"
)


class MariaDb(StoreKind):
    kind = "mariadb"
    binary = "mariadbd"
    package = "mariadb-server"
    protocols = ("mysql", "mysql_text")

    def database_of(self, endpoint: Endpoint) -> str:
        return endpoint.database or DATABASE

    def prepare(self, options: Mapping[str, str]) -> str:  # noqa: ARG002 - one version
        return PREPARE

    def connect(self, endpoint: Endpoint) -> "MySqlControl":
        return MySqlControl(self.kind, endpoint)

    def installed_version(self, printed: str) -> str:
        found = re.search(r"Ver (\S+?)-MariaDB", printed)
        return found[1] if found else printed.strip()

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        needed = max(MIN_CONNECTIONS, connections + SPARE_CONNECTIONS)
        arguments = ["--no-defaults", "--datadir=.", "--init-file=./init.sql", "--bind-address=127.0.0.1",
                     f"--port={ports[0]}", "--socket=./store.sock", "--pid-file=./store.pid",
                     "--skip-name-resolve"]  # fmt: skip
        for name, value in {"max_connections": str(needed), **options}.items():
            _check_option(name, value)
            arguments.append(f"--{name.replace('_', '-')}={value}")
        return arguments


def _check_option(name: str, value: str) -> None:
    if name in RESERVED:
        raise BadPlan(f"The agent sets MariaDB's {name} itself: remove it from the target's options.")
    if not OPTION.fullmatch(name) or not VALUE.fullmatch(value):
        raise BadPlan(f"MariaDB's option {name} cannot be {value!r}: correct the target's options.")


@contextmanager
def _faults_of(endpoint: Endpoint) -> Iterator[None]:
    try:
        yield
    except (MySQLError, OSError) as error:
        code = error.args[0] if error.args else None
        if isinstance(error, OSError) or (isinstance(error, OperationalError) and code in UNREACHABLE):
            raise TargetUnreachable(
                f"The SQL server at {endpoint} does not answer: check address, port, TLS and that it is running.",
                str(error),
            ) from error
        raise TargetRefused(
            f"The SQL server at {endpoint} refused a statement: check user, password and what this user may do.",
            str(error),
        ) from error


class MySqlControl(StoreControl):
    """Everything that speaks the protocol of MySQL."""

    def __init__(self, kind: str, endpoint: Endpoint) -> None:
        self.kind = kind
        self.endpoint = endpoint
        with _faults_of(endpoint):
            self._connection = pymysql.connect(
                host=endpoint.host,
                port=endpoint.port,
                user=endpoint.username or "root",
                password=endpoint.password or "",
                database=endpoint.database or DATABASE,
                ssl=client_context(endpoint.tls) if endpoint.tls else None,
                connect_timeout=CONNECT_TIMEOUT_S,
                read_timeout=endpoint.answer_timeout_s,
                autocommit=True,
            )

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with _faults_of(self.endpoint), self._connection.cursor() as cursor:
            cursor.execute(statement, values or None)
            return list(cursor.fetchall())

    def ping(self) -> None:
        self._rows("SELECT 1")

    def process_id(self) -> int:
        """From the file that the server says it wrote: the protocol itself does not tell."""
        path = Path(str(self._rows("SELECT @@pid_file")[0][0]))
        try:
            return int(path.read_text())
        except (OSError, ValueError):
            return 0

    def version(self) -> str:
        return str(self._rows("SELECT VERSION()")[0][0]).split("-", 1)[0]

    def facts(self) -> StoreFacts:
        settings = {str(name): str(value) for name, value in self._rows("SHOW GLOBAL VARIABLES")}
        return StoreFacts(kind=self.kind, version=self.version(), settings=settings)

    def counters(self, wanted: Collection[str]) -> Mapping[str, float]:
        """Only those that are asked for: all five hundred take the server and this client ten times as long."""
        names = ", ".join(["%s"] * len(wanted))
        return numbers_in(dict(self._rows(f"SHOW GLOBAL STATUS WHERE Variable_name IN ({names})", *wanted)))

    def _tables(self) -> list[str]:
        statement = "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
        return [str(row[0]) for row in self._rows(statement)]

    def is_empty(self) -> bool:
        return not self._tables()

    def has_marker(self) -> bool:
        return MARKER_TABLE in self._tables()

    def write_marker(self) -> None:
        self._rows(f"CREATE TABLE IF NOT EXISTS {MARKER_TABLE} (id INT PRIMARY KEY)")

    def flush(self) -> None:
        """Drops the tables of this database only."""
        for table in self._tables():
            self._rows(f"DROP TABLE `{table.replace('`', '``')}`")

    def close(self) -> None:
        self._connection.close()
