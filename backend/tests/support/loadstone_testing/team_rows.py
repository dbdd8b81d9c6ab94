"""What belongs to a team, in every table: which rows, hashed, and whether anything of it changed or was added to."""

import hashlib
from collections.abc import Iterator
from typing import Any

from loadstone.db import Base
from sqlalchemy import Connection, Table, create_engine, func, select, text
from sqlalchemy.dialects.postgresql import JSONB

MARKED_COLUMNS = {"name", "title", "text", "reason", "description", "notes", "label", "email", "error_message"}
"""Free text that people wrote, by the column's name."""
TABLES = Base.metadata.sorted_tables
SHARED_TABLES = {"telemetry_layouts"}
"""Rows of all teams refer to them; they hold nothing of anyone's."""
Key = tuple[str, ...]
Snapshot = dict[str, dict[Key, str]]


def mark_everything(url: str, mark: str) -> int:
    """Puts `mark` in front of what people wrote, in columns and inside JSON; returns how many columns have it."""
    marked = 0
    engine = create_engine(url)
    with engine.begin() as connection:
        for table in TABLES:
            for column in table.columns:
                quoted = f'"{column.name}"'
                if column.name in MARKED_COLUMNS and column.type.python_type is str:
                    change = f"'{mark}' || {quoted}"
                elif isinstance(column.type, JSONB):
                    change = (
                        f"""regexp_replace({quoted}::text, '"(name|title|text)": "', '"\\1": "{mark}', 'g')::jsonb"""
                    )
                else:
                    continue
                marked += connection.execute(text(f'UPDATE "{table.name}" SET {quoted} = {change}')).rowcount
    engine.dispose()
    return marked


def take_snapshot(url: str) -> Snapshot:
    """Every row of every table, by its primary key."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = {table.name: dict(_hashed_rows(connection, table)) for table in TABLES}
    engine.dispose()
    return found


def _hashed_rows(connection: Connection, table: Table) -> Iterator[tuple[Key, str]]:
    keys = list(table.primary_key.columns)
    for row in connection.execute(select(*keys, func.to_jsonb(table.table_valued()).label("whole"))):
        yield tuple(str(value) for value in row[:-1]), hashlib.sha256(repr(row[-1]).encode()).hexdigest()


def what_changed(url: str, before: Snapshot, team_id: str, *, ignoring: frozenset[str] = frozenset()) -> list[str]:
    """Rows of the snapshot that are gone or different, and new rows that belong to the team or refer to its rows."""
    after = take_snapshot(url)
    changes = []
    for name, rows in before.items():
        changes += [f"{name} {key}: gone" for key in rows.keys() - after[name].keys()]
        changes += [f"{name} {key}: changed" for key, hashed in rows.items() if after[name].get(key, hashed) != hashed]
    engine = create_engine(url)
    with engine.connect() as connection:
        for table in TABLES:
            new = after[table.name].keys() - before[table.name].keys()
            if new:
                changes += _foreign_additions(connection, table, new, before, team_id)
    engine.dispose()
    return sorted(change for change in changes if change.split(" ")[0] not in ignoring)


def _foreign_additions(
    connection: Connection, table: Table, new: set[Key], before: Snapshot, team_id: str
) -> Iterator[str]:
    keys = [column.name for column in table.primary_key.columns]
    for row in connection.execute(select(table)).mappings():
        key = tuple(str(row[name]) for name in keys)
        if key not in new:
            continue
        if "team_id" in row and str(row["team_id"]) == team_id:
            yield f"{table.name} {key}: added to the team"
        for foreign in table.foreign_keys:
            target, column = foreign.column.table.name, foreign.parent.name
            if target not in SHARED_TABLES and _refers(row, column, before[target]):
                yield f"{table.name} {key}: added, and refers to {target} by {column}"


def _refers(row: Any, column: str, rows: dict[Key, str]) -> bool:
    return row[column] is not None and (str(row[column]),) in rows
