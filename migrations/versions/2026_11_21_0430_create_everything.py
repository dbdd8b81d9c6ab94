"""create everything"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0430"
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "teams",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
    )
    op.create_table(
        "users",
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("is_instance_admin", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
    )
    op.create_table(
        "agent_enrollments",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_agent_enrollments_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_agent_enrollments_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_enrollments")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_agent_enrollments_token_hash")),
    )
    op.create_index(op.f("ix_agent_enrollments_team_id"), "agent_enrollments", ["team_id"], unique=False)
    op.create_table(
        "agents",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("host_key", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("labels", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("agent_version", sa.String(), nullable=True),
        sa.Column("boot_id", sa.String(), nullable=True),
        sa.Column("inventory", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("stores", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("engines", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("load", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("is_draining", sa.Boolean(), nullable=False),
        sa.Column("last_heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_agents_team_id_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agents")),
        sa.UniqueConstraint("team_id", "name", name=op.f("uq_agents_team_id_name")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_agents_token_hash")),
    )
    op.create_table(
        "api_tokens",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_api_tokens_team_id_teams"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_api_tokens_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_tokens_token_hash")),
    )
    op.create_index(op.f("ix_api_tokens_team_id_user_id"), "api_tokens", ["team_id", "user_id"], unique=False)
    op.create_table(
        "environments",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("inventory", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_environments_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_environments")),
        sa.UniqueConstraint("team_id", "fingerprint", name=op.f("uq_environments_team_id_fingerprint")),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("request_hash", sa.String(), nullable=False),
        sa.Column("response", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_idempotency_keys_team_id_teams"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_idempotency_keys_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_id", "user_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys", ["created_at"], unique=False)
    op.create_table(
        "memberships",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.CheckConstraint("role IN ('viewer', 'editor', 'admin')", name=op.f("ck_memberships_role")),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_memberships_team_id_teams"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_memberships_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_id", "user_id", name=op.f("pk_memberships")),
    )
    op.create_index(op.f("ix_memberships_user_id"), "memberships", ["user_id"], unique=False)
    op.create_table(
        "plans",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("current_version", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_plans_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_plans_team_id_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plans")),
    )
    op.create_index(op.f("ix_plans_team_id_id"), "plans", ["team_id", "id"], unique=False)
    op.create_table(
        "series",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("identity_hash", sa.String(), nullable=False),
        sa.Column("identity", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("agent_class", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_series_team_id_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series")),
        sa.UniqueConstraint(
            "team_id", "identity_hash", "agent_class", name=op.f("uq_series_team_id_identity_hash_agent_class")
        ),
    )
    op.create_table(
        "store_configurations",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("settings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_store_configurations_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_store_configurations")),
        sa.UniqueConstraint("team_id", "fingerprint", name=op.f("uq_store_configurations_team_id_fingerprint")),
    )
    op.create_table(
        "targets",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("profile", sa.String(), nullable=True),
        sa.Column("options", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("host", sa.String(), nullable=True),
        sa.Column("port", sa.Integer(), nullable=True),
        sa.Column("username", sa.String(), nullable=True),
        sa.Column("password_encrypted", sa.String(), nullable=True),
        sa.Column("tls", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("is_flush_allowed", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint(
            "mode = 'managed' OR (host IS NOT NULL AND port IS NOT NULL)", name=op.f("ck_targets_external_address")
        ),
        sa.CheckConstraint("mode IN ('managed', 'external')", name=op.f("ck_targets_mode")),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_targets_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_targets_team_id_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_targets")),
    )
    op.create_index(op.f("ix_targets_team_id_id"), "targets", ["team_id", "id"], unique=False)
    op.create_table(
        "user_sessions",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("user_agent", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_user_sessions_team_id_teams"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_user_sessions_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_sessions")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_user_sessions_token_hash")),
    )
    op.create_index(op.f("ix_user_sessions_user_id"), "user_sessions", ["user_id"], unique=False)
    op.create_table(
        "workloads",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("lineage_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("definition", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("definition_hash", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_workloads_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_workloads_team_id_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workloads")),
    )
    op.create_index(
        op.f("ix_workloads_team_id_lineage_id_version"), "workloads", ["team_id", "lineage_id", "version"], unique=True
    )
    op.create_table(
        "plan_versions",
        sa.Column("plan_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("definition", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("definition_hash", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_plan_versions_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["plan_id"], ["plans.id"], name=op.f("fk_plan_versions_plan_id_plans"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("plan_id", "version", name=op.f("pk_plan_versions")),
    )
    op.create_table(
        "runs",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("plan_id", sa.Uuid(), nullable=True),
        sa.Column("plan_version", sa.Integer(), nullable=True),
        sa.Column("definition", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("definition_hash", sa.String(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("agent_selector", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=True),
        sa.Column("point_count", sa.Integer(), nullable=False),
        sa.Column("trial_count", sa.Integer(), nullable=False),
        sa.Column("status_counts", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("estimated_s", sa.Double(), nullable=False),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_detail", sa.String(), nullable=True),
        sa.Column("last_event_seq", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint(
            "status IN ('queued', 'claimed', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled', 'crashed')",
            name=op.f("ck_runs_status"),
        ),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_runs_agent_id_agents"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_runs_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.id"], name=op.f("fk_runs_plan_id_plans"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_runs_team_id_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(
        "ix_runs_live",
        "runs",
        ["priority", "id"],
        unique=False,
        postgresql_where="status IN ('queued', 'claimed', 'running', 'cancelling')",
    )
    op.create_index(op.f("ix_runs_plan_id"), "runs", ["plan_id"], unique=False)
    op.create_index(op.f("ix_runs_team_id_id"), "runs", ["team_id", "id"], unique=False)
    op.create_index(op.f("ix_runs_team_id_status_id"), "runs", ["team_id", "status", "id"], unique=False)
    op.create_table(
        "target_checks",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("target_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("result", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint(
            "status IN ('queued', 'claimed', 'succeeded', 'failed')", name=op.f("ck_target_checks_status")
        ),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_target_checks_agent_id_agents"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["target_id"], ["targets.id"], name=op.f("fk_target_checks_target_id_targets"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_target_checks_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_target_checks")),
    )
    op.create_index(
        op.f("ix_target_checks_status"),
        "target_checks",
        ["status"],
        unique=False,
        postgresql_where="status IN ('queued', 'claimed')",
    )
    op.create_index(op.f("ix_target_checks_target_id"), "target_checks", ["target_id"], unique=False)
    op.create_table(
        "points",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("parameters", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("target_index", sa.Integer(), nullable=False),
        sa.Column("work", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("identity", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("identity_hash", sa.String(), nullable=False),
        sa.Column("series_id", sa.Uuid(), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_points_run_id_runs"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_points_series_id_series"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_points_team_id_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_points")),
        sa.UniqueConstraint("run_id", "ordinal", name=op.f("uq_points_run_id_ordinal")),
    )
    op.create_index(op.f("ix_points_series_id"), "points", ["series_id"], unique=False)
    op.create_table(
        "run_events",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_events_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_run_events")),
    )
    op.create_index(
        "ix_run_events_samples", "run_events", ["created_at"], unique=False, postgresql_where="kind = 'sample'"
    )
    op.create_table(
        "point_operations",
        sa.Column("point_id", sa.Uuid(), nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("trials_counted", sa.Integer(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("error_count", sa.BigInteger(), nullable=False),
        sa.Column("errors", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("throughput_per_s", sa.Double(), nullable=False),
        sa.Column("response_time_ns", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("service_time_ns", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("band", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["point_id"], ["points.id"], name=op.f("fk_point_operations_point_id_points"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_point_operations_run_id_runs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("point_id", "operation", name=op.f("pk_point_operations")),
    )
    op.create_index(op.f("ix_point_operations_run_id"), "point_operations", ["run_id"], unique=False)
    op.create_table(
        "trials",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("point_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("repetition", sa.Integer(), nullable=False),
        sa.Column("block", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("group_size", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("engine", sa.String(), nullable=True),
        sa.Column("engine_version", sa.String(), nullable=True),
        sa.Column("engine_elapsed_s", sa.Double(), nullable=True),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_message", sa.String(), nullable=True),
        sa.Column("error_detail", sa.String(), nullable=True),
        sa.Column("warnings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("trust", sa.String(), nullable=True),
        sa.Column("trust_reasons", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("environment_id", sa.Uuid(), nullable=True),
        sa.Column("store_configuration_id", sa.Uuid(), nullable=True),
        sa.Column("load_before", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("command_lines", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint(
            "status IN ('queued', 'claimed', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled', 'crashed')",
            name=op.f("ck_trials_status"),
        ),
        sa.CheckConstraint("trust IN ('pass', 'warn', 'void')", name=op.f("ck_trials_trust")),
        sa.ForeignKeyConstraint(
            ["environment_id"], ["environments.id"], name=op.f("fk_trials_environment_id_environments")
        ),
        sa.ForeignKeyConstraint(
            ["point_id"], ["points.id"], name=op.f("fk_trials_point_id_points"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_trials_run_id_runs"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["store_configuration_id"],
            ["store_configurations.id"],
            name=op.f("fk_trials_store_configuration_id_store_configurations"),
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_trials_team_id_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trials")),
        sa.UniqueConstraint("run_id", "ordinal", name=op.f("uq_trials_run_id_ordinal")),
    )
    op.create_index(
        "ix_trials_live",
        "trials",
        ["run_id", "ordinal"],
        unique=False,
        postgresql_where="status IN ('queued', 'claimed', 'running', 'cancelling')",
    )
    op.create_index(op.f("ix_trials_point_id"), "trials", ["point_id"], unique=False)
    op.create_table(
        "leases",
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("start_at_unix_ns", sa.BigInteger(), nullable=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("renewed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint("status IN ('active', 'finished', 'expired')", name=op.f("ck_leases_status")),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_leases_agent_id_agents"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trials.id"], name=op.f("fk_leases_trial_id_trials"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leases")),
        sa.UniqueConstraint("trial_id", "agent_id", "attempt", name=op.f("uq_leases_trial_id_agent_id_attempt")),
    )
    op.create_index("ix_leases_active", "leases", ["agent_id"], unique=True, postgresql_where="status = 'active'")
    op.create_table(
        "operation_results",
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("elapsed_ns", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("late", sa.BigInteger(), nullable=False),
        sa.Column("error_count", sa.BigInteger(), nullable=False),
        sa.Column("errors", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("hits", sa.BigInteger(), nullable=False),
        sa.Column("misses", sa.BigInteger(), nullable=False),
        sa.Column("bytes_sent", sa.BigInteger(), nullable=False),
        sa.Column("bytes_received", sa.BigInteger(), nullable=False),
        sa.Column("throughput_per_s", sa.Double(), nullable=False),
        sa.Column("response_time_ns", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("service_time_ns", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("response_histogram", sa.LargeBinary(), nullable=False),
        sa.Column("service_histogram", sa.LargeBinary(), nullable=False),
        sa.Column("totals", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_operation_results_agent_id_agents")),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trials.id"], name=op.f("fk_operation_results_trial_id_trials"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "trial_id", "agent_id", "attempt", "phase", "operation", name=op.f("pk_operation_results")
        ),
    )
    op.create_table(
        "samples",
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("elapsed_ns", sa.BigInteger(), nullable=False),
        sa.Column("duration_ns", sa.BigInteger(), nullable=False),
        sa.Column("in_flight", sa.Integer(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("late", sa.BigInteger(), nullable=False),
        sa.Column("error_count", sa.BigInteger(), nullable=False),
        sa.Column("errors", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("hits", sa.BigInteger(), nullable=False),
        sa.Column("misses", sa.BigInteger(), nullable=False),
        sa.Column("bytes_sent", sa.BigInteger(), nullable=False),
        sa.Column("bytes_received", sa.BigInteger(), nullable=False),
        sa.Column("response_time_ns", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("service_time_ns", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("response_histogram", sa.LargeBinary(), nullable=False),
        sa.Column("service_histogram", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_samples_agent_id_agents")),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trials.id"], name=op.f("fk_samples_trial_id_trials"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "agent_id", "attempt", "seq", "operation", name=op.f("pk_samples")),
    )
    op.create_table(
        "holds",
        sa.Column("resource", sa.String(), nullable=False),
        sa.Column("lease_id", sa.Uuid(), nullable=False),
        sa.Column("held_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["lease_id"], ["leases.id"], name=op.f("fk_holds_lease_id_leases"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("resource", name=op.f("pk_holds")),
    )
    op.create_index(op.f("ix_holds_lease_id"), "holds", ["lease_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_holds_lease_id"), table_name="holds")
    op.drop_table("holds")
    op.drop_table("samples")
    op.drop_table("operation_results")
    op.drop_index("ix_leases_active", table_name="leases", postgresql_where="status = 'active'")
    op.drop_table("leases")
    op.drop_index(op.f("ix_trials_point_id"), table_name="trials")
    op.drop_index(
        "ix_trials_live",
        table_name="trials",
        postgresql_where="status IN ('queued', 'claimed', 'running', 'cancelling')",
    )
    op.drop_table("trials")
    op.drop_index(op.f("ix_point_operations_run_id"), table_name="point_operations")
    op.drop_table("point_operations")
    op.drop_index("ix_run_events_samples", table_name="run_events", postgresql_where="kind = 'sample'")
    op.drop_table("run_events")
    op.drop_index(op.f("ix_points_series_id"), table_name="points")
    op.drop_table("points")
    op.drop_index(op.f("ix_target_checks_target_id"), table_name="target_checks")
    op.drop_index(
        op.f("ix_target_checks_status"), table_name="target_checks", postgresql_where="status IN ('queued', 'claimed')"
    )
    op.drop_table("target_checks")
    op.drop_index(op.f("ix_runs_team_id_status_id"), table_name="runs")
    op.drop_index(op.f("ix_runs_team_id_id"), table_name="runs")
    op.drop_index(op.f("ix_runs_plan_id"), table_name="runs")
    op.drop_index(
        "ix_runs_live", table_name="runs", postgresql_where="status IN ('queued', 'claimed', 'running', 'cancelling')"
    )
    op.drop_table("runs")
    op.drop_table("plan_versions")
    op.drop_index(op.f("ix_workloads_team_id_lineage_id_version"), table_name="workloads")
    op.drop_table("workloads")
    op.drop_index(op.f("ix_user_sessions_user_id"), table_name="user_sessions")
    op.drop_table("user_sessions")
    op.drop_index(op.f("ix_targets_team_id_id"), table_name="targets")
    op.drop_table("targets")
    op.drop_table("store_configurations")
    op.drop_table("series")
    op.drop_index(op.f("ix_plans_team_id_id"), table_name="plans")
    op.drop_table("plans")
    op.drop_index(op.f("ix_memberships_user_id"), table_name="memberships")
    op.drop_table("memberships")
    op.drop_index(op.f("ix_idempotency_keys_created_at"), table_name="idempotency_keys")
    op.drop_table("idempotency_keys")
    op.drop_table("environments")
    op.drop_index(op.f("ix_api_tokens_team_id_user_id"), table_name="api_tokens")
    op.drop_table("api_tokens")
    op.drop_table("agents")
    op.drop_index(op.f("ix_agent_enrollments_team_id"), table_name="agent_enrollments")
    op.drop_table("agent_enrollments")
    op.drop_table("users")
    op.drop_table("teams")
