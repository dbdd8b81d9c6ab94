"""What an agent's broker credential opens, tried on a live stack with the agent's own password."""

import json
import os
import re
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from loadstone_contracts.tasks import CONTROL_QUEUE, agent_queue
from loadstone_local.live_stack import LiveStack
from loadstone_local.paths import ENGINE, REPOSITORY, in_venv
from loadstone_local.secrets_file import Secrets
from loadstone_local.servers import REDIS_LIMITS, broker_url
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError

FLOOD = 100_000
STARTS_WITHIN_S = 5.0
REVOKED_WITHIN_S = 5.0
SERVICES = ("loadstone.main", "loadstone_control.app worker", "loadstone_control.app beat", "loadstone-agent")
NOT_MESSAGES = [
    b"garbage",
    b"\xff\xfe\x00",
    b"null",
    b'{"body": "%%%", "headers": {"task": "loadstone.control.sweep"}, "content-type": "application/json",'
    b' "content-encoding": "utf-8", "properties": {}}',
    b'{"body": "W10=", "headers": {"task": "loadstone.control.sweep"}, "content-type": "application/json",'
    b' "content-encoding": "utf-8", "properties": {"delivery_tag": []}}',
]


def identity(live: LiveStack) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((live.stack.state / "agent/identity.json").read_text())
    return content


def service_url(live: LiveStack) -> str:
    return broker_url(Secrets(**json.loads((live.stack.state / "secrets.json").read_text())))


@contextmanager
def signed_in(url: str) -> Iterator[Redis]:
    with Redis.from_url(url, decode_responses=True) as connection:
        yield connection


@pytest.fixture
def as_agent(live: LiveStack) -> Iterator[Redis]:
    with signed_in(identity(live)["broker_url"]) as connection:
        yield connection


@pytest.fixture
def as_service(live: LiveStack) -> Iterator[Redis]:
    with signed_in(service_url(live)) as connection:
        yield connection


@pytest.fixture
def nothing_ends(live: LiveStack) -> Iterator[None]:
    """The processes are the same ones afterwards."""
    before = {words: live.service(words).pid for words in SERVICES}
    yield
    assert {words: live.service(words).pid for words in SERVICES} == before


def measure_once(live: LiveStack, within_s: float = 60) -> float:
    """Carry out a short run; returns after how many seconds an agent had begun it."""
    began_at = time.monotonic()
    run = live.submit(seconds=0.5)
    while live.get(f"/runs/{run['id']}")["status"] == "queued":
        assert time.monotonic() - began_at < within_s, "the run does not begin"
        time.sleep(0.05)
    waited_s = time.monotonic() - began_at
    assert live.wait_for_end(run["id"], within_s)["status"] == "succeeded"
    return waited_s


@pytest.mark.parametrize(
    "attack",
    [
        ("LPUSH", CONTROL_QUEUE, "garbage"),
        ("LPUSH", agent_queue(str(uuid.uuid4())), "garbage"),
        ("BRPOP", CONTROL_QUEUE, 1),
        ("PSUBSCRIBE", "run:*"),
        ("PUBLISH", "run:x", "5 1\nforged"),
        ("PUBLISH", "/0.celery.pidbox", "{}"),
        ("CONFIG", "GET", "*"),
        ("KEYS", "*"),
        ("FLUSHALL",),
        ("SCRIPT", "LOAD", "return 1"),
        ("EVAL", "return 1", 0),
        ("ACL", "LIST"),
        ("CLIENT", "LIST"),
        ("SHUTDOWN",),
        ("MONITOR",),
    ],
    ids=lambda attack: " ".join(map(str, attack[:2]))[:30],
)
def test_an_agents_credential_is_refused(as_agent: Redis, nothing_ends: None, attack: tuple[Any, ...]) -> None:
    with pytest.raises(NoPermissionError):
        as_agent.execute_command(*attack)


def test_an_agent_cannot_put_anything_on_its_own_queue_either(live: LiveStack, as_agent: Redis) -> None:
    with pytest.raises(NoPermissionError):
        as_agent.lpush(identity(live)["queue"], "garbage")


def test_a_celery_shutdown_ends_nobody(live: LiveStack, nothing_ends: None) -> None:
    """With the agent's credential it is refused, and with the service's own nobody listens."""
    with Celery(broker=identity(live)["broker_url"]) as celery, pytest.raises(Exception, match=r"(?i)permission"):
        celery.control.shutdown()
    with Celery(broker=service_url(live)) as celery:
        celery.control.shutdown()
        assert not celery.control.ping(timeout=1)
    measure_once(live)


def test_garbage_on_either_queue_ends_nobody(live: LiveStack, as_service: Redis, nothing_ends: None) -> None:
    """Put there by the service's own user, since an agent's cannot."""
    queues = (CONTROL_QUEUE, identity(live)["queue"])
    for queue in queues:
        for message in NOT_MESSAGES * 10:
            as_service.lpush(queue, message)
    measure_once(live)
    deadline = time.monotonic() + 20
    while any(as_service.llen(queue) > 5 for queue in queues):
        assert time.monotonic() < deadline, "the queues are not emptied"
        time.sleep(0.1)


