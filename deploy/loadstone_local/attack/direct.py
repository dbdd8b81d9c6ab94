"""Layer two: no check at all. A stranger on the agent's host talks to the managed store on its loopback port,
first with the engine's own credentials, then as the admin without any.
"""

import shlex
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any

import psycopg
import pymysql
import redis

from loadstone_local.attack.arming import Armed, arm
from loadstone_local.attack.attack_agent import AttackAgent
from loadstone_local.attack.outcome import NotTried, Outcome
from loadstone_local.attack.stage import Stage, steady_plan
from loadstone_local.attack.statements import STATEMENTS

Target = dict[str, Any]
ANSWER_S = 5.0
SECONDS = {"postgresql": 40.0, "mariadb": 40.0, "mysql": 60.0}
ADMINS = {"postgresql": ["postgres"], "mariadb": ["root", "mysql"], "mysql": ["root", "mysql.session"],
          "redis": ["admin"], "valkey": ["admin"]}  # fmt: skip


def attack_directly(stage: Stage, agent: AttackAgent, kind: str) -> Iterator[Outcome]:
    """While a trial of that kind runs on the agent."""
    seconds = SECONDS.get(kind, 25.0)
    answer = stage.submit(
        steady_plan(stage.target_of(kind), seconds, name=f"direct {kind}"), agent_selector=agent.selector
    )
    if answer.status_code != 201:
        raise NotTried(f"a plain plan of {kind} was refused: {answer.text[:500]}")
    run_id = answer.json()["id"]
    target = _where(agent.engine_plan())
    try:
        yield from _sign_in_as_admin(kind, target)
        for statement in STATEMENTS[kind]:
            if not _is_listening(target):
                raise NotTried(f"{kind} has ended: an earlier attack stopped it, and the rest was not tried")
            yield _try(kind, target, arm(statement, f"direct-{agent.uid}-{kind}", stage.canaries))
    finally:
        stage.admin.post(f"/runs/{run_id}/cancel")
        stage.wait(run_id, within_s=60)


def _where(plan: dict[str, Any]) -> Target:
    """Host, port and credentials, wherever in its target the plan says them."""
    found: Target = {}

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                if name in ("host", "port", "username", "user", "password", "database") and inner is not None:
                    found.setdefault("username" if name == "user" else name, inner)
                visit(inner)
        elif isinstance(value, list):
            for inner in value:
                visit(inner)

    visit(plan["target"])
    if "port" not in found:
        raise NotTried(f"the engine's plan names no port: {plan['target']}")
    return found


def _is_listening(target: Target) -> bool:
    with suppress(OSError), socket.create_connection((target["host"], target["port"]), timeout=ANSWER_S):
        return True
    return False


def _try(kind: str, target: Target, one: Armed) -> Outcome:
    try:
        answer, was_accepted = CLIENTS[kind](target, one.text), True
    except REFUSALS as error:
        answer, was_accepted = str(error), False
    seen = one.what_betrays_it(answer, was_accepted=was_accepted)
    return Outcome(f"stores without checks {kind}", one.statement.name, one.text, bool(seen),
                   seen or " ".join(answer.split())[:120])  # fmt: skip


def _sign_in_as_admin(kind: str, target: Target) -> Iterator[Outcome]:
    for name in ADMINS.get(kind, []):
        stranger = {**target, "username": name, "password": None}
        try:
            CLIENTS[kind](stranger, PROBES[kind])
        except REFUSALS as error:
            succeeded, seen = False, str(error)[:120]
        else:
            succeeded, seen = True, "the store let it in"
        family = f"stores without checks {kind}"
        yield Outcome(family, f"sign in as {name or 'anybody'} without a password", PROBES[kind], succeeded, seen)


PROBES = {
    "postgresql": "SELECT 1",
    "mariadb": "SELECT 1",
    "mysql": "SELECT 1",
    "redis": "AUTH admin admin",
    "valkey": "AUTH admin admin",
}
"""What the engine's own role may do as well: only that somebody was let in counts."""


def _ask_postgresql(target: Target, text: str) -> str:
    connection = psycopg.connect(
        host=target["host"], port=target["port"], user=target.get("username", "postgres"),
        password=target.get("password"), dbname=target.get("database", "loadstone"), autocommit=True,
        connect_timeout=5, sslmode="disable", options=f"-c statement_timeout={int(ANSWER_S * 1000)}",
    )  # fmt: skip
    with closing(connection), connection.cursor() as cursor:
        cursor.execute(text.encode())
        return str(cursor.fetchall()) if cursor.description else "done"


def _ask_mysql(target: Target, text: str) -> str:
    connection = pymysql.connect(
        host=target["host"], port=target["port"], user=target.get("username", "root"),
        password=target.get("password") or "", database=target.get("database"), autocommit=True,
        connect_timeout=5, read_timeout=ANSWER_S, client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS,
    )  # fmt: skip
    with closing(connection), connection.cursor() as cursor:
        cursor.execute(text)
        rows = [cursor.fetchall()]
        while cursor.nextset():
            rows.append(cursor.fetchall())
        return str(rows)


def _ask_redis(target: Target, text: str) -> str:
    client = redis.Redis(target["host"], target["port"], username=target.get("username"),
                         password=target.get("password"), socket_timeout=ANSWER_S, protocol=2)  # fmt: skip
    with closing(client):
        return str(client.execute_command(*shlex.split(text)))  # type: ignore[no-untyped-call]


def _ask_memcached(target: Target, text: str) -> str:
    with socket.create_connection((target["host"], target["port"]), timeout=ANSWER_S) as connection:
        connection.sendall(text.encode() + b"\r\n")
        return connection.recv(4096).decode(errors="replace")


REFUSALS = (psycopg.Error, pymysql.MySQLError, redis.RedisError, OSError)
CLIENTS: dict[str, Callable[[Target, str], str]] = {
    "postgresql": _ask_postgresql,
    "mariadb": _ask_mysql,
    "mysql": _ask_mysql,
    "redis": _ask_redis,
    "valkey": _ask_redis,
    "memcached": _ask_memcached,
}
