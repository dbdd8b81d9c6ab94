"""Valkey, FerretDB and Memlink: started, spoken to, measured. What this host lacks is skipped with what gets it."""

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from loadstone_agent.agent import Agent
from loadstone_agent.errors import BadPlan, StoreMissing, StoreStartFailed, TargetRefused, TargetUnreachable
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.base import Endpoint
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent.trial.target import flush_external
from loadstone_agent.typed import typed_here
from loadstone_agent_testing import memlink_server
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.assignments import assignment, external, managed, work
from loadstone_agent_testing.needs import needs
from loadstone_agent_testing.processes import free_port, is_alive, processes_with
from loadstone_agent_testing.trials import carried_out
from loadstone_contracts.agent_calls import TargetKind
from loadstone_contracts.engine_plan import Dataset, Operation
from loadstone_contracts.engine_sizes import FixedSize

OPTIONS: dict[TargetKind, dict[str, str]] = {
    "valkey": {"save": "", "appendonly": "yes", "appendfsync": "everysec"},
    "ferretdb": {"synchronous": "NORMAL", "cache_size_kib": "4096"},
    "mongodb": {"journalCommitInterval": "2"},
}


HERE = pytest.mark.parametrize("kind", [pytest.param(kind, marks=needs(kind)) for kind in OPTIONS])


@pytest.fixture
def start(passable_dir: Path) -> Iterator[Callable[..., ManagedStore]]:
    started: list[ManagedStore] = []

    def start(kind: TargetKind, **changes: str) -> ManagedStore:
        user = changes.pop("user", "nobody")
        plan = LaunchPlan(KINDS[kind], {**OPTIONS.get(kind, {}), **changes}, 4, [], passable_dir / "stores", user)
        started.append(launch(plan, lambda: None))
        return started[-1]

    yield start
    for store in started:
        store.stop()


@HERE
def test_a_store_is_named_by_what_it_is_and_tells_its_configuration(
    start: Callable[..., ManagedStore], kind: TargetKind
) -> None:
    store = start(kind)
    with KINDS[kind].control(store.endpoint) as control:
        facts = control.facts()
        assert control.process_id() == store.process_id
        assert control.is_empty()
        control.write_marker()
        assert control.has_marker()
        assert not control.is_empty()
        control.flush()
        assert control.is_empty()
    assert facts.kind == kind
    assert facts.settings
    store.stop()
    assert store.process_id is not None
    assert not is_alive(store.process_id)
    assert not store.directory.exists()


@HERE
def test_a_trial_measures_it_under_its_own_name_and_version(
    roomy_agent: Agent, api: ApiInMemory, kind: TargetKind
) -> None:
    given = assignment(managed(kind, options=OPTIONS[kind]), work=work(1.0))
    finish = carried_out(roomy_agent, api, given)
    assert (finish.outcome, finish.error) == ("succeeded", None)
    assert finish.summary is not None
    measured = finish.summary.phases[-1]
    assert measured.answered > 50
    assert measured.failed == 0
    assert sum(one.misses for one in measured.operations) == 0
    assert finish.store is not None
    assert (finish.store.kind, finish.store.version) == (kind, KINDS[kind].offer().version)
    assert list(roomy_agent.settings.stores_dir.iterdir()) == []


