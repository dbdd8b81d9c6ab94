"""Forged messages on the broker, with an agent's own credential and with none, while runs are under way."""

import base64
import contextlib
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from loadstone_local import servers
from loadstone_local.attack.attack_agent import AttackAgent
from loadstone_local.attack.outcome import DELAY_LIMIT_S, REVOCATION_LIMIT_S, Figure, NotTried, Outcome
from loadstone_local.attack.stage import Stage, steady_plan

FLOOD = 100_000
FAMILY = "forged doorbells"
RUN_S = 12.0
TASK = "loadstone.agent.trial"
TOO_LARGE = "a megabyte"
"""The broker itself may refuse it."""
TASK_OF_CONTROL = "loadstone.control.dispatch"


def connect(url: str) -> Any:
    """As an attacker connects: with what the credential says, and without retries."""
    return redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5, retry=Retry(NoBackoff(), 0))


def message(task: str, arguments: list[Any], **headers: Any) -> bytes:
    """A message as Celery's Redis transport writes it."""
    body = base64.b64encode(json.dumps([arguments, {}, {}]).encode()).decode()
    identity = str(uuid.uuid4())
    route = {"exchange": "", "routing_key": "control"}
    properties = {"correlation_id": identity, "delivery_mode": 2, "priority": 0, "body_encoding": "base64",
                  "delivery_tag": str(uuid.uuid4()), "delivery_info": route}  # fmt: skip
    known = {"lang": "py", "task": task, "id": identity, "root_id": identity, "argsrepr": "", **headers}
    return json.dumps({"body": body, "content-encoding": "utf-8", "content-type": "application/json",
                       "headers": known, "properties": properties}).encode()  # fmt: skip


def garbage() -> dict[str, bytes]:
    """What must end no worker that takes it off its queue."""
    whole = json.loads(message(TASK, ["x"]))
    return {
        "no JSON": b"garbage",
        "bytes": bytes(range(256)),
        "nothing": b"",
        "bad base64": json.dumps({**whole, "body": "!!!"}).encode(),
        "body of a number": json.dumps({**whole, "body": 7}).encode(),
        "a list": b"[1, 2, 3]",
        "null": b"null",
        "no properties": json.dumps({"body": whole["body"]}).encode(),
        "another content type": json.dumps({**whole, "content-type": "application/x-python-serialize"}).encode(),
        "another compression": json.dumps({**whole, "headers": {**whole["headers"], "compression": "bzip2"}}).encode(),
        "an unknown task": message("os.system", ["true"]),
        "a task of control": message(TASK_OF_CONTROL, []),
        "a far future": message(TASK, ["x"], eta="2099-01-01T00:00:00+00:00"),
        "a wrong id": message(TASK, [{"$ne": None}]),
        "too many arguments": message(TASK, ["x"] * 1000),
        "deep nesting": b"[" * 100_000,
        TOO_LARGE: message(TASK, ["x" * 1_000_000]),
        "a shutdown": json.dumps({"method": "shutdown", "arguments": {}, "destination": None}).encode(),
    }


def attack_by_doorbells(stage: Stage, agent: AttackAgent) -> Iterator[Outcome]:
    """`agent` is of the attacked team; the victim is the stack's own agent with a run under way."""
    run = _start_victims_run(stage)
    url, known = agent.identity["broker_url"], stage.secrets()
    nobody = f"redis://127.0.0.1:{known.redis_port}/0"
    yield from _commands(url, nobody, stage)
    yield from _garbage(stage, agent, url)
    ended = stage.wait(run["id"], within_s=120)
    trials = stage.trials(run["id"])
    healthy = ended["status"] == "succeeded" and [trial["attempt"] for trial in trials] == [1]
    seen = f"{ended['status']}, attempts {[trial['attempt'] for trial in trials]}"
    yield Outcome(FAMILY, "disturb a run under way", "everything above", not healthy, seen)


