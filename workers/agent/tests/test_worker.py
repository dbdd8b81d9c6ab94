"""The whole agent: its program, a real broker, doorbells, signals."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from celery import Celery
from loadstone.agents.broker_users import make_user
from loadstone_agent.agent import Agent
from loadstone_agent.broker import BrokerAccess, BrokerInClear
from loadstone_agent.identity import Identity, load_identity, save_identity
from loadstone_agent.offers import HostOffers
from loadstone_agent.settings import AgentSettings
from loadstone_agent.stores import KINDS
from loadstone_agent_testing.api_server import ApiInMemory, Refusal
from loadstone_agent_testing.assignments import assignment, external, managed, work
from loadstone_agent_testing.processes import (
    descendants,
    end,
    free_port,
    is_alive,
    is_listening,
    program_of,
    wait_until,
)
from loadstone_contracts.broker_address import with_authorities
from loadstone_contracts.tasks import Doorbell, agent_queue
from redis import Redis

Start = Callable[..., "subprocess.Popen[bytes]"]
STOPS_WITHIN_S = 30
"""What systemd gives it (`TimeoutStopSec`)."""


@pytest.fixture
def broker_url(redis_port: int) -> str:
    return f"redis://127.0.0.1:{redis_port}/0"


@pytest.fixture
def doorbell(broker_url: str) -> Iterator[Doorbell]:
    doorbell = Doorbell(broker_url)
    yield doorbell
    doorbell._app.close()


@pytest.fixture
def broker(broker_url: str) -> Iterator[Redis]:
    """Redis as its administrator sees it."""
    with Redis.from_url(broker_url, decode_responses=True) as connection:
        yield connection


def add_user(broker: Redis, name: str) -> str:
    """As the service makes it; returns the address to sign in with."""
    rules = make_user(uuid.uuid4(), uuid.uuid4(), hashlib.sha256(name.encode()).hexdigest())._replace(queue="agent.a1")
    broker.execute_command("ACL", "SETUSER", name, *rules.rules())
    port = broker.connection_pool.connection_kwargs["port"]
    return f"redis://{name}:{name}@127.0.0.1:{port}/0"


@pytest.fixture
def start_agent(settings: AgentSettings, identity: Identity, broker: Redis, api: ApiInMemory) -> Iterator[Start]:
    own = {"broker_url": add_user(broker, "first"), "broker_user": "first"}
    save_identity(settings.agent_dir, identity.model_copy(update=own))
    known = {
        **os.environ,
        "LOADSTONE_AGENT_DIR": str(settings.agent_dir),
        "LOADSTONE_ENGINE": settings.engine,
    }
    started: list[subprocess.Popen[bytes]] = []

    def start(*, is_let_in: bool = True, **environment: str) -> "subprocess.Popen[bytes]":
        beats = len(api.heartbeats)
        command = [str(Path(sys.executable).parent / "loadstone-agent"), "start"]
        started.append(subprocess.Popen(command, env=known | environment, stdout=subprocess.DEVNULL))
        if is_let_in:
            api.wait_for(lambda: len(api.heartbeats) > beats, 60.0)
        return started[-1]

    yield start
    for process in started:
        end(process)


def test_a_doorbell_starts_a_trial_and_a_heartbeat_tells_what_the_host_can_do(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory, memcached_port: int
) -> None:
    process = start_agent()
    beat = api.heartbeats[0]
    assert {offer.kind for offer in beat.stores if offer.available} >= {"memcached", "redis"}
    assert beat.engines[0].name == "loadstone-engine"
    assert set(beat.engines[0].operations) >= {"get", "set", "multi_get"}
    check_id = str(uuid.uuid4())
    api.checks[check_id] = external("memcached", memcached_port)
    doorbell.ring_check("a1", check_id)
    api.wait_for(lambda: check_id in api.check_results)
    assert api.check_results[check_id].reachable
    given = assignment(managed(), work=work(0.3))
    api.assign(given)
    doorbell.ring_trial("a1", given.trial_id)
    doorbell.ring_trial("a1", given.trial_id)
    api.wait_for(lambda: given.lease_id in api.finishes)
    assert api.finishes[given.lease_id].outcome == "succeeded"
    api.wait_for(lambda: len(api.claims) == 2)
    process.terminate()
    assert process.wait(STOPS_WITHIN_S) == 0


def test_a_running_agent_offers_what_was_installed_and_no_more_what_was_removed(
    start_agent: Start, api: ApiInMemory, tmp_path: Path
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    start_agent(PATH=str(programs))

    def offered() -> list[str | None]:
        return [offer.version for offer in api.heartbeats[-1].stores if offer.kind == "memcached" and offer.available]

    assert offered() == []
    memcached = shutil.which("memcached")
    assert memcached
    (programs / "memcached").symlink_to(memcached)
    api.wait_for(lambda: offered() != [])
    assert offered() == [KINDS["memcached"].offer().version]
    (programs / "memcached").unlink()
    api.wait_for(lambda: offered() == [])


def test_programs_are_asked_for_their_versions_only_after_a_change(agent: Agent, tmp_path: Path) -> None:
    """They would run beside a trial at each heartbeat."""
    asked = tmp_path / "asked"
    program = tmp_path / "programs" / "memcached"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho asked >> {asked}\necho memcached 1.2.3\n")
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        offers = HostOffers(agent.settings, agent.engines)
        for _ in range(3):
            assert {"1.2.3"} <= {offer.version for offer in offers.read()[0]}
        assert asked.read_text().count("asked") == 1
        agent.settings.engines_dir.mkdir(parents=True)
        offers.read()
    assert asked.read_text().count("asked") == 2


def test_sigkill_of_the_agent_leaves_nothing_running_and_its_next_start_sends_what_was_measured(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory, settings: AgentSettings
) -> None:
    process = start_agent()
    given = assignment(managed("redis"), work=work(60.0))
    api.assign(given)
    doorbell.ring_trial("a1", given.trial_id)
    api.wait_for(lambda: len(api.sample_arrivals) >= 2)
    family = descendants(process.pid)
    assert {"loadstone-engin", "redis-server"} <= set(map(program_of, family))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    wait_until(lambda: not any(map(is_alive, family)), 10.0, "everything dead")
    assert list(settings.stores_dir.iterdir()) == []
    assert api.finishes == {}
    start_agent()
    api.wait_for(lambda: given.lease_id in api.finishes)
    finish = api.finishes[given.lease_id]
    assert finish.error is not None
    assert (finish.outcome, finish.error.code) == ("crashed", "agent_restarted")
    assert api.sequence(given.lease_id) == list(range(finish.sample_count))


def test_sigkill_of_the_pool_process_is_told_by_the_main_process(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory
) -> None:
    process = start_agent()
    given = assignment(managed(), work=work(60.0))
    api.assign(given)
    doorbell.ring_trial("a1", given.trial_id)
    api.wait_for(lambda: len(api.sample_arrivals) >= 1)
    family = descendants(process.pid)
    os.kill(family[0], signal.SIGKILL)
    wait_until(lambda: not any(map(is_alive, family)), 10.0, "everything dead")
    api.wait_for(lambda: given.lease_id in api.finishes)
    assert api.finishes[given.lease_id].outcome == "crashed"
    again = assignment(managed(), work=work(0.3))
    api.assign(again)
    doorbell.ring_trial("a1", again.trial_id)
    api.wait_for(lambda: again.lease_id in api.finishes)
    assert api.finishes[again.lease_id].outcome == "succeeded"


def test_sigterm_ends_the_trial_reports_it_and_exits_in_time(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory
) -> None:
    process = start_agent()
    given = assignment(managed(), work=work(60.0))
    api.assign(given)
    doorbell.ring_trial("a1", given.trial_id)
    api.wait_for(lambda: len(api.sample_arrivals) >= 1)
    family = descendants(process.pid)
    process.terminate()
    assert process.wait(STOPS_WITHIN_S) == 0
    assert not any(map(is_alive, family))
    assert api.finishes[given.lease_id].outcome == "crashed"


def test_a_revoked_agent_stops_by_itself(start_agent: Start, api: ApiInMemory) -> None:
    process = start_agent()
    api.refused_paths = {"heartbeat": Refusal(401, "agent_revoked")}
    assert process.wait(STOPS_WITHIN_S) == 0


NOT_MESSAGES = [
    b"garbage",
    b"",
    b"\xff\xfe\x00",
    b"[" * 10_000,
    b"null",
    b"x" * 500_000,
    b'{"body": "%%%", "headers": {"task": "loadstone.agent.trial"}, "content-type": "application/json",'
    b' "content-encoding": "utf-8", "properties": {}}',
    b'{"body": "gASVAAAAAAAAAA==", "headers": {"task": "loadstone.agent.trial"},'
    b' "content-type": "application/x-python-serialize", "content-encoding": "binary"}',
    b'{"body": "W10=", "headers": {"task": "celery.control.shutdown"}, "content-type": "application/json",'
    b' "content-encoding": "utf-8"}',
]


def carry_out_one(doorbell: Doorbell, api: ApiInMemory) -> None:
    given = assignment(managed(), work=work(0.3))
    api.assign(given)
    doorbell.ring_trial("a1", given.trial_id)
    api.wait_for(lambda: given.lease_id in api.finishes)
    assert api.finishes[given.lease_id].outcome == "succeeded"


def test_what_cannot_be_read_is_dropped_and_the_agent_works_on(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory, broker: Redis
) -> None:
    process = start_agent()
    for message in NOT_MESSAGES * 20:
        broker.lpush(agent_queue("a1"), message)
    doorbell.ring_trial("a1", "not-an-id")
    doorbell._app.send_task("loadstone.agent.trial", args=[1, 2], kwargs={"a": 3}, queue=agent_queue("a1"))
    carry_out_one(doorbell, api)
    wait_until(lambda: broker.llen(agent_queue("a1")) == 0, 20.0, "the queue empty")
    assert process.poll() is None
    assert len(api.claims) == 1


def test_the_worker_sends_only_what_its_user_may(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory, broker: Redis
) -> None:
    """Nothing it tries from start to end is refused, and what it leaves in Redis is nothing."""
    broker.execute_command("ACL", "LOG", "RESET")
    process = start_agent()
    carry_out_one(doorbell, api)
    process.terminate()
    assert process.wait(STOPS_WITHIN_S) == 0
    assert broker.execute_command("ACL", "LOG") == []
    assert broker.keys("*") == []


def test_a_broadcast_shutdown_reaches_nobody(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory, broker: Redis, broker_url: str
) -> None:
    """With the rights of the administrator even, and Celery's own tools."""
    process = start_agent()
    with Celery(broker=broker_url) as celery:
        celery.control.shutdown()
        assert not celery.control.ping(timeout=1)
    carry_out_one(doorbell, api)
    assert broker.pubsub_channels() == []
    assert process.poll() is None


