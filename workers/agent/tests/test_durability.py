"""Stores killed under their load: what they had acknowledged is read back, and the modes rank as they should."""

import time
from collections.abc import Callable

import pytest
from loadstone_agent.agent import Agent
from loadstone_agent.stores.launch import ManagedStore
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.assignments import assignment, managed, work
from loadstone_agent_testing.trials import carried_out
from loadstone_contracts.agent_calls import FinishRequest
from loadstone_contracts.durability import DurabilityReport, KillRequest
from loadstone_contracts.engine_plan import Dataset, Operation
from loadstone_contracts.engine_sizes import FixedSize

Check = Callable[..., FinishRequest]


@pytest.fixture
def check(api: ApiInMemory, roomy_agent: Agent) -> Check:
    def check(kind: str, options: dict[str, str], kill_after_s: float = 1.2, lasts_s: float = 20.0) -> FinishRequest:
        target = managed(kind).model_copy(update={"options": options})
        # So many keys that few are written twice: of those the older write cannot be asked for.
        dataset = Dataset(key_count=200_000, value_size=FixedSize(bytes=100))
        sets = [Operation(kind="set", weight=1)]
        writes = work(lasts_s, prefill=False, dataset=dataset, operations=sets)
        given = assignment(target, work=writes)
        given = given.model_copy(update={"kill": KillRequest(kill_after_s=kill_after_s)})
        return carried_out(roomy_agent, api, given)

    return check


def report_of(finish: FinishRequest) -> DurabilityReport:
    assert (finish.outcome, finish.error) == ("succeeded", None)
    assert finish.durability is not None
    report = finish.durability
    # Few where each waits for a busy disk.
    assert report.acknowledged > 20
    assert report.kept + report.newer + report.lost + report.torn == report.keys
    assert report.errors == 0
    return report


def test_the_kill_is_a_mark_at_its_own_time(check: Check, api: ApiInMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    began_ns: list[int] = []
    ended_ns: list[int] = []
    kill = ManagedStore.kill

    def watched(store: ManagedStore) -> None:
        began_ns.append(time.time_ns())
        kill(store)
        ended_ns.append(time.time_ns())

    monkeypatch.setattr(ManagedStore, "kill", watched)
    finish = check("redis", {"save": "", "appendonly": "no"})
    (lease_id,) = api.finishes
    (killed,) = [event for event in api.events(lease_id) if event.kind == "store_killed"]
    # A microsecond for what a time in seconds loses.
    assert began_ns[0] - 1000 <= killed.at_unix_ns <= ended_ns[0]
    assert finish.summary is not None
    assert (killed.at_unix_ns - finish.summary.phases[-1].started_at_unix_ns) / 1e9 > 1.1


def test_redis_ranks_from_no_persistence_over_snapshots_to_its_log(check: Check) -> None:
    without = report_of(check("redis", {"save": "", "appendonly": "no"}))
    assert without.lost == without.keys
    assert without.lost_window_ns is not None
    for kill_after_s in (2.4, 6.0, 12.0):
        snapshots = report_of(check("redis", {"save": "1 100", "appendonly": "no"}, kill_after_s=kill_after_s))
        if snapshots.lost < snapshots.keys:
            # A busy machine takes seconds over its first snapshot.
            break
    assert 0 < snapshots.lost < snapshots.keys
    assert snapshots.torn == 0
    assert snapshots.lost_window_ns is not None
    assert snapshots.lost_window_ns < kill_after_s * 1e9
    for appendfsync in ("no", "everysec", "always"):
        # Nothing at a kill of the process, forced or not: it was handed to the kernel before it was acknowledged.
        logged = report_of(check("redis", {"save": "", "appendonly": "yes", "appendfsync": appendfsync}))
        assert (appendfsync, logged.lost, logged.torn) == (appendfsync, 0, 0)
        assert logged.lost_window_ns is None


def test_innodb_that_writes_its_log_once_a_second_loses_what_is_younger(check: Check) -> None:
    for kill_after_s in (1.6, 1.9, 2.2):
        lazy = report_of(check("mariadb", {"innodb_flush_log_at_trx_commit": "0"}, kill_after_s=kill_after_s))
        assert lazy.torn == 0
        if lazy.lost:
            # A kill right after the log was written loses nothing.
            break
    assert lazy.lost > 0
    assert lazy.lost_window_ns is not None
    assert lazy.lost_window_ns < 3_000_000_000
    for written in ("2", "1"):
        eager = report_of(check("mariadb", {"innodb_flush_log_at_trx_commit": written}, kill_after_s=1.6))
        assert (written, eager.lost, eager.torn) == (written, 0, 0)


def test_a_measurement_that_ends_before_the_kill_is_refused(check: Check) -> None:
    finish = check("redis", {"save": "", "appendonly": "no"}, kill_after_s=5.0, lasts_s=0.5)
    assert finish.outcome == "failed"
    assert finish.error is not None
    assert finish.error.code == "bad_plan"
    assert finish.durability is None
