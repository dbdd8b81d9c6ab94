"""What every task of this agent needs, made once a process."""

from dataclasses import dataclass

from loadstone_contracts.agent_calls import HostInventory

from loadstone_agent.api import AgentApi
from loadstone_agent.cpus import CpuSplit, split_cpus
from loadstone_agent.engines.catalog import EngineCatalog
from loadstone_agent.engines.native import NativeEngine
from loadstone_agent.host import take_inventory
from loadstone_agent.identity import Identity, load_identity
from loadstone_agent.settings import AgentSettings


@dataclass(frozen=True)
class Agent:
    settings: AgentSettings
    identity: Identity
    api: AgentApi
    inventory: HostInventory
    cpus: CpuSplit
    engines: EngineCatalog


def make_agent(settings: AgentSettings) -> Agent:
    """Raises NotEnrolled."""
    identity = load_identity(settings.agent_dir)
    return Agent(
        settings=settings,
        identity=identity,
        api=AgentApi(identity.url, identity.token),
        inventory=take_inventory(settings.agent_data_directories),
        cpus=split_cpus(settings),
        engines=EngineCatalog(NativeEngine(settings.engine), settings.engines_dir, settings.engines_file),
    )
