"""Managed stores under somebody who writes the commands: the engine's role can do nothing to the host or to others.

Each statement is sent past the check of custom operations, as if that had failed.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pymysql
import pytest
import redis
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent_testing.needs import needs
from loadstone_agent_testing.processes import is_alive
from loadstone_contracts.agent_calls import TargetKind
from loadstone_contracts.custom_commands import command_rules

Start = Callable[..., ManagedStore]
MYSQL_VERSIONS = [str(offer.version) for offer in KINDS["mysql"].offers() if offer.available]
FAMILY: list[Any] = [
    ("mariadb", {}),
    *(("mysql", {"server_version": version}) for version in MYSQL_VERSIONS),
]


@pytest.fixture
def canary(passable_dir: Path) -> Iterator[Path]:
    """A folder that the store's user could write to, by its own rights alone."""
    folder = passable_dir / "canary"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    (folder / "secret").write_text("canary")
    (folder / "secret").chmod(0o644)
    yield folder
    assert sorted(path.name for path in folder.iterdir()) == ["secret"], "something was written"
    assert (folder / "secret").read_text() == "canary"


@pytest.fixture
def start(passable_dir: Path) -> Iterator[Start]:
    started: list[ManagedStore] = []

    def start(kind: TargetKind, options: dict[str, str] | None = None, *, is_confined: bool = False) -> ManagedStore:
        # Without the sandbox: the role alone has to hold.
        plan = LaunchPlan(KINDS[kind], options or {}, 4, [], passable_dir / "stores", "nobody", is_confined=is_confined)
        started.append(launch(plan, lambda: None))
        return started[-1]

    yield start
    for store in started:
        store.stop()


def is_refused(execute: Callable[..., object], statement: str | bytes) -> bool:
    try:
        execute(statement)
    except (psycopg.Error, pymysql.MySQLError):
        return True
    return False


POSTGRES = [
    "COPY (SELECT 1) TO PROGRAM 'touch {canary}/made'",
    "COPY (SELECT 1) TO '{canary}/made'",
    "CREATE TABLE t (a text); COPY t FROM '{canary}/secret'",
    "CREATE TABLE t (a text); COPY t FROM PROGRAM 'cat {canary}/secret'",
    "SELECT pg_read_file('{canary}/secret')",
    "SELECT pg_read_binary_file('PG_VERSION')",
    "SELECT pg_ls_dir('{canary}')",
    "SELECT pg_stat_file('{canary}/secret')",
    "SELECT lo_import('{canary}/secret')",
    "SELECT lo_export(lo_create(0), '{canary}/made')",
    "SELECT lo_create(0)",
    *(
        f"CREATE EXTENSION {name}"
        for name in ("dblink", "postgres_fdw", "file_fdw", "adminpack", "plpython3u", "hstore")
    ),
    "CREATE FUNCTION f() RETURNS int LANGUAGE c AS '/lib/x86_64-linux-gnu/libc.so.6', 'getpid'",
    "CREATE FUNCTION f() RETURNS int LANGUAGE internal AS 'pg_read_file_v2'",
    "CREATE LANGUAGE plpython3u",
    "LOAD '{canary}/x.so'",
    "ALTER SYSTEM SET archive_command = 'touch {canary}/made'",
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION postgres",
    "ALTER ROLE loadstone SUPERUSER",
    "ALTER ROLE postgres PASSWORD 'x'",
    "CREATE ROLE other SUPERUSER LOGIN",
    "GRANT pg_execute_server_program TO loadstone",
    "CREATE DATABASE other",
    "ALTER DATABASE loadstone SET session_preload_libraries = 'x'",
    "ALTER DATABASE loadstone OWNER TO loadstone",
    "CREATE SCHEMA other",
    "CREATE TABLESPACE t LOCATION '{canary}'",
    "CREATE EVENT TRIGGER t ON ddl_command_start EXECUTE FUNCTION pg_notify()",
    "CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1' PUBLICATION p",
    "CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw",
    "SELECT rolpassword FROM pg_authid",
    "UPDATE pg_proc SET prosecdef = true",
    "SELECT pg_reload_conf()",
    "SELECT pg_switch_wal()",
    "SET log_statement = 'all'",
    "SET lo_compat_privileges = on",
    "CREATE FUNCTION pg_catalog.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
]


