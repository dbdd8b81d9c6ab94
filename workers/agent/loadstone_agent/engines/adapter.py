"""A foreign engine made to look like ours: what each one has to say of itself."""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from loadstone_contracts.agent_calls import EngineOffer
from loadstone_contracts.engine_plan import EnginePlan
from loadstone_contracts.engines import EngineInfo, engine_faults

from loadstone_agent.engines.adapter_run import AdapterRun
from loadstone_agent.engines.base import Engine
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.numbers import PhaseResult, Second
from loadstone_agent.engines.tool import Command, Reach, ToolEnd
from loadstone_agent.errors import BadPlan, EngineInternal, EngineKilled, EngineMissing
from loadstone_agent.keeper import landlock
from loadstone_agent.stores.packages import Say, install_packages
from loadstone_agent.typed import typed_here

OWN_CLIENTS = Path(__file__).parent
CONFIGURATIONS = ("mysql", "my.cnf", "php", "java*", "ssl/certs")
"""Under /etc, of programs and libraries that engines are made of."""


class OutputReader(ABC):
    """Understands what one run of a program prints."""

    @abstractmethod
    def read(self, line: str | None) -> Iterable[Second]:
        """A line, or None when some time has passed without one. Raises AgentError."""

    def rest(self) -> Iterable[Second]:
        """After the end of a run that exited with 0: seconds that have not been told yet."""
        return ()

    @abstractmethod
    def result(self, end: ToolEnd) -> PhaseResult:
        """After the rest. Raises EngineInternal for what cannot be understood."""


class Adapter(Engine):
    """One foreign engine. Only validated numbers, enumerations, addresses and key prefixes reach its command."""

    info: EngineInfo
    data_note: ClassVar[str] = ""
    """How its data differ from the workload's, where they must."""

    packages: ClassVar[tuple[str, ...]] = ()
    """Of the system, that bring it."""

    def __init__(self, native: Engine, root: Path) -> None:
        """`root` is where the agent keeps what it builds."""
        self._native = native
        self._root = root

    @abstractmethod
    def find(self) -> Found:
        """Raises EngineMissing with the remedy."""

    @abstractmethod
    def command(self, job: PhaseJob) -> Command:
        """Writes what the program reads into the job's scratch folder. Raises BadPlan."""

    def prefill_command(self, job: PhaseJob) -> Command | None:  # noqa: ARG002 - most need none
        """Of engines with data of their own that do not fill the store by themselves."""
        return None

    def reach(self, job: PhaseJob) -> Reach | None:
        """What its process may touch; None where the agent's owner answers for it, or the kernel has no Landlock."""
        if landlock.abi() < landlock.ABI_MIN:
            return None
        etc = [path for pattern in CONFIGURATIONS for path in Path("/etc").glob(pattern)]
        installed = Path(job.found.binary).resolve().parent
        return Reach(job.address.port, [OWN_CLIENTS, self._root, installed, *self.readable(job), *etc])

    def readable(self, job: PhaseJob) -> list[Path]:  # noqa: ARG002 - most need no more
        """Where the rest of it is installed."""
        return []

    @abstractmethod
    def reader(self, job: PhaseJob) -> OutputReader: ...

    def threads(self, plan: EnginePlan) -> int:
        """How many CPUs it could use at most."""
        return min(plan.threads, plan.load.connections)

    def explain_exit(self, end: ToolEnd) -> Exception:
        """Why a run failed that did not exit with 0."""
        if end.exit_code < 0:
            return EngineKilled(f"{self.info.title} was killed by signal {-end.exit_code}: run it again.", end.log_tail)
        message = f"{self.info.title} ended with code {end.exit_code}: see its last lines."
        return EngineInternal(message, end.log_tail)

    def missing(self) -> EngineMissing:
        return EngineMissing(f"{self.info.title} is not on this host. Run: {typed_here(self.info.remedy)}")

    def install(self, say: Say) -> None:
        """Raises EngineMissing with what to do by hand, StoreMissing with the packages to install."""
        if not self.packages:
            raise EngineMissing(f"{self.info.title} cannot be installed from here: {self.info.remedy}.")
        install_packages(self.packages, say)

    def which(self, *names: str) -> str:
        """The first program that is on PATH. Raises EngineMissing."""
        found = next((path for name in names if (path := shutil.which(name))), None)
        if found is None:
            raise self.missing()
        return found

    def offer(self) -> EngineOffer:
        found = self.find()
        return EngineOffer(
            name=self.info.name,
            version=found.version,
            protocols=list(self.info.protocols),
            operations=list(self.info.operations),
            binary=found.binary,
        )

    def start(self, plan: EnginePlan, cwd: Path) -> "AdapterRun":
        faults = engine_faults(self.info.name, plan, plan.target.protocol)
        if plan.target.tls is not None and "tls" not in self.info.features:
            faults.append(("target.tls", f"{self.info.title} is not set up for TLS."))
        if faults:
            raise BadPlan(f"{faults[0][1]} (at {faults[0][0]})")
        return AdapterRun(self, self._native, plan, cwd / "engine")
