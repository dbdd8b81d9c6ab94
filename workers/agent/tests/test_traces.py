"""Traces are fetched once, checked by their digest, and replayed; reads go to a replica whose lag is measured."""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from loadstone_agent.agent import Agent
from loadstone_agent.trial.trace import KEPT_BYTES, work_on_this_host
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.assignments import assignment, external, managed, work
from loadstone_agent_testing.processes import wait_until
from loadstone_agent_testing.trials import carried_out
from loadstone_contracts.agent_calls import Assignment, FinishRequest
from loadstone_contracts.engine_load import ClosedLoad, OpenLoad
from loadstone_contracts.engine_plan import Dataset, ReplicaLag, Trace
from loadstone_contracts.engine_sizes import FixedSize

LINES = "".join(f"{index / 1000},{'set' if index % 10 == 0 else 'get'},key{index % 100},50\n" for index in range(1500))
CSV = b"time,operation,key,size\n" + LINES.encode()
DIGEST = hashlib.sha256(CSV).hexdigest()


def replaying(digest: str = DIGEST, **changes: object) -> Assignment:
    load = OpenLoad(connections=2, arrivals="recorded")
    return assignment(managed(), work=work(10.0, trace=Trace(file=digest), load=load, **changes))


def execute(agent: Agent, api: ApiInMemory, given: Assignment) -> FinishRequest:
    return carried_out(agent, api, given)


def test_a_trace_is_replayed_to_its_end_and_fetched_once(agent: Agent, api: ApiInMemory) -> None:
    api.trace = CSV
    lasted_ns = []
    for given in (replaying(), replaying()):
        finish = execute(agent, api, given)
        assert (finish.outcome, finish.error) == ("succeeded", None)
        assert finish.summary is not None
        measured = finish.summary.phases[-1]
        assert measured.answered == 1500
        assert {one.operation: one.count for one in measured.operations} == {"get": 1350, "set": 150}
        lasted_ns.append(measured.elapsed_ns)
    # As recorded: 1,500 lines a millisecond apart. A busy machine may hold up the end of one of them.
    assert 1.4e9 < min(lasted_ns) < 2.2e9
    assert len(api.trace_requests) == 1


def test_what_is_not_the_trace_of_the_plan_is_not_replayed(agent: Agent, api: ApiInMemory) -> None:
    api.trace = CSV + b"1.6,get,other,1\n"
    finish = execute(agent, api, replaying())
    assert finish.outcome == "failed"
    assert finish.error is not None
    assert finish.error.code == "trace_missing"
    assert list(agent.settings.traces_dir.iterdir()) == []


def test_a_spoilt_file_in_the_cache_is_fetched_again(agent: Agent, api: ApiInMemory) -> None:
    api.trace = CSV
    given = replaying()
    api.assign(given)
    agent.settings.traces_dir.mkdir()
    spoilt = agent.settings.traces_dir / f"{DIGEST}.csv"
    spoilt.write_bytes(CSV[:-20])
    found = work_on_this_host(agent.api, given, agent.settings.traces_dir)
    assert found.trace == Trace(file=str(spoilt))
    assert spoilt.read_bytes() == CSV


def test_the_cache_keeps_what_was_used_last(agent: Agent, api: ApiInMemory) -> None:
    api.trace = CSV
    directory = agent.settings.traces_dir
    directory.mkdir()
    old = directory / f"{'0' * 64}.csv"
    with old.open("wb") as file:
        file.truncate(KEPT_BYTES)
    work_on_this_host(agent.api, replaying(), directory)
    assert [path.name for path in directory.iterdir()] == [f"{DIGEST}.csv"]


@pytest.fixture
def replica_port(start_server: Callable[..., int], redis_port: int, tmp_path: Path) -> int:
    command = ("redis-server", "--bind", "127.0.0.1", "--port", "{port}", "--save", "", "--dir", str(tmp_path))
    return start_server(*command, "--replicaof", "127.0.0.1", str(redis_port))


def test_reads_go_to_a_replica_and_its_lag_is_measured(
    agent: Agent, api: ApiInMemory, redis_port: int, replica_port: int
) -> None:
    with redis.Redis(port=replica_port) as replica:
        wait_until(lambda: replica.info("replication")["master_link_status"] == "up")
        dataset = Dataset(key_count=1000, value_size=FixedSize(bytes=100))
        asked = work(2.0, dataset=dataset, load=ClosedLoad(connections=4), replica_lag=ReplicaLag(probes_per_s=50))
        target = external("redis", redis_port, read_port=replica_port)
        given = assignment(target, work=asked, reset="none")
        gets_before = replica.info("commandstats").get("cmdstat_get", {"calls": 0})["calls"]
        started = time.monotonic()
        finish = execute(agent, api, given)
        assert (finish.outcome, finish.error) == ("succeeded", None)
        assert finish.summary is not None
        lag = finish.summary.phases[-1].replica_lag
        assert lag is not None
        assert lag.count > 20
        assert 0 < lag.lag_ns.p50 < (time.monotonic() - started) * 1e9
        assert replica.info("commandstats")["cmdstat_get"]["calls"] > gets_before + 1000