def as_loader(store: ManagedStore, database: str = "loadstone", user: str = "loadstone") -> "psycopg.Connection[Any]":
    return psycopg.connect(
        host="127.0.0.1", port=store.endpoint.port, user=user, dbname=database, autocommit=True, connect_timeout=3
    )


def test_postgresql_refuses_its_ordinary_role_all_that_is_not_its_own(start: Start, canary: Path) -> None:
    store = start("postgresql")
    for statement in POSTGRES:
        with closing(as_loader(store)) as connection:
            connection.execute("DROP TABLE IF EXISTS t")
            assert is_refused(connection.execute, statement.format(canary=canary).encode()), statement
    for database, user in (("postgres", "loadstone"), ("template1", "loadstone"), ("loadstone", "postgres")):
        with pytest.raises(psycopg.OperationalError):
            as_loader(store, database, user)
    assert is_alive(store.process_id or 0)


def test_what_the_role_of_postgresql_makes_does_not_catch_the_admin(start: Start) -> None:
    """The admin's own statements call what the server brings, not a namesake that fits better."""
    store = start("postgresql")
    trap = (
        "CREATE FUNCTION public.{name} LANGUAGE plpgsql AS $$ BEGIN ALTER ROLE loadstone SUPERUSER; RETURN {result}; "
        "END $$"
    )
    with closing(as_loader(store)) as connection:
        for name, result in (
            ("jsonb_build_object(a text, b numeric) RETURNS jsonb", "'{}'::jsonb"),
            ("to_jsonb(a pg_stat_database) RETURNS jsonb", "'{}'::jsonb"),
            ("current_schema() RETURNS name", "'public'::name"),
        ):
            connection.execute(trap.format(name=name, result=result).encode())
        connection.execute("CREATE TABLE public.pg_settings (name text, setting text)")
        connection.execute("CREATE TABLE public.pg_tables (schemaname name, tablename name)")
    with store.kind.control(store.endpoint) as control:
        assert float(control.counters([])["xact_commit"]) >= 0
        assert control.facts().settings["port"] == str(store.endpoint.port)
        control.write_marker()
        control.flush()
        assert control.is_empty()
    with closing(as_loader(store)) as connection:
        row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = 'loadstone'").fetchone()
    assert row == (False,)


MYSQL = [
    "SELECT 'x' INTO OUTFILE '{canary}/made'",
    "SELECT 'x' INTO DUMPFILE '{canary}/made'",
    "LOAD DATA INFILE '{canary}/secret' INTO TABLE loadstone.t",
    "LOAD DATA LOCAL INFILE '{canary}/secret' INTO TABLE loadstone.t",
    "INSTALL PLUGIN x SONAME 'x.so'",
    "CREATE FUNCTION sys_exec RETURNS INTEGER SONAME 'udf.so'",
    "INSERT INTO mysql.func VALUES ('f', 0, 'x.so', 'function')",
    "INSERT INTO mysql.plugin VALUES ('x', 'x.so')",
    "UNINSTALL PLUGIN daemon_memcached",
    "SET GLOBAL general_log_file = '{canary}/made'",
    "SET GLOBAL general_log = 1",
    "SET GLOBAL local_infile = 1",
    "SET GLOBAL init_connect = 'SELECT 1'",
    "CREATE USER x@localhost",
    "GRANT ALL ON *.* TO loadstone@'127.0.0.1'",
    "GRANT SELECT ON loadstone.* TO loadstone@localhost WITH GRANT OPTION",
    "SET PASSWORD FOR root@localhost = ''",
    "SELECT * FROM mysql.user",
    "CREATE DATABASE other",
    "CREATE TABLE mysql.t (a INT)",
    "CHANGE MASTER TO MASTER_HOST = '127.0.0.1'",
    "SHOW MASTER STATUS",
    "SHUTDOWN",
    "FLUSH LOGS",
    "CREATE TABLESPACE t ADD DATAFILE '{canary}/t.ibd' ENGINE=InnoDB",
    "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1')",
    "KILL 1",
    "UPDATE innodb_memcache.containers SET db_schema = 'mysql'",
]


