"""targets: the protocol that is spoken to them, and the database"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "2026_11_21_0747"
down_revision: str | None = "2026_11_21_0746"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("targets", sa.Column("protocol", sa.String(), nullable=True))
    op.add_column("targets", sa.Column("database", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("targets", "database")
    op.drop_column("targets", "protocol")
