"""redis-py."""

from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from loadstone_agent.engines.clients.library import Call, Library, Lost, Refused, TimedOut, Unreachable, value_of


class RedisPy(Library):
    def connect(self) -> None:
        self._client = redis.Redis(
            host=self.host,
            port=self.port,
            db=int(self.database or 0),
            username=self.username,
            password=self.password,
            protocol=3 if self.protocol == "redis_resp3" else 2,
            socket_timeout=self.timeout_s,
            # A repeated request would be counted once.
            retry=Retry(NoBackoff(), 0),
            single_connection_client=True,
        )
        try:
            self._client.ping()
        except redis.AuthenticationError as error:
            raise Refused(str(error)) from error
        except redis.ConnectionError as error:
            raise Unreachable(str(error)) from error
        except redis.RedisError as error:
            raise Refused(str(error)) from error

    def call(self, name: str, entries: int, first: int) -> Call:
        client: Any = self._client

        def looked_up(key: str, *_: object) -> str:
            return "misses" if client.get(key) is None else "hits"

        def ranged(start: int, end: int) -> Call:
            return lambda key, *_: "hits" if client.lrange(key, start, end) else "misses"

        writes = {"set": client.set, "list_insert_head": client.lpush, "list_insert_tail": client.rpush}
        if name in writes:
            write = writes[name]
            return lambda key, size, tag, pool: (write(key, value_of(size, tag, pool)), "ok")[1]
        reads = {
            "get": looked_up,
            "range_first": ranged(0, entries - 1),
            "range_last": ranged(-entries, -1),
            "range": ranged(first, first + entries - 1),
            "list_length": lambda key, *_: "hits" if client.llen(key) else "misses",
        }
        return reads[name]

    def ours(self, error: Exception) -> Exception:
        if isinstance(error, redis.TimeoutError):
            return TimedOut(str(error))
        if isinstance(error, redis.ConnectionError | OSError):
            return Lost(str(error))
        return Refused(str(error))

    def close(self) -> None:
        self._client.close()


LIBRARY = RedisPy
