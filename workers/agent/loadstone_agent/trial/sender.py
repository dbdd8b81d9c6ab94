"""Sends spooled samples while the trial goes on: each at once when idle, in batches when behind."""

import threading

import structlog
from loadstone_contracts.agent_calls import Assignment

from loadstone_agent.api import HOUR, AgentApi, ApiRefused, ApiUnreachable, Patience
from loadstone_agent.spool import Spool
from loadstone_agent.trial.interruption import Interruption

log = structlog.get_logger()


class SampleSender:
    def __init__(self, api: AgentApi, spool: Spool, assignment: Assignment, interruption: Interruption) -> None:
        self._api = api
        self._spool = spool
        self._assignment = assignment
        self._interruption = interruption
        self._offset = 0
        self._wake = threading.Event()
        self._is_closing = False
        self.refusal: ApiRefused | None = None
        self._thread = threading.Thread(target=self._send_all, name="samples", daemon=True)
        self._thread.start()

    def notify(self) -> None:
        """There are new lines in the spool."""
        self._wake.set()

    def drain(self, within_s: float | None = None) -> bool:
        """Waits until every sample is acknowledged; False when the api refused, or nobody may wait any longer."""
        self._is_closing = True
        self._wake.set()
        self._thread.join(within_s)
        return self._offset == self._spool.size_bytes

    def _send_all(self) -> None:
        try:
            while not self._is_closing or self._offset < self._spool.size_bytes:
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
        while self._offset < self._spool.size_bytes:
            lines, offset = self._spool.read_batch(self._offset)
            patience = Patience(HOUR, self._interruption.hurry)
            self._api.send_samples(self._assignment.lease_id, self._assignment.fence, lines, patience)
            self._offset = offset
