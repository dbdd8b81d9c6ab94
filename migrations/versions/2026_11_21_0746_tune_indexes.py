"""indexes found by measuring"""

from collections.abc import Sequence

from alembic import op

revision: str = "2026_11_21_0746"
down_revision: str | None = "2026_11_21_0745"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # Trusted: the database's owner may. It is part of every PostgreSQL package with the contributed modules.
    op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    op.create_index(
        "ix_runs_name_parts", "runs", ["name"], postgresql_using="gin", postgresql_ops={"name": "gin_trgm_ops"}
    )


def downgrade() -> None:
    # The extension stays: it may have been there before.
    op.drop_index("ix_runs_name_parts", table_name="runs")
