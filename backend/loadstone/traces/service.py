"""Traces: kept once a team and file, and handed to agents by their digest."""

import gzip
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from loadstone import models
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import AppError, NotFound
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal
from loadstone.traces import repository
from loadstone.traces.format import OF_ONE_KEY, TraceFault, digest_of, read_facts
from loadstone.traces.schemas import TraceFacts, UploadedTrace

__all__ = ["OF_ONE_KEY", "Kept", "TraceUnreadable", "content_gzip", "keep_trace", "known_facts", "read_trace"]

COMPRESSION = 6


class TraceUnreadable(AppError):
    """Names the line."""

    code = "trace_unreadable"
    status = 422
    title = "The file is no trace"


@dataclass(frozen=True)
class ReadTrace:
    """A file that was found to be a trace, before it is kept."""

    digest: str
    size_bytes: int
    facts: TraceFacts
    content_gzip: bytes


@dataclass(frozen=True)
class Kept:
    trace: UploadedTrace
    is_new: bool


def read_trace(content: bytes) -> ReadTrace:
    """Seconds of work for a large file, so it is done outside of any transaction. Raises TraceUnreadable."""
    try:
        facts = read_facts(content)
    except TraceFault as fault:
        raise TraceUnreadable(f"{fault} Mend the line and upload the file again.") from fault
    # No time stamp: equal files give equal bytes.
    packed = gzip.compress(content, COMPRESSION, mtime=0)
    return ReadTrace(digest_of(content), len(content), facts, packed)


def keep_trace(unit: UnitOfWork, principal: Principal, read: ReadTrace, name: str) -> Kept:
    """The team's one row of that file; it leaves the archive under the new name if it was there."""
    is_new = repository.keep_trace(
        unit.session,
        models.Trace(
            team_id=principal.team_id,
            name=name,
            digest=read.digest,
            size_bytes=read.size_bytes,
            facts=read.facts.model_dump(),
            content_gzip=read.content_gzip,
            created_by=principal.user_id,
        ),
    )
    (row,) = repository.by_digest(unit.session, principal.team_id, [read.digest])
    if row.archived_at is not None:
        row.archived_at, row.name = None, name
    if is_new:
        detail = {"name": name, "digest": read.digest, "size_bytes": read.size_bytes}
        audit.record(unit, principal, "trace_uploaded", "trace", row.id, detail)
    return Kept(_render(row), is_new)


def list_traces(unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int) -> Page[UploadedTrace]:
    """Newest first; raises InvalidCursor."""
    rows = repository.list_traces(unit.session, principal.team_id, decode_id_cursor(cursor), limit + 1)
    return make_page(rows, limit, lambda row: row.id, _render)


def _find(unit: UnitOfWork, principal: Principal, trace_id: uuid.UUID) -> models.Trace:
    row = repository.find_trace(unit.session, principal.team_id, trace_id)
    if row is None:
        raise NotFound("There is no such trace.")
    return row


def get_trace(unit: UnitOfWork, principal: Principal, trace_id: uuid.UUID) -> UploadedTrace:
    """Raises NotFound."""
    return _render(_find(unit, principal, trace_id))


def archive_trace(unit: UnitOfWork, principal: Principal, trace_id: uuid.UUID) -> None:
    """It leaves the list; plans and runs that name it can still replay it. Raises NotFound."""
    row = _find(unit, principal, trace_id)
    row.archived_at = datetime.now(UTC)
    audit.record(unit, principal, "trace_archived", "trace", row.id, {"name": row.name, "digest": row.digest})


def known_facts(unit: UnitOfWork, team_id: uuid.UUID, digests: Collection[str]) -> dict[str, TraceFacts]:
    """By digest, those that the team has."""
    if not digests:
        return {}
    rows = repository.by_digest(unit.session, team_id, digests)
    return {row.digest: TraceFacts.model_validate(row.facts) for row in rows}


def content_gzip(unit: UnitOfWork, team_id: uuid.UUID, digest: str) -> bytes:
    """The file, compressed by gzip; raises NotFound."""
    content = repository.content_of(unit.session, team_id, digest)
    if content is None:
        raise NotFound("There is no trace with this digest: upload the file again.")
    return content


def named_content(unit: UnitOfWork, principal: Principal, trace_id: uuid.UUID) -> tuple[str, bytes]:
    """Digest and compressed content; raises NotFound."""
    row = _find(unit, principal, trace_id)
    return row.digest, content_gzip(unit, principal.team_id, row.digest)


def _render(row: models.Trace) -> UploadedTrace:
    return UploadedTrace(
        id=row.id, name=row.name, digest=row.digest, size_bytes=row.size_bytes, created_at=row.created_at, **row.facts
    )
