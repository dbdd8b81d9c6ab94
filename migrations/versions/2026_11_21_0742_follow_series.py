"""series values, change points, alerts, notifications"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0742"
down_revision: str | None = "2026_11_21_0741"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TABLES = (
    "series_facets",
    "series_points",
    "series_values",
    "series_exclusions",
    "annotations",
    "alerts",
    "change_points",
    "alert_events",
    "notification_channels",
    "notification_deliveries",
)


def upgrade() -> None:
    _widen_series()
    _mark_analysed_runs()
    _create_series_facets()
    _create_series_points()
    _create_series_values()
    _create_series_exclusions()
    _create_annotations()
    _create_alerts()
    _create_change_points()
    _create_alert_events()
    _create_notification_channels()
    _create_notification_deliveries()


def _widen_series() -> None:
    op.add_column("series", sa.Column("title", sa.String(), server_default="", nullable=False))
    for name, empty in (("labels", "{}"), ("store_versions", "[]")):
        default = sa.text(f"'{empty}'")
        op.add_column("series", sa.Column(name, postgresql.JSONB(), server_default=default, nullable=False))
    op.add_column("series", sa.Column("value_count", sa.Integer(), server_default="0", nullable=False))
    for name in ("first_at", "last_at"):
        op.add_column("series", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_series_newest", "series", ["team_id", "last_at", "id"], postgresql_where="last_at IS NOT NULL")
    op.create_index(
        "ix_series_labels", "series", ["labels"], postgresql_using="gin", postgresql_ops={"labels": "jsonb_path_ops"}
    )


def _mark_analysed_runs() -> None:
    """Null for every run that has ended: the sweep takes the history that is there into series by itself."""
    op.add_column("runs", sa.Column("analysed_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_runs_unanalysed",
        "runs",
        ["finished_at"],
        postgresql_where="analysed_at IS NULL AND finished_at IS NOT NULL",
    )


def _create_series_facets() -> None:
    op.create_table(
        "series_facets",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("series_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_series_facets_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_id", "label", "value", name=op.f("pk_series_facets")),
    )


def _create_series_points() -> None:
    op.create_table(
        "series_points",
        sa.Column("series_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("point_id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("store_version", sa.String(), nullable=True),
        sa.Column("engine_version", sa.String(), nullable=True),
        sa.Column("environment_id", sa.Uuid(), nullable=True),
        sa.Column("store_configuration_id", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(
            ["environment_id"], ["environments.id"], name=op.f("fk_series_points_environment_id_environments")
        ),
        sa.ForeignKeyConstraint(
            ["point_id"], ["points.id"], name=op.f("fk_series_points_point_id_points"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_series_points_run_id_runs"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_series_points_series_id_series"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["store_configuration_id"],
            ["store_configurations.id"],
            name=op.f("fk_series_points_store_configuration_id_store_configurations"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_series_points_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("series_id", "at", "point_id", name=op.f("pk_series_points")),
    )
    op.create_index(op.f("ix_series_points_point_id"), "series_points", ["point_id"], unique=True)
    op.create_index(op.f("ix_series_points_run_id"), "series_points", ["run_id"], unique=False)


def _create_series_values() -> None:
    op.create_table(
        "series_values",
        sa.Column("series_id", sa.Uuid(), nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("point_id", sa.Uuid(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.Column("trials_counted", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["point_id"], ["points.id"], name=op.f("fk_series_values_point_id_points"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_series_values_series_id_series"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("series_id", "operation", "metric", "at", "point_id", name=op.f("pk_series_values")),
    )
    op.create_index(op.f("ix_series_values_point_id"), "series_values", ["point_id"], unique=False)


def _create_series_exclusions() -> None:
    op.create_table(
        "series_exclusions",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("series_id", sa.Uuid(), nullable=False),
        sa.Column("point_id", sa.Uuid(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("undone_by", sa.Uuid(), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_series_exclusions_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["point_id"], ["points.id"], name=op.f("fk_series_exclusions_point_id_points"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_series_exclusions_series_id_series"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_series_exclusions_team_id_teams"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["undone_by"], ["users.id"], name=op.f("fk_series_exclusions_undone_by_users"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series_exclusions")),
    )
    op.create_index(op.f("ix_series_exclusions_point_id"), "series_exclusions", ["point_id"], unique=False)
    op.create_index(
        "ix_series_exclusions_standing",
        "series_exclusions",
        ["series_id", "point_id"],
        unique=True,
        postgresql_where="undone_at IS NULL",
    )


def _create_annotations() -> None:
    op.create_table(
        "annotations",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("labels", postgresql.JSONB(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_annotations_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_annotations_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotations")),
    )
    op.create_index(op.f("ix_annotations_team_id_at"), "annotations", ["team_id", "at"], unique=False)


def _create_alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("series_id", sa.Uuid(), nullable=False),
        sa.Column("point_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("direction", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("snoozed_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("confirmation_run_id", sa.Uuid(), nullable=True),
        sa.Column("confirmation", postgresql.JSONB(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint("direction IN ('better', 'worse')", name=op.f("ck_alerts_direction")),
        sa.CheckConstraint(
            "state IN ('suspected', 'confirmed', 'acknowledged', 'expected', 'fixed', 'false')",
            name=op.f("ck_alerts_state"),
        ),
        sa.ForeignKeyConstraint(
            ["confirmation_run_id"], ["runs.id"], name=op.f("fk_alerts_confirmation_run_id_runs"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_alerts_owner_id_users"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["point_id"], ["points.id"], name=op.f("fk_alerts_point_id_points"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_alerts_series_id_series"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_alerts_team_id_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alerts")),
    )
    op.create_index(op.f("ix_alerts_confirmation_run_id"), "alerts", ["confirmation_run_id"], unique=False)
    op.create_index(op.f("ix_alerts_series_id_at"), "alerts", ["series_id", "at"], unique=False)
    op.create_index(op.f("ix_alerts_team_id_id"), "alerts", ["team_id", "id"], unique=False)
    op.create_index(op.f("ix_alerts_team_id_state_id"), "alerts", ["team_id", "state", "id"], unique=False)


def _create_change_points() -> None:
    op.create_table(
        "change_points",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("series_id", sa.Uuid(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("point_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("before", sa.Double(), nullable=False),
        sa.Column("after", sa.Double(), nullable=False),
        sa.Column("change", sa.Double(), nullable=False),
        sa.Column("direction", sa.String(), nullable=False),
        sa.Column("p_value", sa.Double(), nullable=False),
        sa.Column("algorithm_version", sa.String(), nullable=False),
        sa.Column("inputs", postgresql.JSONB(), nullable=False),
        sa.Column("alert_id", sa.Uuid(), nullable=False),
        sa.Column("found_in_run_id", sa.Uuid(), nullable=True),
        sa.Column("found_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint("direction IN ('better', 'worse')", name=op.f("ck_change_points_direction")),
        sa.ForeignKeyConstraint(
            ["alert_id"], ["alerts.id"], name=op.f("fk_change_points_alert_id_alerts"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["found_in_run_id"], ["runs.id"], name=op.f("fk_change_points_found_in_run_id_runs"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["point_id"], ["points.id"], name=op.f("fk_change_points_point_id_points"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_change_points_series_id_series"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_change_points_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change_points")),
    )
    op.create_index(op.f("ix_change_points_alert_id"), "change_points", ["alert_id"], unique=False)
    op.create_index(
        op.f("ix_change_points_series_id_metric_operation_at"),
        "change_points",
        ["series_id", "metric", "operation", "at"],
        unique=False,
    )


def _create_alert_events() -> None:
    op.create_table(
        "alert_events",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("alert_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("detail", postgresql.JSONB(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["alert_id"], ["alerts.id"], name=op.f("fk_alert_events_alert_id_alerts"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_alert_events_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_alert_events_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_events")),
    )
    op.create_index(op.f("ix_alert_events_alert_id_id"), "alert_events", ["alert_id", "id"], unique=False)


def _create_notification_channels() -> None:
    op.create_table(
        "notification_channels",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("address_encrypted", sa.String(), nullable=False),
        sa.Column("address_masked", sa.String(), nullable=False),
        sa.Column("secret_encrypted", sa.String(), nullable=True),
        sa.Column("events", postgresql.JSONB(), nullable=False),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('email', 'slack', 'teams', 'webhook', 'other')", name=op.f("ck_notification_channels_kind")
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_notification_channels_created_by_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_notification_channels_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_channels")),
        sa.UniqueConstraint("team_id", "name", name=op.f("uq_notification_channels_team_id_name")),
    )


def _create_notification_deliveries() -> None:
    op.create_table(
        "notification_deliveries",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("channel_id", sa.Uuid(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("link", sa.String(), nullable=True),
        sa.Column("dedupe_key", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("response_excerpt", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.CheckConstraint(
            "status IN ('queued', 'sending', 'sent', 'failed')", name=op.f("ck_notification_deliveries_status")
        ),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["notification_channels.id"],
            name=op.f("fk_notification_deliveries_channel_id_notification_channels"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_notification_deliveries_team_id_teams"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_deliveries")),
        sa.UniqueConstraint("channel_id", "dedupe_key", name=op.f("uq_notification_deliveries_channel_id_dedupe_key")),
    )
    op.create_index(
        "ix_notification_deliveries_due",
        "notification_deliveries",
        ["next_attempt_at"],
        unique=False,
        postgresql_where="status IN ('queued', 'sending')",
    )
    op.create_index(
        op.f("ix_notification_deliveries_team_id_id"), "notification_deliveries", ["team_id", "id"], unique=False
    )


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)
    op.drop_index("ix_runs_unanalysed", table_name="runs")
    op.drop_column("runs", "analysed_at")
    op.drop_index("ix_series_labels", table_name="series")
    op.drop_index("ix_series_newest", table_name="series")
    for column in ("last_at", "first_at", "value_count", "store_versions", "labels", "title"):
        op.drop_column("series", column)