def connected(broker: Redis) -> set[str]:
    return {entry["user"] for entry in broker.client_list()}


def test_a_new_broker_user_is_taken_over_without_a_restart(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory, broker: Redis, settings: AgentSettings
) -> None:
    process = start_agent()
    carry_out_one(doorbell, api)
    # Also while a trial is under way, when the worker does not listen.
    given = assignment(managed(), work=work(4.0))
    api.assign(given)
    doorbell.ring_trial("a1", given.trial_id)
    api.wait_for(lambda: len(api.sample_arrivals) >= 1)
    for name in ("second", "third"):
        before = api.heartbeats[-1].broker_user
        api.broker_url, api.broker_user = add_user(broker, name), name
        api.wait_for(lambda name=name: api.heartbeats[-1].broker_user == name)
        assert load_identity(settings.agent_dir).broker_user == name
        # As the service does when a heartbeat has named the new one.
        broker.execute_command("ACL", "DELUSER", before)
        if name == "second":
            api.wait_for(lambda: given.lease_id in api.finishes)
            assert api.finishes[given.lease_id].outcome == "succeeded"
        carry_out_one(doorbell, api)
        assert name in connected(broker)
    assert process.poll() is None


def test_users_that_redis_has_lost_are_waited_for(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory, broker: Redis
) -> None:
    process = start_agent()
    carry_out_one(doorbell, api)
    broker.execute_command("ACL", "DELUSER", "first")
    time.sleep(3)
    assert process.poll() is None
    add_user(broker, "first")
    carry_out_one(doorbell, api)


