"""Is a target that was not started here on this host all the same, and which process is it?"""

import socket

import psutil

from loadstone_agent.stores.base import Endpoint

PROXIES = frozenset({"docker-proxy", "rootlessport", "slirp4netns", "ssh", "haproxy", "nginx", "envoy"})
"""They listen for a store that runs elsewhere."""


def listening_process(endpoint: Endpoint) -> int | None:
    """The process id, or None: on another host, behind a proxy, or somebody else's and not to be seen."""
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)}
        own = {str(one.address) for addresses in psutil.net_if_addrs().values() for one in addresses}
        if not found & own:
            return None
        listening = [one for one in psutil.net_connections("tcp") if one.status == psutil.CONN_LISTEN]
        pid = next((one.pid for one in listening if one.laddr.port == endpoint.port and one.pid), None)
        return pid if pid and psutil.Process(pid).name() not in PROXIES else None
    except (OSError, psutil.Error):
        return None
