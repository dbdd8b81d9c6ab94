"""Control of everything that speaks the protocol of MySQL."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymysql
from loadstone_contracts.agent_calls import StoreFacts
from pymysql.constants import ER
from pymysql.err import MySQLError, OperationalError

from loadstone_agent.errors import TargetRefused, TargetUnreachable
from loadstone_agent.stores.base import CONNECT_TIMEOUT_S, DATABASE, LOAD_USER, Endpoint, numbers_in
from loadstone_agent.stores.sql import SqlControl, Table
from loadstone_agent.tls import client_context

ADMIN = "root"
ADMIN_FILE = "admin.sql"
LOCAL = ("'127.0.0.1'", "localhost")
"""What a server without name resolution calls this host, over TCP and over its socket."""
LOAD_ROLE = tuple(
    statement
    for host in LOCAL
    for statement in (
        f"CREATE USER {LOAD_USER}@{host};",
        f"GRANT ALL PRIVILEGES ON {DATABASE}.* TO {LOAD_USER}@{host};",
    )
)
"""Nothing that counts for the whole server, such as FILE or SUPER, and no INSERT into its own tables, which installs
plugins and functions."""
CONFINED = ("--local-infile=0", "--skip-symbolic-links")
UNREACHABLE = {ER.CON_COUNT_ERROR, 2002, 2003, 2006, 2013}
"""Refused for want of a connection, not by what the server knows of us; 2xxx are the client library's own."""


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


class MySqlControl(SqlControl):
    def __init__(self, kind: str, endpoint: Endpoint) -> None:
        self.kind = kind
        self.endpoint = endpoint
        with _faults_of(endpoint):
            self._connection = pymysql.connect(
                host=endpoint.host,
                port=endpoint.port,
                user=endpoint.username or ADMIN,
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

    def version(self) -> str:
        return self._word("SELECT VERSION()").split("-", 1)[0]

    def _process_file(self) -> Path:
        return Path(self._word("SELECT @@pid_file"))

    def facts(self) -> StoreFacts:
        settings = {str(name): str(value) for name, value in self._rows("SHOW GLOBAL VARIABLES")}
        return StoreFacts(kind=self.kind, version=self.version(), settings=settings)

    def counters(self, wanted: Collection[str]) -> Mapping[str, float]:
        """Only those that are asked for: all five hundred take the server and this client ten times as long."""
        names = ", ".join(["%s"] * len(wanted))
        return numbers_in(dict(self._rows(f"SHOW GLOBAL STATUS WHERE Variable_name IN ({names})", *wanted)))

    def _tables(self) -> list[Table]:
        statement = "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
        return [Table("", str(row[0])) for row in self._rows(statement)]

    def _drop(self, table: Table) -> None:
        self._rows(f"DROP TABLE `{table.name.replace('`', '``')}`")

    def close(self) -> None:
        self._connection.close()
