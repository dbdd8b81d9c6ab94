"""The installation's own database, broker and api: no target, whatever a person calls them."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from loadstone_contracts.networks import parse_address

from loadstone.settings import get_settings

PORTS = {"redis": 6379, "rediss": 6379, "postgresql+psycopg": 5432, "postgresql": 5432, "https": 443, "http": 80}


def is_own(host: str, port: int) -> bool:
    """Whether this address is one of the installation's own, by whatever name. Looks names up where ports are equal."""
    own = [(name, own_port) for name, own_port in _own_endpoints() if own_port == port]
    if not own:
        return False
    wanted = _addresses(host)
    return any(host.lower() == name.lower() or wanted & _addresses(name) for name, _ in own)


def _own_endpoints() -> Iterator[tuple[str, int]]:
    settings = get_settings()
    yield settings.host, settings.port
    for url in (settings.database_url, settings.broker_url, settings.agent_broker_url, settings.public_url):
        parts = urlsplit(url or "")
        # Whatever listens on a socket file is out of every target's reach.
        if parts.hostname:
            yield parts.hostname, parts.port or PORTS.get(parts.scheme, 0)


def _addresses(host: str) -> set[str]:
    found: set[str] = set()
    with suppress(OSError, UnicodeError):
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    return {_plain(address) for address in found}


def _plain(text: str) -> str:
    """One name for every way to write an address; all that mean this machine are one."""
    address = parse_address(text)
    return "loopback" if address.is_loopback or address.is_unspecified else str(address)
