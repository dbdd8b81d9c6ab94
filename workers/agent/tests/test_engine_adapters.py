"""Foreign engines and client libraries in whole trials, against real stores."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from loadstone_agent.agent import Agent
from loadstone_agent.engines.catalog import EngineCatalog
from loadstone_agent.engines.native import NativeEngine
from loadstone_agent.errors import AgentError
from loadstone_agent.trial.chain import TrialChain
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.assignments import assignment, managed, work
from loadstone_agent_testing.needs import needs
from loadstone_agent_testing.processes import processes_with
from loadstone_contracts.agent_calls import FinishRequest
from loadstone_contracts.engine_load import ClosedLoad
from loadstone_contracts.engine_plan import EnginePhase, Operation, StopRule
from loadstone_contracts.engines import ENGINES

ASKED = 3000
"""A multiple of the connections: some engines count by connection."""
CONNECTIONS = 6


def asked_of(*kinds: str, count: int = ASKED, **changes: Any) -> Any:
    phases = [EnginePhase(name="prefill"), EnginePhase(name="measure", stop=StopRule(operations=count))]
    operations = [Operation.model_validate({"kind": kind, "weight": 1}) for kind in kinds]
    fields = {"phases": phases, "operations": operations, "load": ClosedLoad(connections=CONNECTIONS), **changes}
    return work(**fields)


def carry_out(agent: Agent, api: ApiInMemory, engine: str, target: Any, asked: Any) -> FinishRequest:
    given = assignment(target, work=asked, engine=engine)
    api.assign(given)
    TrialChain(agent).execute(given.trial_id)
    assert api.sequence(given.lease_id) == list(range(api.finishes[given.lease_id].sample_count))
    return api.finishes[given.lease_id]


def assert_measured(finish: FinishRequest, engine: str, count: int) -> None:
    assert (finish.outcome, finish.error) == ("succeeded", None)
    assert finish.engine == engine
    assert finish.engine_version
    assert finish.summary is not None
    measure = finish.summary.phases[-1]
    assert measure.answered == count
    assert measure.sent == measure.answered + measure.failed + measure.in_flight
    assert sum(one.count for one in measure.operations) == count
    assert measure.elapsed_ns > 0
    assert measure.engine_cpu_ns > 0
    assert list(finish.summary.missing) == list(ENGINES[engine].missing)
    has_times = ENGINES[engine].times != "none"
    assert all((one.service_time_ns.max is not None) == has_times for one in measure.operations)
    has_histogram = ENGINES[engine].times == "histogram"
    assert all(bool(one.service_histogram) == has_histogram for one in measure.operations)
    assert any(warning.code == "service_times" for warning in finish.warnings)


@pytest.fixture(scope="session")
def built_clients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the clients that are built on the host."""
    folder = tmp_path_factory.mktemp("engines")
    catalog = EngineCatalog(NativeEngine("loadstone-engine"), folder)
    for name in ("c-hiredis", "java-jedis", "java-memcached"):
        try:
            catalog.install(name, lambda _: None)
        except AgentError as error:
            pytest.skip(f"{name} cannot be built here: {error.message}")
    return folder


@pytest.fixture
def equipped(agent: Agent, built_clients: Path) -> Agent:
    agent.settings.engines_dir.parent.mkdir(parents=True, exist_ok=True)
    agent.settings.engines_dir.symlink_to(built_clients)
    return agent


CACHES = [
    ("redis-benchmark", "redis", ("get",)),
    ("redis-benchmark", "redis", ("list_insert_head",)),
    ("memslap", "memcached", ("set",)),
    ("memaslap", "memcached", ("get", "set")),
    ("python-redis", "redis", ("get", "set")),
    ("python-redis", "redis", ("range_first",)),
    ("python-pymemcache", "memcached", ("get", "set")),
    ("php-redis", "redis", ("get", "set")),
    ("php-redis", "redis", ("list_insert_head",)),
]


@pytest.mark.parametrize(("engine", "kind", "kinds"), CACHES)
def test_a_cache_is_measured_by_another_engine(
    agent: Agent, api: ApiInMemory, engine: str, kind: str, kinds: tuple[str, ...]
) -> None:
    finish = carry_out(agent, api, engine, managed(kind), asked_of(*kinds))
    assert_measured(finish, engine, ASKED)


@pytest.mark.timeout(300)  # the first one builds them
@pytest.mark.parametrize(
    ("engine", "kind", "kinds"),
    [
        ("c-hiredis", "redis", ("get", "set")),
        ("c-hiredis", "redis", ("range_last",)),
        ("java-jedis", "redis", ("get", "set")),
        ("java-jedis", "redis", ("list_insert_tail",)),
        ("java-memcached", "memcached", ("get", "set")),
    ],
)
def test_clients_that_are_built_here_measure_caches(
    equipped: Agent, api: ApiInMemory, engine: str, kind: str, kinds: tuple[str, ...]
) -> None:
    finish = carry_out(equipped, api, engine, managed(kind), asked_of(*kinds))
    assert_measured(finish, engine, ASKED)


@pytest.mark.timeout(300)
def test_every_client_reads_what_our_engine_has_written(equipped: Agent, api: ApiInMemory) -> None:
    for engine in ("python-redis", "php-redis", "c-hiredis", "java-jedis"):
        finish = carry_out(equipped, api, engine, managed("redis"), asked_of("get"))
        assert finish.summary is not None
        read = finish.summary.phases[-1].operations[0]
        assert (engine, read.hits, read.misses) == (engine, ASKED, 0)


