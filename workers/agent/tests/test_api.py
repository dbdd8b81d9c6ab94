"""The agent's end of the calls: what is tried again, what is a definite no, what an outage costs."""

import threading
import time

import pytest
from loadstone_agent.agent import Agent
from loadstone_agent.api import AgentApi, AgentRevoked, ApiRefused, ApiUnreachable, Patience
from loadstone_agent.trial.chain import TrialChain
from loadstone_agent_testing.api_server import TOKEN, ApiInMemory, Refusal
from loadstone_agent_testing.assignments import assignment, managed, work
from loadstone_agent_testing.processes import free_port, wait_until


def test_an_api_that_is_gone_for_seconds_loses_no_sample_and_doubles_none(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed(), work=work(3.5))
    api.assign(given)
    trial = threading.Thread(target=TrialChain(agent).execute, args=(given.trial_id,))
    trial.start()
    api.wait_for(lambda: len(api.sample_arrivals) >= 1)
    api.is_gone = True
    time.sleep(1.5)
    before = len(api.samples[given.lease_id])
    api.is_gone = False
    api.wait_for(lambda: given.lease_id in api.finishes)
    trial.join()
    finish = api.finishes[given.lease_id]
    assert finish.outcome == "succeeded"
    assert before < finish.sample_count
    assert api.sequence(given.lease_id) == list(range(finish.sample_count))
    assert finish.summary is not None
    counted = sum(operation.count for sample in api.samples[given.lease_id].values() for operation in sample.operations)
    assert counted == sum(phase.answered for phase in finish.summary.phases)


def test_an_outage_at_the_end_is_waited_out(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed(), work=work(1.0))
    api.assign(given)
    trial = threading.Thread(target=TrialChain(agent).execute, args=(given.trial_id,))
    trial.start()
    api.wait_for(lambda: "running" in api.states())
    api.is_gone = True
    wait_until((agent.settings.spool_dir / given.lease_id / "finish.json").exists, what="the report in the spool")
    time.sleep(0.5)
    assert trial.is_alive()
    api.is_gone = False
    api.wait_for(lambda: given.lease_id in api.finishes)
    trial.join()
    assert api.sequence(given.lease_id) == list(range(api.finishes[given.lease_id].sample_count))
    assert list(agent.settings.spool_dir.iterdir()) == []


def test_answers_that_get_lost_are_asked_for_again_and_stored_once(agent: Agent, api: ApiInMemory) -> None:
    given = assignment(managed(), work=work(2.0))
    api.assign(given)
    trial = threading.Thread(target=TrialChain(agent).execute, args=(given.trial_id,))
    api.answers_to_lose = 1
    trial.start()
    api.wait_for(lambda: "running" in api.states())
    api.answers_to_lose = 3
    trial.join(60)
    assert api.claims == [given.trial_id] * 2
    finish = api.finishes[given.lease_id]
    assert api.sequence(given.lease_id) == list(range(finish.sample_count))
    assert finish.outcome == "succeeded"


@pytest.fixture
def client(api: ApiInMemory) -> AgentApi:
    return AgentApi(api.url, TOKEN)


def test_a_definite_no_carries_its_code_and_is_not_repeated(api: ApiInMemory, client: AgentApi) -> None:
    api.refused_paths = {"finish": Refusal(409, "lease_lost")}
    with pytest.raises(ApiRefused) as caught:
        client.renew("no-such", 1, "running")
    assert (caught.value.status, caught.value.code, caught.value.ends_lease) == (409, "lease_lost", True)
    assert api.asked == ["renew"]
    client.close()


def test_a_revoked_token_is_told_apart(api: ApiInMemory) -> None:
    stranger = AgentApi(api.url, "lsa_other")
    with pytest.raises(AgentRevoked):
        stranger.claim("trial")
    stranger.close()


def test_a_busy_api_is_asked_again_until_patience_ends(api: ApiInMemory, client: AgentApi) -> None:
    api.refused_paths = {"samples": Refusal(503, "busy")}
    began_at = time.monotonic()
    with pytest.raises(ApiUnreachable, match="503"):
        client.send_samples("lease", 1, [], Patience(0.6))
    assert 0.1 < time.monotonic() - began_at < 30
    assert len(api.asked) > 1
    client.close()


def test_a_wait_for_the_api_can_be_interrupted() -> None:
    client = AgentApi(f"http://127.0.0.1:{free_port()}", TOKEN)
    interrupt = threading.Event()
    threading.Timer(0.3, interrupt.set).start()
    began_at = time.monotonic()
    with pytest.raises(ApiUnreachable):
        client.send_samples("lease", 1, [], Patience(60.0, interrupt))
    assert time.monotonic() - began_at < 30
    client.close()
