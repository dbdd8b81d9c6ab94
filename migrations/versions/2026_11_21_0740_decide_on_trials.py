"""trials: metrics, decisions, comparisons"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op
from loadstone.stats import histogram
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0740"
down_revision: str | None = "2026_11_21_0430"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("trials", sa.Column("is_counted", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("trials", sa.Column("load_during", postgresql.JSONB(astext_type=sa.Text()), nullable=True))
    op.add_column("trials", sa.Column("histogram_digits", sa.Integer(), nullable=True))
    op.add_column("trials", sa.Column("keys_held", sa.BigInteger(), nullable=True))
    op.execute("UPDATE trials SET is_counted = TRUE WHERE status = 'succeeded' AND trust <> 'void'")
    op.add_column("point_operations", sa.Column("response_histogram", sa.LargeBinary(), nullable=True))
    op.add_column("point_operations", sa.Column("service_histogram", sa.LargeBinary(), nullable=True))
    _create_trial_metrics()
    _create_trial_decisions()
    _create_comparisons()
    _fill_trial_metrics()


def _create_trial_metrics() -> None:
    op.create_table(
        "trial_metrics",
        sa.Column("point_id", sa.Uuid(), nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["point_id"], ["points.id"], name=op.f("fk_trial_metrics_point_id_points"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "point_id", "operation", "metric", "trial_id", name=op.f("pk_trial_metrics"), postgresql_include=["value"]
        ),
    )


def _create_trial_decisions() -> None:
    op.create_table(
        "trial_decisions",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("undone_by", sa.Uuid(), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint("kind IN ('include', 'exclude')", name=op.f("ck_trial_decisions_kind")),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_trial_decisions_team_id_teams"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trials.id"], name=op.f("fk_trial_decisions_trial_id_trials"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_trial_decisions_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["undone_by"], ["users.id"], name=op.f("fk_trial_decisions_undone_by_users"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial_decisions")),
    )
    op.create_index(op.f("ix_trial_decisions_trial_id"), "trial_decisions", ["trial_id"], unique=False)
    op.create_index(
        "ix_trial_decisions_standing",
        "trial_decisions",
        ["trial_id"],
        unique=True,
        postgresql_where="undone_at IS NULL",
    )


def _create_comparisons() -> None:
    op.create_table(
        "comparisons",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("definition", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_comparisons_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_comparisons_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparisons")),
    )
    op.create_index(op.f("ix_comparisons_team_id_id"), "comparisons", ["team_id", "id"], unique=False)


MEASURED = """
    SELECT t.point_id, r.trial_id, r.operation, r.elapsed_ns, r.count, r.error_count, r.throughput_per_s,
           r.response_time_ns, r.service_time_ns, r.response_histogram, r.service_histogram
    FROM operation_results r JOIN trials t ON t.id = r.trial_id AND t.attempt = r.attempt
    WHERE t.status = 'succeeded' AND r.phase = 'measure'
"""
QUANTILES = ("p50", "p90", "p95", "p99", "p999", "max")
VALUES = """
    ('throughput_per_s', m.throughput_per_s),
    ('error_share', m.error_count::float8 / NULLIF(m.count + m.error_count, 0)),
    ('elapsed_s', m.elapsed_ns / 1e9)
""" + "".join(
    f", ('{kind}_{name}_ns', (m.{kind}_ns ->> '{name}')::float8)"
    for kind in ("response_time", "service_time")
    for name in QUANTILES
)
INSERT = "INSERT INTO trial_metrics (point_id, trial_id, operation, metric, value)"
BATCH = 500


def _fill_trial_metrics() -> None:
    """By SQL where one row says all of an operation; percentiles of several rows come from their merged histograms."""
    _fill_from_lone_rows("operation", "trial_id, operation")
    _fill_from_lone_rows("'all'", "trial_id")
    connection = op.get_bind()
    several = f"SELECT trial_id FROM ({MEASURED}) AS m GROUP BY trial_id HAVING count(*) > 1"  # noqa: S608 - constants
    trials = list(connection.scalars(sa.text(several)))
    for start in range(0, len(trials), BATCH):
        text = f"SELECT * FROM ({MEASURED}) AS m WHERE trial_id = ANY(:trials) ORDER BY trial_id, operation"  # noqa: S608
        rows = connection.execute(sa.text(text), {"trials": trials[start : start + BATCH]}).all()
        values = [value for _, found in groupby(rows, key=lambda row: row.trial_id) for value in _merged(list(found))]
        connection.execute(sa.text(f"{INSERT} VALUES (:point_id, :trial_id, :operation, :metric, :value)"), values)


def _fill_from_lone_rows(operation: str, partition: str) -> None:
    op.execute(
        f"{INSERT} SELECT m.point_id, m.trial_id, {operation}, v.metric, v.value "  # noqa: S608 - constants
        f"FROM (SELECT *, count(*) OVER (PARTITION BY {partition}) AS row_count FROM ({MEASURED}) AS r) AS m "
        f"CROSS JOIN LATERAL (VALUES {VALUES}) AS v (metric, value) WHERE v.value IS NOT NULL AND m.row_count = 1"
    )


def _merged(rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    groups = [("all", rows)]
    for operation, found in groupby(rows, key=lambda row: row.operation):
        several = list(found)
        if len(several) > 1:
            groups.append((operation, several))
    for operation, group in groups:
        for metric, value in _metrics(group).items():
            key = {"point_id": group[0].point_id, "trial_id": group[0].trial_id}
            if value is not None:
                yield {**key, "operation": operation, "metric": metric, "value": value}


def _metrics(rows: Sequence[Any]) -> dict[str, float | None]:
    errors = sum(row.error_count for row in rows)
    ended = errors + sum(row.count for row in rows)
    found: dict[str, float | None] = {
        "throughput_per_s": sum(row.throughput_per_s for row in rows),
        "error_share": errors / ended if ended else None,
        "elapsed_s": max(row.elapsed_ns for row in rows) / 1e9,
    }
    for kind in ("response", "service"):
        merged = histogram.merge(getattr(row, f"{kind}_histogram") for row in rows)
        found |= {f"{kind}_time_{name}_ns": value for name, value in histogram.quantiles(merged).items()}
    return found


def downgrade() -> None:
    op.drop_index(op.f("ix_comparisons_team_id_id"), table_name="comparisons")
    op.drop_table("comparisons")
    op.drop_index("ix_trial_decisions_standing", table_name="trial_decisions", postgresql_where="undone_at IS NULL")
    op.drop_index(op.f("ix_trial_decisions_trial_id"), table_name="trial_decisions")
    op.drop_table("trial_decisions")
    op.drop_table("trial_metrics")
    op.drop_column("point_operations", "service_histogram")
    op.drop_column("point_operations", "response_histogram")
    op.drop_column("trials", "keys_held")
    op.drop_column("trials", "histogram_digits")
    op.drop_column("trials", "load_during")
    op.drop_column("trials", "is_counted")