ELSEWHERE = [
    "CREATE TABLE loadstone.m (a INT) ENGINE=MyISAM DATA DIRECTORY='{canary}' INDEX DIRECTORY='{canary}'",
    "CREATE TABLE loadstone.i (a INT) ENGINE=InnoDB DATA DIRECTORY='{canary}'",
]
"""Some versions refuse these and some pass over the folder: nothing may be written there."""


def by_mysql(store: ManagedStore, user: str = "loadstone", **more: Any) -> "pymysql.Connection[Any]":
    return pymysql.connect(host="127.0.0.1", port=store.endpoint.port, user=user, autocommit=True, **more)


@pytest.mark.parametrize(("kind", "options"), FAMILY, ids=str)
def test_servers_of_mysqls_family_refuse_their_ordinary_user(
    start: Start, canary: Path, kind: TargetKind, options: dict[str, str]
) -> None:
    # InnoDB of 5.6 makes a table in any folder for anybody, and no setting forbids it: there the sandbox has to hold.
    store = start(kind, options, is_confined=options.get("server_version", "").startswith("5.6."))
    with closing(by_mysql(store, database="loadstone", local_infile=True)) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE t (a TEXT)")
        for statement in MYSQL:
            assert is_refused(cursor.execute, statement.format(canary=canary)), statement
        for statement in ELSEWHERE:
            with suppress(pymysql.MySQLError):
                cursor.execute(statement.format(canary=canary))
            assert [path.name for path in canary.iterdir()] == ["secret"], statement
        cursor.execute(f"SELECT LOAD_FILE('{canary}/secret')")
        assert cursor.fetchone() == (None,)
        cursor.execute("SELECT COUNT(*) FROM t")
        assert cursor.fetchone() == (0,)
        cursor.execute("SHOW DATABASES")
        seen = {name for (name,) in cursor.fetchall()}
        assert seen <= {"loadstone", "information_schema", "performance_schema"}
    for user in ("root", "", "mysql"):
        with pytest.raises(pymysql.OperationalError):
            by_mysql(store, user)
    assert is_alive(store.process_id or 0)


RESP = [
    "CONFIG GET *", "CONFIG SET dir {canary}", "CONFIG SET dbfilename x.so", "CONFIG REWRITE", "SAVE", "BGSAVE",
    "BGREWRITEAOF", "REPLICAOF 127.0.0.1 1", "SLAVEOF 127.0.0.1 1", "MODULE LOAD {canary}/x.so", "MODULE LIST",
    "MIGRATE 127.0.0.1 1 k 0 100", "RESTORE k 0 x", "DEBUG SLEEP 0", "DEBUG SET-ACTIVE-EXPIRE 0", "SHUTDOWN NOSAVE",
    "ACL SETUSER default on", "ACL LIST", "ACL WHOAMI", "MONITOR", "CLUSTER MEET 127.0.0.1 1", "FAILOVER",
    "PSYNC ? -1", "SYNC", "REPLCONF listening-port 1", "CLIENT KILL TYPE normal", "CLIENT LIST", "CLIENT PAUSE 1",
    "EVAL return 0", "EVALSHA x 0", "SCRIPT LOAD x", "SCRIPT FLUSH", "FUNCTION LOAD x", "FCALL f 0", "LATENCY RESET",
    "SLOWLOG RESET", "INFO", "SWAPDB 0 1", "MEMORY PURGE",
]  # fmt: skip
REFUSALS = ("-NOPERM", "-ERR unknown command", "-ERR MODULE command not", "-ERR DEBUG command not")
STATEFUL = {
    *(
        "ASKING",
        "AUTH",
        "CLIENT",
        "COMMAND",
        "DISCARD",
        "EXEC",
        "HELLO",
        "MULTI",
        "QUIT",
        "READONLY",
        "READWRITE",
        "RESET",
    ),
    *("PSUBSCRIBE", "PUBSUB", "PUNSUBSCRIBE", "SELECT", "SPUBLISH", "SSUBSCRIBE", "SUBSCRIBE", "SUNSUBSCRIBE"),
    *(
        "UNSUBSCRIBE",
        "UNWATCH",
        "WATCH",
        "SORT_RO",
        "LOLWUT",
        "TIME",
        "WAITAOF",
        "DELIFEQ",
        "SETSLOT",
        "XSETID",
        "MEMORY",
    ),
    *("OBJECT", "XGROUP", "XINFO", "PFDEBUG", "DIGEST", "DELEX", "MSETEX"),
}
"""Of the connection, not of keys, or known to some versions alone: the role may, a custom operation may not."""
REDIS_LIKE = ["redis", pytest.param("valkey", marks=needs("valkey"))]


