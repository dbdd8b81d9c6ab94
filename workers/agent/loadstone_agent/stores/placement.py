"""A target's placement held against this host: cores, memory, directory. What cannot be had is refused."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadstone_contracts.agent_calls import Placement

from loadstone_agent.cpus import CpuSplit, as_cpu_list
from loadstone_agent.errors import PlacementRefused
from loadstone_agent.settings import AgentSettings, parse_cpu_list
from loadstone_agent.stores.base import StoreKind
from loadstone_agent.stores.confinement import sandbox_title
from loadstone_agent.stores.groups import memory_limiter

DATA_FOLDER = "loadstone-stores"


@dataclass(frozen=True)
class HostPlace:
    """What a store gets of this host."""

    cpus: list[int]
    data_root: Path
    memory_limit_bytes: int | None
    """For the store's control group; None where there is no limit, or the store keeps it by `options`."""
    options: Mapping[str, str]
    """Of the store, the target's own and those that keep a limit."""
    drops_page_cache: bool
    told: dict[str, str]
    """For the result, beside the store's own configuration."""


def find_place(
    kind: StoreKind, placement: Placement, options: Mapping[str, str], cpus: CpuSplit, settings: AgentSettings
) -> HostPlace:
    """Raises PlacementRefused."""
    chosen = _cpus(placement, cpus)
    told = {"placement.cpus": as_cpu_list(chosen), "placement.sandbox": sandbox_title(settings.store_user)}
    data_root = _data_root(placement, settings)
    if placement.data_directory is not None:
        told["placement.data_directory"] = placement.data_directory
    if placement.drop_page_cache:
        told["placement.page_cache"] = "dropped"
    limit = placement.memory_limit_bytes
    if limit is None:
        return HostPlace(chosen, data_root, None, options, placement.drop_page_cache, told)
    limiter = memory_limiter()
    kept = {} if limiter is not None else _own_limit(kind, limit, options)
    how = limiter.title if limiter else f"the store's own {', '.join(kept)}"
    told["placement.memory_limit"] = f"{limit} bytes, by {how}"
    by_group = limit if limiter is not None else None
    return HostPlace(chosen, data_root, by_group, {**options, **kept}, placement.drop_page_cache, told)


def _cpus(placement: Placement, split: CpuSplit) -> list[int]:
    if placement.cpus is None:
        return split.store
    wanted = parse_cpu_list(placement.cpus)
    assert isinstance(wanted, list)
    allowed = os.sched_getaffinity(0)
    missing = sorted(set(wanted) - allowed)
    if missing:
        raise PlacementRefused(
            f"This agent host has no CPU {as_cpu_list(missing)}; it has {as_cpu_list(sorted(allowed))}: "
            "choose others, or another agent."
        )
    return sorted(set(wanted))


def _data_root(placement: Placement, settings: AgentSettings) -> Path:
    if placement.data_directory is None:
        return settings.stores_dir
    folder = settings.agent_data_directories.get(placement.data_directory)
    if folder is None:
        known = ", ".join(settings.agent_data_directories) or "none"
        raise PlacementRefused(
            f"This agent names no data directory {placement.data_directory!r} (it names {known}): "
            "add it to LOADSTONE_AGENT_DATA_DIRECTORIES there, or choose another."
        )
    if not folder.is_dir():
        raise PlacementRefused(f"The data directory {placement.data_directory!r} is not there: mount or make it.")
    return folder / DATA_FOLDER


def _own_limit(kind: StoreKind, limit: int, options: Mapping[str, str]) -> Mapping[str, str]:
    own = kind.memory_options(limit)
    if own is None:
        raise PlacementRefused(
            f"This agent cannot limit the memory of {kind.kind}: it may make no control group, and the store has no "
            "such limit of its own. Run the agent as root or in a delegated group, or leave the limit out."
        )
    taken = sorted(own.keys() & options.keys())
    if taken:
        raise PlacementRefused(
            f"This agent can limit the memory of {kind.kind} only by its own {', '.join(taken)}, which the target sets "
            "itself: leave one of the two out."
        )
    return own
