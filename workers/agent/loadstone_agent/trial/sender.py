"""Sends what is spooled while the trial goes on: each line at once when idle, in batches when behind."""

import threading
from collections.abc import Callable, Sequence

import structlog
from loadstone_contracts.agent_calls import Assignment
from pydantic import BaseModel

from loadstone_agent.api import HOUR, AgentApi, ApiRefused, ApiUnreachable, Patience
from loadstone_agent.spool import LineFile, Spool
from loadstone_agent.trial.interruption import Interruption

log = structlog.get_logger()


class Stream:
    """One of the spool's files, and the call that its lines go out by."""

    def __init__(self, file: LineFile, send: Callable[[str, int, Sequence[bytes], Patience], BaseModel]) -> None:
        self._file = file
        self._send = send
        self._offset = 0

    def is_behind(self) -> bool:
        return self._offset < self._file.size_bytes

    def send_batch(self, lease_id: str, fence: int, patience: Patience) -> None:
        """Raises ApiRefused and ApiUnreachable."""
        lines, offset = self._file.read_batch(self._offset)
        self._send(lease_id, fence, lines, patience)
        self._offset = offset


class SampleSender:
    def __init__(self, api: AgentApi, spool: Spool, assignment: Assignment, interruption: Interruption) -> None:
        self._api = api
        self._assignment = assignment
        self._interruption = interruption
        self._telemetry = spool.telemetry
        self._streams = (
            Stream(spool.samples, api.send_samples),
            Stream(spool.telemetry, api.send_telemetry),
        )
        self._wake = threading.Event()
        self._is_closing = False
        self.refusal: ApiRefused | None = None
        self._thread = threading.Thread(target=self._send_all, name="samples", daemon=True)
        self._thread.start()

    def notify(self) -> None:
        """There are new lines in the spool."""
        self._wake.set()

    def put_telemetry(self, line: bytes) -> None:
        """Into the spool, and from there on its way. Raises DiskFull."""
        self._telemetry.append(line)
        self._wake.set()

    def drain(self, within_s: float | None = None) -> bool:
        """Waits until every line is acknowledged; False when the api refused, or nobody may wait any longer."""
        self._is_closing = True
        self._wake.set()
        self._thread.join(within_s)
        return not self._is_behind()

    def _is_behind(self) -> bool:
        return any(stream.is_behind() for stream in self._streams)

    def _send_all(self) -> None:
        try:
            while not self._is_closing or self._is_behind():
                self._wake.wait()
                # Before the read: a line that comes after it sets the flag again.
                if not self._is_closing:
                    self._wake.clear()
                self._send_new_lines()
        except ApiRefused as refusal:
            log.warning("samples_refused", lease_id=self._assignment.lease_id, error=str(refusal))
            self.refusal = refusal
            if refusal.ends_lease:
                self._interruption.request("lease_lost")
        except ApiUnreachable as fault:
            log.warning("samples_left_in_spool", lease_id=self._assignment.lease_id, error=str(fault))

    def _send_new_lines(self) -> None:
        lease_id, fence = self._assignment.lease_id, self._assignment.fence
        patience = Patience(HOUR, self._interruption.hurry)
        for stream in self._streams:
            while stream.is_behind():
                stream.send_batch(lease_id, fence, patience)
