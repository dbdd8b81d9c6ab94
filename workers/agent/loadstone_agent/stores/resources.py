"""What a managed store is given of this host: ports, descriptors, a control group."""

import socket
from collections.abc import Mapping
from contextlib import ExitStack

from loadstone_agent.errors import StoreStartFailed
from loadstone_agent.stores.base import MIN_CONNECTIONS
from loadstone_agent.stores.groups import StoreGroup, make_group

SPARE_FILES = 512
"""Descriptors that a store opens beside its connections."""
CONNECTION_OPTIONS = ("connections", "maxclients")


def free_ports(count: int) -> list[int]:
    with ExitStack() as probes:
        sockets = [probes.enter_context(socket.socket()) for _ in range(count)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in sockets]


def open_files(connections: int, options: Mapping[str, str]) -> int:
    wanted = [int(options[name]) for name in CONNECTION_OPTIONS if options.get(name, "").isdigit()]
    return max(MIN_CONNECTIONS, connections, *wanted) + SPARE_FILES


def own_group(name: str, files: int, memory_limit_bytes: int | None) -> StoreGroup:
    """Raises StoreStartFailed."""
    try:
        # A process or a thread for each connection, and `SPARE_FILES` for the server's own work.
        return make_group(name, files, memory_limit_bytes)
    except OSError as error:
        message = "No control group could be made for the store: see the detail, and this agent's rights on cgroups."
        raise StoreStartFailed(message, str(error)) from error
