"""What every kind of store can be asked: one interface, one module a kind."""

import hashlib
import os
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from loadstone_contracts.agent_calls import StoreFacts, StoreOffer, TargetKind
from loadstone_contracts.engine_plan import StoreProtocol, Tls

from loadstone_agent.errors import StoreMissing
from loadstone_agent.stores.packages import Say, install_packages
from loadstone_agent.typed import typed_here

MARKER_KEY = "loadstone:marker"
"""Says that the data beside it was written by Loadstone and may be flushed by it."""
SYSTEM_PROGRAMS = ":/usr/sbin:/usr/local/sbin"
"""Where servers live on some systems, and not on everybody's PATH."""
DATABASE = "loadstone"
"""Of stores of SQL: where the engine makes its tables."""
LOAD_USER = "loadstone"
"""Of managed stores of SQL: the role that owns those tables and nothing else."""
MARKER_TABLE = "loadstone_marker"
"""As `MARKER_KEY`: the tables beside it were made by Loadstone and may be dropped by it."""
MIN_CONNECTIONS = 1024
SPARE_CONNECTIONS = 50
"""For control round trips beside the load, and for people who look."""
CONNECT_TIMEOUT_S = 3.0
ANSWER_TIMEOUT_S = 60.0
"""A flush of a large data set is answered when it is done."""


