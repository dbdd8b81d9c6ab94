"""Celery's Redis transport, reduced to a list a queue and guarded against whatever stands in that list.

A worker runs BRPOP on its own queue and nothing else, so its Redis user needs no other command. There is no table of
bindings, no hash of unacknowledged messages and no broadcast: each of them would be a second way into a worker.
A message that is lost is sent again by control's sweep. See backend/decisions/0008-a-broker-user-per-agent.md.
"""

import threading
import time
from collections import Counter
from contextlib import suppress
from queue import Empty
from typing import Any

import structlog
from kombu.transport import redis as kombu_redis
from kombu.transport import virtual
from redis import CredentialProvider
from redis.driver_info import DriverInfo
from redis.exceptions import RedisError

from loadstone_contracts.broker_address import BrokerUser
from loadstone_contracts.notifications import MessageRefused, read

log = structlog.get_logger()

TRANSPORT = f"{__name__}:Transport"
QUEUE_LIMIT = 500
"""Messages a queue keeps; older ones go. A healthy queue holds a handful."""
QUEUE_EXPIRES_S = 3600
"""A queue that nobody writes to for so long is deleted."""
LOG_EVERY_S = 1.0


class Credentials(CredentialProvider):
    """The current broker user of this process. Connections follow a change without a restart."""

    def __init__(self, user: BrokerUser) -> None:
        self._lock = threading.Lock()
        self._user = user

    @property
    def user(self) -> BrokerUser:
        with self._lock:
            return self._user

    def change(self, user: BrokerUser) -> None:
        with self._lock:
            self._user = user

    def get_credentials(self) -> tuple[str, str]:
        return self.user


class DroppedMessages:
    """Counts what was dropped by reason, and logs it at most once a second."""

    def __init__(self) -> None:
        self.by_reason: Counter[str] = Counter()
        self._logged_at = float("-inf")
        self._unlogged = 0

    def add(self, queue: str, reason: str, size: int) -> None:
        self.by_reason[reason] += 1
        self._unlogged += 1
        if time.monotonic() - self._logged_at >= LOG_EVERY_S:
            self._logged_at = time.monotonic()
            log.warning(
                "broker_message_dropped",
                queue=queue,
                reason=reason,
                size=size,
                dropped=self._unlogged,
                dropped_in_all=self.by_reason.total(),
            )
            self._unlogged = 0


dropped_messages = DroppedMessages()


class Channel(kombu_redis.Channel):  # type: ignore[misc]
    """One list a queue. Whatever cannot be read is dropped before Celery sees it."""

    supports_fanout = False
    ack_emulation = False
    do_restore = False
    priority_steps = (0,)
    credentials: Credentials | None = None
    from_transport_options = (*kombu_redis.Channel.from_transport_options, "credentials")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._signed_in_as = self.credentials.user if self.credentials else None

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        parameters: dict[str, Any] = super()._connparams(asynchronous=asynchronous)
        # CLIENT SETINFO is one more command that an agent's user would need.
        parameters["driver_info"] = DriverInfo(name=None, lib_version=None)
        if self.credentials is not None:
            parameters.pop("username", None)
            parameters.pop("password", None)
            parameters["credential_provider"] = self.credentials
        return parameters

    def _brpop_read(self, **options: Any) -> bool:
        try:
            try:
                answer = self.client.parse_response(self.client.connection, "BRPOP", **options)
            except self.connection_errors:
                self.client.connection.disconnect()
                raise
            if not answer:
                raise Empty
            queue, raw = answer[0].decode(), answer[1]
            self._queue_cycle.rotate(queue)
            try:
                message = read(queue, raw)
            except MessageRefused as refusal:
                dropped_messages.add(queue, str(refusal), len(raw))
            else:
                self.connection._deliver(message, queue)
            return True
        finally:
            self._in_poll = None
            self._follow_credentials()

    def _follow_credentials(self) -> None:
        """Sign in again where the user changed. Safe here: no command is under way on the connection."""
        if self.credentials is None or self.credentials.user == self._signed_in_as:
            return
        connection = self.client.connection
        if connection is None or connection._sock is None:
            return
        user = self.credentials.user
        try:
            connection.send_command("AUTH", user.name, user.password, check_health=False)
            connection.read_response()
            self._signed_in_as = user
            log.info("broker_user_changed", user=user.name)
        except (RedisError, OSError) as error:
            # The next poll connects again, as the user of that time.
            log.warning("broker_user_not_accepted", user=user.name, error=str(error))
            with suppress(RedisError, OSError):
                connection.disconnect()

    def _put(self, queue: str, message: dict[str, Any], **_: Any) -> None:
        """Append to the queue; the oldest messages of one that nobody reads make room."""
        with self.conn_or_acquire() as client, client.pipeline(transaction=True) as pipe:
            pipe.lpush(queue, kombu_redis.dumps(message))
            pipe.ltrim(queue, 0, QUEUE_LIMIT - 1)
            pipe.expire(queue, QUEUE_EXPIRES_S)
            pipe.execute()

    def _put_fanout(self, *_: Any, **__: Any) -> None:
        """There is no broadcast."""

    def _lookup(self, exchange: str, routing_key: str, default: str | None = None) -> list[str]:
        """Return the queue itself: routes are not looked up where others could write them."""
        return [routing_key or default or exchange]

    def get_table(self, exchange: str) -> list[Any]:
        return list(virtual.Channel.get_table(self, exchange))

    def _size(self, _queue: str) -> int:
        """Celery asks when it declares a queue and does nothing with the answer."""
        return 0

    def _restore(self, message: Any, leftmost: bool = False) -> None:
        """What was taken and not carried out is sent again by control's sweep."""


class Transport(kombu_redis.Transport):  # type: ignore[misc]
    Channel = Channel
    implements = kombu_redis.Transport.implements.extend(exchange_type=frozenset(["direct"]), batch_publish=False)
