"""COPY: the way of many rows into a table."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy.orm import Session

from loadstone.db.base import Base
from loadstone.errors import InvalidInput


def copy_rows(session: Session, model: type[Base], rows: Sequence[Mapping[str, Any]]) -> None:
    """Appends rows of the same columns within the session's transaction; a row that is there already fails them all.

    Columns that are left out get the table's default, not the model's. A value that PostgreSQL cannot store raises
    InvalidInput, as in every unit of work.
    """
    if not rows:
        return
    columns = sql.SQL(", ").join(sql.Identifier(name) for name in rows[0])
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(model.__tablename__), columns)
    connection = session.connection().connection.dbapi_connection
    assert isinstance(connection, psycopg.Connection)
    try:
        with connection.cursor().copy(statement) as copy:
            for row in rows:
                copy.write_row([_written(value) for value in row.values()])
    except psycopg.DataError as error:
        raise InvalidInput("A number is too large, or a text holds a NUL character.") from error


def _written(value: Any) -> Any:
    """A tuple is an array; lists and mappings are JSON."""
    if isinstance(value, tuple):
        return list(value)
    return json.dumps(value) if isinstance(value, dict | list) else value
