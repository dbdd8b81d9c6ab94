"""Runs the migrations: one process at a time, and never waiting long for a lock that others wait behind."""

import loadstone.models  # noqa: F401 - registers every table
from alembic import context
from loadstone.db import Base
from loadstone.settings import get_settings
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

# Any number, as long as it is always the same.
ADVISORY_LOCK = 7_341_902_615


def migrate(connection: Connection) -> None:
    # Two containers that start together migrate one after the other.
    connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": ADVISORY_LOCK})
    # A migration that cannot get its lock fails and can be repeated; one that waits stops every reader behind it.
    connection.execute(text("SET lock_timeout = '5s'"))
    connection.commit()
    context.configure(connection=connection, target_metadata=Base.metadata, transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    raise SystemExit("Migrations run against a database only: offline mode has no advisory lock.")

database_url = context.config.attributes.get("database_url") or get_settings().database_url
engine = create_engine(database_url, poolclass=NullPool)
with engine.connect() as connection:
    migrate(connection)
