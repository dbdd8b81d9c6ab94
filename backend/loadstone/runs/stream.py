"""The live stream of runs: what browsers hear, without a gap and without a duplicate.

Frames come from the table `run_events` alone; Redis only says when to look. One feed a run and process is
shared by all its listeners, and each listener reads at its own pace: from the feed's memory, or from the table when
it is further behind than that.
"""

import asyncio
import time
import uuid
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from loadstone.runs import live
from loadstone.runs.live import Frame

log = structlog.get_logger()

POLL_S = 1.0
"""How late an event may be when its publication was lost or Redis is away."""
GATHER_S = 0.02
"""How long publications are gathered before the table is read: an agent's second is several of them."""
KEPT_FRAMES = 500
"""Memory of a feed; a listener further behind reads the table. A point of a long run is some 2 KB."""
KEEPALIVE_S = 15.0
"""Proxies close what is silent for 30 to 60 s."""
KEEPALIVE = b": still here\n\n"

ReadFrames = Callable[[uuid.UUID, int], list[Frame]]
"""`(run_id, after)` to the next frames of the table, a bounded page; blocking."""


class Feed:
    """One run's frames as they come, in this process."""

    def __init__(self, run_id: uuid.UUID, last_seq: int, read: ReadFrames) -> None:
        self.run_id = run_id
        self.listeners = 0
        self.ended = False
        self.last_seq = last_seq
        self._oldest_missing = last_seq
        """Frames up to this one are in the table only."""
        self._frames: deque[Frame] = deque()
        self._read = read
        self._arrival = asyncio.Event()

    def _keep(self, frame: Frame) -> None:
        self._frames.append(frame)
        if len(self._frames) > KEPT_FRAMES:
            self._oldest_missing = self._frames.popleft().seq
        self.last_seq = frame.seq
        if frame.is_last:
            self.end()
        self._wake()

    def end(self) -> None:
        self.ended = True
        self._wake()

    def _wake(self) -> None:
        self._arrival.set()
        self._arrival = asyncio.Event()

    async def catch_up(self) -> None:
        """Takes from the table what is new. Pruned frames leave holes, which are no gaps."""
        while not self.ended and (frames := await asyncio.to_thread(self._read, self.run_id, self.last_seq)):
            for frame in frames:
                if frame.seq > self.last_seq:
                    self._keep(frame)

    async def frames_after(self, cursor: int) -> list[Frame]:
        """The next frames: from memory, or a page of the table that ends where memory begins."""
        oldest_missing = self._oldest_missing
        if cursor >= oldest_missing:
            return [frame for frame in self._frames if frame.seq > cursor]
        read = await asyncio.to_thread(self._read, self.run_id, cursor)
        return [frame for frame in read if frame.seq <= oldest_missing] or await self.frames_after(oldest_missing)

    async def listen(self, after: int) -> AsyncGenerator[bytes]:
        """Everything after `after`, joined into one chunk a wake-up; ends after the run's last event."""
        cursor = after
        while True:
            arrival = self._arrival
            if frames := await self.frames_after(cursor):
                cursor = frames[-1].seq
                yield b"".join(frame.body for frame in frames)
                if frames[-1].is_last:
                    return
                continue
            if self.ended:
                return
            try:
                await asyncio.wait_for(arrival.wait(), KEEPALIVE_S)
            except TimeoutError:
                yield KEEPALIVE


class Hub:
    """All feeds of this process: one pub/sub connection a watched run."""

    def __init__(self, broker_url: str, read: ReadFrames) -> None:
        self._redis: Any = Redis.from_url(
            broker_url,
            socket_connect_timeout=live.BROKER_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
        )
        self._read = read
        self._feeds: dict[uuid.UUID, tuple[Feed, asyncio.Task[None]]] = {}

    async def listen(self, run_id: uuid.UUID, after: int, last_seq: int) -> AsyncGenerator[bytes]:
        """The frames of a run after `after`; `last_seq` is the newest that the table held a moment ago."""
        feed = self._feed(run_id, last_seq)
        feed.listeners += 1
        try:
            async for chunk in feed.listen(min(after, max(last_seq, feed.last_seq))):
                yield chunk
        finally:
            feed.listeners -= 1
            if not feed.listeners:
                self._drop(run_id)

    def _feed(self, run_id: uuid.UUID, last_seq: int) -> Feed:
        if run_id not in self._feeds:
            feed = Feed(run_id, last_seq, self._read)
            self._feeds[run_id] = feed, asyncio.create_task(self._follow(feed))
        return self._feeds[run_id][0]

    def _drop(self, run_id: uuid.UUID) -> None:
        _, task = self._feeds.pop(run_id)
        task.cancel()

    async def _follow(self, feed: Feed) -> None:
        while not feed.ended:
            try:
                await self._subscribe(feed)
            except (RedisError, OSError) as error:
                log.warning("stream_without_redis", run_id=str(feed.run_id), error=str(error))
            except Exception:
                log.exception("stream_interrupted", run_id=str(feed.run_id))
            await self._poll_once(feed)

    async def _poll_once(self, feed: Feed) -> None:
        try:
            await feed.catch_up()
        except Exception:
            # The database may be away for a moment; the listeners wait and miss nothing.
            log.exception("stream_without_database", run_id=str(feed.run_id))
        if not feed.ended:
            await asyncio.sleep(POLL_S)

    async def _subscribe(self, feed: Feed) -> None:
        """Until the run ends; raises RedisError or OSError when Redis goes away."""
        async with self._redis.pubsub(ignore_subscribe_messages=True) as subscription:
            await subscription.subscribe(live.channel(feed.run_id))
            # After the subscription, so that nothing falls between the table and the channel.
            await feed.catch_up()
            while not feed.ended:
                if await subscription.get_message(timeout=POLL_S) is not None:
                    await self._drain(subscription)
                await feed.catch_up()

    async def _drain(self, subscription: Any) -> None:
        """Let the publications of a moment be one wake-up: a flood of them costs a bounded number of reads."""
        until = time.monotonic() + GATHER_S
        while (left_s := until - time.monotonic()) > 0:
            await subscription.get_message(timeout=left_s)

    def end_streams(self) -> None:
        """Lets every stream end in peace, so that a server that stops need not cut them."""
        for feed, _ in list(self._feeds.values()):
            feed.end()

    async def close(self) -> None:
        """When the server has cut its streams; browsers reconnect with the id of the last event they saw."""
        # A listener that ends meanwhile drops its feed.
        for _, task in list(self._feeds.values()):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await self._redis.aclose()
