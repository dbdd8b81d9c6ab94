"""What a person decided about a trial against its trust verdict."""

import uuid
from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class TrialDecision(Identified, Base):
    """Includes a void trial or excludes one that counts, by name and with a reason, until somebody undoes it."""

    __tablename__ = "trial_decisions"
    __table_args__ = (
        CheckConstraint("kind IN ('include', 'exclude')", name="kind"),
        # At most one stands: what counts can be told without replaying a history.
        Index("ix_trial_decisions_standing", "trial_id", unique=True, postgresql_where="undone_at IS NULL"),
        Index(None, "trial_id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    trial_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("trials.id", ondelete="CASCADE"))
    kind: Mapped[str]
    reason: Mapped[str]
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    undone_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    undone_at: Mapped[datetime | None]
