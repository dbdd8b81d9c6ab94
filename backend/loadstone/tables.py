"""What people take away: a table as CSV or JSON. Pure."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

TableForm = Literal["csv", "json"]

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True)
class Table:
    """Units stand in the columns' names. Values are numbers, texts, booleans or None, instants as RFC 3339."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


def render(table: Table, form: TableForm) -> str:
    return to_csv(table) if form == "csv" else to_json(table)


def to_csv(table: Table) -> str:
    """RFC 4180, with a header line; empty cells where there is no value."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([_cell(name) for name in table.columns])
    writer.writerows([_cell(value) for value in row] for row in table.rows)
    return text.getvalue()


def to_json(table: Table) -> str:
    """`{"items": [...]}` with one object a row, as the lists of the api answer."""
    items = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return json.dumps({"items": items}, default=str, ensure_ascii=False)


def _cell(value: Any) -> Any:
    """Spreadsheets execute text that begins like a formula; a leading quote makes it text again."""
    if value is None or isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def columns_of(records: Iterable[dict[str, Any]]) -> list[str]:
    """The names in all `records`, in the order in which they first appear."""
    return list(dict.fromkeys(name for record in records for name in record))
