"""Settings from the environment, `LOADSTONE_*`."""

from functools import cache
from pathlib import Path
from typing import Annotated

from loadstone_contracts.networks import parse_networks
from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


def parse_cpu_list(text: object) -> object:
    """`0,2-4` as the kernel writes CPU lists; an empty text means "not set"."""
    if not isinstance(text, str):
        return text
    cpus: list[int] = []
    for part in filter(None, text.replace(" ", "").split(",")):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return cpus or None


CpuList = Annotated[list[int] | None, NoDecode, BeforeValidator(parse_cpu_list)]


def parse_directories(text: object) -> object:
    """`fast=/mnt/nvme,slow=/mnt/disk`: names as targets use them, and absolute paths."""
    if not isinstance(text, str):
        return text
    pairs = [part.partition("=") for part in filter(None, (part.strip() for part in text.split(",")))]
    if any(not name.strip() or not path.strip().startswith("/") for name, _, path in pairs):
        raise ValueError("data directories are written name=/absolute/path, with commas between them")
    return {name.strip(): Path(path.strip()) for name, _, path in pairs}


def parse_folders(text: object) -> object:
    """`/opt/builds,/srv/stores`: absolute paths."""
    if not isinstance(text, str):
        return text
    paths = [part.strip() for part in text.split(",") if part.strip()]
    if any(not path.startswith("/") for path in paths):
        raise ValueError("folders are written as absolute paths, with commas between them")
    return [Path(path) for path in paths]


Folders = Annotated[list[Path], NoDecode, BeforeValidator(parse_folders)]
Directories = Annotated[dict[str, Path], NoDecode, BeforeValidator(parse_directories)]


DEFAULT_NETWORKS = "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7"
"""Loopback and private networks: stores that are benchmarked live there."""


def check_networks(text: str) -> str:
    parse_networks(",".join(part for part in text.split(",") if part.strip() != "public"))
    return text


Networks = Annotated[str, AfterValidator(check_networks)]


def default_agent_dir() -> Path:
    return Path.home() / ".loadstone-agent"


class AgentSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="LOADSTONE_", extra="ignore")

    agent_dir: Path = Field(default_factory=default_agent_dir)
    """Identity, spool and the data directories of managed stores."""
    engine: str = "loadstone-engine"
    """Path of the engine, or its name on PATH."""
    engines_file: Path | None = None
    """Engines of this agent's own: see `engines/configured.py`."""
    broker_ca_file: Path | None = None
    """Authorities that the certificate of a `rediss://` broker is checked against; unset, the system's."""
    broker_plain_text: bool = False
    """Allows a broker beyond loopback without TLS: for networks that do not leave this host."""
    agent_store_cpus: CpuList = None
    agent_engine_cpus: CpuList = None
    agent_data_directories: Directories = Field(default_factory=dict)
    """Disks that a target may choose for its data, by name; without a choice they lie under `agent_dir`."""
    host_key: str | None = None
    """Replaces the machine's own id where that cannot be read, as in a container: agents on one host must share it."""
    store_user: str = "nobody"
    """Who managed stores run as when the agent is root."""
    agent_store_paths: Folders = Field(default_factory=list)
    """Folders outside `/usr` that managed stores may read and run programs from, such as builds of one's own."""
    agent_allow_unconfined_stores: bool = False
    """Lets an agent that is not root start stores on a kernel without Landlock: they can then read its token."""
    agent_min_free_bytes: int = Field(default=64 * 1024 * 1024, ge=0)
    """A trial is refused when less is free under `agent_dir`: its samples would not fit."""
    agent_target_networks: Networks = DEFAULT_NETWORKS
    """Networks, comma separated, whose external targets may be measured from here; `public` is the internet."""
    agent_refused_spools_kept: int = Field(default=20, ge=0)

    @property
    def spool_dir(self) -> Path:
        return self.agent_dir / "spool"

    @property
    def refused_dir(self) -> Path:
        return self.agent_dir / "spool-refused"

    @property
    def servers_dir(self) -> Path:
        """Servers that `stores install` unpacked, a folder a version."""
        return self.agent_dir / "servers"

    @property
    def templates_dir(self) -> Path:
        """Data directories as their servers made them, to be copied at each start."""
        return self.agent_dir / "templates"

    @property
    def engines_dir(self) -> Path:
        """Clients that `engines install` built."""
        return self.agent_dir / "engines"

    @property
    def traces_dir(self) -> Path:
        """Traces that trials replayed, by their digest."""
        return self.agent_dir / "traces"

    @property
    def stores_dir(self) -> Path:
        return self.agent_dir / "stores"


@cache
def get_settings() -> AgentSettings:
    """Read once a process."""
    return AgentSettings()
