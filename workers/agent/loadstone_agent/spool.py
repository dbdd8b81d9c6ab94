"""What a trial measured, on disk until the api has acknowledged it.

`spool/<lease_id>/`: `lease.json` (who may send this), `samples.ndjson` (one event a line, as the engine wrote
it), `telemetry.ndjson` (one record a line), `finish.json` (once the outcome is known). The owner holds a lock on
the directory: one whose lock is free was left by a process that died.
"""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from loadstone_contracts.agent_calls import MAX_SAMPLES_PER_CALL, Assignment, FinishRequest
from loadstone_contracts.telemetry import MAX_TELEMETRY_PER_CALL
from pydantic import BaseModel, ConfigDict

from loadstone_agent.errors import DiskFull

log = structlog.get_logger()

MAX_BATCH_BYTES = 8 * 1024 * 1024
RESERVED_BYTES = 256 * 1024
"""Kept aside so that the outcome can be written even when the samples have filled the disk."""


class SpooledLease(BaseModel):
    model_config = ConfigDict(frozen=True)

    lease_id: str
    fence: int
    trial_id: str


class SpoolTaken(Exception):
    """A living process owns this spool."""


@contextmanager
def _full_disk_told(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise disk_full(directory, str(error)) from error


def disk_full(directory: Path, detail: str) -> DiskFull:
    message = f"The disk under {directory} is full: free space there or move LOADSTONE_AGENT_DIR, then run this again."
    return DiskFull(message, detail)


def check_free_space(directory: Path, min_free_bytes: int) -> None:
    """Raises DiskFull: better no trial than one whose samples do not fit."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    free_bytes = shutil.disk_usage(directory).free
    if free_bytes < min_free_bytes:
        raise disk_full(directory, f"{free_bytes} bytes are free, {min_free_bytes} are needed to start a trial")


class LineFile:
    """Lines that are only ever appended, whole or not at all, and read in batches as large as one call may carry."""

    def __init__(self, path: Path, lines_per_batch: int) -> None:
        self.path = path
        self._lines_per_batch = lines_per_batch
        self._file = path.open("ab", buffering=0)
        self.size_bytes = self._file.tell()
        self.line_count = 0

    @property
    def closed(self) -> bool:
        return self._file.closed

    def append(self, line: bytes) -> None:
        """With its newline. Raises DiskFull; what was appended before stays whole."""
        with _full_disk_told(self.path.parent):
            try:
                written = self._file.write(line)
                if written != len(line):
                    self._file.write(line[written:])
            except OSError:
                self._file.truncate(self.size_bytes)
                raise
        self.size_bytes += len(line)
        self.line_count += 1

    def read_batch(self, offset: int) -> tuple[list[bytes], int]:
        """Whole lines from `offset`, as many as one call may carry, and where the next batch begins."""
        lines: list[bytes] = []
        size = 0
        with self.path.open("rb") as file:
            file.seek(offset)
            for line in file:
                too_much = lines and size + len(line) > MAX_BATCH_BYTES
                # Half a line is being written just now, or was when its writer died.
                if not line.endswith(b"\n") or too_much or len(lines) == self._lines_per_batch:
                    break
                lines.append(line[:-1])
                size += len(line)
        return lines, offset + size

    def sync(self) -> None:
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


class Spool:
    def __init__(self, path: Path) -> None:
        """Raises SpoolTaken."""
        self.path = path
        self._directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._directory)
            raise SpoolTaken(str(path)) from None
        self.samples = LineFile(path / "samples.ndjson", MAX_SAMPLES_PER_CALL)
        self.telemetry = LineFile(path / "telemetry.ndjson", MAX_TELEMETRY_PER_CALL)

    @classmethod
    def create(cls, root: Path, assignment: Assignment) -> "Spool":
        """Raises DiskFull."""
        # Under a hidden name until it is whole and locked: a replay must not take it for a dead one's.
        fresh = root / f".{assignment.lease_id}"
        with _full_disk_told(root):
            fresh.mkdir(mode=0o700, parents=True, exist_ok=True)
            spool = cls(fresh)
            try:
                spool._write_lease(assignment)
                spool._move(root / assignment.lease_id)
            except BaseException:
                spool.delete()
                raise
        return spool

    def _write_lease(self, assignment: Assignment) -> None:
        lease = SpooledLease(lease_id=assignment.lease_id, fence=assignment.fence, trial_id=assignment.trial_id)
        (self.path / "lease.json").write_text(lease.model_dump_json())
        with (self.path / "reserved").open("wb") as reserved:
            os.posix_fallocate(reserved.fileno(), 0, RESERVED_BYTES)

    def _move(self, path: Path) -> None:
        self.path = self.path.replace(path)
        for file in (self.samples, self.telemetry):
            file.path = path / file.path.name

    def sync(self) -> None:
        """From here on it survives this host's power failure; a killed process it survives anyway."""
        with _full_disk_told(self.path):
            self.samples.sync()
            self.telemetry.sync()
            for path in (self.path / "finish.json", self.path):
                descriptor = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)

    def write_finish(self, request: FinishRequest) -> None:
        """Raises DiskFull."""
        (self.path / "reserved").unlink(missing_ok=True)
        fresh = self.path / "finish.json.new"
        with _full_disk_told(self.path):
            fresh.write_text(request.model_dump_json())
            fresh.replace(self.path / "finish.json")

    def read_lease(self) -> SpooledLease:
        return SpooledLease.model_validate_json((self.path / "lease.json").read_bytes())

    def read_finish(self) -> FinishRequest | None:
        path = self.path / "finish.json"
        return FinishRequest.model_validate_json(path.read_bytes()) if path.exists() else None

    def close(self) -> None:
        """Leaves it for a later replay. What `delete` and `refuse` closed already stays closed."""
        if self.samples.closed:
            return
        self.samples.close()
        self.telemetry.close()
        os.close(self._directory)

    def delete(self) -> None:
        """The api has everything."""
        shutil.rmtree(self.path)
        self.close()

    def refuse(self, refused_dir: Path, kept: int, why: str) -> None:
        """The api wants none of it: set aside for a person to look at, the oldest making room."""
        log.warning("spool_refused", lease_id=self.path.name, reason=why, moved_to=str(refused_dir))
        refused_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        destination = refused_dir / self.path.name
        shutil.rmtree(destination, ignore_errors=True)
        (self.path / "reserved").unlink(missing_ok=True)
        self.path.replace(destination)
        self.close()
        by_age = sorted(refused_dir.iterdir(), key=lambda path: path.stat().st_mtime)
        for old in by_age[: max(0, len(by_age) - kept)]:
            shutil.rmtree(old, ignore_errors=True)