@pytest.mark.timeout(300)
def test_our_engine_verifies_what_a_client_has_written(equipped: Agent, api: ApiInMemory) -> None:
    for engine in ("python-redis", "php-redis", "c-hiredis", "java-jedis"):
        target = managed("redis")
        rewritten = assignment(target, work=asked_of("set"), engine=engine, keep_store=True, reset="flush")
        verified = assignment(target, work=work(0.5, prefill=False, verify=True, operations=[_GET]), reset="none")
        api.assign(rewritten)
        api.assign(verified)
        api.next_trials[rewritten.trial_id] = verified.trial_id
        TrialChain(equipped).execute(rewritten.trial_id)
        summary = api.finishes[verified.lease_id].summary
        assert summary is not None
        assert (engine, summary.phases[-1].failed) == (engine, 0)
        assert summary.phases[-1].operations[0].hits > ASKED


def has(engine: str) -> pytest.MarkDecorator:
    """Engines that no package brings."""
    offers = EngineCatalog(NativeEngine("loadstone-engine"), Path("/nonexistent")).offers()
    (offer,) = (one for one in offers if one.name == engine)
    return pytest.mark.skipif(not offer.available, reason=f"no {engine} here; to get it: {offer.remedy}")


WITHOUT_A_PACKAGE = [
    pytest.param("memtier", "redis", marks=has("memtier")),
    pytest.param("memtier", "memcached", marks=has("memtier")),
    pytest.param("ycsb", "redis", marks=has("ycsb")),
    pytest.param("ycsb", "memcached", marks=has("ycsb")),
    pytest.param("ycsb", "ferretdb", marks=[has("ycsb"), needs("ferretdb")]),
]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("engine", "kind"), WITHOUT_A_PACKAGE)
def test_engines_without_a_package_measure_what_they_speak(
    roomy_agent: Agent, api: ApiInMemory, engine: str, kind: str
) -> None:
    target = managed(kind, options={"synchronous": "OFF"}) if kind == "ferretdb" else managed(kind)
    finish = carry_out(roomy_agent, api, engine, target, asked_of("get", "set", count=600))
    assert_measured(finish, engine, 600)


_GET = Operation(kind="get", weight=1)


@pytest.mark.parametrize("engine", ["python-redis", "php-redis"])
def test_a_connection_for_each_request_is_part_of_its_time(agent: Agent, api: ApiInMemory, engine: str) -> None:
    once = ClosedLoad(connections=2, requests_per_connection=1)
    finish = carry_out(agent, api, engine, managed("redis"), asked_of("get", count=400, load=once))
    assert_measured(finish, engine, 400)


@pytest.mark.parametrize(
    ("engine", "kind", "protocol", "kinds"),
    [
        ("sysbench", "mariadb", "mysql", ("get",)),
        ("sysbench", "mariadb", "mysql_text", ("set",)),
        ("sysbench", "postgresql", "postgres", ("get",)),
        ("mysqlslap", "mariadb", "mysql", ("get", "update")),
        ("python-pymysql", "mariadb", "mysql", ("get", "sql_replace")),
        ("pgbench", "postgresql", "postgres", ("get", "set")),
        ("pgbench", "postgresql", "postgres_simple", ("update",)),
    ],
)
def test_a_database_is_measured_by_another_engine(
    roomy_agent: Agent, api: ApiInMemory, engine: str, kind: str, protocol: str, kinds: tuple[str, ...]
) -> None:
    target = managed(kind).model_copy(update={"protocol": protocol, "options": {}})
    finish = carry_out(roomy_agent, api, engine, target, asked_of(*kinds, count=600))
    assert_measured(finish, engine, 600)


@needs("ferretdb")
@pytest.mark.parametrize("kinds", [("get", "update"), ("set",)])
def test_documents_are_measured_by_pymongo(roomy_agent: Agent, api: ApiInMemory, kinds: tuple[str, ...]) -> None:
    target = managed("ferretdb", options={"synchronous": "OFF"})
    finish = carry_out(roomy_agent, api, "python-pymongo", target, asked_of(*kinds, count=600))
    assert_measured(finish, "python-pymongo", 600)
    assert finish.summary is not None
    assert sum(one.misses for one in finish.summary.phases[-1].operations) == 0


@pytest.mark.parametrize("engine", ["python-redis", "redis-benchmark"])
def test_a_cancelled_trial_leaves_no_engine_behind(agent: Agent, api: ApiInMemory, engine: str) -> None:
    given = assignment(managed("redis"), work=asked_of("get", count=50_000_000), engine=engine)
    api.assign(given)
    running = threading.Thread(target=TrialChain(agent).execute, args=(given.trial_id,))
    running.start()
    api.wait_for(lambda: any(sample.phase == "measure" for sample in api.samples.get(given.lease_id, {}).values()))
    cancelled_at = time.monotonic()
    api.cancelled.add(given.lease_id)
    running.join(60)
    # The engine itself would go on for minutes.
    assert time.monotonic() - cancelled_at < 15
    assert api.finishes[given.lease_id].outcome == "cancelled"
    assert not processes_with(given.lease_id)


def test_what_an_engine_cannot_do_is_refused_by_the_agent_too(agent: Agent, api: ApiInMemory) -> None:
    finish = carry_out(agent, api, "redis-benchmark", managed("redis"), asked_of("get", "set"))
    assert finish.error is not None
    assert finish.error.code == "bad_plan"
    assert "one kind of operation" in finish.error.message


def test_an_engine_that_nobody_configured_cannot_run(agent: Agent, api: ApiInMemory) -> None:
    finish = carry_out(agent, api, "custom:sh", managed("redis"), asked_of("get"))
    assert finish.error is not None
    assert finish.error.code == "bad_plan"
