"""trials: the engine that made the load"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0751"
down_revision: str | None = "2026_11_21_0750"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    missing = sa.Column("engine_missing", postgresql.JSONB(), server_default="[]", nullable=False)
    op.add_column("trials", missing)


def downgrade() -> None:
    op.drop_column("trials", "engine_missing")
