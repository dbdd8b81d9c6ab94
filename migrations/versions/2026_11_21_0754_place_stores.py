"""targets: cores, memory, directory of a managed store"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "2026_11_21_0754"
down_revision: str | None = "2026_11_21_0753"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("targets", sa.Column("read_port", sa.Integer(), nullable=True))
    op.add_column("targets", sa.Column("placement", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("targets", "placement")
    op.drop_column("targets", "read_port")
