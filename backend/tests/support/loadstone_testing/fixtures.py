"""The fixtures. Servers start with the first test that needs them."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis
import structlog
import time_machine
from cryptography.fernet import Fernet
from fastapi.testclient import TestClient
from hypothesis import HealthCheck
from hypothesis import settings as generated
from loadstone.db import UnitOfWork, dispose_engine, unit_of_work
from loadstone.main import create_app
from loadstone.models import Team
from loadstone.principal import Principal
from loadstone.settings import get_settings

from loadstone_testing import factories
from loadstone_testing.callers import Caller
from loadstone_testing.database import empty_tables, make_worker_database
from loadstone_testing.servers import own_redis, shared_postgres

# How long an example takes, to find or to try, is the machine's affair. The same examples each time: what passed
# fails after a change only.
generated.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
generated.load_profile("steady")

# The default renderer draws tracebacks with every local variable, which takes seconds each.
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)


@pytest.fixture(scope="session")
def postgres_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cluster's socket folder."""
    base = tmp_path_factory.getbasetemp()
    # Workers' own folders lie in one that belongs to the whole run.
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with shared_postgres(shared) as home:
        yield home


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with own_redis() as url:
        yield url


@pytest.fixture(scope="session")
def settings_in_environment(postgres_home: Path, redis_url: str) -> Iterator[None]:
    """`LOADSTONE_*` for this process and whatever it starts."""
    url = make_worker_database(postgres_home, os.environ.get("PYTEST_XDIST_WORKER", "main"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOADSTONE_DATABASE_URL", url)
        patch.setenv("LOADSTONE_BROKER_URL", redis_url)
        patch.setenv("LOADSTONE_SECRET_KEYS", Fernet.generate_key().decode())
        get_settings.cache_clear()
        yield
        dispose_engine(close=True)
    get_settings.cache_clear()


@pytest.fixture
def database(settings_in_environment: None) -> Iterator[str]:
    """The url of this worker's database, empty again after the test."""
    url = get_settings().database_url
    yield url
    empty_tables(url)


@pytest.fixture
def unit(database: str) -> Iterator[UnitOfWork]:
    """Open for the whole test: what others are to see must be committed in a `unit_of_work()` of its own."""
    with unit_of_work() as unit:
        yield unit


@pytest.fixture
def team(database: str) -> Team:
    return factories.make_team("first team")


@pytest.fixture
def principal(team: Team) -> Principal:
    """An admin of `team`."""
    return factories.make_principal(team)


@pytest.fixture(scope="session")
def running_app(settings_in_environment: None) -> Iterator[TestClient]:
    """One app with its lifespan for all tests of this worker; nobody is signed in."""
    with TestClient(create_app(), base_url="http://127.0.0.1:8080") as http:
        yield http


@pytest.fixture
def anonymous(running_app: TestClient, database: str, redis_url: str) -> Iterator[TestClient]:
    yield running_app
    running_app.cookies.clear()
    # Attempts to sign in are counted there.
    with redis.Redis.from_url(redis_url) as connection:
        connection.flushdb()


@pytest.fixture
def client(anonymous: TestClient, team: Team) -> Caller:
    """An admin of `team`."""
    return factories.make_caller(anonymous, team, "admin")


@pytest.fixture
def editor(anonymous: TestClient, team: Team) -> Caller:
    return factories.make_caller(anonymous, team, "editor")


@pytest.fixture
def viewer(anonymous: TestClient, team: Team) -> Caller:
    return factories.make_caller(anonymous, team, "viewer")


@pytest.fixture
def other_team(anonymous: TestClient) -> Caller:
    """An admin of another team: what `client` made must not be there for them."""
    return factories.make_caller(anonymous, factories.make_team("other team"), "admin")


@pytest.fixture
def pass_time() -> Iterator[Callable[[float], None]]:
    """`pass_time(seconds)`: the process's clock jumps ahead and goes on ticking."""
    with time_machine.travel(datetime.now(UTC), tick=True) as traveller:
        yield lambda seconds: traveller.shift(timedelta(seconds=seconds))
