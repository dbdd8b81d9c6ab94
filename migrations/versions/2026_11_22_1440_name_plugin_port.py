"""the port of an external MySQL's memcached plugin"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "2026_11_22_1440"
down_revision: str | None = "2026_11_22_1030"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("targets", sa.Column("plugin_port", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("targets", "plugin_port")
