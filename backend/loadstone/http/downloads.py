"""Tables as files that a browser saves."""

from typing import Any

from fastapi import Response

from loadstone.tables import Table, TableForm, render

MEDIA_TYPES = {"csv": "text/csv", "json": "application/json"}

TABLE_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A table: `.csv` with a header line, or `.json` with one object a row in `items`.",
        "content": {"text/csv": {"schema": {"type": "string"}}, "application/json": {"schema": {"type": "object"}}},
    }
}


def table_response(table: Table, form: TableForm, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="loadstone-{name}.{form}"'}
    return Response(render(table, form), media_type=MEDIA_TYPES[form], headers=headers)
