"""Makes a trial's target ready: started or reached, reset, and asked what it is."""

from dataclasses import dataclass

from loadstone_contracts.agent_calls import AssignedTarget, Assignment, Reset, StoreFacts, TrialError
from loadstone_contracts.engine_plan import EngineTarget, StoreProtocol, TcpAddress

from loadstone_agent.agent import Agent
from loadstone_agent.cpus import shared_cpu_warning
from loadstone_agent.errors import BadPlan, FlushRefused, TargetRefused
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.base import MARKER_KEY, Endpoint, StoreControl, StoreKind
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore
from loadstone_agent.stores.session import StoreSession
from loadstone_agent.trial.interruption import Interruption
from loadstone_agent.trial.record import TrialRecord


@dataclass(frozen=True)
class ReadyTarget:
    kind: StoreKind
    endpoint: Endpoint
    managed: ManagedStore | None
    is_fresh: bool
    protocol: StoreProtocol

    def for_engine(self) -> EngineTarget:
        managed = self.managed
        loaded = managed.endpoints[self.kind.listener_of(self.protocol)] if managed else self.endpoint
        return EngineTarget(
            protocol=self.protocol,
            address=TcpAddress(host=loaded.host, port=loaded.port),
            username=self.endpoint.username,
            password=self.endpoint.password,
            database=self.kind.database_of(self.endpoint),
            tls=self.endpoint.tls,
        )


def external_endpoint(target: AssignedTarget) -> Endpoint:
    """Raises BadPlan."""
    if target.host is None or target.port is None:
        raise BadPlan(f"The external target {target.target_name!r} has no address: give it a host and a port.")
    return Endpoint(target.host, target.port, target.username, target.password, target.tls, target.database)


def obtain_target(
    agent: Agent, stores: StoreSession, assignment: Assignment, interruption: Interruption, record: TrialRecord
) -> ReadyTarget:
    """Raises AgentError and TrialInterrupted."""
    target = assignment.target
    kind = KINDS[target.kind]
    protocol = target.protocol or kind.protocols[0]
    if target.mode == "external":
        return ReadyTarget(kind, external_endpoint(target), None, False, protocol)
    cpus = target.cpus or agent.cpus.store
    record.warn(shared_cpu_warning(cpus, agent.cpus.engine))
    plan = LaunchPlan(
        kind=kind,
        options=target.options,
        connections=assignment.work.load.connections,
        cpus=cpus,
        data_root=agent.settings.stores_dir,
        user=agent.settings.store_user,
    )
    key = (assignment.run_id, target.instance_key)
    managed, is_fresh = stores.obtain(key, assignment.reset, plan, interruption.check)
    record.command_lines.append(managed.command_line)
    return ReadyTarget(kind, managed.endpoint, managed, is_fresh, protocol)


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
    """A hosted store may keep its configuration to itself: that is a warning, not a failure."""
    try:
        return control.facts()
    except TargetRefused as refusal:
        if ready.managed is not None:
            raise
        message = "The target does not show its configuration: its drift cannot be seen between runs."
        record.warn(TrialError(code="settings_unreadable", message=message, detail=refusal.detail))
        return StoreFacts(kind=ready.kind.kind, version=control.version(), settings={})


def renew_marker(ready: ReadyTarget, reset: Reset) -> None:
    """A full cache evicts what is not used; without its marker the target could not be flushed next time."""
    if ready.managed is None and reset == "flush":
        with ready.kind.control(ready.endpoint) as control:
            control.write_marker()