def test_an_agent_whose_user_is_gone_when_it_starts_gets_another(
    start_agent: Start, doorbell: Doorbell, api: ApiInMemory, broker: Redis
) -> None:
    broker.execute_command("ACL", "DELUSER", "first")
    api.broker_url, api.broker_user = add_user(broker, "second"), "second"
    start_agent()
    carry_out_one(doorbell, api)
    assert "second" in connected(broker)


def test_an_agent_from_before_gets_a_user_of_its_own(
    start_agent: Start,
    doorbell: Doorbell,
    api: ApiInMemory,
    broker: Redis,
    broker_url: str,
    settings: AgentSettings,
    identity: Identity,
) -> None:
    everybodys = {"broker_url": broker_url, "broker_user": None}
    save_identity(settings.agent_dir, identity.model_copy(update=everybodys))
    api.broker_url, api.broker_user = add_user(broker, "own"), "own"
    start_agent()
    carry_out_one(doorbell, api)
    assert load_identity(settings.agent_dir).broker_user == "own"
    assert "own" in connected(broker)


@dataclass(frozen=True)
class TlsBroker:
    """A Redis that is reached by TLS only, and what its certificate is checked with."""

    url: str
    ca_file: Path


@pytest.fixture
def tls_broker(tmp_path: Path) -> Iterator[TlsBroker]:
    folder, port = tmp_path / "tls", free_port()
    script = Path(__file__).parents[3] / "deploy/make-broker-cert.sh"
    subprocess.run([script, folder, "127.0.0.1", "broker.example"], check=True)
    files = ["--tls-cert-file", str(folder / "broker.pem"), "--tls-key-file", str(folder / "broker.key")]
    options = ["--tls-port", str(port), "--tls-auth-clients", "no", "--save", "", "--dir", str(tmp_path)]
    command = ["redis-server", "--bind", "127.0.0.1", "--port", "0", *options, *files]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    wait_until(lambda: is_listening(port), what="Redis listening")
    yield TlsBroker(f"rediss://127.0.0.1:{port}/0", folder / "ca.pem")
    end(server)