def _start_victims_run(stage: Stage) -> dict[str, Any]:
    own = json.loads((stage.agent_dir / "identity.json").read_text())["agent_id"]
    plan = steady_plan(stage.target_of("redis"), RUN_S, name="victim of doorbells")
    answer = stage.submit(plan, agent_selector={"agent_id": own})
    if answer.status_code != 201:
        raise NotTried(f"the victim's run was refused: {answer.text[:300]}")
    run: dict[str, Any] = answer.json()
    stage.live.wait_for_samples(run["id"], count=1, within_s=60)
    return run


def _commands(url: str, nobody: str, stage: Stage) -> Iterator[Outcome]:
    """What Redis would do for whoever may: judged by its answer, since all of these change or tell something."""
    own_queue = f"agent.{json.loads((stage.agent_dir / 'identity.json').read_text())['agent_id']}"
    tried: dict[str, Callable[[Any], Any]] = {
        "write to control's queue": lambda client: client.lpush("control", b"garbage"),
        "write to another agent's queue": lambda client: client.lpush(own_queue, b"garbage"),
        "read another agent's queue": lambda client: client.lrange(own_queue, 0, -1),
        "take from another agent's queue": lambda client: client.brpop([own_queue], timeout=1) or "waited",
        "take from control's queue": lambda client: client.brpop(["control"], timeout=1) or "waited",
        "listen to live events": _heard,
        "forge a live event": lambda client: client.publish("run:x", b'{"is_last": true}'),
        "broadcast to workers": lambda client: client.publish("/0.celery.pidbox", garbage()["a shutdown"]),
        "list all keys": lambda client: client.keys("*"),
        "scan all keys": lambda client: client.scan(),
        "read Redis' settings": lambda client: client.config_get("*"),
        "change Redis' settings": lambda client: client.config_set("maxmemory-policy", "noeviction"),
        "list the users": lambda client: client.execute_command("ACL", "LIST"),
        "make a user": lambda client: client.execute_command("ACL", "SETUSER", "evil", "on", "nopass", "+@all", "~*"),
        "run a script": lambda client: client.eval("return redis.call('KEYS', '*')", 0),
        "list clients": lambda client: client.client_list(),
        "watch all commands": lambda client: client.execute_command("MONITOR"),
        "empty the broker": lambda client: (client.execute_command("SELECT", 9), client.flushdb()),
        "count everything": lambda client: client.dbsize(),
        "read a limit of sign-ins": lambda client: client.get("LIMITS:LIMITER/sign-in"),
        "write a key of its own": lambda client: client.set("attack", "x", ex=1),
    }
    for who, address in (("with an agent's credential", url), ("without one", nobody)):
        for name, command in tried.items():
            yield _ask(f"{name} {who}", address, command)


def _heard(client: Any) -> str:
    with closing(client.pubsub()) as listener:
        listener.psubscribe("run:*", "*")
        return str(listener.get_message(timeout=2))


def _ask(name: str, address: str, command: Callable[[Any], Any]) -> Outcome:
    with closing(connect(address)) as client:
        try:
            answer = command(client)
        except redis.RedisError as error:
            return Outcome(FAMILY, name, name, succeeded=False, seen=str(error)[:100])
    return Outcome(FAMILY, name, name, succeeded=True, seen=repr(answer)[:100])


def _garbage(stage: Stage, agent: AttackAgent, url: str) -> Iterator[Outcome]:
    """Into the agent's own queue with its own credential, and with the broker's where that is refused: what a
    stranger writes there must not end the agent either.
    """
    queue = agent.identity["queue"]
    main = agent.process.pid
    for name, payload in garbage().items():
        writer = _write(url, queue, payload) or _write(servers.broker_url(stage.secrets()), queue, payload)
        if writer is None and name != TOO_LARGE:
            raise NotTried(f"nobody may write {name} into an agent's queue, not even the installation")
        time.sleep(1)
        ended = agent.process.poll()
        yield Outcome(
            FAMILY,
            f"end an agent by {name}",
            queue,
            ended is not None,
            f"process {main}: {'alive' if ended is None else f'ended with {ended}'}",
        )
        if ended is not None:
            return
    for name, payload in garbage().items():
        before = stage.live.service("loadstone_control.app worker").pid
        _write(servers.broker_url(stage.secrets()), "control", payload)
        time.sleep(0.3)
        after = _pid_of_control(stage)
        yield Outcome(FAMILY, f"end control by {name}", "control", after != before, f"process {before} -> {after}")


