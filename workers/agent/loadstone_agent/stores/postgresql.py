"""PostgreSQL: a cluster of its own, made anew at every start, and one database to measure in."""

import base64
import hashlib
import hmac
import os
import re
import secrets
import shlex
import shutil
import socket
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from loadstone_contracts.agent_calls import StoreFacts
from psycopg import sql

from loadstone_agent.errors import StoreMissing, TargetRefused, TargetUnreachable
from loadstone_agent.stores.base import (
    CONNECT_TIMEOUT_S,
    DATABASE,
    LOAD_USER,
    MARKER_TABLE,
    NO_OPTIONS,
    Endpoint,
    numbers_in,
)
from loadstone_agent.stores.sql import OR_SHOW, SqlControl, SqlStore, Table
from loadstone_agent.tls import authorities_file

DEBIAN_PREFIX = Path("/usr/lib/postgresql")
ADMIN = "postgres"
ADMIN_FILE, SINGLE_LOG = "admin.sql", "single.log"
ACCESS = (
    f"host {DATABASE} {LOAD_USER} 127.0.0.1/32 trust",
    f"host all {ADMIN} 127.0.0.1/32 scram-sha-256",
)
"""Who may connect: the engine without a handshake, as before it had a role of its own; nobody else to anything else."""
ROLES = (
    f"CREATE DATABASE {DATABASE}",
    f"CREATE ROLE {LOAD_USER} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS",
    f"REVOKE ALL ON DATABASE {DATABASE}, postgres, template1 FROM PUBLIC",
    f"GRANT CONNECT, TEMPORARY ON DATABASE {DATABASE} TO {LOAD_USER}",
    # What the role makes in its schema must not be found before what the server brings.
    f"ALTER ROLE {ADMIN} SET search_path = pg_catalog, pg_temp",
)
"""The database belongs to the admin: its owner could install extensions, and change every session's settings."""
OWN_SCHEMA = (
    f"ALTER SCHEMA public OWNER TO {LOAD_USER}",
    "REVOKE ALL ON SCHEMA public FROM PUBLIC",
    # No table holds large objects, so no flush would remove them.
    "DO 'DECLARE f regprocedure; BEGIN FOR f IN SELECT oid FROM pg_proc "
    "WHERE pronamespace = ''pg_catalog''::regnamespace AND proname ~ ''^(lo_|lowrite$|loread$)'' "
    "LOOP EXECUTE format(''REVOKE ALL ON FUNCTION %s FROM PUBLIC'', f); END LOOP; END'",
)


class PostgreSql(SqlStore):
    kind = "postgresql"
    title = "PostgreSQL"
    admin_user = ADMIN
    binary = "postgres"
    package = "postgresql"
    protocols = ("postgres", "postgres_simple")
    writable_paths = ("/dev/shm",)  # noqa: S108 - shared memory has its place there
    """For its shared memory."""

    def prepare(self, options: Mapping[str, str]) -> str:
        postgres = Path(self.find_binary(options))
        initdb = postgres.with_name("initdb")
        return (
            f"'{initdb}' -D ./cluster --username={ADMIN} --auth=reject --encoding=UTF8 --locale=C --no-sync {OR_SHOW}; "
            f"{_printed(ACCESS)} > ./cluster/pg_hba.conf; "
            f"{_carry_out(str(postgres), _printed(ROLES), 'postgres')}; "
            f"{_carry_out(str(postgres), _printed(OWN_SCHEMA), DATABASE)}"
        )

    def private_files(self, admin_password: str) -> Mapping[str, str]:
        return {ADMIN_FILE: f"ALTER ROLE {ADMIN} PASSWORD '{scram_verifier(admin_password)}'\n"}

    def last_words(self, options: Mapping[str, str]) -> str:
        """The admin's password, once: a cluster that comes back after a kill has it, and a log that is the server's."""
        postgres = self.find_binary(options)
        words = f"{_carry_out(postgres, f'cat {ADMIN_FILE}', 'postgres')}; rm {ADMIN_FILE}"
        return f"{{ [ ! -e {ADMIN_FILE} ] || {{ {words}; }}; }}"

    def find_binary(self, options: Mapping[str, str] = NO_OPTIONS) -> str:  # noqa: ARG002 - one version
        """Debian keeps the server of each major version in a folder of its own: the newest is taken."""
        found = [path / "bin/postgres" for path in DEBIAN_PREFIX.glob("[0-9]*")]
        installed = sorted((path for path in found if os.access(path, os.X_OK)), key=lambda path: int(path.parts[-3]))
        binary = shutil.which(self.binary) or (str(installed[-1]) if installed else None)
        if binary is None:
            raise StoreMissing(f"{self.binary} is not installed on this agent host: run `{self.remedy}` there.")
        return binary

    def connect(self, endpoint: Endpoint) -> "PostgreSqlControl":
        return PostgreSqlControl(endpoint)

    def installed_version(self, printed: str) -> str:
        found = re.search(r"\(PostgreSQL\) (\S+)", printed)
        return found[1] if found else printed.strip()

    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        arguments = ["-D", "./cluster", "-p", str(ports[0]), "-h", "127.0.0.1", "-k", ""]
        for name, value in self.checked_options(options, connections):
            arguments += ["-c", f"{name}={value}"]
        return arguments


def _printed(lines: Sequence[str]) -> str:
    return " ".join(["printf", r"'%s\n'", *map(shlex.quote, lines)])