def test_the_broker_is_reached_by_tls(
    start_agent: Start, api: ApiInMemory, identity: Identity, settings: AgentSettings, tls_broker: TlsBroker
) -> None:
    url = with_authorities(tls_broker.url, str(tls_broker.ca_file))
    with Redis.from_url(url, decode_responses=True) as admin:
        port = admin.connection_pool.connection_kwargs["port"]
        own = f"rediss://first:first@127.0.0.1:{port}/0"
        add_user(admin, "first")
        save_identity(settings.agent_dir, identity.model_copy(update={"broker_url": own, "broker_user": "first"}))
        # Without the authority the certificate is not trusted: it waits and does not sign in.
        stranger = start_agent(is_let_in=False)
        time.sleep(6)
        assert "first" not in connected(admin)
        assert stranger.poll() is None
        end(stranger)
        start_agent(LOADSTONE_BROKER_CA_FILE=str(tls_broker.ca_file))
        doorbell = Doorbell(url)
        carry_out_one(doorbell, api)
        assert "first" in connected(admin)
        doorbell._app.close()


def test_a_broker_beyond_this_host_is_refused_without_tls(settings: AgentSettings, agent: Agent) -> None:
    far = agent.identity.model_copy(update={"broker_url": "redis://u:p@10.1.2.3:6379/0"})
    with pytest.raises(BrokerInClear, match="LOADSTONE_AGENT_BROKER_URL"):
        BrokerAccess(settings, far, agent.api)
    allowed = settings.model_copy(update={"broker_plain_text": True})
    assert BrokerAccess(allowed, far, agent.api).url == "redis://10.1.2.3:6379/0"
    encrypted = far.model_copy(update={"broker_url": "rediss://u:p@10.1.2.3:6380/0"})
    assert BrokerAccess(settings, encrypted, agent.api).credentials.user == ("u", "p")
