"""runs, plans: the recipe they came from"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "2026_11_21_0752"
down_revision: str | None = "2026_11_21_0751"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    for table in ("plans", "runs"):
        op.add_column(table, sa.Column("recipe_slug", sa.String(), nullable=True))
        op.add_column(table, sa.Column("recipe_size", sa.String(), nullable=True))
    op.create_index(
        "ix_runs_recipes",
        "runs",
        ["team_id", "recipe_slug", "id"],
        postgresql_where=sa.text("recipe_slug IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_runs_recipes", table_name="runs")
    for table in ("runs", "plans"):
        op.drop_column(table, "recipe_size")
        op.drop_column(table, "recipe_slug")
