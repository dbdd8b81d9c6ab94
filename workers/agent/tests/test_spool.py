"""What was measured stays on disk until the api has it: full disks, restarts, refusals."""

import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from loadstone_agent.agent import Agent
from loadstone_agent.api import NO_PATIENCE
from loadstone_agent.errors import DiskFull
from loadstone_agent.replay import replay_spool
from loadstone_agent.settings import AgentSettings
from loadstone_agent.spool import Spool, SpoolTaken
from loadstone_agent.trial.chain import TrialChain
from loadstone_agent.trial.record import TrialRecord
from loadstone_agent_testing.api_server import ApiInMemory, Refusal
from loadstone_agent_testing.assignments import assignment, managed, work
from loadstone_contracts.agent_calls import MAX_SAMPLES_PER_CALL, Assignment
from loadstone_contracts.engine_events import SampleEvent


def line(seq: int) -> bytes:
    sample = SampleEvent(
        seq=seq, phase="measure", at_unix_ns=seq, elapsed_ns=seq, duration_ns=1, in_flight=0, operations=[]
    )
    return sample.model_dump_json().encode() + b"\n"


@pytest.fixture
def given(api: ApiInMemory) -> Assignment:
    given = assignment(managed(), work=work(0.5))
    api.assign(given)
    return given


def leave_spool(settings: AgentSettings, given: Assignment, count: int) -> Path:
    """As a killed process leaves it."""
    spool = Spool.create(settings.spool_dir, given)
    for seq in range(count):
        spool.samples.append(line(seq))
    spool.close()
    return spool.path


def append_until_full(spool: Spool) -> None:
    for seq in range(100_000):
        spool.samples.append(line(seq))


def replay(agent: Agent) -> bool:
    return replay_spool(agent.settings, agent.api, agent.inventory, NO_PATIENCE)


def test_samples_without_an_outcome_are_sent_and_finished_as_crashed(
    agent: Agent, api: ApiInMemory, given: Assignment
) -> None:
    leave_spool(agent.settings, given, 150)
    assert replay(agent)
    finish = api.finishes[given.lease_id]
    assert finish.error is not None
    assert (finish.outcome, finish.error.code, finish.sample_count) == ("crashed", "agent_restarted", 150)
    assert api.sequence(given.lease_id) == list(range(150))
    assert list(agent.settings.spool_dir.iterdir()) == []


def test_an_outcome_that_was_known_is_sent_as_it_was(agent: Agent, api: ApiInMemory, given: Assignment) -> None:
    path = leave_spool(agent.settings, given, 3)
    spool = Spool(path)
    record = TrialRecord()
    record.succeed()
    spool.write_finish(record.finish(given.fence, agent.inventory, 3))
    spool.sync()
    spool.close()
    assert replay(agent)
    assert api.finishes[given.lease_id].outcome == "succeeded"
    assert api.sequence(given.lease_id) == [0, 1, 2]


def test_half_a_line_and_unwritten_blocks_are_left_out_and_the_rest_is_sent(
    agent: Agent, api: ApiInMemory, given: Assignment
) -> None:
    path = leave_spool(agent.settings, given, 2)
    with (path / "samples.ndjson").open("ab") as file:
        file.write(b"\0" * 100 + b"\n" + line(2) + line(3)[:20])
    assert replay(agent)
    assert api.sequence(given.lease_id) == [0, 1, 2]
    assert api.finishes[given.lease_id].sample_count == 3


def test_an_api_that_is_away_leaves_the_spool_where_it_is(agent: Agent, api: ApiInMemory, given: Assignment) -> None:
    path = leave_spool(agent.settings, given, 2)
    api.is_gone = True
    assert not replay(agent)
    assert path.exists()
    api.is_gone = False
    assert replay(agent)
    assert api.sequence(given.lease_id) == [0, 1]


def test_a_living_trials_spool_is_not_replayed(agent: Agent, api: ApiInMemory, given: Assignment) -> None:
    spool = Spool.create(agent.settings.spool_dir, given)
    spool.samples.append(line(0))
    with pytest.raises(SpoolTaken):
        Spool(spool.path)
    assert replay(agent)
    assert api.finishes == {}
    spool.delete()


