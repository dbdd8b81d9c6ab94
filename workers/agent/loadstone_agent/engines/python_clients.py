"""Python's client libraries, which the agent has with it."""

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar

from loadstone_contracts.engines import ENGINES

from loadstone_agent.engines.client import ClientAdapter, write_input
from loadstone_agent.engines.job import Found, PhaseJob
from loadstone_agent.engines.tool import Command

PROGRAM = "loadstone_agent.engines.clients.python_client"


class PythonClient(ClientAdapter):
    distribution: ClassVar[str]

    def find(self) -> Found:
        try:
            return Found(sys.executable, f"{version(self.distribution)} (Python {sys.version.split()[0]})")
        except PackageNotFoundError:
            raise self.missing() from None

    def readable(self, job: PhaseJob) -> list[Path]:  # noqa: ARG002
        """The interpreter and its packages; those of a checkout lie beside them."""
        return [Path(sys.prefix), Path(sys.base_prefix), *(Path(path) for path in sys.path if Path(path).is_dir())]

    def command(self, job: PhaseJob) -> Command:
        write_input(job)
        return Command([job.found.binary, "-I", "-m", PROGRAM, self.info.name.replace("-", "_")])


class PythonRedis(PythonClient):
    info = ENGINES["python-redis"]
    distribution = "redis"


class PythonPymemcache(PythonClient):
    info = ENGINES["python-pymemcache"]
    distribution = "pymemcache"


class PythonPymysql(PythonClient):
    info = ENGINES["python-pymysql"]
    distribution = "pymysql"


class PythonPymongo(PythonClient):
    info = ENGINES["python-pymongo"]
    distribution = "pymongo"
