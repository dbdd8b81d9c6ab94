"""Managed stores under their keeper: real servers, real kills."""

import os
import pwd
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from loadstone_agent.errors import AgentError, BadPlan, StoreMissing, StoreStartFailed
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent.stores.session import sweep_leftovers
from loadstone_agent.typed import typed_here
from loadstone_agent_testing.processes import end, is_alive, is_listening, wait_until
from loadstone_contracts.agent_calls import TargetKind

Launch = Callable[..., ManagedStore]
OPTIONS: dict[TargetKind, dict[str, str]] = {
    "memcached": {"memory_mb": "64", "threads": "2"},
    "redis": {"save": "900 1 300 10", "appendonly": "yes", "appendfsync": "everysec"},
}


def never_interrupted() -> None:
    """Nobody cancels."""


@pytest.fixture
def data_root(tmp_path: Path) -> Path:
    return tmp_path / "stores"


@pytest.fixture
def start(data_root: Path) -> Iterator[Launch]:
    started: list[ManagedStore] = []

    def start(kind: TargetKind, **changes: Any) -> ManagedStore:
        fields: dict[str, Any] = {"options": OPTIONS[kind], "connections": 4, "cpus": [], "user": "nobody"}
        plan = LaunchPlan(kind=KINDS[kind], data_root=data_root, **{**fields, **changes})
        started.append(launch(plan, never_interrupted))
        return started[-1]

    yield start
    for store in started:
        store.stop()


@pytest.mark.parametrize("kind", ["memcached", "redis"])
def test_a_store_listens_on_loopback_only_pinned_and_unprivileged(start: Launch, kind: TargetKind) -> None:
    cpu = max(os.sched_getaffinity(0))
    store = start(kind, cpus=[cpu])
    assert store.process_id is not None
    process = psutil.Process(store.process_id)
    assert process.cpu_affinity() == [cpu]
    owner = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    assert process.username() == owner
    listening = [one.laddr.ip for one in process.net_connections() if one.status == psutil.CONN_LISTEN]
    assert listening == ["127.0.0.1"]


@pytest.mark.parametrize("kind", ["memcached", "redis"])
def test_a_stopped_store_leaves_no_process_and_no_data(start: Launch, data_root: Path, kind: TargetKind) -> None:
    store = start(kind)
    assert len(list(data_root.iterdir())) == 1
    store.stop()
    store.stop()
    assert store.process_id is not None
    assert not is_alive(store.process_id)
    assert list(data_root.iterdir()) == []
    assert not store.has_died()


def test_options_are_in_force_as_the_store_itself_reports_them(start: Launch) -> None:
    store = start("redis", connections=3000)
    with KINDS["redis"].control(store.endpoint) as control:
        shown = control.facts().settings
    assert (shown["appendonly"], shown["appendfsync"], shown["save"]) == ("yes", "everysec", "900 1 300 10")
    assert shown["maxclients"] == "3050"
    store = start("memcached", connections=3000, options={**OPTIONS["memcached"], "disable_evictions": "true"})
    with KINDS["memcached"].control(store.endpoint) as control:
        shown = control.facts().settings
    assert (shown["maxbytes"], shown["num_threads"], shown["evictions"]) == (str(64 * 2**20), "2", "off")
    assert (shown["maxconns"], shown["udpport"]) == ("3050", "0")


OWNER = """
    import sys, time
    from pathlib import Path
    from loadstone_agent.stores import KINDS
    from loadstone_agent.stores.launch import LaunchPlan, launch
    kind, options = sys.argv[2], dict(pair.split("=") for pair in sys.argv[3:])
    plan = LaunchPlan(KINDS[kind], options, 4, [], Path(sys.argv[1]), "nobody")
    store = launch(plan, lambda: None)
    print(store.process_id, store._keeper.pid, store.endpoint.port, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def owned_store(data_root: Path, request: pytest.FixtureRequest) -> Iterator[tuple[int, int, int, int]]:
    """The ids of an owner in a process of its own, its store and its keeper, and the store's port."""
    arguments = [str(data_root), request.param, *(["appendonly=yes"] if request.param == "redis" else [])]
    owner = subprocess.Popen([sys.executable, "-c", textwrap.dedent(OWNER), *arguments], stdout=subprocess.PIPE)
    with owner:
        assert owner.stdout is not None
        store, keeper, port = map(int, owner.stdout.readline().split())
        yield owner.pid, store, keeper, port
        end(owner)


@pytest.mark.parametrize("owned_store", ["memcached", "redis"], indirect=True)
def test_sigkill_of_the_owner_leaves_no_store_no_keeper_and_no_data(
    owned_store: tuple[int, int, int, int], data_root: Path
) -> None:
    owner, store, keeper, port = owned_store
    os.kill(owner, signal.SIGKILL)
    wait_until(lambda: not is_alive(store) and not is_alive(keeper), 10.0, "store and keeper dead")
    assert list(data_root.iterdir()) == []
    assert not is_listening(port)


