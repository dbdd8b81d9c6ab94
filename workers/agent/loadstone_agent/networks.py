"""Which external targets this agent may measure, decided by its own settings and never by a plan.

A name is looked up once. What was found is what control connections and the engine connect to, so that a name that
means something else a moment later changes nothing.
"""

import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from loadstone_contracts.agent_calls import AssignedTarget
from loadstone_contracts.engine_plan import Tls
from loadstone_contracts.networks import Address, is_in, is_never_reached, is_public, parse_address, parse_networks

from loadstone_agent.errors import TargetNotAllowed, TargetUnreachable
from loadstone_agent.identity import Identity

PUBLIC = "public"
"""Of the setting: the internet. Unless it says otherwise, loopback and private networks are allowed."""
KEEPS_NAME = ("mongodb", "ferretdb")
"""Their library holds a certificate against the address that it connects to, and against no other name."""
BROKER_PORT, HTTP_PORT, HTTPS_PORT = 6379, 80, 443


def pinned(target: AssignedTarget, networks: str, identity: Identity) -> AssignedTarget:
    """The target with numeric addresses; raises TargetNotAllowed, TargetUnreachable."""
    if target.mode != "external" or target.host is None:
        return target
    own = set(_own_endpoints(identity))
    ports = [port for port in (target.port, target.plugin_port) if port is not None]
    if target.read_host is None:
        ports += [port for port in (target.read_port, _implied_read_port(target)) if port is not None]
    address = _allowed(target.host, ports, networks, own)
    read_ports = [port for port in (target.read_port, target.port) if port is not None]
    replica = _allowed(target.read_host, read_ports, networks, own) if target.read_host else None
    tls = _named(target.tls, target.host)
    if tls is not None and tls.verify_certificate and target.kind in KEEPS_NAME:
        return target.model_copy(update={"tls": tls, "read_host": replica})
    return target.model_copy(update={"host": address, "read_host": replica, "tls": tls})


def _implied_read_port(target: AssignedTarget) -> int | None:
    """Memlink answers reads at the port below the one of writes, where nobody names another."""
    is_implied = target.kind == "memlink" and target.read_port is None and target.port is not None
    return target.port - 1 if is_implied and target.port else None


def _named(tls: Tls | None, host: str) -> Tls | None:
    """The certificate is held against the name that a person typed, not against the address."""
    return tls.model_copy(update={"server_name": host}) if tls is not None and not tls.server_name else tls


def _allowed(host: str, ports: Iterable[int], networks: str, own: set[tuple[str, int]]) -> str:
    addresses = _look_up(host)
    named = parse_networks(",".join(part for part in networks.split(",") if part.strip() != PUBLIC))
    allows_public = PUBLIC in [part.strip() for part in networks.split(",")]
    for address in addresses:
        if is_never_reached(address) or not (is_in(address, named) or (allows_public and is_public(address))):
            raise TargetNotAllowed(
                f"This agent may not measure {host}: name its network in LOADSTONE_AGENT_TARGET_NETWORKS on the agent "
                "host, or choose another agent. Link-local and metadata addresses are refused always."
            )
        if any((_plain(address), port) in own for port in ports):
            raise TargetNotAllowed(f"{host} at this port is Loadstone's own broker or api: choose another target.")
    return str(addresses[0])


def _look_up(host: str) -> list[Address]:
    """Raises TargetUnreachable."""
    try:
        found = [str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError) as error:
        message = f"There is no host {host}: check the address, and that this agent can look the name up."
        raise TargetUnreachable(message) from error
    return [parse_address(text) for text in dict.fromkeys(found)]


def _own_endpoints(identity: Identity) -> Iterable[tuple[str, int]]:
    defaults = {"redis": BROKER_PORT, "rediss": BROKER_PORT, "https": HTTPS_PORT}
    for url in (identity.broker_url, identity.url):
        parts = urlsplit(url)
        port = parts.port or defaults.get(parts.scheme, HTTP_PORT)
        try:
            addresses = _look_up(parts.hostname or "")
        except TargetUnreachable:
            continue
        yield from ((_plain(address), port) for address in addresses)


def _plain(address: Address) -> str:
    """All addresses that mean this machine are one: a server that listens everywhere answers at each."""
    return "loopback" if address.is_loopback or address.is_unspecified else str(address)
