"""Real servers on loopback, a real engine, an api in memory over real HTTP."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

from loadstone_agent.agent import Agent, make_agent
from loadstone_agent.identity import Identity, save_identity
from loadstone_agent.settings import AgentSettings, get_settings
from loadstone_agent_testing.api_server import TOKEN, ApiInMemory
from loadstone_agent_testing.processes import end, free_port, is_listening, wait_until

ENGINE_DIR = Path(__file__).parents[2] / "engine"
BUILD = "cargo build --release --locked"


@pytest.fixture(scope="session")
def engine_binary() -> str:
    """`LOADSTONE_ENGINE` where it is set; otherwise the workspace's, built when it is missing."""
    if path := os.environ.get("LOADSTONE_ENGINE"):
        return path
    binary = ENGINE_DIR / "target/release/loadstone-engine"
    if not binary.exists():
        if shutil.which("cargo") is None:
            pytest.fail(f"{binary} is missing: run `{BUILD}` in {ENGINE_DIR}")
        subprocess.run(BUILD.split(), cwd=ENGINE_DIR, check=True)
    return str(binary)


@pytest.fixture(autouse=True)
def _settings_of_this_test() -> Iterator[None]:
    """They are read once a process, and a test may have set its own environment."""
    yield
    get_settings.cache_clear()


@pytest.fixture
def api() -> Iterator[ApiInMemory]:
    api = ApiInMemory()
    yield api
    api.close()


@pytest.fixture
def settings(tmp_path: Path, engine_binary: str) -> AgentSettings:
    return AgentSettings(agent_dir=tmp_path / "agent", engine=engine_binary)


@pytest.fixture
def passable_dir() -> Iterator[Path]:
    """Servers of SQL run as another user, who must be able to pass through every parent."""
    root = Path(tempfile.mkdtemp(prefix="loadstone-agent-"))
    root.chmod(0o711)
    yield root
    shutil.rmtree(root)


@pytest.fixture
def identity(api: ApiInMemory, settings: AgentSettings) -> Identity:
    identity = Identity(
        agent_id="a1",
        name="test",
        token=TOKEN,
        queue="agent.a1",
        broker_url="redis://agent:secret@127.0.0.1:1/0",
        broker_user="agent",
        url=api.url,
    )
    save_identity(settings.agent_dir, identity)
    return identity


@pytest.fixture
def agent(settings: AgentSettings, identity: Identity) -> Iterator[Agent]:
    agent = make_agent(settings)
    yield agent
    agent.api.close()


@pytest.fixture
def roomy_agent(settings: AgentSettings, identity: Identity, passable_dir: Path) -> Iterator[Agent]:
    """Its folder can be entered by the users of servers that look their data up by its whole path."""
    save_identity(passable_dir, identity)
    agent = make_agent(settings.model_copy(update={"agent_dir": passable_dir}))
    yield agent
    agent.api.close()


@pytest.fixture
def start_server() -> Iterator[Callable[..., int]]:
    """Starts a server that is not the agent's and returns its port."""
    servers: list[subprocess.Popen[bytes]] = []

    def start(*command: str) -> int:
        port = free_port()
        arguments = [part.format(port=port) for part in command]
        servers.append(subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_until(lambda: is_listening(port), what=f"{command[0]} listening")
        return port

    yield start
    for server in servers:
        end(server)


@pytest.fixture
def redis_port(start_server: Callable[..., int], tmp_path: Path) -> int:
    return start_server("redis-server", "--bind", "127.0.0.1", "--port", "{port}", "--save", "", "--dir", str(tmp_path))


@pytest.fixture
def memcached_port(start_server: Callable[..., int]) -> int:
    return start_server("memcached", "-l", "127.0.0.1", "-p", "{port}", "-U", "0", "-u", "nobody")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MiB, for tests that fill one."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=711", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"this user mounts nothing here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
