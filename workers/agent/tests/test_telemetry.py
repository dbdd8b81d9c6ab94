"""Store and host, second by second, from real servers."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil
import pymysql
import pytest
import redis
from loadstone_agent.agent import Agent
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.base import Endpoint
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent.telemetry.collector import END_WITHIN_S, TelemetryCollector
from loadstone_agent.telemetry.counters import ANSWER_WITHIN_S, CounterReader
from loadstone_agent.telemetry.process import ProcessMeter
from loadstone_agent.trial.chain import TrialChain
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.assignments import assignment, external, managed, work
from loadstone_agent_testing.needs import needs
from loadstone_agent_testing.processes import freeze, wait_until
from loadstone_agent_testing.telemetry import Told, collecting
from loadstone_agent_testing.trials import carried_out
from loadstone_contracts.agent_calls import TargetKind
from loadstone_contracts.store_counters import STORE_COUNTERS
from loadstone_contracts.telemetry import TelemetrySecond
from pymemcache.client.base import Client

MEBIBYTE = 1024 * 1024
Start = Callable[..., ManagedStore]


@pytest.fixture
def start(passable_dir: Path) -> Iterator[Start]:
    started: list[ManagedStore] = []

    def start(kind: TargetKind, **options: str) -> ManagedStore:
        plan = LaunchPlan(KINDS[kind], options, 4, [], passable_dir / "stores", "nobody")
        started.append(launch(plan, lambda: None))
        return started[-1]

    yield start
    for store in started:
        store.stop()


def redis_of(store: ManagedStore) -> "redis.Redis[Any]":
    endpoint = store.endpoint
    return redis.Redis(host=endpoint.host, port=endpoint.port, username=endpoint.username, password=endpoint.password)


def fill(client: "redis.Redis[Any]", keys: int, size: int) -> None:
    value = os.urandom(size)
    pipe = client.pipeline(transaction=False)
    for number in range(keys):
        pipe.set(f"key-{number}", value)
        if number % 1000 == 999:
            pipe.execute()
    pipe.execute()


REDIS = {"save": "", "appendonly": "no"}
OPTIONS: dict[TargetKind, dict[str, str]] = {"memcached": {"memory_mb": "64", "threads": "1"}, "redis": REDIS}
RATES_OF_READS = {
    "memcached": "gets_per_s",
    "redis": "commands_per_s",
    "mariadb": "selects_per_s",
    "postgresql": "commits_per_s",
}


@pytest.mark.parametrize("kind", ["memcached", "redis", "mariadb", "postgresql"])
def test_a_store_tells_every_counter_that_the_table_has_for_it(start: Start, kind: TargetKind) -> None:
    store = start(kind, **OPTIONS.get(kind, {}))
    expected = {counter.name for counter in STORE_COUNTERS[kind]}
    absent = {
        "mariadb": {"dml_reads_per_s", "dml_writes_per_s"},
        # Only where an AOF is written.
        "redis": {"aof_bytes", "delayed_fsyncs_per_s"},
    }.get(kind, set())
    with collecting(store) as told:
        # The first second has no share of the CPU yet.
        full = told.await_seconds(lambda one: expected - absent <= set(one.store) and one.store_cpu_cores is not None)[
            0
        ]
    assert set(full.store) == expected - absent
    assert all(value >= 0 for value in full.store.values())
    assert (told.seconds[-1].store_memory_bytes or 0) > MEBIBYTE
    assert told.seconds[-1].store_disk_bytes is not None
    assert told.events_of_store == []


WAKES_WITHIN_S = 2.0
"""How late a busy machine wakes a thread; what a store's own library would wait for is far more."""
HANGING: list[Any] = ["memcached", "redis", "mariadb", "postgresql", pytest.param("ferretdb", marks=needs("ferretdb"))]


