"""Every engine of this agent, by its name: those that ship with the product, and those its configuration names."""

from collections.abc import Iterator
from pathlib import Path

import structlog
from loadstone_contracts.agent_calls import EngineOffer
from loadstone_contracts.engines import CUSTOM_PREFIX, ENGINES, NATIVE

from loadstone_agent.engines.adapter import Adapter
from loadstone_agent.engines.base import Engine
from loadstone_agent.engines.built_clients import CHiredis, JavaJedis, JavaMemcached, PhpRedis
from loadstone_agent.engines.configured import ConfiguredAdapter, read_configuration
from loadstone_agent.engines.memaslap import Memaslap
from loadstone_agent.engines.memslap import Memslap
from loadstone_agent.engines.memtier import Memtier
from loadstone_agent.engines.mysqlslap import Mysqlslap
from loadstone_agent.engines.native import NativeEngine
from loadstone_agent.engines.pgbench import Pgbench
from loadstone_agent.engines.python_clients import PythonPymemcache, PythonPymongo, PythonPymysql, PythonRedis
from loadstone_agent.engines.redis_benchmark import RedisBenchmark
from loadstone_agent.engines.sysbench import Sysbench
from loadstone_agent.engines.ycsb import Ycsb
from loadstone_agent.errors import AgentError, BadPlan
from loadstone_agent.stores.packages import Say
from loadstone_agent.typed import typed_here

log = structlog.get_logger()

ADAPTERS: tuple[type[Adapter], ...] = (
    *(RedisBenchmark, Memslap, Memaslap, Memtier, Sysbench, Mysqlslap, Pgbench, Ycsb),
    *(PythonRedis, PythonPymemcache, PythonPymysql, PythonPymongo),
    *(PhpRedis, CHiredis, JavaJedis, JavaMemcached),
)


class EngineCatalog:
    def __init__(self, native: NativeEngine, root: Path, configuration: Path | None = None) -> None:
        """`root` is where engines are kept that the agent builds. Raises BadPlan for a configuration that is none."""
        self._engines: dict[str, Engine] = {NATIVE: native}
        for adapter in ADAPTERS:
            self._engines[adapter.info.name] = adapter(native, root)
        for configured in read_configuration(configuration):
            self._engines[CUSTOM_PREFIX + configured.name] = ConfiguredAdapter(configured, native, root)

    def get(self, name: str) -> Engine:
        """Raises BadPlan: nothing but these names can run."""
        engine = self._engines.get(name)
        if engine is None:
            raise BadPlan(f"This agent knows no engine {name!r}: it knows {', '.join(self._engines)}.")
        return engine

    def install(self, name: str, say: Say) -> None:
        """Raises BadPlan, EngineMissing and StoreMissing, each with what to do by hand."""
        engine = self.get(name)
        if isinstance(engine, Adapter):
            engine.install(say)
        engine.offer()

    def offers(self) -> list[EngineOffer]:
        return list(self._offers())

    def _offers(self) -> Iterator[EngineOffer]:
        for name, engine in self._engines.items():
            try:
                yield engine.offer()
            except AgentError as error:
                if name == NATIVE:
                    log.error("engine_missing", message=error.message)
                # Without protocols: no agent is chosen for an engine that it lacks.
                yield EngineOffer(
                    name=name, version="", protocols=[], operations=[], available=False, remedy=_remedy(name, error)
                )


def _remedy(name: str, error: AgentError) -> str:
    return typed_here(ENGINES[name].remedy) if name in ENGINES and ENGINES[name].remedy else error.message
