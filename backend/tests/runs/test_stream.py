"""The live stream's feed: nothing twice, nothing missing, with Redis and without."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager

import pytest
import redis
from loadstone.runs import live, stream
from loadstone.runs.live import Frame, Publisher, make_frame
from loadstone.runs.stream import Hub

RUN = uuid.UUID(int=7)
NOWHERE = "redis://127.0.0.1:9/0"


class Table:
    """The table `run_events` of one run: a list that a test writes to."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.reads = 0

    def add(self, kind: str = "trial", status: str = "running") -> Frame:
        frame = make_frame(len(self.frames) + 1, kind, {"status": status})
        self.frames.append(frame)
        return frame

    def read(self, run_id: uuid.UUID, after: int) -> list[Frame]:
        self.reads += 1
        return [frame for frame in self.frames if frame.seq > after][:500]


def _seqs(chunk: bytes) -> list[int]:
    return [int(line.removeprefix(b"id: ")) for line in chunk.splitlines() if line.startswith(b"id: ")]


@asynccontextmanager
async def _hub(url: str, table: Table) -> AsyncIterator[Hub]:
    hub = Hub(url, table.read)
    yield hub
    await hub.close()


async def _collect(hub: Hub, after: int, last_seq: int) -> list[int]:
    seqs: list[int] = []
    async with aclosing(hub.listen(RUN, after, last_seq)) as chunks:
        async for chunk in chunks:
            seqs += _seqs(chunk)
    return seqs


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def publisher(redis_url: str) -> Iterator[Publisher]:
    publisher = Publisher(redis_url)
    yield publisher
    publisher._redis.close()


async def _until_subscribed(url: str) -> None:
    with redis.Redis.from_url(url) as client:
        while not client.pubsub_numsub(live.channel(RUN))[0][1]:
            await asyncio.sleep(0.01)


def test_a_frame_is_one_event_of_a_stream() -> None:
    frame = make_frame(12, "run", {"status": "succeeded", "name": "line\nbreak — ünï"})
    assert frame.is_last
    assert frame.body.count(b"\n") == 4  # the text's own line break stays escaped


async def test_replay_then_live_has_no_gap_and_no_duplicate(table: Table, publisher: Publisher, redis_url: str) -> None:
    for _ in range(1_200):
        table.add()
    async with _hub(redis_url, table) as hub:
        listener = asyncio.create_task(_collect(hub, 3, 1_200))
        await _until_subscribed(redis_url)
        for _ in range(300):
            table.add()
            publisher.wake(RUN)
        table.add("run", "succeeded")
        publisher.wake(RUN)
        assert await asyncio.wait_for(listener, 60) == list(range(4, 1_502))


FORGED = [
    b"",
    b"5 1\nid: 5\nevent: run\ndata: {}\n\n",
    b"999999 1\nforged",
    b"0 0\n",
    b"\xff\xfe",
    b"x" * 100_000,
]


async def test_forged_lost_and_doubled_publications_change_nothing(
    table: Table, publisher: Publisher, redis_url: str
) -> None:
    async with _hub(redis_url, table) as hub:
        listener = asyncio.create_task(_collect(hub, 0, 0))
        await _until_subscribed(redis_url)
        with redis.Redis.from_url(redis_url) as attacker:
            for message in FORGED:
                attacker.publish(live.channel(RUN), message)
            await asyncio.sleep(0.3)
            assert not listener.done()
            table.add()
            for message in FORGED:
                attacker.publish(live.channel(RUN), message)
        table.add()
        table.add()
        publisher.wake(RUN)
        publisher.wake(RUN)
        await asyncio.sleep(0.1)
        table.add("run", "failed")
        assert await asyncio.wait_for(listener, 60) == [1, 2, 3, 4]