def said(store: ManagedStore, command: str) -> str:
    """One command of a new connection without a login, as the engine has it."""
    words = command.split()
    text = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
    with socket.create_connection(("127.0.0.1", store.endpoint.port), 5.0) as link:
        link.sendall(text.encode())
        return link.recv(65536).decode("utf-8", "replace")


@pytest.mark.parametrize("kind", REDIS_LIKE)
def test_redis_refuses_the_default_user_all_that_is_not_a_key(start: Start, canary: Path, kind: TargetKind) -> None:
    store = start(kind)
    for command in RESP:
        answer = said(store, command.format(canary=canary))
        assert answer.startswith(REFUSALS), (command, answer)
    assert said(store, "AUTH admin guess").startswith("-WRONGPASS")
    with closing(redis.Redis(port=store.endpoint.port)) as client:
        assert client.set("k", "v")
        assert client.get("k") == b"v"
        assert client.flushall()
    assert is_alive(store.process_id or 0)


@pytest.mark.parametrize("kind", REDIS_LIKE)
def test_custom_operations_of_redis_are_those_that_the_role_may_send(start: Start, kind: TargetKind) -> None:
    store = start(kind)
    admin = redis.Redis(port=store.endpoint.port, username=store.endpoint.username, password=store.endpoint.password)
    with closing(admin) as client:
        known: Any = client.command()
        allowed = set()
        for name, told in known.items():
            words = [name, *(["x"] * (abs(told["arity"]) - 1))]
            with suppress(redis.ResponseError):
                if client.execute_command("ACL", "DRYRUN", "default", *words) in (b"OK", "OK"):
                    allowed.add(name.upper())
    rules = command_rules()
    here = {name.upper() for name in known}
    assert len(allowed) > 150
    assert (rules.resp & here) - allowed == set(), "a custom operation that the role is refused"
    assert allowed - rules.resp - STATEFUL == set(), "the role may, and a custom operation may not"
    assert allowed & {"EVAL", "CONFIG", "MODULE", "DEBUG", "REPLICAOF", "SAVE", "INFO", "FCALL"} == set()


@pytest.mark.parametrize("command", ["shutdown", "watch mutations", "refresh_certs"])
def test_memcached_has_no_command_that_reaches_its_host(start: Start, command: str) -> None:
    store = start("memcached")
    with socket.create_connection(("127.0.0.1", store.endpoint.port), 5.0) as link:
        link.sendall(f"{command}\r\nversion\r\n".encode())
        answer = link.recv(4096).decode()
    assert "error" in answer.lower() or command.startswith("watch"), answer
    assert is_alive(store.process_id or 0)
    with store.kind.control(store.endpoint) as control:
        settings = control.facts().settings
    # No file of items, no shared memory, and `shutdown` was not switched on.
    assert settings.get("ext_path", "") == ""
    assert settings.get("shutdown_command", "no") == "no"
    assert settings.get("memory_file", "") in ("", "NULL", "(null)")


@pytest.mark.parametrize("kind", ["postgresql", "mariadb", "redis"])
def test_each_store_has_an_admin_password_of_its_own_that_no_command_line_shows(start: Start, kind: TargetKind) -> None:
    first, second = start(kind), start(kind)
    passwords = [store.endpoint.password for store in (first, second)]
    assert len(set(passwords)) == 2
    for store, password in zip((first, second), passwords, strict=True):
        assert password is not None
        assert len(password) >= 32
        assert password not in store.command_line
        assert all(endpoint.password is None for endpoint in store.load_endpoints)
        for path in store.directory.rglob("*"):
            assert not path.is_file() or password.encode() not in path.read_bytes() or path.stat().st_mode & 0o77 == 0
