"""Every engine of this agent, by its name: those that ship with the product, and those its configuration names."""

from collections.abc import Iterator

import structlog
from loadstone_contracts.agent_calls import EngineOffer
from loadstone_contracts.engines import ENGINES, NATIVE

from loadstone_agent.engines.adapter import Adapter
from loadstone_agent.engines.base import Engine
from loadstone_agent.engines.memaslap import Memaslap
from loadstone_agent.engines.memslap import Memslap
from loadstone_agent.engines.mysqlslap import Mysqlslap
from loadstone_agent.engines.native import NativeEngine
from loadstone_agent.engines.pgbench import Pgbench
from loadstone_agent.engines.python_clients import PythonPymemcache, PythonPymongo, PythonPymysql, PythonRedis
from loadstone_agent.engines.redis_benchmark import RedisBenchmark
from loadstone_agent.engines.sysbench import Sysbench
from loadstone_agent.errors import AgentError, BadPlan

log = structlog.get_logger()

ADAPTERS: tuple[type[Adapter], ...] = (
    *(RedisBenchmark, Memslap, Memaslap, Sysbench, Mysqlslap, Pgbench),
    *(PythonRedis, PythonPymemcache, PythonPymysql, PythonPymongo),
)


class EngineCatalog:
    def __init__(self, native: NativeEngine) -> None:
        self._engines: dict[str, Engine] = {NATIVE: native}
        for adapter in ADAPTERS:
            self._engines[adapter.info.name] = adapter(native)

    def get(self, name: str) -> Engine:
        """Raises BadPlan: nothing but these names can run."""
        engine = self._engines.get(name)
        if engine is None:
            raise BadPlan(f"This agent knows no engine {name!r}: it knows {', '.join(self._engines)}.")
        return engine

    def offers(self) -> list[EngineOffer]:
        return list(self._offers())

    def _offers(self) -> Iterator[EngineOffer]:
        for name, engine in self._engines.items():
            try:
                yield engine.offer()
            except AgentError as error:
                log.info("engine_not_offered", engine=name, reason=error.message)
                # Without protocols: no agent is chosen for an engine that it lacks.
                yield EngineOffer(
                    name=name, version="", protocols=[], operations=[], available=False, remedy=_remedy(name, error)
                )


def _remedy(name: str, error: AgentError) -> str:
    return ENGINES[name].remedy if name in ENGINES and ENGINES[name].remedy else error.message
