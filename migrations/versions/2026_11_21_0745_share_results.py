"""links, comments, imported runs"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0745"
down_revision: str | None = "2026_11_21_0744"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

NOW = sa.text("now()")


def upgrade() -> None:
    _shares()
    _share_unlocks()
    _comments()
    _imported_runs()


def _instant(name: str, *, nullable: bool = True, is_now: bool = False) -> sa.Column[object]:
    default = NOW if is_now else None
    return sa.Column(name, sa.DateTime(timezone=True), server_default=default, nullable=nullable)


def _refers(table: str, column: str, to: str, ondelete: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{to}")
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=name, ondelete=ondelete)


def _shares() -> None:
    op.create_table(
        "shares",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=True),
        sa.Column("subject", postgresql.JSONB(), nullable=False),
        sa.Column("view", postgresql.JSONB(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        _instant("expires_at"),
        _instant("revoked_at"),
        sa.Column("view_count", sa.Integer(), server_default="0", nullable=False),
        _instant("last_viewed_at"),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        _instant("created_at", nullable=False, is_now=True),
        sa.CheckConstraint("kind IN ('run', 'comparison', 'trend', 'dashboard')", name=op.f("ck_shares_kind")),
        _refers("shares", "team_id", "teams", "CASCADE"),
        _refers("shares", "created_by", "users", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shares")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_shares_token_hash")),
    )
    op.create_index(op.f("ix_shares_team_id_id"), "shares", ["team_id", "id"])
    op.create_index(op.f("ix_shares_team_id_subject_id_id"), "shares", ["team_id", "subject_id", "id"])


def _share_unlocks() -> None:
    op.create_table(
        "share_unlocks",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("share_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        _instant("expires_at", nullable=False),
        _refers("share_unlocks", "share_id", "shares", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_share_unlocks")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_share_unlocks_token_hash")),
    )
    op.create_index(op.f("ix_share_unlocks_share_id"), "share_unlocks", ["share_id"])


def _comments() -> None:
    op.create_table(
        "comments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("subject_kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("parent_id", sa.Uuid(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        _instant("created_at", nullable=False, is_now=True),
        _instant("edited_at"),
        _instant("deleted_at"),
        sa.CheckConstraint("subject_kind IN ('run', 'point')", name=op.f("ck_comments_subject_kind")),
        _refers("comments", "team_id", "teams", "CASCADE"),
        _refers("comments", "run_id", "runs", "CASCADE"),
        _refers("comments", "parent_id", "comments", "CASCADE"),
        _refers("comments", "created_by", "users", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comments")),
    )
    op.create_index(op.f("ix_comments_team_id"), "comments", ["team_id"])
    op.create_index(op.f("ix_comments_run_id_id"), "comments", ["run_id", "id"])
    op.create_index(op.f("ix_comments_parent_id"), "comments", ["parent_id"])


def _imported_runs() -> None:
    op.add_column("runs", sa.Column("origin", sa.String(), server_default="local", nullable=False))
    op.create_check_constraint(op.f("ck_runs_origin"), "runs", "origin IN ('local', 'imported')")
    op.add_column("runs", sa.Column("provenance", postgresql.JSONB(), nullable=True))
    op.add_column("runs", sa.Column("bundle_digest", sa.String(), nullable=True))
    op.create_index(op.f("ix_runs_team_id_bundle_digest"), "runs", ["team_id", "bundle_digest"], unique=True)
    op.add_column("agents", sa.Column("is_foreign", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("agents", "is_foreign")
    op.drop_index(op.f("ix_runs_team_id_bundle_digest"), table_name="runs")
    op.drop_column("runs", "bundle_digest")
    op.drop_column("runs", "provenance")
    op.drop_constraint(op.f("ck_runs_origin"), "runs")
    op.drop_column("runs", "origin")
    op.drop_table("comments")
    op.drop_table("share_unlocks")
    op.drop_table("shares")
