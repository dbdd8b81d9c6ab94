"""Makes a trial's target ready: started or reached, reset, and asked what it is."""

import shutil
from dataclasses import dataclass

from loadstone_contracts.agent_calls import AssignedTarget, Assignment, Reset, StoreFacts, TrialError
from loadstone_contracts.engine_plan import EngineTarget, StoreProtocol, TcpAddress
from loadstone_contracts.store_options import VERSION_OPTION

from loadstone_agent.agent import Agent
from loadstone_agent.cpus import shared_cpu_warning
from loadstone_agent.errors import BadPlan, FlushRefused, StoreDiskFull, TargetRefused, VersionMismatch
from loadstone_agent.networks import pinned
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.base import MARKER_KEY, Endpoint, StoreControl, StoreKind
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore
from loadstone_agent.stores.page_cache import drop_page_cache
from loadstone_agent.stores.placement import HostPlace, find_place
from loadstone_agent.stores.redaction import redact_facts
from loadstone_agent.stores.session import StoreSession
from loadstone_agent.trial.interruption import Interruption
from loadstone_agent.trial.record import TrialRecord

UNKNOWN_VERSION = "unknown"
DISK_FULL_BELOW_BYTES = 4 * 2**20


@dataclass(frozen=True)
class ReadyTarget:
    kind: StoreKind
    endpoint: Endpoint
    managed: ManagedStore | None
    is_fresh: bool
    protocol: StoreProtocol
    place: HostPlace | None = None
    """Of a managed store."""

    def for_engine(self) -> EngineTarget:
        loaded = self._loaded()
        return EngineTarget(
            protocol=self.protocol,
            address=TcpAddress(host=loaded.host, port=loaded.port),
            read_address=self._read_address(loaded),
            username=loaded.username,
            password=loaded.password,
            # memcached's protocols know no databases, also where they end in a table.
            database=None if self.protocol.startswith("memcached") else self.kind.database_of(self.endpoint),
            tls=loaded.tls,
        )

    def _loaded(self) -> Endpoint:
        """The port that speaks the protocol. MySQL's plugin knows neither its users nor its TLS."""
        listener = self.kind.listener_of(self.protocol)
        if self.managed is not None:
            return self.managed.load_endpoints[listener]
        if listener == 0 or self.endpoint.plugin_port is None:
            return self.endpoint
        return Endpoint(self.endpoint.host, self.endpoint.plugin_port)

    def _read_address(self, loaded: Endpoint) -> TcpAddress | None:
        """Where reads go when it is not where writes go: to a port of the store's own, or to a replica."""
        if self.managed is not None:
            at = self.kind.reads_at
            return None if at is None else TcpAddress(host=loaded.host, port=self.managed.endpoints[at].port)
        own_port = self.kind.read_port_of(self.endpoint)
        if own_port is not None:
            return TcpAddress(host=loaded.host, port=own_port)
        replica_host, replica_port = self.endpoint.read_host, self.endpoint.read_port
        if replica_host is None and replica_port is None:
            return None
        return TcpAddress(host=replica_host or loaded.host, port=replica_port or loaded.port)

    def drop_page_cache(self) -> None:
        """Where the target asks for it: its files leave the page cache."""
        if self.managed is not None and self.place is not None and self.place.drops_page_cache:
            drop_page_cache(self.managed.directory)


def external_endpoint(target: AssignedTarget) -> Endpoint:
    """Raises BadPlan."""
    if target.host is None or target.port is None:
        raise BadPlan(f"The external target {target.target_name!r} has no address: give it a host and a port.")
    is_plugin = target.protocol is not None and KINDS[target.kind].listener_of(target.protocol) != 0
    if is_plugin and target.plugin_port is None:
        raise BadPlan(f"{target.target_name!r} speaks {target.protocol} at a port of its own: name its plugin's port.")
    return Endpoint(
        target.host,
        target.port,
        target.username,
        target.password,
        target.tls,
        target.database,
        target.read_port,
        target.read_host,
        target.plugin_port,
    )