async def test_a_flood_of_publications_costs_few_reads(table: Table, publisher: Publisher, redis_url: str) -> None:
    async with _hub(redis_url, table) as hub:
        listener = asyncio.create_task(_collect(hub, 0, 0))
        await _until_subscribed(redis_url)
        started_at, reads = time.monotonic(), table.reads
        with redis.Redis.from_url(redis_url) as attacker, attacker.pipeline(transaction=False) as pipe:
            for _ in range(20_000):
                pipe.publish(live.channel(RUN), b"1 1\nforged")
            await asyncio.to_thread(pipe.execute)
        table.add("run", "failed")
        publisher.wake(RUN)
        assert await asyncio.wait_for(listener, 60) == [1]
        assert table.reads - reads <= (time.monotonic() - started_at) / stream.GATHER_S + 2


async def test_without_redis_the_table_is_read_each_second(table: Table) -> None:
    table.add()
    async with _hub(NOWHERE, table) as hub:
        listener = asyncio.create_task(_collect(hub, 0, 1))
        await asyncio.sleep(0.1)
        table.add()
        table.add("run", "cancelled")
        assert await asyncio.wait_for(listener, 60) == [1, 2, 3]


async def test_fifty_listeners_share_one_connection_and_one_reading(
    table: Table, publisher: Publisher, redis_url: str
) -> None:
    async with _hub(redis_url, table) as hub:
        listeners = [asyncio.create_task(_collect(hub, 0, 0)) for _ in range(50)]
        await _until_subscribed(redis_url)
        with redis.Redis.from_url(redis_url) as client:
            assert client.pubsub_numsub(live.channel(RUN))[0][1] == 1
        for _ in range(100):
            table.add()
            publisher.wake(RUN)
        table.add("run", "succeeded")
        publisher.wake(RUN)
        heard = await asyncio.wait_for(asyncio.gather(*listeners), 60)
        assert all(seqs == list(range(1, 102)) for seqs in heard)
        # One a wake-up, whatever the number of listeners; publications of a moment are one.
        assert table.reads < 10


async def test_a_listener_that_is_far_behind_reads_the_table(
    table: Table, publisher: Publisher, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "KEPT_FRAMES", 10)
    async with _hub(redis_url, table) as hub, aclosing(hub.listen(RUN, 0, 0)) as slow:
        first = asyncio.create_task(anext(slow))
        await _until_subscribed(redis_url)
        table.add()
        publisher.wake(RUN)
        seqs = _seqs(await first)
        fast = asyncio.create_task(_collect(hub, 0, 0))
        for _ in range(200):
            table.add()
            publisher.wake(RUN)
        table.add("run", "succeeded")
        publisher.wake(RUN)
        assert (await asyncio.wait_for(fast, 60))[-1] == 202
        async for chunk in slow:
            seqs += _seqs(chunk)
    assert seqs == list(range(1, 203))


async def test_pruned_events_are_no_gap(table: Table, redis_url: str) -> None:
    for _ in range(9):
        table.add()
    table.add("run", "succeeded")
    del table.frames[2:8]
    async with _hub(redis_url, table) as hub:
        assert await asyncio.wait_for(_collect(hub, 0, 10), 60) == [1, 2, 9, 10]


async def test_silence_is_kept_alive(table: Table, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "KEEPALIVE_S", 0.05)
    async with _hub(redis_url, table) as hub, aclosing(hub.listen(RUN, 0, 0)) as listener:
        assert await asyncio.wait_for(anext(listener), 60) == stream.KEEPALIVE


async def test_the_last_listener_takes_the_subscription_with_it(table: Table, redis_url: str) -> None:
    async with _hub(redis_url, table) as hub:
        listener = asyncio.create_task(_collect(hub, 0, 0))
        await _until_subscribed(redis_url)
        listener.cancel()
        with redis.Redis.from_url(redis_url) as client:
            while client.pubsub_numsub(live.channel(RUN))[0][1]:
                await asyncio.sleep(0.01)
        assert not hub._feeds
