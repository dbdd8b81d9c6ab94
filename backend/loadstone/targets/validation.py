"""What is wrong with a target as a person wrote it."""

from collections.abc import Iterator

from loadstone_contracts.agent_calls import Placement

from loadstone.targets.own_endpoints import is_own
from loadstone.targets.schemas import ADDRESS, WriteTarget
from loadstone.targets.store_kinds import (
    PLUGIN_PROTOCOLS,
    external_only_fault,
    find_option_faults,
    protocol_fault,
    store_kinds,
)

Fault = tuple[str, str, str]
"""Path, code, message."""

ADDRESS_FIELDS = (*ADDRESS, "username", "password", "database", "tls")


def find_faults(wanted: WriteTarget, *, keeps_password: bool) -> list[Fault]:
    """`keeps_password`: one is stored already and the writer did not touch it."""
    shared = list(_protocol_faults(wanted))
    if wanted.mode == "managed":
        return [*shared, *_managed_faults(wanted)]
    return [*shared, *_external_faults(wanted, has_password=wanted.password is not None or keeps_password)]


def _protocol_faults(wanted: WriteTarget) -> Iterator[Fault]:
    kind = store_kinds()[wanted.kind]
    if kind.spoken(wanted.protocol) is None:
        yield "protocol", "unknown_protocol", protocol_fault(kind, wanted.protocol)


def _managed_faults(wanted: WriteTarget) -> Iterator[Fault]:
    kind = store_kinds()[wanted.kind]
    if wanted.profile is None or kind.profile(wanted.profile) is None:
        known = ", ".join(profile.name for profile in kind.profiles)
        yield "profile", "unknown_profile", f"Choose one of {kind.title}'s profiles: {known}."
    if (message := external_only_fault(kind, wanted.protocol)) is not None:
        yield "protocol", "external_only", message
    for name, code, message in find_option_faults(kind, wanted.options):
        yield f"options.{name}", code, message
    for field in ADDRESS_FIELDS:
        if getattr(wanted, field) is not None:
            yield field, "not_for_managed", "The agent starts a managed target itself: it has no address of its own."


def _external_faults(wanted: WriteTarget, *, has_password: bool) -> Iterator[Fault]:
    if wanted.host is None:
        yield "host", "missing", "Say where the target is reached: a host name or an address."
    yield from _own_faults(wanted)
    if wanted.port is None:
        yield "port", "missing", "Say on which port the target listens."
    if wanted.profile is not None or wanted.options:
        yield (
            "profile",
            "not_for_external",
            "Profiles and options are for managed targets; this one is started elsewhere.",
        )
    if wanted.placement not in (None, Placement()):
        yield "placement", "not_for_external", "Cores, memory and disk are given to managed targets only."
    yield from _listener_faults(wanted)
    yield from _plugin_faults(wanted)
    if wanted.username is not None and not has_password:
        yield "password", "missing", "A user name needs a password."
    if wanted.kind == "memcached" and has_password and wanted.username is None:
        yield "username", "missing", "memcached asks for a user name with the password."
    if wanted.database is not None:
        yield from _database_faults(wanted, wanted.database)
    if wanted.tls is not None and not wanted.tls.server_name:
        yield "tls.server_name", "missing", "Say which name the certificate must carry."


def _listener_faults(wanted: WriteTarget) -> Iterator[Fault]:
    if wanted.kind != "memlink":
        yield from _replica_faults(wanted)
        return
    if wanted.read_host is not None:
        yield "read_host", "not_for_this_kind", "Memlink answers reads where it takes writes, at another port."
    if wanted.read_port is not None and wanted.read_port == wanted.port:
        yield "read_port", "value_out_of_range", "Memlink takes writes and answers reads at two ports."
    for field in ("username", "tls"):
        if getattr(wanted, field) is not None:
            yield field, "not_for_memlink", "Memlink knows neither users nor TLS."


def _plugin_faults(wanted: WriteTarget) -> Iterator[Fault]:
    if wanted.kind != "mysql":
        if wanted.plugin_port is not None:
            yield "plugin_port", "not_for_this_kind", "Only MySQL has a plugin that listens at a port of its own."
    elif wanted.protocol in PLUGIN_PROTOCOLS and wanted.plugin_port is None:
        yield "plugin_port", "missing", "Say where the memcached plugin listens; the port is that of SQL."
    elif wanted.plugin_port is not None and wanted.plugin_port == wanted.port:
        yield "plugin_port", "value_out_of_range", "The memcached plugin and SQL are spoken at two ports."


def _replica_faults(wanted: WriteTarget) -> Iterator[Fault]:
    if wanted.read_port is None and wanted.read_host is None:
        return
    if wanted.protocol == "redis_cluster":
        yield "read_port", "not_for_this_kind", "A cluster says itself where its keys are: leave the replica out."
    if (wanted.read_host or wanted.host, wanted.read_port or wanted.port) == (wanted.host, wanted.port):
        yield "read_port", "value_out_of_range", "The replica has an address of its own: say its host or its port."


def _database_faults(wanted: WriteTarget, database: str) -> Iterator[Fault]:
    if wanted.kind in ("memcached", "memlink"):
        yield "database", f"not_for_{wanted.kind}", f"{store_kinds()[wanted.kind].title} has no databases."
    if wanted.kind in ("redis", "valkey") and not database.isdecimal():
        title = store_kinds()[wanted.kind].title
        yield "database", "value_out_of_range", f"{title}'s databases have numbers: 0 is the first."


def _own_faults(wanted: WriteTarget) -> Iterator[Fault]:
    """Of an external target: a measurement would read, or flush, what Loadstone itself keeps."""
    message = "This is Loadstone's own database, broker or api. Choose another address."
    places = [("host", wanted.host, wanted.port), ("plugin_port", wanted.host, wanted.plugin_port)]
    places.append(("read_port", wanted.read_host or wanted.host, wanted.read_port))
    if wanted.kind == "memlink" and wanted.read_port is None and wanted.port:
        # Memlink answers reads at the port below.
        places.append(("port", wanted.host, wanted.port - 1))
    if wanted.read_host is not None and wanted.read_port is None:
        places.append(("read_host", wanted.read_host, wanted.port))
    for path, host, port in places:
        if host is not None and port is not None and is_own(host, port):
            yield path, "own_endpoint", message
