"""A trial from claim to finish, against real stores and the real engine."""

import itertools
import time

import pytest
from loadstone_agent.agent import Agent
from loadstone_agent.trial.chain import TrialChain
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.assignments import assignment, managed, work
from loadstone_agent_testing.processes import processes_with
from loadstone_agent_testing.trials import carried_out
from loadstone_contracts.engine_plan import EnginePhase, StopRule


@pytest.mark.parametrize("kind", ["memcached", "redis"])
def test_a_trial_on_a_managed_store_is_measured_and_reported_in_full(agent: Agent, api: ApiInMemory, kind: str) -> None:
    given = assignment(managed(kind), work=work(2.0))
    finish = carried_out(agent, api, given)
    assert (finish.outcome, finish.error) == ("succeeded", None)
    assert finish.summary is not None
    assert finish.summary.phases[-1].answered > 1000
    assert api.sequence(given.lease_id) == list(range(finish.sample_count))
    assert finish.store is not None
    assert finish.store.kind == kind
    assert len(finish.store.settings) > 30
    assert finish.load_before is not None
    assert 0 <= finish.load_before.cpu_busy_share <= 1
    assert finish.load_during is not None
    assert finish.load_during.cpu_busy_share > 0
    assert finish.load_during.others_busy_share is not None
    assert finish.keys_held is None or finish.keys_held > 0
    assert finish.engine_version
    assert "127.0.0.1" in finish.command_lines[0]


@pytest.mark.parametrize("protocol", ["memcached_meta", "memcached_binary"])
def test_a_target_is_spoken_to_in_the_protocol_it_was_given(agent: Agent, api: ApiInMemory, protocol: str) -> None:
    target = managed("memcached").model_copy(update={"protocol": protocol})
    given = assignment(target, work=work(1.0))
    finish = carried_out(agent, api, given)
    assert (finish.outcome, finish.error) == ("succeeded", None)
    assert finish.summary is not None
    assert finish.summary.phases[-1].answered > 1000


SQL_OPTIONS = {
    "mariadb": {"innodb_flush_log_at_trx_commit": "2"},
    "postgresql": {"synchronous_commit": "off"},
}


@pytest.mark.parametrize(
    ("kind", "protocol"),
    [
        ("mariadb", "mysql"),
        ("mariadb", "mysql_text"),
        ("postgresql", "postgres"),
        ("postgresql", "postgres_simple"),
    ],
)
def test_sql_is_measured_on_a_server_made_for_the_trial(
    roomy_agent: Agent, api: ApiInMemory, kind: str, protocol: str
) -> None:
    options = SQL_OPTIONS[kind]
    target = managed(kind).model_copy(update={"protocol": protocol, "options": options})
    given = assignment(target, work=work(1.0))
    finish = carried_out(roomy_agent, api, given)
    assert (finish.outcome, finish.error) == ("succeeded", None)
    assert finish.summary is not None
    assert finish.summary.phases[-1].answered > 100
    assert finish.store is not None
    assert options.items() <= finish.store.settings.items()


def test_a_finished_trial_leaves_no_process_no_data_and_no_spool(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed("redis"))
    api.assign(given)
    TrialChain(agent).execute(given.trial_id)
    assert processes_with(str(agent.settings.agent_dir)) == []
    assert list(agent.settings.stores_dir.iterdir()) == []
    assert list(agent.settings.spool_dir.iterdir()) == []


def test_lease_states_are_told_in_order(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed(), not_before_unix_ns=time.time_ns() + 1_500_000_000)
    api.assign(given)
    TrialChain(agent).execute(given.trial_id)
    seen = [state for state, _ in itertools.groupby(api.states())]
    assert [state for state in seen if state != "finishing"][-3:] == ["preparing", "ready", "running"]
    assert "resting" in seen


def test_a_trial_begins_when_the_rest_is_over_and_not_before(agent: Agent, api: ApiInMemory) -> None:
    not_before = time.time_ns() + 500_000_000
    given = assignment(managed(), not_before_unix_ns=not_before, work=work(0.2))
    api.assign(given)
    TrialChain(agent).execute(given.trial_id)
    summary = api.finishes[given.lease_id].summary
    assert summary is not None
    started_at = min(phase.started_at_unix_ns for phase in summary.phases)
    # A busy machine is still starting the store when the rest is over.
    assert 0 <= started_at - not_before < 10_000_000_000


def test_live_samples_reach_the_api_within_half_a_second(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed(), work=work(3.0))
    api.assign(given)
    TrialChain(agent).execute(given.trial_id)
    samples = api.samples[given.lease_id]
    lags = [arrived_at - samples[seq].at_unix_ns / 1e9 for arrived_at, _, seq in api.sample_arrivals]
    assert len(lags) >= 3
    # The middle one: a busy machine may hold up any single one.
    assert sorted(lags)[len(lags) // 2] < 0.5


def test_trials_of_one_run_follow_each_other_without_a_doorbell(agent: Agent, api: ApiInMemory) -> None:
    first, second = assignment(managed(), work=work(0.2)), assignment(managed("redis"), work=work(0.2))
    api.assign(first)
    api.assign(second)
    api.next_trials[first.trial_id] = second.trial_id
    TrialChain(agent).execute(first.trial_id)
    assert [api.finishes[one.lease_id].outcome for one in (first, second)] == ["succeeded", "succeeded"]


def _chain_of_two(api: ApiInMemory, second_changes: dict[str, object]) -> tuple[str, str]:
    """The second trial only reads: it hits what the first one left in the store."""
    reads = {"operations": [{"kind": "get", "weight": 1.0}], "phases": [measure(0.2)]}
    first = assignment(managed(), keep_store=True, reset="none", work=work(0.2))
    second = assignment(managed(), **{"reset": "none", "work": work(**reads), **second_changes})
    api.assign(first)
    api.assign(second)
    api.next_trials[first.trial_id] = second.trial_id
    return first.trial_id, second.lease_id


def measure(seconds: float) -> EnginePhase:
    return EnginePhase(name="measure", stop=StopRule(seconds=seconds))


@pytest.mark.parametrize(
    ("changes", "has_hits"),
    [
        ({"reset": "none"}, True),
        ({"reset": "flush"}, False),
        ({"reset": "restart"}, False),
        ({"run_id": "run-2"}, False),
    ],
    ids=["none keeps the data", "flush empties it", "restart starts anew", "another run shares nothing"],
)
def test_reset_decides_what_a_later_trial_finds(
    agent: Agent, api: ApiInMemory, changes: dict[str, object], has_hits: bool
) -> None:
    first_trial_id, second_lease_id = _chain_of_two(api, changes)
    TrialChain(agent).execute(first_trial_id)
    summary = api.finishes[second_lease_id].summary
    assert summary is not None
    (operation,) = summary.phases[-1].operations
    assert (operation.hits > 0) == has_hits
    assert operation.count > 0


def test_a_doorbell_for_a_trial_that_is_taken_does_nothing(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed(), work=work(0.2))
    api.assign(given)
    chain = TrialChain(agent)
    chain.execute(given.trial_id)
    arrivals = len(api.sample_arrivals)
    chain.execute(given.trial_id)
    chain.execute("no-such-trial")
    assert api.claims == [given.trial_id, given.trial_id, "no-such-trial"]
    assert len(api.sample_arrivals) == arrivals


def test_one_cpu_for_both_is_a_warning(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed(placement={"cpus": ",".join(map(str, agent.cpus.engine))}), work=work(0.2))
    finish = carried_out(agent, api, given)
    assert "shared_cpu" in [warning.code for warning in finish.warnings]
