"""schedules, firings, places in the queue"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0741"
down_revision: str | None = "2026_11_21_0740"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

LIVE_RUNS = sa.text("status IN ('queued', 'claimed', 'running', 'cancelling')")


def upgrade() -> None:
    _schedules()
    _firings()
    _places()


def _instant(name: str, *, is_now: bool = False) -> sa.Column[object]:
    default = sa.text("now()") if is_now else None
    return sa.Column(name, sa.DateTime(timezone=True), server_default=default, nullable=not is_now)


def _schedules() -> None:
    op.create_table(
        "schedules",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("plan_id", sa.Uuid(), nullable=False),
        sa.Column("plan_version", sa.Integer(), nullable=True),
        sa.Column("cron", sa.String(), nullable=False),
        sa.Column("time_zone", sa.String(), nullable=False),
        sa.Column("overlap_policy", sa.String(), nullable=False),
        _instant("starts_at"),
        _instant("ends_at"),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_message", sa.String(), nullable=True),
        _instant("next_fire_at"),
        sa.Column("agent_selector", postgresql.JSONB(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        _instant("created_at", is_now=True),
        _instant("updated_at", is_now=True),
        sa.CheckConstraint("overlap_policy IN ('skip', 'queue', 'cancel')", name=op.f("ck_schedules_overlap_policy")),
        sa.CheckConstraint("state IN ('active', 'paused', 'ended', 'broken')", name=op.f("ck_schedules_state")),
        sa.CheckConstraint("(state = 'active') = (next_fire_at IS NOT NULL)", name=op.f("ck_schedules_next_fire_at")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_schedules_team_id_teams"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.id"], name=op.f("fk_schedules_plan_id_plans"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_schedules_created_by_users"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedules")),
    )
    op.create_index(op.f("ix_schedules_team_id_id"), "schedules", ["team_id", "id"])
    op.create_index(op.f("ix_schedules_plan_id"), "schedules", ["plan_id"])
    op.create_index("ix_schedules_due", "schedules", ["next_fire_at"], postgresql_where=sa.text("state = 'active'"))


def _firings() -> None:
    op.create_table(
        "schedule_firings",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("schedule_id", sa.Uuid(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        _instant("fired_at", is_now=True),
        sa.Column("is_manual", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_message", sa.String(), nullable=True),
        sa.Column("missed_count", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('submitted', 'skipped', 'refused', 'missed')", name=op.f("ck_schedule_firings_outcome")
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["teams.id"], name=op.f("fk_schedule_firings_team_id_teams"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["schedule_id"],
            ["schedules.id"],
            name=op.f("fk_schedule_firings_schedule_id_schedules"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_schedule_firings_run_id_runs"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule_firings")),
        sa.UniqueConstraint("schedule_id", "due_at", name=op.f("uq_schedule_firings_schedule_id_due_at")),
    )
    op.create_index(op.f("ix_schedule_firings_team_id"), "schedule_firings", ["team_id"])
    op.create_index(op.f("ix_schedule_firings_run_id"), "schedule_firings", ["run_id"])


def _places() -> None:
    op.add_column("runs", sa.Column("schedule_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_runs_schedule_id_schedules"), "runs", "schedules", ["schedule_id"], ["id"], ondelete="SET NULL"
    )
    op.create_index(op.f("ix_runs_schedule_id"), "runs", ["schedule_id"])
    op.add_column("runs", sa.Column("waits_for_run_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_runs_waits_for_run_id_runs"), "runs", "runs", ["waits_for_run_id"], ["id"], ondelete="SET NULL"
    )
    op.create_index(op.f("ix_runs_waits_for_run_id"), "runs", ["waits_for_run_id"])
    op.add_column("runs", sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("runs", sa.Column("position", sa.Float(precision=53), server_default="0", nullable=False))
    # The order so far: by age.
    op.execute("UPDATE runs SET position = extract(epoch FROM created_at)")
    op.drop_index("ix_runs_live", table_name="runs", postgresql_where=LIVE_RUNS)
    op.create_index("ix_runs_live", "runs", ["priority", "position", "id"], postgresql_where=LIVE_RUNS)
    op.create_index(
        "ix_runs_paces", "runs", ["plan_id", "finished_at"], postgresql_where=sa.text("status = 'succeeded'")
    )
    op.create_index(
        "ix_runs_repeats", "runs", ["definition_hash", "finished_at"], postgresql_where=sa.text("status = 'succeeded'")
    )
    op.create_index("ix_runs_recent", "runs", ["agent_id", "finished_at"])


def downgrade() -> None:
    op.drop_index("ix_runs_recent", table_name="runs")
    op.drop_index("ix_runs_repeats", table_name="runs", postgresql_where=sa.text("status = 'succeeded'"))
    op.drop_index("ix_runs_paces", table_name="runs", postgresql_where=sa.text("status = 'succeeded'"))
    op.drop_index("ix_runs_live", table_name="runs", postgresql_where=LIVE_RUNS)
    op.create_index("ix_runs_live", "runs", ["priority", "id"], postgresql_where=LIVE_RUNS)
    op.drop_column("runs", "position")
    op.drop_column("runs", "paused_at")
    op.drop_index(op.f("ix_runs_waits_for_run_id"), table_name="runs")
    op.drop_constraint(op.f("fk_runs_waits_for_run_id_runs"), "runs", type_="foreignkey")
    op.drop_column("runs", "waits_for_run_id")
    op.drop_index(op.f("ix_runs_schedule_id"), table_name="runs")
    op.drop_constraint(op.f("fk_runs_schedule_id_schedules"), "runs", type_="foreignkey")
    op.drop_column("runs", "schedule_id")
    op.drop_table("schedule_firings")
    op.drop_table("schedules")