@pytest.mark.parametrize("kind", HANGING)
def test_a_store_that_hangs_is_a_gap_and_holds_up_neither_collector_nor_trial(start: Start, kind: TargetKind) -> None:
    store = start(kind, **OPTIONS.get(kind, {}))
    reader = CounterReader(store.kind, store.endpoint)
    wait_until(reader.read, what="an answer")
    assert store.process_id is not None
    server = psutil.Process(store.process_id)
    family = [server, *server.children(recursive=True)]
    for process in family:
        freeze(process.pid)
    try:
        began_at = time.monotonic()
        assert reader.read() == {}
        assert time.monotonic() - began_at < 3 * ANSWER_WITHIN_S + WAKES_WITHIN_S
        with collecting(store) as told:
            time.sleep(1.2)
            began_at = time.monotonic()
        assert time.monotonic() - began_at < END_WITHIN_S + WAKES_WITHIN_S
        assert all(second.store == {} for second in told.seconds)
    finally:
        for process in family:
            process.resume()
    wait_until(reader.read, what="an answer")
    reader.close()


def counted(seconds: list[TelemetrySecond], name: str, phase: str | None = None) -> float:
    """What a rate adds up to: after a second without an answer it is the rate since the last answer."""
    total = span_ns = 0.0
    for one in seconds:
        span_ns += one.duration_ns
        if one.store:
            total += one.store.get(name, 0) * span_ns / 1e9 if phase in (None, one.phase) else 0
            span_ns = 0
    return total


def test_rates_are_those_of_the_load_and_seconds_lie_on_the_engines(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed("redis"), work=work(3.0))
    finish = carried_out(agent, api, given)
    assert (finish.outcome, finish.error) == ("succeeded", None)
    seconds = [one for one in api.seconds(given.lease_id) if one.phase == "measure"]
    samples = [one for one in api.samples[given.lease_id].values() if one.phase == "measure"]
    answered = sum(one.count for sample in samples for one in sample.operations)
    assert 0.5 < counted(api.seconds(given.lease_id), "commands_per_s", "measure") / answered < 1.5
    inner = [one for one in seconds if not one.ends_phase]
    # A busy machine reads late, and by another span each time: off the engine's seconds are all of them.
    assert min(abs(one.at_unix_ns - sample.at_unix_ns) / 1e9 for one in inner for sample in samples) < 0.1
    assert [one.seq for one in api.seconds(given.lease_id)] == list(range(len(api.seconds(given.lease_id))))


def test_what_the_prefill_left_is_read_at_its_end(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed("redis"), work=work(0.5))
    api.assign(given)
    TrialChain(agent).execute(given.trial_id)
    ends = [one for one in api.seconds(given.lease_id) if one.phase == "prefill" and one.ends_phase]
    assert len(ends) == 1
    assert (ends[0].store_memory_bytes or 0) > MEBIBYTE
    assert ends[0].store["items"] == 1000
    assert ends[0].store_children_memory_bytes == 0


def test_host_shares_are_all_of_the_cpu_time(start: Start) -> None:
    with collecting(start("memcached", **OPTIONS["memcached"])) as told:
        seconds = told.await_seconds(lambda one: one.host, count=2)
    for host in (one.host for one in seconds):
        assert host is not None
        shares = [value for name, value in host.model_dump().items() if name.endswith("_share")]
        assert abs(sum(shares) - 1) < 0.01
        assert host.memory_available_bytes > MEBIBYTE
        assert host.context_switches_per_s > 0


def test_a_save_is_two_marks_and_its_child_has_memory_of_its_own(start: Start) -> None:
    store = start("redis", **REDIS)
    with closing(redis_of(store)) as client:
        client.config_set("rdb-key-save-delay", 60)
        fill(client, 50_000, 300)
        with collecting(store) as told:
            told.await_second()
            client.bgsave()
            began = told.await_event("save_began")
            # What is overwritten while the child saves is there twice.
            fill(client, 50_000, 300)
            ended = told.await_event("save_ended")
    assert began.title == "BGSAVE began"
    assert "fork took" in began.detail
    assert ended.duration_s is not None
    assert ended.duration_s == pytest.approx((ended.at_unix_ns - began.at_unix_ns) / 1e9, abs=0.001)
    assert max(one.store_children_memory_bytes or 0 for one in told.seconds) > 5 * MEBIBYTE


