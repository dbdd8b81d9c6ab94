"""targets: cores, memory, directory of a managed store"""

from collections.abc import Sequence

revision: str = "2026_11_21_0754"
down_revision: str | None = "2026_11_21_0753"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