def _pid_of_control(stage: Stage) -> int | None:
    with contextlib.suppress(StopIteration):
        return int(stage.live.service("loadstone_control.app worker").pid)
    return None


def _write(address: str, queue: str, payload: bytes) -> str | None:
    with closing(connect(address)) as client, contextlib.suppress(redis.RedisError):
        client.lpush(queue, payload)
        return address
    return None


def flood_figure(stage: Stage, agent: AttackAgent) -> Figure:
    """Write into every queue that the credential opens; a run on another agent is dispatched meanwhile."""
    count = FLOOD if stage.is_full else FLOOD // 10
    plan = steady_plan(stage.target_of("redis"), 1, name="beside the flood", prefill=True)
    calm = _seconds_to_dispatch(stage, plan)
    stop = threading.Event()
    flooding = threading.Thread(
        target=_flood_queues,
        args=(agent.identity["broker_url"], ["control", agent.identity["queue"]], count, stop),
        daemon=True,
    )
    flooding.start()
    busy = _seconds_to_dispatch(stage, plan)
    stop.set()
    flooding.join(30)
    method = f"run submitted to trial claimed while one agent's credential sends up to {count} messages;"
    return Figure("flood_delays_others_s", max(0.0, busy - calm), "s", DELAY_LIMIT_S, f"{method} less {calm:.2f} s", 1)


def _flood_queues(url: str, queues: list[str], count: int, stop: threading.Event) -> None:
    payload = message(TASK_OF_CONTROL, [])
    with closing(connect(url)) as client, contextlib.suppress(redis.RedisError):
        for _ in range(0, count, 500):
            if stop.is_set():
                return
            for queue in queues:
                with client.pipeline(transaction=False) as pipe, contextlib.suppress(redis.RedisError):
                    for _ in range(500):
                        pipe.lpush(queue, payload)
                    pipe.execute()


def _seconds_to_dispatch(stage: Stage, plan: dict[str, Any]) -> float:
    """From the submission to the claim, on the stack's own agent."""
    own = json.loads((stage.agent_dir / "identity.json").read_text())["agent_id"]
    started = time.monotonic()
    answer = stage.submit(plan, agent_selector={"agent_id": own})
    answer.raise_for_status()
    run_id = answer.json()["id"]
    while time.monotonic() - started < 120:
        run = stage.live.get(f"/runs/{run_id}")
        if run["started_at"] is not None:
            stage.wait(run_id, within_s=120)
            return time.monotonic() - started
        time.sleep(0.05)
    return time.monotonic() - started


def time_revocation(stage: Stage, agent: AttackAgent) -> Figure:
    """From the answer of `DELETE /agents/{id}` to the last command that broker or api accepted of it."""
    url, token, api = agent.identity["broker_url"], agent.identity["token"], stage.live.stack.url
    with closing(connect(url)) as kept:
        kept.ping()
        stage.admin.delete(f"/agents/{agent.agent_id}").raise_for_status()
        revoked = time.monotonic()
        last_accepted = revoked
        while time.monotonic() - revoked < REVOCATION_LIMIT_S * 2:
            if _is_accepted(kept, url) or _is_signed_in(stage, api, token):
                last_accepted = time.monotonic()
            time.sleep(0.1)
    method = "PING on a kept and on a new connection to the broker, and a heartbeat to the api, every 0.1 s for 10 s"
    return Figure("agent_revocation_s", last_accepted - revoked, "s", REVOCATION_LIMIT_S, method, 1)


def _is_accepted(kept: Any, url: str) -> bool:
    for client in (kept, connect(url)):
        with contextlib.suppress(redis.RedisError, OSError):
            client.ping()
            return True
    return False


def _is_signed_in(stage: Stage, api: str, token: str) -> bool:
    answer = stage.admin.post(f"{api}/agent/v1/claim", json={"trial_id": str(uuid.uuid4())},
                              headers={"Authorization": f"Bearer {token}"})  # fmt: skip
    return answer.status_code not in (401, 403)
