"""A doorbell's trial, and those of the same run that the api names after it."""

import threading

import structlog

from loadstone_agent.agent import Agent
from loadstone_agent.api import ApiRefused, ApiUnreachable
from loadstone_agent.stores.session import StoreSession
from loadstone_agent.trial.execution import TrialExecution
from loadstone_agent.trial.interruption import Interruption

log = structlog.get_logger()


class TrialChain:
    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._stopping = threading.Event()
        self._current: Interruption | None = None

    def stop(self) -> None:
        """Ends the trial under way and begins no other; from another thread."""
        self._stopping.set()
        current = self._current
        if current is not None:
            current.request("agent_stopping")

    def execute(self, trial_id: str) -> None:
        """A doorbell that nobody wants answered any more does nothing."""
        stores = StoreSession()
        next_trial_id: str | None = trial_id
        try:
            while next_trial_id is not None and not self._stopping.is_set():
                next_trial_id = self._execute_one(stores, next_trial_id)
        except (ApiUnreachable, ApiRefused) as fault:
            log.warning("trial_not_claimed", trial_id=next_trial_id, error=str(fault))
        finally:
            stores.close()

    def _execute_one(self, stores: StoreSession, trial_id: str) -> str | None:
        claim = self._agent.api.claim(trial_id)
        if claim.assignment is None:
            log.info("trial_not_assigned", trial_id=trial_id, reason=claim.reason)
            return None
        stores.close_other_runs(claim.assignment.run_id)
        self._current = Interruption()
        if self._stopping.is_set():
            self._current.request("agent_stopping")
        try:
            return TrialExecution(self._agent, stores, claim.assignment, self._current).run()
        finally:
            self._current = None
