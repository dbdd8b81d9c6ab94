"""runs: the recipe they came from"""

from collections.abc import Sequence

revision: str = "2026_11_21_0752"
down_revision: str | None = "2026_11_21_0751"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
