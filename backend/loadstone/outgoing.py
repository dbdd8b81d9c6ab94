"""The one door for requests that this service sends somewhere because a person named the address.

Within `door(...)` every connection that this thread opens is looked at when it is opened, by whichever library: the
numeric address that the kernel is about to connect to must be reachable, so a name that means something else a moment
after it was looked up changes nothing. All of it ends after a time, however slowly the other side answers.
"""

import os
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from loadstone_contracts.networks import LOCAL, Network, is_reachable, parse_address, parse_networks

from loadstone.errors import AppError
from loadstone.settings import get_settings

DOOR = "_loadstone_door"
PROCESS_EVENTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")
LOOKED_AT = frozenset({*PROCESS_EVENTS, "socket.connect", "socket.sendto", "socket.sendmsg"})


class NotReachable(AppError):
    """Of this service's own network, or no address that means itself."""

    code = "address_refused"
    status = 422
    title = "The address cannot be used"


class NoSuchHost(AppError):
    code = "bad_address"
    status = 422
    title = "The address cannot be used"


class DoorShut(OSError):
    """Raised inside a library that connects to a refused address."""


@dataclass
class _Door:
    named: Sequence[Network]
    allowed: frozenset[tuple[str, int]]
    """Addresses and ports of a server that the operator named, wherever it is."""
    links: list[socket.socket] = field(default_factory=list)
    refused: str | None = None
    is_closed: bool = False


_here = threading.local()


def named_networks() -> tuple[Network, ...]:
    """Those that the installation's settings open besides the internet."""
    settings = get_settings()
    own = LOCAL if settings.notify_private_addresses else ()
    return (*own, *parse_networks(settings.notify_networks))


def resolve(host: str) -> str:
    """One address of the host, which is the one to connect to; raises NoSuchHost, NotReachable.

    All of its addresses must be reachable: a name with one inside and one outside is meant to confuse.
    """
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError) as error:
        raise NoSuchHost(f"There is no host {host[:100]}.", path="address") from error
    named = named_networks()
    if not all(is_reachable(parse_address(address), named) for address in found):
        raise NotReachable(
            f"{host[:100]} lies in a private or reserved network. Whoever runs this installation can allow networks "
            "with LOADSTONE_NOTIFY_NETWORKS.",
            path="address",
        )
    return min(found)


@contextmanager
def door(limit_s: float, server: tuple[str, int] | None = None) -> Iterator[None]:
    """Everything that this thread connects to within is checked, and cut after `limit_s`.

    `server` is one that the operator named in the settings, such as that for mail. Raises NotReachable at the end
    when a library swallowed that it was refused.
    """
    _watch()
    opened = _Door(named_networks(), frozenset(_addresses_of(server)) if server else frozenset())
    ends = threading.Timer(limit_s, _cut, [opened])
    ends.daemon = True
    ends.start()
    _here.door = opened
    try:
        yield
    finally:
        _here.door = None
        ends.cancel()
        opened.is_closed = True
        for link in opened.links:
            link.close()
    if opened.refused is not None:
        raise NotReachable(f"{opened.refused} is not reached from here: it lies in a private or reserved network.")


def is_behind_door() -> bool:
    """Whether what this thread sends now goes somewhere because a person named the address."""
    return _door_of_this_thread() is not None


def _addresses_of(server: tuple[str, int]) -> set[tuple[str, int]]:
    host, port = server
    with suppress(OSError, UnicodeError):
        return {(str(info[4][0]), port) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    return set()


def _cut(opened: _Door) -> None:
    for link in list(opened.links):
        with suppress(OSError):
            link.shutdown(socket.SHUT_RDWR)


def _look(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: CPython calls it before it connects, and what it raises stops that."""
    if event not in LOOKED_AT:
        return
    opened = _door_of_this_thread()
    if opened is None:
        return
    if event in PROCESS_EVENTS:
        raise DoorShut("no program is started to send a notification")
    if opened.is_closed:
        raise DoorShut("it is too late to send anything")
    link, address = arguments[0], arguments[1]
    if not _is_allowed(opened, address):
        opened.refused = str(address[0] if isinstance(address, tuple) else address)[:100]
        raise DoorShut(f"{opened.refused} is refused")
    # A descriptor of our own: TLS takes the library's socket over.
    opened.links.append(socket.socket(fileno=os.dup(link.fileno())))


def _door_of_this_thread() -> _Door | None:
    found: _Door | None = getattr(_here, "door", None) or getattr(threading.current_thread(), DOOR, None)
    return found


def _is_allowed(opened: _Door, address: Any) -> bool:
    if not isinstance(address, tuple):
        return False
    try:
        parsed = parse_address(str(address[0]))
    except ValueError:
        # A name would be looked up between this check and the connection.
        return False
    return (str(parsed), address[1]) in opened.allowed or is_reachable(parsed, opened.named)


_watching = threading.Lock()
_is_watched = False


def _watch() -> None:
    """Once a process: a hook cannot be taken away again."""
    global _is_watched  # noqa: PLW0603 - as the hook itself
    with _watching:
        if not _is_watched:
            sys.addaudithook(_look)
            threading.Thread.start = _start_behind_door  # type: ignore[method-assign, assignment]
            _is_watched = True


_start_thread = threading.Thread.start


def _start_behind_door(thread: threading.Thread) -> None:
    """What a library starts stands behind the same door as who called it: Apprise sends from threads of its own."""
    opened = _door_of_this_thread()
    if opened is not None:
        setattr(thread, DOOR, opened)
    _start_thread(thread)
