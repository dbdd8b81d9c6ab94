"""dashboards"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0743"
down_revision: str | None = "2026_11_21_0742"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

NOW = sa.text("now()")


def upgrade() -> None:
    op.create_table(
        "dashboards",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("current_version", sa.Integer(), nullable=False),
        sa.Column("is_pinned", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        _refers("dashboards", "team_id", "teams", "CASCADE"),
        _refers("dashboards", "created_by", "users", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dashboards")),
    )
    op.create_index(op.f("ix_dashboards_team_id_id"), "dashboards", ["team_id", "id"])
    op.create_table(
        "dashboard_versions",
        sa.Column("dashboard_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("content", postgresql.JSONB(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        _refers("dashboard_versions", "dashboard_id", "dashboards", "CASCADE"),
        _refers("dashboard_versions", "team_id", "teams", "CASCADE"),
        _refers("dashboard_versions", "created_by", "users", "SET NULL"),
        sa.PrimaryKeyConstraint("dashboard_id", "version", name=op.f("pk_dashboard_versions")),
    )
    op.create_index(op.f("ix_dashboard_versions_team_id"), "dashboard_versions", ["team_id"])


def _refers(table: str, column: str, to: str, ondelete: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{to}")
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=name, ondelete=ondelete)


def downgrade() -> None:
    op.drop_table("dashboard_versions")
    op.drop_table("dashboards")
