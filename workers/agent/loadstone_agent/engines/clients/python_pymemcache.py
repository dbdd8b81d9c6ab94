"""pymemcache."""

from typing import Any

from pymemcache.client.base import Client
from pymemcache.exceptions import MemcacheUnexpectedCloseError

from loadstone_agent.engines.clients.library import Call, Library, Lost, Refused, TimedOut, Unreachable, value_of


class PyMemcache(Library):
    def connect(self) -> None:
        address = (self.host, self.port)
        self._client: Any = Client(address, timeout=self.timeout_s, connect_timeout=self.timeout_s, no_delay=True)
        try:
            self._client.version()
        except OSError as error:
            raise Unreachable(str(error)) from error

    def call(self, name: str, entries: int, first: int) -> Call:  # noqa: ARG002 - it has no lists
        client = self._client
        if name == "get":
            return lambda key, *_: "misses" if client.get(key) is None else "hits"

        def write(key: str, size: int, tag: int, pool: bytes) -> str:
            # Without noreply, which is the library's default and would answer before the server.
            if not client.set(key, value_of(size, tag, pool), noreply=False):
                raise Refused("the server did not store the value")
            return "ok"

        return write

    def ours(self, error: Exception) -> Exception:
        if isinstance(error, TimeoutError):
            return TimedOut(str(error))
        if isinstance(error, OSError | MemcacheUnexpectedCloseError):
            return Lost(str(error))
        return Refused(str(error))

    def close(self) -> None:
        self._client.close()


LIBRARY = PyMemcache