def numbers_in(answer: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a flat answer; texts that are none are left out."""
    found = {}
    for name, value in answer.items():
        with suppress(TypeError, ValueError):
            found[name] = float(value)
    return found


NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Endpoint:
    host: str
    port: int
    username: str | None = None
    password: str | None = None
    tls: Tls | None = None
    database: str | None = None
    read_port: int | None = None
    read_host: str | None = None
    plugin_port: int | None = None
    answer_timeout_s: float = ANSWER_TIMEOUT_S

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class StoreControl(ABC):
    """One connection to a live store. Raises TargetUnreachable and TargetRefused."""

    @abstractmethod
    def ping(self) -> None:
        """One round trip of the store's own protocol."""

    @abstractmethod
    def process_id(self) -> int:
        """As the store reports it: tells our store from a stranger that took the port."""

    @abstractmethod
    def version(self) -> str: ...

    @abstractmethod
    def facts(self) -> StoreFacts:
        """Version and full effective configuration, secrets blanked."""

    @abstractmethod
    def is_empty(self) -> bool: ...

    def keys_held(self) -> int | None:
        """How many keys it holds by its own count; None where only a scan could tell."""
        return None

    def missing_part(self) -> str | None:
        """What a server that answers was started with and does not have, as a sentence; None when all is there."""
        return None

    def write_fault(self) -> str | None:
        """Why it could not write to its disk the last time, in its own words; None when it could."""
        return None

    def counters(self, wanted: Collection[str]) -> Mapping[str, float]:  # noqa: ARG002 - some tell nothing
        """What it counts of itself, by its own names: at least those of `wanted` that it knows."""
        return {}

    @abstractmethod
    def has_marker(self) -> bool: ...

    @abstractmethod
    def write_marker(self) -> None: ...

    @abstractmethod
    def flush(self) -> None:
        """Removes every key that this connection can see."""

    @abstractmethod
    def close(self) -> None: ...


class StoreKind(ABC):
    kind: ClassVar[TargetKind]
    binary: ClassVar[str]
    package: ClassVar[str]
    protocols: ClassVar[tuple[StoreProtocol, ...]]
    """What the engine may speak to it; the first unless the target says otherwise."""
    listeners: ClassVar[int] = 1
    """On how many ports it listens; control speaks to the first."""

    external_protocols: ClassVar[tuple[StoreProtocol, ...]] = ()
    """Besides, of stores that run elsewhere."""
    by_hand: ClassVar[str | None] = None
    """What a person does where nothing can be installed by a command."""
    is_packaged: ClassVar[bool] = True
    """Whether one package of the system brings it; the others take `stores install`."""
    reads_at: ClassVar[int | None] = None
    """Which of its ports answers reads, where it is not the one of writes."""

    admin_user: ClassVar[str | None] = None
    """Who the agent's control signs in as at a managed store, with a password made for each start."""
    load_user: ClassVar[str | None] = None
    """Who engines sign in as at a managed store: an ordinary user without a password."""
    writable_paths: ClassVar[tuple[str, ...]] = ()
    """What a managed store writes outside its data directory."""

    def prepare(self, options: Mapping[str, str]) -> str:  # noqa: ARG002 - versions differ
        """A shell script that makes the data directory, run in it as the store's user; empty where none is needed.

        What it makes is kept as a template: whatever it depends on stands in its text.
        """
        return ""

    def private_files(self, admin_password: str) -> Mapping[str, str]:  # noqa: ARG002 - stores differ
        """Files by name that only the store's user reads, written into the data directory before the first start.

        They are never part of a template.
        """
        return {}

    def last_words(self, options: Mapping[str, str]) -> str:  # noqa: ARG002 - versions differ
        """A shell script that runs before each start of the server; it may change `"$@"`."""
        return ""

    def memory_options(self, limit_bytes: int) -> Mapping[str, str] | None:  # noqa: ARG002 - few have one
        """Options by which the server itself stays below a limit of its memory; None where it has none."""
        return None

    def read_port_of(self, endpoint: Endpoint) -> int | None:  # noqa: ARG002 - few have one
        """Where an external target answers reads; None where it does so at its one port."""
        return None

    def database_of(self, endpoint: Endpoint) -> str | int | None:
        """Which of its databases the engine uses; None where the store has none, or only one."""
        return endpoint.database

    def listener_of(self, protocol: StoreProtocol) -> int:  # noqa: ARG002 - one port, all protocols
        """Which of its ports speaks `protocol`."""
        return 0

    @abstractmethod
    def connect(self, endpoint: Endpoint) -> StoreControl: ...

    @abstractmethod
    def arguments(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        """The server's arguments, a port for each listener; raises BadPlan for an option that is not its own."""

    def launcher(self, options: Mapping[str, str]) -> list[str]:
        """The program and what must stand before its arguments. Raises StoreMissing."""
        return [self.find_binary(options)]

    def command(self, ports: Sequence[int], options: Mapping[str, str], connections: int) -> list[str]:
        """What is executed in the data directory; it becomes the server. Raises StoreMissing and BadPlan."""
        server = [*self.launcher(options), *self.arguments(ports, options, connections)]
        last_words = self.last_words(options)
        return ["/bin/sh", "-c", f'{last_words} && exec "$@"', "sh", *server] if last_words else server

    def template_name(self, options: Mapping[str, str]) -> str:
        """Another version, another build or another way to make it is another template; empty where none is made."""
        prepare = self.prepare(options)
        if not prepare:
            return ""
        binary = Path(self.find_binary(options)).stat()
        identity = f"{prepare}\n{self.find_binary(options)}\n{binary.st_mtime_ns}\n{binary.st_size}"
        return f"{self.kind}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}"

    @abstractmethod
    def installed_version(self, printed: str) -> str:
        """Read from what the server's version flag printed."""

    @property
    def version_flag(self) -> str:
        return "--version"

    @property
    def remedy(self) -> str:
        """A command; where a person has to do more it says what."""
        return typed_here(
            f"apt-get install -y {self.package}" if self.is_packaged else f"loadstone-agent stores install {self.kind}"
        )

    def find_binary(self, options: Mapping[str, str] = NO_OPTIONS) -> str:  # noqa: ARG002 - versions differ
        """Of the version that the options name, where they can; raises StoreMissing with what would mend it."""
        path = os.environ.get("PATH", os.defpath) + SYSTEM_PROGRAMS
        found = shutil.which(self.binary, path=path)
        if found is None:
            how = self.by_hand or f"run `{self.remedy}` there"
            raise StoreMissing(f"{self.binary} is not installed on this agent host: {how}.")
        return found

    def offers(self) -> list[StoreOffer]:
        """Every version that can be started here; one that says what is missing where none can."""
        return [self.offer()]

    def install(self, say: Say, version: str | None = None) -> None:
        """What the recipes need, or the one version named. Raises StoreMissing with what to do by hand."""
        if self.by_hand is not None:
            raise StoreMissing(f"{self.binary} cannot be installed from here: {self.by_hand}.")
        if version is not None:
            raise StoreMissing(
                f"{self.kind} comes from the system's packages, in their version: leave the version out."
            )
        install_packages([self.package], say)

    def offer(self) -> StoreOffer:
        try:
            binary = self.find_binary()
        except StoreMissing:
            return StoreOffer(kind=self.kind, available=False, remedy=self.remedy)
        return StoreOffer(kind=self.kind, available=True, version=self.version_of(NO_OPTIONS), binary=binary)

    def version_of(self, options: Mapping[str, str]) -> str:
        """Of the server that the options name; raises StoreMissing."""
        command = [*self.launcher(options), self.version_flag]
        return self.installed_version(subprocess.run(command, capture_output=True, text=True, timeout=10).stdout)

    @contextmanager
    def control(self, endpoint: Endpoint) -> Iterator[StoreControl]:
        control = self.connect(endpoint)
        try:
            yield control
        finally:
            control.close()
