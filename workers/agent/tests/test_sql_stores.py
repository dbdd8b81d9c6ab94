"""Stores of SQL under their keeper: real servers with a data directory made at the start."""

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from loadstone_agent.errors import BadPlan, StoreMissing, TargetUnreachable
from loadstone_agent.stores.base import Endpoint, StoreKind
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent.stores.mariadb import MariaDb
from loadstone_agent.stores.mysql import MySql
from loadstone_agent.stores.postgresql import PostgreSql
from loadstone_agent_testing.processes import free_port, is_alive
from pymemcache.client.base import PooledClient

Launch = Callable[..., ManagedStore]
KINDS: dict[str, StoreKind] = {"mariadb": MariaDb(), "mysql": MySql(), "postgresql": PostgreSql()}
OPTIONS = {
    "mariadb": {"innodb_flush_log_at_trx_commit": "2", "default_storage_engine": "MyISAM"},
    "postgresql": {"synchronous_commit": "off"},
}
BOTH = pytest.mark.parametrize("name", OPTIONS)


@pytest.fixture
def start(passable_dir: Path) -> Iterator[Launch]:
    started: list[ManagedStore] = []

    def start(name: str, options: dict[str, str] | None = None) -> ManagedStore:
        chosen = OPTIONS[name] if options is None else options
        plan = LaunchPlan(KINDS[name], chosen, 4, [], passable_dir / "stores", "nobody")
        started.append(launch(plan, lambda: None))
        return started[-1]

    yield start
    for store in started:
        store.stop()


@BOTH
def test_options_are_in_force_and_the_process_is_ours(start: Launch, name: str) -> None:
    store = start(name)
    with KINDS[name].control(store.endpoint) as control:
        facts = control.facts()
        assert control.process_id() == store.process_id
    assert facts.kind == name
    assert facts.version == KINDS[name].offer().version
    assert {option: facts.settings[option] for option in OPTIONS[name]} == OPTIONS[name]


@BOTH
def test_a_server_listens_on_loopback_only(start: Launch, name: str) -> None:
    process = psutil.Process(start(name).process_id)
    listening = [one.laddr.ip for one in process.net_connections() if one.status == psutil.CONN_LISTEN]
    assert listening == ["127.0.0.1"]


@BOTH
def test_a_flush_drops_the_tables_of_the_database_and_the_marker_is_one(start: Launch, name: str) -> None:
    store = start(name)
    with KINDS[name].control(store.endpoint) as control:
        assert control.is_empty()
        control.write_marker()
        control.write_marker()
        assert control.has_marker()
        control.flush()
        assert control.is_empty()
        assert not control.has_marker()


@BOTH
def test_a_stopped_server_leaves_no_process_and_no_data(start: Launch, name: str) -> None:
    store = start(name)
    folder = store.directory
    assert any(folder.iterdir())
    store.stop()
    assert store.process_id is not None
    assert not is_alive(store.process_id)
    assert not folder.exists()


@BOTH
@pytest.mark.parametrize("value", ["1;DROP", "$(id)", "x\ny", "'"])
def test_values_that_are_more_than_a_value_are_refused(start: Launch, name: str, value: str) -> None:
    with pytest.raises(BadPlan):
        start(name, {next(iter(OPTIONS[name])): value})


@pytest.mark.parametrize(
    ("name", "option"),
    [
        *(("mariadb", one) for one in ("plugin_load", "plugin-load", "loose_plugin_load", "plugin_loa", "skip_grant")),
        *(("mariadb", one) for one in ("Plugin_Load", "enable_local_infile", "maximum_max_connections", "init_file")),
        *(("postgresql", one) for one in ("archive_command", "hba_file", "jit_provider", "primary_conninfo")),
        *(("postgresql", one) for one in ("SHARED_BUFFERS", "shared_buffers\n", "local_preload_libraries")),
    ],
)
def test_only_options_of_the_list_in_its_own_spelling_reach_a_server(start: Launch, name: str, option: str) -> None:
    with pytest.raises(BadPlan, match="has no option"):
        start(name, {option: "1"})


@pytest.mark.parametrize(
    ("name", "option", "told"),
    [
        ("mariadb", {"no_such_option": "1"}, "unknown variable"),
        ("mariadb", {"sync_binlog": "often"}, "Error while setting value"),
        ("mariadb", {"default_storage_engine": "Paper"}, "Unknown/unsupported storage engine"),
        ("postgresql", {"no_such_option": "1"}, "unrecognized"),
        ("postgresql", {"shared_buffers": "many"}, "invalid value"),
    ],
)
def test_what_the_server_itself_refuses_is_told_with_its_last_lines(
    start: Launch, monkeypatch: pytest.MonkeyPatch, name: str, option: dict[str, str], told: str
) -> None:
    # As a version of the server that lacks an option of the list.
    monkeypatch.setattr("loadstone_agent.stores.sql.check_options", lambda *_: None)
    with pytest.raises(BadPlan) as caught:
        start(name, option)
    assert told in caught.value.detail


@BOTH
def test_nobody_there_is_unreachable(name: str) -> None:
    with pytest.raises(TargetUnreachable):
        KINDS[name].connect(Endpoint("127.0.0.1", free_port()))


MYSQL = MySql()
INSTALLED = [offer.version for offer in MYSQL.offers() if offer.available]
VERSIONS = pytest.mark.parametrize(
    "version",
    INSTALLED or [pytest.param("none", marks=pytest.mark.skip(reason=f"no MySQL here; install it by: {MYSQL.remedy}"))],
)


@VERSIONS
def test_mysql_answers_sql_and_memcached_on_one_set_of_rows(start: Launch, version: str) -> None:
    store = start("mysql", {"server_version": version, "innodb_flush_log_at_trx_commit": "2"})
    memcached = PooledClient((store.endpoint.host, store.endpoints[1].port), max_pool_size=1)
    long_key, large_value = "k" * 250, b"v" * 100_000
    assert memcached.set(long_key, large_value, noreply=False)
    with MYSQL.control(store.endpoint) as control:
        facts = control.facts()
        assert (facts.kind, facts.version) == ("mysql", version)
        assert facts.settings["innodb_flush_log_at_trx_commit"] == "2"
        assert control.process_id() == store.process_id
        assert memcached.get(long_key) == large_value, "the table cuts keys or values"
        assert not control.is_empty()
        control.flush()
        assert control.is_empty()
    assert memcached.get(long_key) is None
    memcached.close()


def test_a_version_that_is_not_here_is_named_with_the_command_that_gets_it() -> None:
    with pytest.raises(StoreMissing, match=r"MySQL 1\.2\.3 .*stores install mysql"):
        MYSQL.find_binary({"server_version": "1.2.3"})
