"""Cores, memory and disk of managed stores: kept by the kernel, told in the result, refused where they cannot be."""

import ctypes
import mmap
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import redis
from loadstone_agent.agent import Agent
from loadstone_agent.cpus import CpuSplit, as_cpu_list
from loadstone_agent.errors import PlacementRefused
from loadstone_agent.settings import AgentSettings, parse_cpu_list
from loadstone_agent.stores import KINDS
from loadstone_agent.stores import placement as placing
from loadstone_agent.stores.groups import PREFIX, end_group, make_group, memory_limiter
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent.stores.page_cache import drop_page_cache
from loadstone_agent.stores.placement import HostPlace, find_place
from loadstone_agent.trial import target as trial_target
from loadstone_agent.trial.chain import TrialChain
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.assignments import assignment, managed, work
from loadstone_agent_testing.processes import wait_until
from loadstone_agent_testing.trials import carried_out
from loadstone_contracts.agent_calls import Placement
from loadstone_contracts.engine_plan import Dataset
from loadstone_contracts.engine_sizes import FixedSize

MIB = 2**20
SPLIT = CpuSplit(store=[0], engine=[1])
CONTROLLER = memory_limiter()
NEEDS_GROUPS = pytest.mark.skipif(CONTROLLER is None, reason="this host lets us make no control group with a limit")


def place(kind: str, settings: AgentSettings, **fields: object) -> HostPlace:
    return find_place(KINDS[kind], Placement.model_validate(fields), {}, SPLIT, settings)  # type: ignore[index]


@pytest.mark.parametrize("text", ["0", "0-3", "0,2-4,9"])
def test_a_list_of_cpus_is_read_and_written_as_the_kernel_does(text: str) -> None:
    cpus = parse_cpu_list(text)
    assert isinstance(cpus, list)
    assert as_cpu_list(cpus) == text


def test_a_trial_runs_its_store_on_the_cpus_of_its_target_and_tells_them(agent: Agent, api: ApiInMemory) -> None:
    cpu = str(max(os.sched_getaffinity(0)))
    given = assignment(managed("redis", placement={"cpus": cpu}), work=work(0.5))
    finish = carried_out(agent, api, given)
    assert finish.outcome == "succeeded"
    assert finish.store is not None
    assert finish.store.settings["placement.cpus"] == cpu


def test_a_store_that_lives_on_moves_to_the_cpus_of_the_next_trial(start: Callable[..., ManagedStore]) -> None:
    store, cpu = start(), max(os.sched_getaffinity(0))
    store.pin([cpu])
    process = psutil.Process(store.process_id)
    assert len(process.threads()) > 1
    assert {frozenset(os.sched_getaffinity(thread.id)) for thread in process.threads()} == {frozenset([cpu])}


def test_cpus_that_the_host_lacks_are_refused_by_name_and_nothing_is_started(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed("redis", placement={"cpus": "0,900-901"}))
    error = carried_out(agent, api, given).error
    assert error is not None
    assert error.code == "placement_refused"
    assert "no CPU 900-901" in error.message
    assert not agent.settings.stores_dir.exists()


def test_a_data_directory_goes_by_its_name(tmp_path: Path, settings: AgentSettings) -> None:
    settings = settings.model_copy(update={"agent_data_directories": {"fast": tmp_path, "gone": tmp_path / "gone"}})
    assert place("redis", settings, data_directory="fast").data_root.parent == tmp_path
    with pytest.raises(PlacementRefused, match=r"'slow' \(it names fast, gone\)"):
        place("redis", settings, data_directory="slow")
    with pytest.raises(PlacementRefused, match="mount or make it"):
        place("redis", settings, data_directory="gone")


def test_data_directories_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADSTONE_AGENT_DATA_DIRECTORIES", "fast=/mnt/nvme, slow=/mnt/disk")
    assert AgentSettings().agent_data_directories == {"fast": Path("/mnt/nvme"), "slow": Path("/mnt/disk")}
    monkeypatch.setenv("LOADSTONE_AGENT_DATA_DIRECTORIES", "fast=relative")
    with pytest.raises(ValueError, match="name=/absolute/path"):
        AgentSettings()


def test_without_control_groups_a_store_keeps_its_own_limit_or_the_target_is_refused(
    settings: AgentSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placing, "memory_limiter", lambda: None)
    limited = place("redis", settings, memory_limit_bytes=64 * MIB)
    assert limited.options == {"maxmemory": str(64 * MIB)}
    assert "the store's own maxmemory" in limited.told["placement.memory_limit"]
    assert place("memcached", settings, memory_limit_bytes=64 * MIB).options == {"memory_mb": "64"}
    with pytest.raises(PlacementRefused, match="cannot limit the memory of mariadb"):
        place("mariadb", settings, memory_limit_bytes=64 * MIB)
    fields = Placement(memory_limit_bytes=64 * MIB)
    with pytest.raises(PlacementRefused, match="leave one of the two out"):
        find_place(KINDS["redis"], fields, {"maxmemory": "1gb"}, SPLIT, settings)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., ManagedStore]]:
    started: list[ManagedStore] = []

    def start(limit_bytes: int | None = None) -> ManagedStore:
        plan = LaunchPlan(
            kind=KINDS["redis"],
            options={"save": "", "appendonly": "yes"},
            connections=4,
            cpus=[],
            data_root=tmp_path / "stores",
            user="nobody",
            memory_limit_bytes=limit_bytes,
        )
        started.append(launch(plan, lambda: None))
        return started[-1]

    yield start
    for store in started:
        store.stop()