def test_refused_spools_are_kept_up_to_a_bound(agent: Agent, api: ApiInMemory) -> None:
    object.__setattr__(agent, "settings", agent.settings.model_copy(update={"agent_refused_spools_kept": 2}))
    for number in range(4):
        lost = assignment(managed())
        path = leave_spool(agent.settings, lost, 1)
        os.utime(path, (number, number))
    assert replay(agent)
    assert api.finishes == {}
    assert list(agent.settings.spool_dir.iterdir()) == []
    assert len(list(agent.settings.refused_dir.iterdir())) == 2


def test_a_batch_holds_no_more_than_one_call_may_carry(agent: Agent, given: Assignment) -> None:
    spool = Spool(leave_spool(agent.settings, given, MAX_SAMPLES_PER_CALL + 1))
    first, offset = spool.samples.read_batch(0)
    rest, end = spool.samples.read_batch(offset)
    assert (len(first), len(rest)) == (MAX_SAMPLES_PER_CALL, 1)
    assert spool.samples.read_batch(end) == ([], end)
    spool.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    path = tmp_path / "small"
    path.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(path)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"this user may not mount: {mounted.stderr.decode().strip()}")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_full_disk_keeps_whole_lines_and_room_for_the_outcome(
    agent: Agent, given: Assignment, small_disk: Path
) -> None:
    spool = Spool.create(small_disk, given)
    with pytest.raises(DiskFull) as caught:
        append_until_full(spool)
    assert str(small_disk) in caught.value.message
    assert spool.samples.line_count > 1000
    content = (spool.path / "samples.ndjson").read_bytes()
    assert len(content) == spool.samples.size_bytes
    assert content.count(b"\n") == spool.samples.line_count
    assert content.endswith(b"\n")
    spool.write_finish(TrialRecord().finish(given.fence, agent.inventory, spool.samples.line_count))
    spool.close()


def test_a_disk_that_fills_up_during_a_trial_loses_nothing_that_was_spooled(
    agent: Agent, api: ApiInMemory, small_disk: Path
) -> None:
    changed = agent.settings.model_copy(update={"agent_dir": small_disk, "agent_min_free_bytes": 0})
    object.__setattr__(agent, "settings", changed)
    given = assignment(managed(), work=work(60.0))
    api.assign(given)
    # Leaves room for the spool's own files, the engine's and the store's nothing, and a sample or two.
    reserved = 256 * 1024
    (small_disk / "ballast").write_bytes(b"x" * (1024 * 1024 - reserved - 28 * 1024))
    TrialChain(agent).execute(given.trial_id)
    finish = api.finishes[given.lease_id]
    assert finish.error is not None
    assert (finish.outcome, finish.error.code) == ("failed", "disk_full")
    assert str(small_disk) in finish.error.message
    assert "free space" in finish.error.message
    assert api.sequence(given.lease_id) == list(range(finish.sample_count))
    assert list((small_disk / "spool").iterdir()) == []


def test_a_trial_is_not_begun_when_its_samples_would_not_fit(agent: Agent, api: ApiInMemory, given: Assignment) -> None:
    huge = agent.settings.model_copy(update={"agent_min_free_bytes": 2**60})
    object.__setattr__(agent, "settings", huge)
    TrialChain(agent).execute(given.trial_id)
    finish = api.finishes[given.lease_id]
    assert finish.error is not None
    assert (finish.outcome, finish.error.code, finish.engine) == ("failed", "disk_full", None)


def test_a_file_size_limit_counts_as_a_full_disk(agent: Agent, given: Assignment) -> None:
    spool = Spool.create(agent.settings.spool_dir, given)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        with pytest.raises(DiskFull):
            append_until_full(spool)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (spool.path / "samples.ndjson").stat().st_size == spool.samples.size_bytes
    spool.delete()


def test_a_refused_replay_does_not_block_the_next(agent: Agent, api: ApiInMemory, given: Assignment) -> None:
    lost = assignment(managed())
    leave_spool(agent.settings, lost, 1)
    leave_spool(agent.settings, given, 1)
    assert replay(agent)
    assert list(api.finishes) == [given.lease_id]


def test_an_unreadable_spool_is_set_aside(agent: Agent, api: ApiInMemory) -> None:
    broken = agent.settings.spool_dir / "lease-broken"
    broken.mkdir(parents=True)
    (broken / "lease.json").write_text("{")
    api.refused_paths = {"finish": Refusal(404, "not_found")}
    assert replay(agent)
    assert [path.name for path in agent.settings.refused_dir.iterdir()] == ["lease-broken"]
