"""Comments as the public API shows them. Texts are Markdown and are never rendered here."""

import uuid
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from loadstone.accounts.schemas import UserRef

SubjectKind = Literal["run", "point"]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CreateComment(_Written):
    """An answer names the comment that began its thread (or any in it); its subject is the thread's."""

    subject_kind: SubjectKind
    subject_id: uuid.UUID
    text: Text
    parent_id: uuid.UUID | None = None


class ChangeComment(_Written):
    text: Text


class Comment(BaseModel):
    """`text` is null once it was deleted. `may_change`: it is one's own, or one is an admin of the team."""

    id: uuid.UUID
    subject_kind: SubjectKind
    subject_id: uuid.UUID
    run_id: uuid.UUID
    parent_id: uuid.UUID | None
    text: str | None
    created_by: UserRef | None
    created_at: datetime
    edited_at: datetime | None
    deleted_at: datetime | None
    may_change: bool