@pytest.mark.parametrize("owned_store", ["memcached", "redis"], indirect=True)
def test_sigkill_of_the_keeper_takes_the_store_with_it_and_a_sweep_the_data(
    owned_store: tuple[int, int, int, int], data_root: Path
) -> None:
    _, store, keeper, _ = owned_store
    sweep_leftovers(data_root)
    assert is_alive(store), "a living keeper's directory is left alone"
    os.kill(keeper, signal.SIGKILL)
    wait_until(lambda: not is_alive(store), 10.0, "store dead")
    assert len(list(data_root.iterdir())) == 1
    sweep_leftovers(data_root)
    assert list(data_root.iterdir()) == []


def test_sigterm_of_the_keeper_cleans_up_too(start: Launch, data_root: Path) -> None:
    store = start("redis")
    keeper = psutil.Process(store.process_id).parent()
    assert keeper is not None
    keeper.terminate()
    wait_until(lambda: not list(data_root.iterdir()), 10.0, "data gone")
    assert store.process_id is not None
    assert not is_alive(store.process_id)


def test_a_store_that_dies_is_noticed_with_its_last_log_lines(start: Launch) -> None:
    store = start("redis")
    noticed: list[bool] = []
    store.when_it_dies(lambda: noticed.append(True))
    assert store.process_id is not None
    os.kill(store.process_id, signal.SIGTERM)
    wait_until(lambda: noticed, 10.0, "notice")
    assert store.has_died()
    death = store.death()
    assert death.code == "store_died"
    assert "exit code 0" in death.message
    assert "User requested shutdown" in death.detail


@pytest.mark.parametrize(
    ("kind", "options", "error", "says"),
    [
        ("memcached", {"colour": "red"}, BadPlan, "memcached has no option 'colour'"),
        ("memcached", {"memory_mb": "64 -u root"}, BadPlan, "memory_mb cannot be"),
        ("memcached", {"memory_mb": "\u0666\u0664"}, BadPlan, "memory_mb cannot be"),
        ("memcached", {"slab_growth_factor": "1.25\n"}, BadPlan, "slab_growth_factor cannot be"),
        ("memcached", {"disable_cas": "maybe"}, BadPlan, "one of false, true"),
        ("memcached", {"max_item_size": "2000m"}, StoreStartFailed, "memcached did not start"),
        ("redis", {"colour": "red"}, BadPlan, "Redis has no option 'colour'"),
        ("redis", {"appendfsync": "sometimes"}, BadPlan, "appendfsync cannot be"),
        ("redis", {"proto-max-bulk-len": "1"}, BadPlan, "refused its options"),
        ("redis", {"dir": "/etc"}, BadPlan, "Redis has no option 'dir'"),
        ("redis", {"DIR": "/etc"}, BadPlan, "Redis has no option 'DIR'"),
        ("redis", {"loadmodule": "/tmp/x.so"}, BadPlan, "Redis has no option 'loadmodule'"),
        ("redis", {"aclfile": "x"}, BadPlan, "Redis has no option 'aclfile'"),
        ("redis", {"save": "--loadmodule /tmp/x.so"}, BadPlan, "save cannot be"),
        ("redis", {"Save me": ""}, BadPlan, "Redis has no option 'Save me'"),
    ],
)
def test_options_that_cannot_be_are_refused_with_a_reason(
    start: Launch, data_root: Path, kind: TargetKind, options: dict[str, str], error: type[AgentError], says: str
) -> None:
    with pytest.raises(error) as caught:
        start(kind, options=options)
    assert says in caught.value.message
    assert not data_root.exists() or list(data_root.iterdir()) == []
    if error is StoreStartFailed or "refused its options" in says:
        assert caught.value.detail


def test_a_missing_store_names_the_command_that_installs_it(start: Launch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KINDS["memcached"], "binary", "memcached-that-nobody-installed", raising=False)
    with pytest.raises(StoreMissing, match="apt-get install -y memcached"):
        start("memcached")
    offer = KINDS["memcached"].offer()
    assert (offer.available, offer.remedy) == (False, typed_here("apt-get install -y memcached"))


def test_an_unknown_store_user_is_a_start_failure(start: Launch) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root changes the user of a store")
    with pytest.raises(StoreStartFailed, match="LOADSTONE_STORE_USER"):
        start("redis", user="nobody-like-this")


def test_offers_name_binary_and_version_or_what_would_get_it() -> None:
    for kind in KINDS.values():
        for offer in kind.offers():
            if not offer.available:
                assert str(offer.remedy).startswith(kind.remedy)
                continue
            assert offer.binary
            assert offer.version is not None
            # Memlink has no way to tell its own.
            assert offer.version[0].isdigit() or kind.kind == "memlink"


@pytest.mark.parametrize("kind", ["memcached", "redis", "mariadb", "postgresql"])
def test_stores_that_the_tests_need_are_here(kind: TargetKind) -> None:
    assert KINDS[kind].offer().available


def test_a_cpu_that_does_not_exist_is_a_start_failure_with_the_reason(start: Launch) -> None:
    with pytest.raises(StoreStartFailed) as caught:
        start("memcached", cpus=[4000])
    assert "Invalid argument" in caught.value.detail
