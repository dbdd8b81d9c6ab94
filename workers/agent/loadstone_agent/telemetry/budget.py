"""How often a reading may be had whose cost grows with what is read."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Budget:
    """Lets readings take at most `share` of one core: after a dear one the next comes later."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._next_at = 0.0

    def allows(self) -> bool:
        return time.monotonic() >= self._next_at

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Of this thread's own CPU time: what it waits for costs nobody anything."""
        began_s = time.thread_time()
        began_at = time.monotonic()
        try:
            yield
        finally:
            # A second's reading that is due a little early must not be skipped.
            self._next_at = began_at + (time.thread_time() - began_s) / self._share - 0.1
