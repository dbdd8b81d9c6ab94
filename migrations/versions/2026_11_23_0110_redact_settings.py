"""what was captured before settings and logs passed a rule loses its secrets

Downgrading brings nothing back: what is gone is gone.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from loadstone_contracts.redaction import redact_message, redact_settings, redact_text
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "2026_11_23_0110"
down_revision: str | None = "2026_11_23_0100"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# The fingerprints stay: they tell equal configurations apart from others and say nothing about them.
configurations = sa.table("store_configurations", sa.column("id"), sa.column("kind"), sa.column("settings", JSONB))
trials = sa.table(
    "trials",
    *(sa.column("id"), sa.column("error_message"), sa.column("error_detail")),
    *(sa.column("warnings", JSONB), sa.column("command_lines", JSONB)),
)
runs = sa.table("runs", sa.column("id"), sa.column("error_detail"))
checks = sa.table("target_checks", sa.column("id"), sa.column("result", JSONB))
marks = sa.table("telemetry_events", sa.column("detail"))


def upgrade() -> None:
    connection = op.get_bind()
    for row in _rows(connection, configurations):
        clean = redact_settings(row.kind, row.settings)
        if clean != row.settings:
            _update(connection, configurations, row.id, {"settings": clean})
    for table in (trials, runs, checks):
        names = [column.name for column in table.columns if column.name != "id"]
        for row in _rows(connection, table):
            kept = {name: getattr(row, name) for name in names}
            clean = redact_message(kept)
            if clean != kept:
                _update(connection, table, row.id, clean)
    for detail in connection.execute(sa.select(marks.c.detail).distinct().where(marks.c.detail != "")).scalars().all():
        if redact_text(detail) != detail:
            connection.execute(sa.update(marks).where(marks.c.detail == detail).values(detail=redact_text(detail)))


def downgrade() -> None:
    pass


def _rows(connection: sa.Connection, table: sa.TableClause) -> Sequence[sa.Row[tuple[object, ...]]]:
    return connection.execute(sa.select(table)).all()


def _update(connection: sa.Connection, table: sa.TableClause, row_id: object, values: dict[str, object]) -> None:
    connection.execute(sa.update(table).where(table.c.id == row_id).values(**values))