def test_a_save_within_a_second_is_seen_all_the_same(start: Start) -> None:
    store = start("redis", **REDIS)
    with closing(redis_of(store)) as client, collecting(store) as told:
        client.set("a", "b")
        told.await_second()
        client.bgsave()
        ended = told.await_event("save_ended")
    assert ended.title == "BGSAVE ended"


def test_a_log_that_is_rewritten_is_a_mark_and_takes_room_on_disk(start: Start) -> None:
    store = start("redis", save="", appendonly="yes", appendfsync="everysec")
    with closing(redis_of(store)) as client, collecting(store) as told:
        for _ in range(3):
            fill(client, 20_000, 200)
        told.await_seconds(lambda one: (one.store_disk_bytes or 0) > 12 * MEBIBYTE and "aof_bytes" in one.store)
        client.bgrewriteaof()
        told.await_event("log_rewrite_ended")
    disk = [one.store_disk_bytes for one in told.seconds if one.store_disk_bytes is not None]
    assert disk[-1] < max(disk)


def test_evictions_begin_and_end(start: Start) -> None:
    store = start("memcached", memory_mb="8", threads="1")
    with closing(Client((store.endpoint.host, store.endpoint.port))) as client, collecting(store) as told:
        told.await_second()
        for number in range(30_000):
            client.set(f"key-{number}", b"x" * 1000, noreply=True)
        client.get("key-1")
        began = told.await_event("eviction_began")
        ended = told.await_event("eviction_ended")
    assert ended.at_unix_ns >= began.at_unix_ns
    assert "keys were evicted" in ended.detail
    assert counted(told.seconds, "evictions_per_s") > 1000


def test_writes_refused_for_want_of_memory_are_marks(start: Start) -> None:
    store = start("redis", **REDIS, maxmemory="3mb", **{"maxmemory-policy": "noeviction"})
    with closing(redis_of(store)) as client, collecting(store) as told:
        told.await_second()
        with pytest.raises(redis.exceptions.ResponseError, match="maxmemory"):
            fill(client, 50, 200_000)
        refused = told.await_event("out_of_memory")
    assert "want of memory" in refused.detail


def test_a_checkpoint_of_postgresql_is_a_mark(start: Start) -> None:
    store = start("postgresql")
    with collecting(store) as told:
        told.await_second()
        with KINDS["postgresql"].control(store.endpoint) as control:
            control._rows("CHECKPOINT")  # type: ignore[attr-defined]
        told.await_event("checkpoint")


def test_memory_of_forked_backends_is_counted_once(start: Start) -> None:
    # A worker that vacuums would come and go between the two readings.
    store = start("postgresql", shared_buffers="64MB", autovacuum="off")
    assert store.process_id is not None
    meter = ProcessMeter(store.process_id)
    with KINDS["postgresql"].control(store.endpoint) as control:
        control._rows("CREATE TABLE public.t AS SELECT i, repeat('x', 500) FROM generate_series(1, 100000) i")  # type: ignore[attr-defined]
        control._rows("SELECT sum(length(repeat)) FROM public.t")  # type: ignore[attr-defined]
        alone = meter.read(thorough=True).children_memory_bytes
        pids = psutil.Process(store.process_id).children(recursive=True)
        resident = sum(one.memory_info().rss for one in pids)
        # They map the same files, and so take from the proportional sizes of each other's processes.
        start("postgresql", shared_buffers="16MB")
        start("postgresql", shared_buffers="16MB")
        beside = meter.read(thorough=True).children_memory_bytes
    assert alone is not None
    # Shared buffers stand in the resident memory of every process that has touched them.
    assert 8 * MEBIBYTE < alone < resident / 2
    assert beside == pytest.approx(alone, abs=4 * MEBIBYTE)


