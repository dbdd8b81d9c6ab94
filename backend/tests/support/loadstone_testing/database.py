"""One migrated template, one copy of it for each worker, emptied after every test that touched it."""

from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from loadstone.db import Base
from psycopg import sql

REPOSITORY = Path(__file__).resolve().parents[4]
TEMPLATE = "loadstone_template"


def database_url(home: Path, name: str) -> str:
    return f"postgresql+psycopg://loadstone@/{name}?host={home}"


def alembic_config(url: str) -> Config:
    return Config(REPOSITORY / "migrations" / "alembic.ini", attributes={"database_url": url})


def connect(home: Path, name: str = "postgres") -> psycopg.Connection:
    return psycopg.connect(f"host={home} user=loadstone dbname={name}", autocommit=True)


def make_database(home: Path, name: str, template: str = "template1") -> None:
    with connect(home) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        connection.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))


def make_worker_database(home: Path, worker: str) -> str:
    """A migrated database of this worker's own; returns its url."""
    with connect(home) as connection:
        # Held until the connection closes: one worker makes the template, the others wait for it.
        connection.execute("SELECT pg_advisory_lock(1)")
        made = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [TEMPLATE]).fetchone()
        if made is None:
            make_database(home, TEMPLATE)
            command.upgrade(alembic_config(database_url(home, TEMPLATE)), "head")
        make_database(home, f"loadstone_{worker}", TEMPLATE)
    return database_url(home, f"loadstone_{worker}")


def empty_tables(url: str) -> None:
    """Deletes the rows of those few tables that have any: to truncate all of them makes hundreds of files anew."""
    names = [table.name for table in Base.metadata.sorted_tables]
    holds_rows = sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})")
    asked = sql.SQL(" UNION ALL ").join(holds_rows.format(sql.Literal(name), sql.Identifier(name)) for name in names)
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        found = [row[0] for row in connection.execute(asked)]
        if not found:
            return
        # All that refer to each other go together: no foreign key has to be looked at.
        connection.execute("SET session_replication_role = replica")
        deletions = [sql.SQL("DELETE FROM {}").format(sql.Identifier(name)) for name in found]
        connection.execute(sql.SQL("; ").join(deletions))