@NEEDS_GROUPS
def test_a_store_beyond_its_limit_is_killed_and_the_death_says_why(start: Callable[..., ManagedStore]) -> None:
    store = start(32 * MIB)
    client = redis.Redis(port=store.endpoint.port)
    values = {f"k{number}": b"x" * MIB for number in range(64)}
    with pytest.raises(redis.RedisError):
        client.mset(values)
    wait_until(store.has_died, what="death")
    death = store.death()
    assert death.code == "store_out_of_memory"
    assert "its limit of memory" in death.message
    store.stop()
    assert CONTROLLER is not None
    assert not (CONTROLLER.parent / f"{PREFIX}{store.directory.name}").exists()


@NEEDS_GROUPS
def test_children_of_a_store_count_against_its_limit(start: Callable[..., ManagedStore]) -> None:
    store = start(256 * MIB)
    assert CONTROLLER is not None
    group = CONTROLLER.parent / f"{PREFIX}{store.directory.name}"
    process = psutil.Process(store.process_id)
    members = {int(line) for line in (group / "cgroup.procs").read_text().split()}
    assert process.pid in members


@NEEDS_GROUPS
def test_the_group_of_a_dead_agents_store_goes_and_others_stay(start: Callable[..., ManagedStore]) -> None:
    assert CONTROLLER is not None
    store = start(256 * MIB)
    leftover = CONTROLLER.parent / f"{PREFIX}{uuid.uuid4().hex}"
    make_group(leftover.name.removeprefix(PREFIX), 64, 64 * MIB)
    assert leftover.exists()
    end_group(leftover.name.removeprefix(PREFIX))
    assert not leftover.exists()
    assert (CONTROLLER.parent / f"{PREFIX}{store.directory.name}").exists()
    assert not store.has_died()


def cached_share(path: Path) -> float:
    """Of its pages, those that are in the page cache (mincore(2))."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
        count = -(-len(pages) // mmap.PAGESIZE)
        seen = (ctypes.c_ubyte * count)()
        held = (ctypes.c_char * len(pages)).from_buffer(pages)
        address = ctypes.c_void_p(ctypes.addressof(held))
        assert ctypes.CDLL(None, use_errno=True).mincore(address, ctypes.c_size_t(len(pages)), seen) == 0
        del held
        return sum(page & 1 for page in seen) / count


def test_files_leave_the_page_cache(tmp_path: Path) -> None:
    file = tmp_path / "deep/data"
    file.parent.mkdir()
    file.write_bytes(os.urandom(4 * MIB))
    assert cached_share(file) == 1.0
    drop_page_cache(tmp_path)
    assert cached_share(file) < 0.1


def test_a_trial_drops_the_cache_before_the_load_and_after_its_prefill(
    agent: Agent, api: ApiInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"save": "", "appendonly": "yes", "appendfsync": "no"}
    target = managed("redis", placement={"drop_page_cache": True}, options=options)
    dataset = Dataset(key_count=2000, value_size=FixedSize(bytes=1000))
    given = assignment(target, work=work(0.5, dataset=dataset))
    api.assign(given)
    dropped: list[int] = []

    def drop(directory: Path) -> str:
        dropped.append(sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()))
        return drop_page_cache(directory)

    monkeypatch.setattr(trial_target, "drop_page_cache", drop)
    TrialChain(agent).execute(given.trial_id)
    finish = api.finishes[given.lease_id]
    assert (finish.outcome, finish.error) == ("succeeded", None)
    before, after = dropped
    assert before < MIB < after, "once before the load and once when the prefill lies in the log"
    assert finish.store is not None
    assert finish.store.settings["placement.page_cache"] == "dropped"


def test_a_restart_between_trials_prefills_again(agent: Agent, api: ApiInMemory) -> None:
    for _ in range(2):
        given = assignment(managed("redis"), reset="restart", keep_store=True, work=work(0.3))
        finish = carried_out(agent, api, given)
        assert finish.summary is not None
        assert [phase.phase for phase in finish.summary.phases] == ["prefill", "measure"]
        assert finish.summary.phases[0].answered == given.work.dataset.key_count
        assert finish.keys_held == given.work.dataset.key_count


@pytest.mark.skipif(shutil.which("mount") is None or os.geteuid() != 0, reason="only root mounts a small disk")
def test_the_data_lie_on_the_chosen_disk(agent: Agent, api: ApiInMemory, small_disk: Path) -> None:
    settings = agent.settings.model_copy(update={"agent_data_directories": {"small": small_disk}})
    here = Agent(**{**vars(agent), "settings": settings})
    given = assignment(managed("redis", placement={"data_directory": "small"}), work=work(0.3), keep_store=False)
    finish = carried_out(here, api, given)
    assert finish.store is not None
    assert finish.store.settings["placement.data_directory"] == "small"
    assert finish.store.settings["dir"].startswith(str(small_disk))
    assert list((small_disk / placing.DATA_FOLDER).iterdir()) == []
