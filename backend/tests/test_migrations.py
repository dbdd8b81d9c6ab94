"""The migrations: from empty to the models, back by one, and one process at a time."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from loadstone.db import Base
from loadstone_testing.database import alembic_config, connect, database_url, make_database

NAME = "loadstone_migrations"


@pytest.fixture
def empty_database(postgres_home: Path, worker_id: str) -> Iterator[str]:
    name = f"{NAME}_{worker_id}"
    make_database(postgres_home, name)
    yield database_url(postgres_home, name)
    with connect(postgres_home) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def tables(url: str) -> set[str]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {row[0] for row in rows}


def shape(url: str) -> set[tuple[str, str]]:
    """Every column and every index, with its table."""
    columns = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    indexes = "SELECT tablename, indexname FROM pg_indexes WHERE schemaname = 'public'"
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return {(row[0], row[1]) for row in connection.execute(f"{columns} UNION ALL {indexes}")}


def test_upgrading_from_empty_gives_exactly_the_models(empty_database: str) -> None:
    config = alembic_config(empty_database)
    command.upgrade(config, "head")
    command.check(config)
    assert tables(empty_database) == set(Base.metadata.tables) | {"alembic_version"}


def version(url: str) -> str:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    assert row is not None
    return str(row[0])


def test_the_newest_migration_can_be_taken_back_and_applied_again(empty_database: str) -> None:
    config = alembic_config(empty_database)
    command.upgrade(config, "head")
    before = shape(empty_database)
    newest = version(empty_database)
    command.downgrade(config, "-1")
    # One of data alone leaves the shape as it is.
    assert version(empty_database) != newest
    command.upgrade(config, "head")
    assert version(empty_database) == newest
    assert shape(empty_database) == before


def test_two_that_migrate_at_once_do_it_one_after_the_other(empty_database: str) -> None:
    with ThreadPoolExecutor(1) as pool, psycopg.connect(empty_database.replace("+psycopg", "")) as other:
        other.execute("SELECT pg_advisory_lock(7341902615)")
        migration = pool.submit(command.upgrade, alembic_config(empty_database), "head")
        with pytest.raises(TimeoutError):
            migration.result(timeout=0.7)
        other.close()
        migration.result(timeout=120)
    assert "runs" in tables(empty_database)


def test_migrations_are_named_by_time_and_stand_in_one_line() -> None:
    script = ScriptDirectory.from_config(alembic_config(""))
    assert len(script.get_heads()) == 1
    revisions = list(script.walk_revisions())
    names = [Path(revision.path).name for revision in revisions]
    assert names == sorted(names, reverse=True)
