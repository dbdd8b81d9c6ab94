"""Which addresses are whose: private, reserved, or another address in disguise. Pure; nothing is looked up here."""

import ipaddress
from collections.abc import Iterable, Sequence
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


NEVER: Final = _networks(
    # Metadata of clouds and whatever else answers on the link; nobody's store and nobody's webhook.
    *("169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128", "192.0.0.192/32", "100.100.100.200/32"),
    *("0.0.0.0/8", "::/128", "255.255.255.255/32", "224.0.0.0/4", "ff00::/8", "240.0.0.0/4"),
)
"""Not even where a setting names a network that holds them."""
LOCAL: Final = _networks(
    *("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "100.64.0.0/10")
)
RESERVED: Final = _networks(
    *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
    *("100::/64", "2001:db8::/32", "3fff::/20", "5f00::/16", "fec0::/10", "2001::/23"),
    # These hold an IPv4 address that a translator on the way connects to: NAT64, 6to4, Teredo, and IPv4-compatible.
    *("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96"),
)


def parse_address(text: str) -> Address:
    """An IPv4 address that is written as IPv6 (`::ffff:127.0.0.1`) is the IPv4 address. Raises ValueError."""
    parsed = ipaddress.ip_address(text.partition("%")[0])
    return getattr(parsed, "ipv4_mapped", None) or parsed


def parse_networks(text: str) -> tuple[Network, ...]:
    """`10.1.0.0/16, fd00::/8`; raises ValueError."""
    return tuple(ipaddress.ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip())


def is_in(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks if network.version == address.version)


def is_never_reached(address: Address) -> bool:
    """Also as the IPv4 address that NAT64, 6to4 or Teredo would turn it into."""
    return any(is_in(one, NEVER) for one in (address, *_embedded(address)))


def is_public(address: Address) -> bool:
    """Of the internet, and what it says: no address that a translator would turn into another one."""
    return not is_in(address, (*NEVER, *LOCAL, *RESERVED)) and address.is_global


def is_reachable(address: Address, named: Sequence[Network]) -> bool:
    """Within one of the `named` networks, or public; `NEVER` is not, whoever names it."""
    return not is_never_reached(address) and (is_in(address, named) or is_public(address))


def _embedded(address: Address) -> list[Address]:
    if not isinstance(address, ipaddress.IPv6Address):
        return []
    found: list[Address] = []
    if address.sixtofour is not None:
        found.append(address.sixtofour)
    if address.teredo is not None:
        found.extend(address.teredo)
    if is_in(address, _networks("64:ff9b::/96", "64:ff9b:1::/48")) or (int(address) >> 32 == 0 and int(address) > 1):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return found
