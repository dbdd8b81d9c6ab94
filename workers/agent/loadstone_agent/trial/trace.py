"""The file that a trial replays: fetched once, known by its digest, kept for the next trial."""

import hashlib
import os
from pathlib import Path

import structlog
from loadstone_contracts.agent_calls import Assignment
from loadstone_contracts.engine_plan import EngineWork, Trace

from loadstone_agent.api import AgentApi, ApiRefused, ApiUnreachable
from loadstone_agent.errors import TraceMissing

log = structlog.get_logger()

KEPT_BYTES = 2 * 2**30
"""Of all traces together; those used longest ago go first."""


def work_on_this_host(api: AgentApi, assignment: Assignment, directory: Path) -> EngineWork:
    """The assignment's work, its trace as a file in `directory`. Raises TraceMissing."""
    work = assignment.work
    if work.trace is None:
        return work
    path = directory / f"{work.trace.file}.csv"
    if not path.exists() or _digest(path) != work.trace.file:
        _fetch(api, assignment, work.trace.file, path)
    os.utime(path)
    _forget_oldest(directory, path)
    return work.model_copy(update={"trace": Trace(file=str(path))})


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(api: AgentApi, assignment: Assignment, digest: str, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    try:
        api.fetch_trace(assignment.lease_id, assignment.fence, part)
    except (ApiRefused, ApiUnreachable, OSError) as error:
        part.unlink(missing_ok=True)
        message = "The trace could not be fetched from the api: see the detail, then queue the trial again."
        raise TraceMissing(message, str(error)) from error
    found = _digest(part)
    if found != digest:
        part.unlink()
        message = "What the api sent is not the trace that the plan names: upload its file again."
        raise TraceMissing(message, f"SHA-256 {found} instead of {digest}")
    part.rename(path)
    log.info("trace_fetched", digest=digest, size_bytes=path.stat().st_size)


def _forget_oldest(directory: Path, used: Path) -> None:
    newest_first = sorted(directory.glob("*.csv"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in newest_first:
        total += path.stat().st_size
        if total > KEPT_BYTES and path != used:
            path.unlink()
