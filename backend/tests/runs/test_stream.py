"""The live stream's feed: nothing twice, nothing missing, with Redis and without."""

import asyncio
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


def test_a_frame_survives_the_wire_byte_for_byte() -> None:
    frame = make_frame(12, "run", {"status": "succeeded", "name": "line\nbreak — ünï"})
    assert live.unpack(live.pack(frame)) == frame
    assert frame.is_last
    assert frame.body.count(b"\n") == 4  # the text's own line break stays escaped


async def test_replay_then_live_has_no_gap_and_no_duplicate(table: Table, publisher: Publisher, redis_url: str) -> None:
    for _ in range(1_200):
        table.add()
    async with _hub(redis_url, table) as hub:
        listener = asyncio.create_task(_collect(hub, 3, 1_200))
        await _until_subscribed(redis_url)
        for _ in range(300):
            publisher.publish(RUN, table.add())
        publisher.publish(RUN, table.add("run", "succeeded"))
        assert await asyncio.wait_for(listener, 60) == list(range(4, 1_502))


async def test_lost_swapped_and_doubled_publications_change_nothing(
    table: Table, publisher: Publisher, redis_url: str
) -> None:
    async with _hub(redis_url, table) as hub:
        listener = asyncio.create_task(_collect(hub, 0, 0))
        await _until_subscribed(redis_url)
        one, two, three, _lost, last = [table.add(), table.add(), table.add(), table.add(), table.add("run", "failed")]
        for frame in (two, one, one, three, two, last):
            publisher.publish(RUN, frame)
        assert await asyncio.wait_for(listener, 60) == [1, 2, 3, 4, 5]


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
            publisher.publish(RUN, table.add())
        publisher.publish(RUN, table.add("run", "succeeded"))
        heard = await asyncio.wait_for(asyncio.gather(*listeners), 60)
        assert all(seqs == list(range(1, 102)) for seqs in heard)
        assert table.reads < 10


async def test_a_listener_that_is_far_behind_reads_the_table(
    table: Table, publisher: Publisher, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "KEPT_FRAMES", 10)
    async with _hub(redis_url, table) as hub, aclosing(hub.listen(RUN, 0, 0)) as slow:
        first = asyncio.create_task(anext(slow))
        await _until_subscribed(redis_url)
        publisher.publish(RUN, table.add())
        seqs = _seqs(await first)
        fast = asyncio.create_task(_collect(hub, 0, 0))
        for _ in range(200):
            publisher.publish(RUN, table.add())
        publisher.publish(RUN, table.add("run", "succeeded"))
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