def _carry_out(postgres: str, source: str, database: str) -> str:
    """A shell command that runs the lines of `source`, a statement each, on a cluster whose server does not run.

    PostgreSQL itself ends with 0 whatever statement it refused.
    """
    return (
        f"{source} | '{postgres}' --single -F -D ./cluster {database} > {SINGLE_LOG} 2>&1; "
        f"if grep -qE 'ERROR|FATAL|PANIC|not found' {SINGLE_LOG}; then cat {SINGLE_LOG}; exit 1; fi"
    )


def scram_verifier(password: str) -> str:
    """Return what PostgreSQL stores of a password (RFC 5803): the password itself never reaches the disk.

    One iteration, where 4096 slow down a guess: a password of 256 random bits cannot be guessed.
    """
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 1)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    encoded = (base64.b64encode(part).decode() for part in (salt, stored, server))
    return "SCRAM-SHA-256$1:{}${}:{}".format(*encoded)


@contextmanager
def _faults_of(endpoint: Endpoint) -> Iterator[None]:
    try:
        yield
    except psycopg.OperationalError as error:
        raise TargetUnreachable(
            f"PostgreSQL at {endpoint} does not answer: check the address, the port, user, password and TLS.",
            str(error),
        ) from error
    except psycopg.Error as error:
        raise TargetRefused(
            f"PostgreSQL at {endpoint} refused a statement: check what this user may do.", str(error)
        ) from error


VERSION_14, VERSION_17 = 140000, 170000
CHECKPOINTS = (
    "(SELECT num_timed AS checkpoints_timed, num_requested AS checkpoints_req, "
    "write_time AS checkpoint_write_time, sync_time AS checkpoint_sync_time FROM pg_stat_checkpointer)"
)


@contextmanager
def _tls_parameters(endpoint: Endpoint) -> Iterator[dict[str, Any]]:
    """libpq holds a certificate against `host`, connects to `hostaddr`, and reads authorities from a file."""
    if endpoint.tls is None:
        yield {"host": endpoint.host, "sslmode": "disable"}
        return
    address = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)[0][4][0]
    named = {"host": endpoint.tls.server_name, "hostaddr": address}
    if not endpoint.tls.verify_certificate:
        yield {**named, "sslmode": "require"}
        return
    with authorities_file(endpoint.tls) as authorities:
        yield {**named, "sslmode": "verify-full", "sslrootcert": authorities or "system"}


class PostgreSqlControl(SqlControl):
    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        with _faults_of(endpoint), _tls_parameters(endpoint) as address:
            self._connection = psycopg.connect(
                **address,
                port=endpoint.port,
                user=endpoint.username or ADMIN,
                password=endpoint.password,
                dbname=endpoint.database or DATABASE,
                connect_timeout=int(CONNECT_TIMEOUT_S),
                autocommit=True,
            )

    def _rows(self, statement: str | sql.Composed, *values: Any) -> list[tuple[Any, ...]]:
        # The library waits for ever for an answer, and a server that hangs ends no statement itself.
        limit = threading.Timer(self.endpoint.answer_timeout_s, self._cut)
        limit.daemon = True
        limit.start()
        try:
            with _faults_of(self.endpoint):
                cursor = self._connection.execute(statement, values or None)
                return cursor.fetchall() if cursor.description else []
        finally:
            limit.cancel()

    def _cut(self) -> None:
        """Whoever waits at the connection is told that it was lost."""
        with suppress(OSError), socket.socket(fileno=os.dup(self._connection.fileno())) as link:
            link.shutdown(socket.SHUT_RDWR)

    def version(self) -> str:
        return self._word("SHOW server_version").split(" ", 1)[0]

    def _process_file(self) -> Path:
        """The lock file in the data directory."""
        return Path(self._word("SHOW data_directory")) / "postmaster.pid"

    def facts(self) -> StoreFacts:
        settings = {str(name): str(value) for name, value in self._rows("SELECT name, setting FROM pg_settings")}
        return StoreFacts(kind="postgresql", version=self.version(), settings=settings)

    def counters(self, wanted: Collection[str]) -> Mapping[str, float]:  # noqa: ARG002 - one row tells all
        """Of this database, of checkpoints and of the write-ahead log, under the names that they had in version 15."""
        version = self._connection.info.server_version
        checkpoints = CHECKPOINTS if version >= VERSION_17 else "pg_stat_bgwriter"
        log = "pg_stat_wal" if version >= VERSION_14 else "(SELECT)"
        rows = self._rows(
            "SELECT to_jsonb(d) || to_jsonb(c) || to_jsonb(w) || jsonb_build_object('uptime', "  # noqa: S608 - constants
            "extract(epoch FROM now() - pg_postmaster_start_time())) "
            f"FROM pg_stat_database d, {checkpoints} c, {log} w WHERE d.datname = current_database()"
        )
        return numbers_in(rows[0][0])

    def _tables(self) -> list[Table]:
        statement = "SELECT schemaname, tablename FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema$)'"
        return [Table(str(schema), str(name)) for schema, name in self._rows(statement)]

    def write_marker(self) -> None:
        """In the schema where this user's tables go; the admin of a managed server has none of its own."""
        schema = self._word("SELECT coalesce(nullif(current_schema(), 'pg_catalog'), 'public')")
        name = sql.Identifier(schema, MARKER_TABLE)
        self._rows(sql.SQL("CREATE TABLE IF NOT EXISTS {} (id INTEGER PRIMARY KEY)").format(name))

    def _drop(self, table: Table) -> None:
        self._rows(sql.SQL("DROP TABLE {} CASCADE").format(sql.Identifier(*table)))

    def close(self) -> None:
        self._connection.close()