def obtain_target(
    agent: Agent, stores: StoreSession, assignment: Assignment, interruption: Interruption, record: TrialRecord
) -> ReadyTarget:
    """Raises AgentError and TrialInterrupted."""
    target = assignment.target
    kind = KINDS[target.kind]
    protocol = target.protocol or kind.protocols[0]
    if target.mode == "external":
        allowed = pinned(target, agent.settings.agent_target_networks, agent.identity)
        return ReadyTarget(kind, external_endpoint(allowed), None, False, protocol)
    place = find_place(kind, target.placement, target.options, agent.cpus, agent.settings)
    record.warn(shared_cpu_warning(place.cpus, agent.cpus.engine))
    plan = LaunchPlan(
        kind=kind,
        options=place.options,
        connections=assignment.work.load.connections,
        cpus=place.cpus,
        data_root=place.data_root,
        user=agent.settings.store_user,
        templates=agent.settings.templates_dir,
        memory_limit_bytes=place.memory_limit_bytes,
    )
    key = (assignment.run_id, target.instance_key)
    managed, is_fresh = stores.obtain(key, assignment.reset, plan, interruption.check)
    record.command_lines.append(managed.command_line)
    return ReadyTarget(kind, managed.endpoint, managed, is_fresh, protocol, place)


def reset_target(control: StoreControl, ready: ReadyTarget, target: AssignedTarget, reset: Reset) -> None:
    """A started store is ours to flush; anybody else's only under `flush_external`'s conditions."""
    if target.mode == "external":
        if reset == "restart":
            message = (
                f"The external target {target.target_name!r} cannot be restarted: reset it by flush or not at all."
            )
            raise BadPlan(message)
        if reset == "flush":
            flush_external(control, target)
    elif reset == "flush" and not ready.is_fresh:
        control.flush()


def flush_external(control: StoreControl, target: AssignedTarget) -> None:
    """Only what its owner allowed, and only data that is known to be ours. Raises FlushRefused."""
    name = target.target_name
    if not target.flush_allowed:
        raise FlushRefused(f"Flushing {name!r} is not allowed: allow it on the target's page, or run without reset.")
    is_empty = control.is_empty()
    if not is_empty and not control.has_marker():
        raise FlushRefused(
            f"{name!r} holds data that Loadstone did not write (no key {MARKER_KEY}): "
            "empty it yourself, or set that key to say that all of it may go."
        )
    if not is_empty:
        control.flush()
    control.write_marker()


def read_facts(control: StoreControl, ready: ReadyTarget, record: TrialRecord) -> StoreFacts:
    """A hosted store may keep its configuration to itself: that is a warning, not a failure.

    Raises VersionMismatch when a managed one is not the version that its profile names.
    """
    try:
        return _complete(redact_facts(control.facts(), filter(None, [ready.endpoint.password])), ready)
    except TargetRefused as refusal:
        if ready.managed is not None:
            raise
        message = "The target does not show its configuration: its drift cannot be seen between runs."
        record.warn(TrialError(code="settings_unreadable", message=message, detail=refusal.detail))
        return StoreFacts(kind=ready.kind.kind, version=control.version(), settings={})


def _complete(facts: StoreFacts, ready: ReadyTarget) -> StoreFacts:
    """With the version that only the program tells, and with the place that the store got."""
    if ready.managed is None or ready.place is None:
        return facts
    options = ready.place.options
    version = ready.kind.version_of(options) if facts.version == UNKNOWN_VERSION else facts.version
    wanted = options.get(VERSION_OPTION, version)
    if wanted != version:
        raise VersionMismatch(
            f"The profile asks for {ready.kind.kind} {wanted} and the server says it is {version}: "
            f"install {wanted} on this agent host ({ready.kind.remedy}), or choose another profile."
        )
    return facts.model_copy(update={"version": version, "settings": {**facts.settings, **ready.place.told}})


def check_disk(control: StoreControl, ready: ReadyTarget, record: TrialRecord) -> None:
    """Raises StoreDiskFull when the store could not write: what it then answers is not what it does."""
    fault = control.write_fault()
    if fault is None:
        return
    if ready.managed is not None and shutil.disk_usage(ready.managed.directory).free < DISK_FULL_BELOW_BYTES:
        message = (
            f"The disk of {ready.kind.kind}'s data directory is full, and it stopped taking writes: "
            "free some space, choose another data directory, or use less data."
        )
        raise StoreDiskFull(message, fault)
    message = "The store says that its last write to disk failed: see the detail and its log."
    record.warn(TrialError(code="store_write_failed", message=message, detail=fault))


def renew_marker(ready: ReadyTarget, reset: Reset) -> None:
    """A full cache evicts what is not used; without its marker the target could not be flushed next time."""
    if ready.managed is None and reset == "flush":
        with ready.kind.control(ready.endpoint) as control:
            control.write_marker()
