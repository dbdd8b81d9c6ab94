"""results: what store and host did, second by second"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0750"
down_revision: str | None = "2026_11_21_0747"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "telemetry_layouts",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("names", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_telemetry_layouts")),
        sa.UniqueConstraint("fingerprint", name=op.f("uq_telemetry_layouts_fingerprint")),
    )
    op.create_table(
        "telemetry_seconds",
        *_key(),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("duration_ns", sa.BigInteger(), nullable=False),
        sa.Column("phase", sa.String(), nullable=True),
        sa.Column("ends_phase", sa.Boolean(), nullable=False),
        sa.Column("layout_id", sa.Integer(), nullable=False),
        sa.Column("counters", postgresql.ARRAY(sa.Double()), nullable=False),
        sa.Column("host", postgresql.ARRAY(sa.Double()), nullable=True),
        sa.Column("store_memory_bytes", sa.BigInteger(), nullable=True),
        sa.Column("store_children_memory_bytes", sa.BigInteger(), nullable=True),
        sa.Column("store_disk_bytes", sa.BigInteger(), nullable=True),
        sa.Column("store_cpu_cores", sa.Double(), nullable=True),
        *_constraints("telemetry_seconds"),
        sa.ForeignKeyConstraint(
            ["layout_id"], ["telemetry_layouts.id"], name=op.f("fk_telemetry_seconds_layout_id_telemetry_layouts")
        ),
    )
    op.create_table(
        "telemetry_events",
        *_key(),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("duration_s", sa.Double(), nullable=True),
        *_constraints("telemetry_events"),
    )
    _index_events("ix_run_events_seconds", "kind IN ('sample', 'telemetry')")
    op.drop_index("ix_run_events_samples", table_name="run_events")


def _key() -> list[sa.Column[object]]:
    return [
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
    ]


def _constraints(table: str) -> list[sa.Constraint]:
    return [
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trials.id"], name=op.f(f"fk_{table}_trial_id_trials"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f(f"fk_{table}_agent_id_agents")),
        sa.PrimaryKeyConstraint("trial_id", "agent_id", "attempt", "seq", name=op.f(f"pk_{table}")),
    ]


def _index_events(name: str, where: str) -> None:
    op.create_index(name, "run_events", ["created_at"], postgresql_where=where)


def downgrade() -> None:
    op.execute("DELETE FROM run_events WHERE kind = 'telemetry'")
    _index_events("ix_run_events_samples", "kind = 'sample'")
    op.drop_index("ix_run_events_seconds", table_name="run_events")
    op.drop_table("telemetry_events")
    op.drop_table("telemetry_seconds")
    op.drop_table("telemetry_layouts")
