"""The stack on this machine: PostgreSQL, Redis, api, control and one agent, under one supervisor.

`python -m loadstone_local.stack` runs in the foreground until SIGTERM.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import psycopg
import redis

from loadstone_local import account, servers
from loadstone_local.console import StepFailed, say
from loadstone_local.paths import ENGINE, FRONTEND, LOGS, REPOSITORY, STATE, in_venv, ordinary_user, shared_state
from loadstone_local.secrets_file import Secrets, load_secrets
from loadstone_local.supervisor import NotReady, Service, Supervisor

HOST = os.environ.get("LOADSTONE_HOST", "127.0.0.1")
PORT = int(os.environ.get("LOADSTONE_PORT", "8080"))
URL = f"http://{HOST}:{PORT}"
STORES = "LOADSTONE_LOCAL_STORES"
"""A folder of installed stores, as `stores install` makes it."""


def environment(secrets: Secrets) -> dict[str, str]:
    """What every Loadstone process of the stack reads as settings."""
    return {
        "LOADSTONE_HOST": HOST,
        "LOADSTONE_PORT": str(PORT),
        "LOADSTONE_PUBLIC_URL": os.environ.get("LOADSTONE_PUBLIC_URL", URL),
        "LOADSTONE_DATABASE_URL": servers.database_url(secrets),
        "LOADSTONE_BROKER_URL": servers.broker_url(secrets),
        "LOADSTONE_SECRET_KEYS": secrets.secret_key,
        "LOADSTONE_WEB_DIR": str(FRONTEND / "dist"),
        "LOADSTONE_MIGRATIONS_DIR": str(REPOSITORY / "migrations"),
        **agent_environment(),
    }


def agent_environment() -> dict[str, str]:
    """An agent's settings. It gets no password and no key: it has an identity of its own."""
    return {
        "LOADSTONE_AGENT_DIR": str(shared_state() / "agent"),
        "LOADSTONE_ENGINE": str(ENGINE),
        "PYTHONUNBUFFERED": "1",
    }


def _postgres(secrets: Secrets) -> Service:
    async def is_ready() -> bool:
        try:
            url = servers.database_url(secrets, "postgres").replace("+psycopg", "")
            async with await psycopg.AsyncConnection.connect(url, connect_timeout=2):
                return True
        except psycopg.OperationalError:
            return False

    # SIGINT is PostgreSQL's fast shutdown: it does not wait for clients to leave.
    return Service("postgres", servers.postgres_command(secrets), is_ready, user=ordinary_user(),
                   stop_signal=signal.SIGINT)  # fmt: skip


def _redis(secrets: Secrets) -> Service:
    async def is_ready() -> bool:
        try:
            with redis.Redis.from_url(servers.broker_url(secrets)) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    folder = STATE / "redis"
    folder.mkdir(mode=0o700, exist_ok=True)
    return Service("redis", servers.redis_command(secrets, folder / "redis.conf"), is_ready)


def _api(secrets: Secrets) -> Service:
    async def is_ready() -> bool:
        try:
            async with httpx2.AsyncClient(timeout=2) as client:
                return (await client.get(f"{URL}/readyz")).status_code == 200
        except httpx2.HTTPError:
            return False

    return Service("api", [str(in_venv("python")), "-m", "loadstone.main"], is_ready, environment(secrets))


async def _is_started() -> bool:
    # A doorbell rung before a Celery worker listens waits in its queue, so being started is enough.
    return True


def _control(secrets: Secrets) -> list[Service]:
    celery = [str(in_venv("celery")), "-A", "loadstone_control.app"]
    worker = [*celery, "worker", "--concurrency=1", "--loglevel=warning", "-n", "control@%h", "--without-gossip",
              "--without-mingle", "--without-heartbeat"]  # fmt: skip
    beat = [*celery, "beat", "--loglevel=warning", "-s", str(STATE / "beat-schedule"), "--pidfile="]
    env = environment(secrets)
    return [Service("control", worker, _is_started, env), Service("beat", beat, _is_started, env)]


def _agent() -> Service:
    async def is_ready() -> bool:
        return await account.is_agent_online(URL)

    command = [str(in_venv("loadstone-agent")), "start"]
    # The agent ends its trial, engine and stores before it goes.
    return Service("agent", command, is_ready, agent_environment(), stop_within_s=15)


def _create_database(secrets: Secrets) -> None:
    url = servers.database_url(secrets, "postgres").replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (servers.DATABASE,)).fetchone()
        if known is None:
            connection.execute(f'CREATE DATABASE "{servers.DATABASE}"')


def _migrate(secrets: Secrets) -> None:
    env = {**os.environ, **environment(secrets)}
    done = subprocess.run([in_venv("loadstone-admin"), "migrate"], env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise StepFailed(f"The database could not be brought up to date: {done.stdout}{done.stderr}")


def _lend_stores(agent_dir: Path) -> None:
    """Gives the agent the stores that a folder holds already, where the starter names one."""
    installed, own = os.environ.get(STORES), agent_dir / "servers"
    if installed and not own.exists():
        own.symlink_to(installed, target_is_directory=True)


def _refuse_busy_port() -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, PORT))
        except OSError as error:
            raise StepFailed(f"{HOST}:{PORT} is taken. Choose another: LOADSTONE_PORT=8090 make demo") from error


async def _serve(supervisors: list[Supervisor], secrets: Secrets) -> None:
    say("  starting PostgreSQL and Redis")
    data = Supervisor([_postgres(secrets), _redis(secrets)], LOGS)
    supervisors.append(data)
    await data.start()
    say("  bringing the database up to date")
    _create_database(secrets)
    _migrate(secrets)
    env = {**os.environ, **environment(secrets)}
    account.ensure_account(URL, env)
    say("  starting api and control")
    service = Supervisor([_api(secrets), *_control(secrets)], LOGS)
    supervisors.append(service)
    await service.start()
    account.ensure_enrolled(URL, env)
    _lend_stores(Path(env["LOADSTONE_AGENT_DIR"]))
    say("  starting the agent")
    agent = Supervisor([_agent()], LOGS)
    supervisors.append(agent)
    await agent.start()
    say("  the stack is ready")
    await agent.wait_for_stop()


async def run() -> int:
    """Bring everything up, wait for SIGTERM, take everything down. The exit code says whether it came up."""
    secrets = load_secrets()
    supervisors: list[Supervisor] = []
    try:
        _refuse_busy_port()
        servers.initialise_postgres(secrets)
        await _serve(supervisors, secrets)
        return 0
    except (StepFailed, NotReady) as error:
        say(f"error: {error}")
        return 1
    finally:
        for supervisor in reversed(supervisors):
            await supervisor.stop()


if __name__ == "__main__":
    Path(STATE).mkdir(exist_ok=True)
    sys.exit(asyncio.run(run()))
