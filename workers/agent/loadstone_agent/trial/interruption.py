"""Why a trial must end now, told to whatever is busy with it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

Reason = Literal["cancelled", "lease_lost", "agent_stopping"]


class TrialInterrupted(Exception):
    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class Interruption:
    def __init__(self) -> None:
        self.requested = threading.Event()
        self.lease_lost = threading.Event()
        self.hurry = threading.Event()
        """The lease is gone or the agent is stopping: do not wait for the api any longer."""
        self._reason: Reason | None = None
        self._actions: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def reason(self) -> Reason | None:
        return self._reason

    def request(self, reason: Reason) -> None:
        """Runs the registered actions in the caller's thread; the first reason stays, a lost lease is always noted."""
        with self._lock:
            if reason == "lease_lost":
                self.lease_lost.set()
            if reason != "cancelled":
                self.hurry.set()
            if self._reason is not None:
                return
            self._reason = reason
            self.requested.set()
            # The engine, which came last, before the store that it talks to.
            actions = list(reversed(self._actions))
        for act in actions:
            act()

    @contextmanager
    def acting(self, action: Callable[[], None]) -> Iterator[None]:
        """While inside, an interruption calls `action` at once."""
        with self._lock:
            self._actions.append(action)
            is_late = self.requested.is_set()
        if is_late:
            action()
        try:
            yield
        finally:
            with self._lock:
                self._actions.remove(action)

    def check(self) -> None:
        if self._reason is not None:
            raise TrialInterrupted(self._reason)

    def wait_until(self, unix_ns: int) -> None:
        """Raises TrialInterrupted. In slices, because the wall clock may be set meanwhile."""
        while (left_ns := unix_ns - time.time_ns()) > 0:
            self.requested.wait(min(left_ns / 1e9, 1.0))
            self.check()
