"""Stores that cannot be had: a code on that trial, the next trial runs, nothing is left. Real servers."""

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from loadstone_agent.agent import Agent
from loadstone_agent.errors import StoreDiskFull
from loadstone_agent.stores import KINDS, launch, mysql
from loadstone_agent.stores.endings import Ending
from loadstone_agent.stores.launch import LaunchPlan
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.assignments import assignment, managed, work
from loadstone_agent_testing.needs import needs
from loadstone_agent_testing.processes import processes_with
from loadstone_agent_testing.trials import carried_out
from loadstone_contracts.agent_calls import AssignedTarget, FinishRequest
from loadstone_contracts.engine_plan import Dataset, Operation
from loadstone_contracts.engine_sizes import FixedSize

MYSQL = mysql.MySql()


def ended(agent: Agent, api: ApiInMemory, target: AssignedTarget, **changes: object) -> FinishRequest:
    given = assignment(target, **changes)
    return carried_out(agent, api, given)


def code_and_detail(finish: FinishRequest) -> tuple[str, str]:
    assert finish.outcome == "failed"
    assert finish.error is not None
    return finish.error.code, finish.error.detail


def assert_next_trial_runs_and_nothing_is_left(agent: Agent, api: ApiInMemory) -> None:
    assert processes_with(str(agent.settings.agent_dir)) == []
    assert ended(agent, api, managed("redis"), work=work(0.3)).outcome == "succeeded"
    assert list(agent.settings.stores_dir.iterdir()) == []


def test_a_store_that_will_not_start_is_told_with_its_last_lines(agent: Agent, api: ApiInMemory) -> None:
    target = managed("memcached", options={"max_item_size": "2000m"})
    code, detail = code_and_detail(ended(agent, api, target))
    assert code == "store_start_failed"
    assert "item" in detail.lower()
    assert_next_trial_runs_and_nothing_is_left(agent, api)


def test_a_missing_binary_is_told_with_what_gets_it(
    agent: Agent, api: ApiInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KINDS["mongodb"], "binary", "mongod-that-nobody-installed", raising=False)
    finish = ended(agent, api, managed("mongodb", options={}))
    assert code_and_detail(finish)[0] == "store_missing"
    assert finish.error is not None
    assert "PATH" in finish.error.message
    assert_next_trial_runs_and_nothing_is_left(agent, api)


def test_ports_that_are_always_taken_are_told_so(
    agent: Agent, api: ApiInMemory, redis_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as taken:
        taken.setattr(launch, "free_ports", lambda _: [redis_port])
        assert code_and_detail(ended(agent, api, managed("redis")))[0] == "port_taken"
    assert_next_trial_runs_and_nothing_is_left(agent, api)


def test_a_disk_that_the_log_fills_ends_the_trial_with_its_own_code(
    agent: Agent, api: ApiInMemory, small_disk: Path
) -> None:
    settings = agent.settings.model_copy(update={"agent_data_directories": {"small": small_disk}})
    here = Agent(**{**vars(agent), "settings": settings})
    options = {"save": "", "appendonly": "yes", "appendfsync": "everysec", "auto-aof-rewrite-percentage": "0"}
    target = managed("redis", placement={"data_directory": "small"}, options=options)
    dataset = Dataset(key_count=100, value_size=FixedSize(bytes=10_000))
    sets = work(3.0, dataset=dataset, operations=[Operation(kind="set", weight=1)])
    code, detail = code_and_detail(ended(here, api, target, work=sets))
    assert code == "store_disk_full"
    assert "aof" in detail.lower()
    assert_next_trial_runs_and_nothing_is_left(agent, api)


def test_a_log_that_ends_for_want_of_space_is_told_apart() -> None:
    log = "Error writing to the AOF file: No space left on device"
    for fault in (Ending("redis-server", 1, log).death(), Ending("redis-server", 1, log).start_fault()):
        assert isinstance(fault, StoreDiskFull)


def _copy_of_mysql(parent: Path, version: str) -> Path:
    """The same files under another folder: links where the server does not mind."""
    source = Path(MYSQL.find_binary()).parents[1]
    folder = parent / f"mysql-{version}"
    shutil.copytree(source, folder, symlinks=True, copy_function=os.link if _links(source, parent) else shutil.copy2)
    return folder


def _links(source: Path, target: Path) -> bool:
    return source.stat().st_dev == target.stat().st_dev


@needs("mysql")
def test_a_plugin_that_is_not_loaded_is_told_at_once(
    roomy_agent: Agent, api: ApiInMemory, passable_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = passable_dir / "servers"
    servers.mkdir(mode=0o711)
    version = MYSQL.offers()[0].version or ""
    folder = _copy_of_mysql(servers, version)
    (folder / "lib/plugin/libmemcached.so").unlink()
    monkeypatch.setattr(mysql, "installed_prefixes", lambda: {version: folder})
    code, detail = code_and_detail(ended(roomy_agent, api, managed("mysql", options={})))
    assert code == "plugin_missing"
    assert "libmemcached" in detail
    assert_next_trial_runs_and_nothing_is_left(roomy_agent, api)


@needs("mysql")
def test_a_plugin_that_is_not_active_is_told_by_the_server_itself(passable_dir: Path) -> None:
    plan = LaunchPlan(MYSQL, {}, 4, [], passable_dir / "stores", "nobody")
    store = launch.launch(plan, lambda: None)
    with closing(MYSQL.connect(store.endpoint)) as control:
        assert control.missing_part() is None
        control._rows("UNINSTALL PLUGIN daemon_memcached")
        assert "daemon_memcached" in (control.missing_part() or "")
    store.stop()


@needs("mysql")
def test_a_server_of_another_version_than_the_profile_names_is_refused(
    roomy_agent: Agent, api: ApiInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(MYSQL.find_binary()).parents[1]
    monkeypatch.setattr(mysql, "installed_prefixes", lambda: {"8.0.99": folder})
    monkeypatch.setattr("loadstone_agent.stores.sql.check_options", lambda *_: None)
    finish = ended(roomy_agent, api, managed("mysql", options={"server_version": "8.0.99"}))
    assert code_and_detail(finish)[0] == "version_mismatch"
    assert finish.error is not None
    assert "8.0.99" in finish.error.message
    assert_next_trial_runs_and_nothing_is_left(roomy_agent, api)


def test_a_data_directory_is_made_once_and_copied_afterwards(roomy_agent: Agent, api: ApiInMemory) -> None:
    target = managed("mariadb", options={"innodb_flush_log_at_trx_commit": "0"})
    for _ in range(2):
        assert ended(roomy_agent, api, target, work=work(0.3)).outcome == "succeeded"
    (template,) = roomy_agent.settings.templates_dir.iterdir()
    assert template.name.startswith("mariadb-")
    assert not (template / "store.pid").exists()


def test_a_template_that_was_cut_short_is_not_used(passable_dir: Path) -> None:
    templates = passable_dir / "templates"
    kind = KINDS["postgresql"]
    plan = LaunchPlan(kind, {}, 4, [], passable_dir / "stores", "nobody", templates=templates)
    launch.launch(plan, lambda: None).stop()
    (whole,) = templates.iterdir()
    whole.rename(whole.with_name(f"{whole.name}.4711"))
    shutil.rmtree(whole.with_name(f"{whole.name}.4711") / "cluster/base")
    store = launch.launch(plan, lambda: None)
    with kind.control(store.endpoint) as control:
        assert control.is_empty()
    store.stop()