@needs("ferretdb")
def test_a_folder_that_its_user_cannot_enter_is_told_at_the_start(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    plan = LaunchPlan(KINDS["ferretdb"], {}, 4, [], tmp_path / "stores", "nobody")
    with pytest.raises(StoreStartFailed) as caught:
        launch(plan, lambda: None)
    assert "can't cd" in caught.value.detail


def test_options_that_ferretdb_does_not_have_are_refused() -> None:
    for options in ({"synchronous": "SOMETIMES"}, {"cache_size_kib": "-1"}, {"colour": "red"}):
        with pytest.raises(BadPlan):
            KINDS["ferretdb"].arguments([1], options, 4)


def test_nobody_there_is_unreachable() -> None:
    for kind in ("mongodb", "memlink", "valkey"):
        with pytest.raises(TargetUnreachable), KINDS[kind].control(Endpoint("127.0.0.1", free_port())) as control:
            control.ping()


def test_a_certificate_for_another_name_is_refused_before_anything_is_sent() -> None:
    target = external("mongodb", 27017, tls={"server_name": "store.example"})
    with pytest.raises(BadPlan, match="the name that the certificate carries"):
        KINDS["mongodb"].connect(Endpoint("127.0.0.1", 27017, tls=target.tls))


def test_a_version_that_cannot_be_had_is_said_so() -> None:
    with pytest.raises(StoreMissing, match=r"1\.24\.2 is"):
        KINDS["ferretdb"].install(print, "9.9.9")
    with pytest.raises(StoreMissing, match=r"8\.0\.33, 5\.6\.14"):
        KINDS["mysql"].install(print, "9.9.9")
    with pytest.raises(StoreMissing, match="leave the version out"):
        KINDS["memcached"].install(print, "9.9.9")


@pytest.mark.parametrize("kind", ["mongodb", "memlink"])
def test_what_no_command_installs_is_told_by_one(kind: TargetKind) -> None:
    assert KINDS[kind].remedy == typed_here(f"loadstone-agent stores install {kind}")
    with pytest.raises(StoreMissing, match="on the PATH"):
        KINDS[kind].install(print)


@pytest.fixture
def memlink_ports() -> Iterator[tuple[int, int]]:
    """Of reads and of writes."""
    read_port, write_port = free_port(), free_port()
    servers = memlink_server.serve(read_port, write_port)
    yield read_port, write_port
    for server in servers:
        server.shutdown()
        server.server_close()


LISTS = [Operation(kind="list_insert_head", weight=1), Operation(kind="range_first", weight=3, entries=10)]


def test_an_external_memlink_is_loaded_at_both_ports(
    agent: Agent, api: ApiInMemory, memlink_ports: tuple[int, int]
) -> None:
    read_port, write_port = memlink_ports
    dataset = Dataset(key_count=10, list_length=20, value_size=FixedSize(bytes=12))
    target = external("memlink", write_port, read_port=read_port, flush_allowed=True)
    given = assignment(target, reset="flush", work=work(1.0, dataset=dataset, operations=LISTS))
    finish = carried_out(agent, api, given)
    assert (finish.outcome, finish.error) == ("succeeded", None)
    assert finish.summary is not None
    assert finish.summary.phases[-1].answered > 100
    assert finish.store is not None
    assert (finish.store.kind, finish.store.version) == ("memlink", "0.5")


def test_lists_in_memlink_that_are_not_ours_are_not_flushed(memlink_ports: tuple[int, int]) -> None:
    read_port, write_port = memlink_ports
    kind, target = KINDS["memlink"], external("memlink", write_port, read_port=read_port, flush_allowed=True)
    with kind.control(Endpoint("127.0.0.1", write_port, read_port=read_port)) as control:
        flush_external(control, target)
        assert control.has_marker()
        control.flush()
        assert not control.has_marker()
        assert control.is_empty()


def test_exchanged_ports_of_memlink_are_named(memlink_ports: tuple[int, int]) -> None:
    read_port, write_port = memlink_ports
    with (
        KINDS["memlink"].control(Endpoint("127.0.0.1", read_port, read_port=write_port)) as control,
        pytest.raises(TargetRefused, match="exchange its two ports"),
    ):
        control.ping()


@pytest.fixture
def memlink_program(passable_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A server of our own under Memlink's name, on the PATH."""
    program = passable_dir / "memlink"
    # The tests' own interpreter may be installed where the stores' user can't go.
    interpreter = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if interpreter is None:
        pytest.skip("no python3 in /usr/bin or /usr/local/bin runs a server as another user")
    program.write_text(f"#!{interpreter}\n{Path(memlink_server.__file__).read_text()}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{passable_dir}:{os.environ['PATH']}")
    return program


def test_a_trial_starts_a_memlink_of_its_own_and_leaves_nothing(
    roomy_agent: Agent, api: ApiInMemory, memlink_program: Path
) -> None:
    settings, agent = roomy_agent.settings, roomy_agent
    dataset = Dataset(key_count=10, list_length=20, value_size=FixedSize(bytes=12))
    given = assignment(managed("memlink", options={}), work=work(1.0, dataset=dataset, operations=LISTS))
    finish = carried_out(agent, api, given)
    assert (finish.outcome, finish.error) == ("succeeded", None)
    assert finish.summary is not None
    assert finish.summary.phases[-1].answered > 100
    assert finish.summary.phases[-1].failed == 0
    assert processes_with(str(memlink_program)) == []
    assert list(settings.stores_dir.iterdir()) == []


def test_a_memlink_on_the_path_is_started_with_a_configuration_file(
    start: Callable[..., ManagedStore], memlink_program: Path
) -> None:
    store = start("memlink", thread_num="2")
    kind = KINDS["memlink"]
    assert (kind.offer().available, shutil.which("memlink")) == (True, str(memlink_program))
    write, read, sync = (one.port for one in store.endpoints)
    with kind.control(Endpoint("127.0.0.1", write, read_port=read)) as control:
        control.ping()
        assert control.process_id() == store.process_id
    socket.create_connection(("127.0.0.1", sync)).close()
    told = (store.directory / "memlink.conf").read_text()
    assert "thread_num = 2" in told
    assert f"data_dir = {store.directory}/data" in told
