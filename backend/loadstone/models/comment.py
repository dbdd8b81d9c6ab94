"""What people say about a run or one of its points."""

import uuid
from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from loadstone.db.base import Base, Identified


class Comment(Identified, Base):
    """Markdown. A thread is a comment without a parent and the answers to it: one level deep."""

    __tablename__ = "comments"
    __table_args__ = (
        CheckConstraint("subject_kind IN ('run', 'point')", name="subject_kind"),
        Index(None, "run_id", "id"),
    )

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
    subject_kind: Mapped[str]
    subject_id: Mapped[uuid.UUID]
    run_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    """The run itself, or the point's: all that is said about a run is read at once."""
    parent_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("comments.id", ondelete="CASCADE"), index=True)
    text: Mapped[str]
    created_by: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    edited_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    """The text is gone then; the row stays where answers hang on it."""
