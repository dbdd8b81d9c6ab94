"""Which agent can take a run, and why another cannot. Pure."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from loadstone_contracts.engines import CUSTOM_PREFIX, ENGINES, NATIVE

from loadstone.models import Agent
from loadstone.settings import get_settings

Target = Mapping[str, Any]
"""A target's snapshot: `kind`, `protocol`, `mode`, `server_version` and `placement` are looked at."""


def is_online(agent: Agent) -> bool:
    if agent.last_heartbeat_at is None:
        return False
    silence = datetime.now(UTC) - agent.last_heartbeat_at
    return silence < timedelta(seconds=get_settings().agent_offline_after_s)


def is_selected(agent: Agent, selector: Mapping[str, Any]) -> bool:
    """Whether the person's choice of agents includes this one; an empty selector includes all."""
    if selector.get("agent_id") is not None:
        return bool(str(selector["agent_id"]) == str(agent.id))
    labels: Mapping[str, str] = selector.get("labels") or {}
    return all(agent.labels.get(name) == value for name, value in labels.items())


def can_take(
    agent: Agent, selector: Mapping[str, Any], targets: Sequence[Target], engines: Sequence[str] = ()
) -> str | None:
    """Why this agent can never take a run with these targets as it is set up now, as a sentence; None when it can.

    `engines` are the names of those besides our own, which every run needs: it fills the stores.
    Being offline, draining or busy passes, and is not asked here.
    """
    if agent.revoked_at is not None:
        return "It is revoked."
    if not is_selected(agent, selector):
        return "It is not among the agents chosen for this run."
    for target in targets:
        reason = _cannot_reach(agent, target)
        if reason is not None:
            return reason
    return next((reason for name in engines if (reason := _lacks_engine(agent, name)) is not None), None)


def foreign_engines(definition: Sequence[Mapping[str, Any]] | None) -> list[str]:
    """Names in a plan's `engines` but for our own; None is a plan from before they could be chosen."""
    return [engine["name"] for engine in definition or [] if engine["name"] != NATIVE]


def _is_ours(offer: Mapping[str, Any]) -> bool:
    name: str = offer.get("name", NATIVE)
    return name == NATIVE or (name not in ENGINES and not name.startswith(CUSTOM_PREFIX))


def _lacks_engine(agent: Agent, name: str) -> str | None:
    title = ENGINES[name].title if name in ENGINES else name
    offer = next((engine for engine in agent.engines if engine["name"] == name), None)
    if offer is not None and offer.get("available", True):
        return None
    remedy = (offer or {}).get("remedy")
    return f"It has no {title}: {remedy}" if remedy else f"It has no {title}."


def _cannot_reach(agent: Agent, target: Target) -> str | None:
    kind = target["kind"]
    # Runs from before a protocol could be chosen speak the one that is named like the kind.
    protocol = target.get("protocol") or kind
    if not any(protocol in engine["protocols"] for engine in agent.engines if _is_ours(engine)):
        return f"It has no engine that speaks {protocol}."
    if target["mode"] == "external":
        return None
    return _cannot_start(agent, kind, target.get("server_version")) or _has_no_place(agent, target)


def _cannot_start(agent: Agent, kind: str, version: str | None) -> str | None:
    offers = [store for store in agent.stores if store["kind"] == kind]
    if not offers:
        return f"It cannot start {kind}."
    there = [offer for offer in offers if offer["available"]]
    if not there:
        return f"It cannot start {kind}: {offers[0].get('remedy') or 'the program is missing'}"
    if version is None or any(offer.get("version") == version for offer in there):
        return None
    missing = next((offer for offer in offers if offer.get("version") == version), None)
    had = ", ".join(str(offer.get("version")) for offer in there)
    return f"It cannot start {kind} {version}: {missing['remedy'] if missing else f'it has {had}'}"


def _has_no_place(agent: Agent, target: Target) -> str | None:
    placement: Mapping[str, Any] = target.get("placement") or {}
    inventory: Mapping[str, Any] = agent.inventory or {}
    directory = placement.get("data_directory")
    if directory and directory not in {known["name"] for known in inventory.get("data_directories") or []}:
        return f"It names no data directory {directory}."
    if placement.get("cpus") and inventory.get("cpus"):
        missing = parse_cpu_list(placement["cpus"]) - parse_cpu_list(inventory["cpus"])
        if missing:
            return f"It has no CPU {', '.join(map(str, sorted(missing)))}; it has {inventory['cpus']}."
    return None


def parse_cpu_list(text: str) -> set[int]:
    """`0-7,16` as the kernel writes it."""
    spans = (part.partition("-") for part in text.split(","))
    return {cpu for first, _, last in spans for cpu in range(int(first), int(last or first) + 1)}


def why_not_now(
    agent: Agent, selector: Mapping[str, Any], targets: Sequence[Target], engines: Sequence[str] = ()
) -> str | None:
    """`can_take`, and whether it would today: None when the agent is online and not draining."""
    reason = can_take(agent, selector, targets, engines)
    if reason is not None:
        return reason
    if not is_online(agent):
        return "It is offline."
    return "It is draining." if agent.is_draining else None