def is_kept(process: psutil.Process, name: str) -> bool:
    """By a keeper: other tests' servers are children of this process too."""
    with suppress(psutil.NoSuchProcess):
        parent = process.parent()
        return process.name() == name and parent is not None and any("keeper" in word for word in parent.cmdline())
    return False


def test_a_store_that_dies_is_a_mark_on_its_trial(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed("redis"), work=work(20.0))
    api.assign(given)
    trial = threading.Thread(target=TrialChain(agent).execute, args=(given.trial_id,))
    trial.start()
    api.wait_for(lambda: len(api.samples.get(given.lease_id, {})) >= 2)
    server = next(one for one in psutil.Process().children(recursive=True) if is_kept(one, "redis-server"))
    server.kill()
    trial.join(60)
    assert "store_died" in [event.kind for event in api.events(given.lease_id)]


def test_an_external_store_on_this_host_shows_its_memory_too(
    agent: Agent, api: ApiInMemory, memcached_port: int
) -> None:
    given = assignment(external("memcached", memcached_port), reset="none", work=work(1.5))
    api.assign(given)
    TrialChain(agent).execute(given.trial_id)
    seconds = api.seconds(given.lease_id)
    assert max(one.store.get("sets_per_s", 0) for one in seconds) > 100
    assert all((one.store_memory_bytes or 0) > MEBIBYTE for one in seconds)
    assert all(one.store_disk_bytes is None for one in seconds)


def test_a_store_that_does_not_answer_leaves_a_gap_and_the_host_is_read_on(start: Start) -> None:
    store = start("redis", **REDIS)
    assert store.process_id is not None
    server = psutil.Process(store.process_id)
    with collecting(store) as told:
        told.await_second()
        freeze(server.pid)
        gap = told.await_seconds(lambda one: not one.store and one.host is not None, count=2)
        server.resume()
        told.await_seconds(lambda one: one.seq > gap[-1].seq and one.store.get("connections", 0) >= 1)
    assert min(one.duration_ns for one in gap) < 2.2e9


def test_a_server_that_cannot_be_reached_costs_nothing_but_its_counters(agent: Agent) -> None:
    told = Told()
    nobody = Endpoint("127.0.0.1", 1)
    with TelemetryCollector(KINDS["redis"], nobody, None, told.lines.append):
        told.await_seconds(lambda one: one.host, count=2)
    assert all(one.store == {} and one.store_memory_bytes is None for one in told.seconds)


def test_collecting_costs_less_than_a_hundredth_of_a_core(start: Start) -> None:
    """Two tests' worth of the dearest store that is installed everywhere: five hundred variables, files, a pool."""
    store = start("mariadb", innodb_buffer_pool_size="64M")
    told = Told()
    collector = TelemetryCollector(store.kind, store.endpoint, store, told.lines.append)
    began_at = time.monotonic()
    with collector:
        time.sleep(8)
    share = collector.cpu_s / (time.monotonic() - began_at)
    # Twice the limit: other tests run on these cores, and so do their caches.
    assert share < 0.02, f"{share:.2%} of one core"


def test_innodb_rows_are_read_as_dml_reads_on_mysql(start: Start) -> None:
    if not KINDS["mysql"].offer().available:
        pytest.skip("MySQL is not installed: loadstone-agent stores install mysql")
    store = start("mysql")
    connection = pymysql.connect(host="127.0.0.1", port=store.endpoint.port, user="loadstone", autocommit=True)
    with collecting(store) as told, closing(connection), connection.cursor() as cursor:
        cursor.execute("CREATE TABLE loadstone.t (id INT PRIMARY KEY)")
        cursor.execute("INSERT INTO loadstone.t VALUES (1), (2), (3)")
        told.await_second()
        for _ in range(2000):
            cursor.execute("SELECT * FROM loadstone.t")
        before = told.seconds[-1].seq
        told.await_seconds(lambda one: one.seq > before + 1 and "checkpoint_age_bytes" in one.store)
    assert counted(told.seconds, "dml_reads_per_s") >= 5000
