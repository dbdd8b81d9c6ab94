"""Which CPUs stores and which the engine run on, so that they do not steal from each other."""

import os
from dataclasses import dataclass

from loadstone_contracts.agent_calls import TrialError

from loadstone_agent.settings import AgentSettings


@dataclass(frozen=True)
class CpuSplit:
    store: list[int]
    engine: list[int]


def split_cpus(settings: AgentSettings) -> CpuSplit:
    """First half for stores, second for the engine, unless set; one CPU is shared."""
    allowed = sorted(os.sched_getaffinity(0))
    half = len(allowed) // 2
    store = settings.agent_store_cpus or allowed[:half] or allowed
    engine = settings.agent_engine_cpus or allowed[half:]
    return CpuSplit(store, engine)


def as_cpu_list(cpus: list[int]) -> str:
    """As the kernel writes CPU lists: `0-7,16`."""
    spans: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if spans and spans[-1][1] == cpu - 1:
            spans[-1][1] = cpu
        else:
            spans.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def shared_cpu_warning(store: list[int], engine: list[int]) -> TrialError | None:
    shared = sorted(set(store) & set(engine))
    if not shared:
        return None
    named = ", ".join(map(str, shared))
    message = f"Store and engine share CPU {named}: give the agent more CPUs, or set LOADSTONE_AGENT_STORE_CPUS."
    return TrialError(code="shared_cpu", message=message)
