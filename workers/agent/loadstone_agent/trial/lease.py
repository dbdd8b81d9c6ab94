"""Keeps a lease alive while its trial goes on, and hears of a cancel."""

import threading
import time

import structlog
from loadstone_contracts.agent_calls import Assignment, LeaseState, RenewResponse

from loadstone_agent.api import AgentApi, ApiRefused, ApiUnreachable
from loadstone_agent.trial.interruption import Interruption

log = structlog.get_logger()

RETRY_EVERY_S = 0.5


class LeaseKeeper:
    """An api that cannot be reached does not end the trial; only its definite word does."""

    def __init__(self, api: AgentApi, assignment: Assignment, interruption: Interruption) -> None:
        self._api = api
        self._assignment = assignment
        self._interruption = interruption
        self._state: LeaseState = "preparing"
        self._wake = threading.Event()
        self._is_over = False
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def __enter__(self) -> "LeaseKeeper":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._wake.set()

    def enter(self, state: LeaseState) -> None:
        """Told to the api at once, without waiting for it."""
        if state != self._state:
            self._state = state
            self._wake.set()

    def agree_start(self) -> int | None:
        """Waits until the whole group is ready: unix ns, or None where the api names no time within the lease."""
        self._state = "ready"
        give_up_at = time.monotonic() + self._assignment.lease_ttl_s
        pause_s = 0.01
        while True:
            answer = self._renew()
            self._interruption.check()
            if answer is not None and answer.start_at_unix_ns is not None:
                return answer.start_at_unix_ns
            if time.monotonic() > give_up_at:
                return None
            self._interruption.requested.wait(pause_s)
            pause_s = min(pause_s * 2, self._assignment.renew_every_s)

    def _keep(self) -> None:
        while not self._is_over:
            answer = self._renew()
            pause_s = RETRY_EVERY_S if answer is None else self._assignment.renew_every_s
            self._wake.wait(pause_s)
            self._wake.clear()

    def _renew(self) -> RenewResponse | None:
        try:
            answer = self._api.renew(self._assignment.lease_id, self._assignment.fence, self._state)
        except ApiUnreachable as fault:
            log.debug("lease_not_renewed", lease_id=self._assignment.lease_id, error=str(fault))
            return None
        except ApiRefused as refusal:
            # A finished lease is refused too; while finishing, the finish itself hears what is definite.
            if refusal.ends_lease and self._state != "finishing":
                log.warning("lease_lost", lease_id=self._assignment.lease_id, error=str(refusal))
                self._interruption.request("lease_lost")
            return None
        if answer.cancel:
            self._interruption.request("cancelled")
        return answer