@pytest.mark.parametrize("whose", ["another agent's", "this agent's"])
def test_a_flood_delays_no_run(live: LiveStack, as_service: Redis, nothing_ends: None, whose: str) -> None:
    """100,000 messages, with rights that no agent has. What comes next cuts the queue short."""
    quiet_s = measure_once(live)
    queue = identity(live)["queue"] if whose == "this agent's" else agent_queue(str(uuid.uuid4()))
    with as_service.pipeline(transaction=False) as pipe:
        for number in range(FLOOD):
            pipe.lpush(queue, f"flood {number}" + "x" * 200)
            if number % 5_000 == 4_999:
                pipe.execute()
    waited_s = measure_once(live)
    as_service.delete(queue)
    print(f"begun after {quiet_s:.2f} s without and {waited_s:.2f} s with a flood on {whose} queue")
    assert waited_s - quiet_s < STARTS_WITHIN_S


def test_a_forged_last_event_closes_no_view(live: LiveStack, as_service: Redis) -> None:
    """Whoever could publish would only cause a look into the table."""
    run = live.submit(seconds=3)
    seen: list[tuple[str, dict[str, Any]]] = []
    with live.client.stream("GET", f"/runs/{run['id']}/events?after=0") as response:
        kind = ""
        for line in response.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
                for forged in ("999999 1\nid: 999999\nevent: run\ndata: {}\n\n", "1 1\n", "\x00"):
                    as_service.publish(f"run:{run['id']}", forged)
            elif line.startswith("data: "):
                seen.append((kind, json.loads(line.removeprefix("data: "))))
    assert seen[-1][0] == "run"
    assert seen[-1][1]["status"] == "succeeded"
    assert sum(kind == "sample" for kind, _ in seen) >= 3
    assert all(data for _, data in seen)


def own_id(live: LiveStack) -> str:
    return str(identity(live)["agent_id"])


def test_a_credential_is_replaced_while_a_trial_runs(live: LiveStack, as_service: Redis, nothing_ends: None) -> None:
    before = identity(live)
    run = live.submit(seconds=12)
    live.wait_for_samples(run["id"])
    live.client.post(f"/agents/{own_id(live)}/replace-broker-credential").raise_for_status()
    deadline = time.monotonic() + 20
    while before["broker_user"] in as_service.acl_users():
        assert time.monotonic() < deadline, "the old user is still there"
        time.sleep(0.1)
    assert identity(live)["broker_user"] in as_service.acl_users()
    with pytest.raises(AuthenticationError), signed_in(before["broker_url"]) as connection:
        connection.ping()
    assert live.wait_for_end(run["id"])["status"] == "succeeded"
    assert live.get(f"/runs/{run['id']}/trials")["items"][0]["attempt"] == 1
    measure_once(live)


@pytest.fixture
def second_agent(live: LiveStack) -> Iterator[subprocess.Popen[bytes]]:
    """Another agent of the stack, on the same host and in its own folder."""
    folder = live.stack.state / "second-agent"
    env = {**os.environ, "LOADSTONE_AGENT_DIR": str(folder), "LOADSTONE_ENGINE": str(ENGINE)}
    token = live.client.post("/agent-enrollments").raise_for_status().json()["token"]
    agent = in_venv("loadstone-agent")
    options = ["--url", live.stack.url, "--token", token, "--name", f"second-{uuid.uuid4().hex[:6]}"]
    subprocess.run([agent, "enroll", *options], env=env, check=True, capture_output=True)
    process = subprocess.Popen([agent, "start"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield process
    process.terminate()
    process.wait(60)
    shutil.rmtree(folder)


def test_a_revoked_agent_is_out_within_five_seconds(
    live: LiveStack, as_service: Redis, second_agent: subprocess.Popen[bytes], nothing_ends: None
) -> None:
    content = json.loads((live.stack.state / "second-agent/identity.json").read_text())
    user = content["broker_user"]

    def connections() -> int:
        return sum(entry["user"] == user for entry in as_service.client_list())

    deadline = time.monotonic() + 60
    while not connections():
        assert time.monotonic() < deadline, "the second agent does not sign in"
        time.sleep(0.05)
    revoked_at = time.monotonic()
    live.client.delete(f"/agents/{content['agent_id']}").raise_for_status()
    while connections() or user in as_service.acl_users():
        assert time.monotonic() - revoked_at < REVOKED_WITHIN_S
        time.sleep(0.01)
    print(f"out of the broker {time.monotonic() - revoked_at:.3f} s after it was revoked")
    with pytest.raises(AuthenticationError), signed_in(content["broker_url"]) as connection:
        connection.ping()
    assert second_agent.wait(60) == 0
    measure_once(live)


def test_users_that_redis_has_lost_come_back(live: LiveStack, as_service: Redis, nothing_ends: None) -> None:
    user = identity(live)["broker_user"]
    as_service.execute_command("ACL", "DELUSER", user)
    deadline = time.monotonic() + 10
    while user not in as_service.acl_users():
        assert time.monotonic() < deadline, "control does not make it again"
        time.sleep(0.05)
    measure_once(live)


def test_redis_without_its_users_after_a_restart(live: LiveStack) -> None:
    live.service("redis-server").kill()
    measure_once(live, within_s=90)


def test_the_limits_are_the_same_wherever_redis_is_started() -> None:
    compose = (REPOSITORY / "docker-compose.yml").read_text()
    runbook = (REPOSITORY / "deploy/runbook.md").read_text()
    for limit in REDIS_LIMITS:
        assert re.search(rf"^\s*{re.escape(limit)}$", compose, re.M), limit
        assert re.search(rf"^{re.escape(limit)}$", runbook, re.M), limit
    assert Path(REPOSITORY, "deploy/make-broker-cert.sh").exists()
