"""What a trial holds exclusively: its agent, and the host that its target answers from. Pure."""

import ipaddress
import uuid
from collections.abc import Mapping
from typing import Any


def host_resources(team_id: uuid.UUID, agent_host_key: str, target: Mapping[str, Any]) -> frozenset[str]:
    """The hosts that must be left alone: the agent's own, and an external target's when that is another one.

    A target's host is what a person typed, so it stands for that host within their team only: no team can hold up
    another one's runs by naming its hosts.
    """
    own = f"host:{agent_host_key}"
    if target["mode"] == "managed" or is_loopback(target["host"]):
        return frozenset({own})
    return frozenset({own, f"target:{team_id}:{target['host'].lower()}"})


def trial_resources(
    team_id: uuid.UUID, agent_id: uuid.UUID, agent_host_key: str, target: Mapping[str, Any]
) -> frozenset[str]:
    return host_resources(team_id, agent_host_key, target) | {f"agent:{agent_id}"}


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
