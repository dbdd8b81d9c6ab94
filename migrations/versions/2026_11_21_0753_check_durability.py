"""results: acknowledged writes read back after a kill"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0753"
down_revision: str | None = "2026_11_21_0752"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("trials", sa.Column("durability", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("trials", "durability")
