"""requests without an answer beside the answered ones, and what distorted their times

Old rows read as if everything had been answered: constant defaults, so that no table is rewritten.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_23_0130"
down_revision: str | None = "2026_11_23_0110"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TABLES = ("samples", "operation_results", "point_operations")
JUDGED = ("operation_results", "point_operations")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, _counts("unanswered"))
        op.add_column(table, sa.Column("response_unanswered", sa.LargeBinary(), nullable=True))
        op.add_column(table, sa.Column("service_unanswered", sa.LargeBinary(), nullable=True))
    for table in JUDGED:
        op.add_column(table, _counts("delays"))
    op.add_column(
        "trial_metrics", sa.Column("is_lower_bound", sa.Boolean(), server_default=sa.text("false"), nullable=False)
    )
    op.create_index(
        "ix_trial_metrics_lower_bound",
        "trial_metrics",
        ["point_id", "operation", "metric", "trial_id"],
        postgresql_where=sa.text("is_lower_bound"),
    )


def downgrade() -> None:
    op.drop_index("ix_trial_metrics_lower_bound", "trial_metrics")
    op.drop_column("trial_metrics", "is_lower_bound")
    for table in JUDGED:
        op.drop_column(table, "delays")
    for table in TABLES:
        op.drop_column(table, "service_unanswered")
        op.drop_column(table, "response_unanswered")
        op.drop_column(table, "unanswered")


def _counts(name: str) -> sa.Column[dict[str, int]]:
    return sa.Column(name, postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False)
