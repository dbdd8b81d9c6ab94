"""invitations, scopes, audit"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0744"
down_revision: str | None = "2026_11_21_0743"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

NOW = sa.text("now()")


def upgrade() -> None:
    _people()
    _tokens()
    _invitations()
    _audit()


def _instant(name: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable, server_default=None if nullable else NOW)


def _people() -> None:
    op.add_column("users", sa.Column("kind", sa.String(), server_default="person", nullable=False))
    op.create_check_constraint(op.f("ck_users_kind"), "users", "kind IN ('person', 'token')")
    op.add_column("users", _instant("deactivated_at"))
    op.add_column("memberships", _instant("joined_at", nullable=False))
    op.add_column("user_sessions", sa.Column("address", sa.String(), server_default="", nullable=False))
    op.add_column("user_sessions", _instant("last_seen_at", nullable=False))


def _tokens() -> None:
    op.add_column("api_tokens", sa.Column("kind", sa.String(), server_default="personal", nullable=False))
    op.create_check_constraint(op.f("ck_api_tokens_kind"), "api_tokens", "kind IN ('personal', 'team')")
    op.add_column("api_tokens", sa.Column("scope", sa.String(), server_default="manage", nullable=False))
    op.create_check_constraint(op.f("ck_api_tokens_scope"), "api_tokens", "scope IN ('read', 'run', 'manage')")
    op.add_column("api_tokens", sa.Column("created_by", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_api_tokens_created_by_users"), "api_tokens", "users", ["created_by"], ["id"], ondelete="SET NULL"
    )
    op.execute("UPDATE api_tokens SET created_by = user_id")


def _invitations() -> None:
    op.create_table(
        "invitations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        _instant("created_at", nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        _instant("accepted_at"),
        sa.Column("accepted_by", sa.Uuid(), nullable=True),
        _instant("revoked_at"),
        sa.CheckConstraint("role IN ('viewer', 'editor', 'admin')", name=op.f("ck_invitations_role")),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_invitations_team_id_teams"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_invitations_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["accepted_by"], ["users.id"], name=op.f("fk_invitations_accepted_by_users"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
    )
    op.create_index(op.f("ix_invitations_team_id_id"), "invitations", ["team_id", "id"])


def _audit() -> None:
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=True),
        _instant("at", nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_id", sa.Uuid(), nullable=True),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("token_name", sa.String(), nullable=True),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject_kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=True),
        sa.Column("detail", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint(
            "actor_kind IN ('person', 'token', 'agent', 'system')", name=op.f("ck_audit_entries_actor_kind")
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_audit_entries_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entries")),
    )
    op.create_index(op.f("ix_audit_entries_team_id_id"), "audit_entries", ["team_id", "id"])


def downgrade() -> None:
    op.drop_table("audit_entries")
    op.drop_table("invitations")
    for column in ("created_by", "scope", "kind"):
        op.drop_column("api_tokens", column)
    for column in ("last_seen_at", "address"):
        op.drop_column("user_sessions", column)
    op.drop_column("memberships", "joined_at")
    # A team's token has nobody behind it in the older schema: its stand-in takes it along.
    op.execute("DELETE FROM users WHERE kind = 'token'")
    for column in ("deactivated_at", "kind"):
        op.drop_column("users", column)
