"""When waiting runs will begin and end. Pure.

The runs are dealt out in the dispatcher's order, each to the agent that is free first among those that can take it, and
every agent and host takes one at a time: what the dispatcher will do if nothing takes longer than expected.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Basis = Literal["own_pace", "past_runs", "estimate"]


@dataclass(frozen=True)
class Work:
    """One live run. `remaining_s` is what is left of it, `hosts` by agent what it holds while it runs there."""

    run_id: uuid.UUID
    remaining_s: float
    hosts: Mapping[uuid.UUID, frozenset[str]]
    """Of the agents that may begin it now or later today: not of those offline, draining or unfit."""
    is_under_way: bool = False
    is_paused: bool = False
    waits_for: uuid.UUID | None = None


@dataclass(frozen=True)
class Slot:
    agent_id: uuid.UUID
    starts_at: datetime
    ends_at: datetime


def forecast(works: Sequence[Work], now: datetime) -> dict[uuid.UUID, Slot]:
    """By run, in the dispatcher's order; a run that nobody will begin as things stand has none."""
    free_at: dict[str, datetime] = {}
    slots: dict[uuid.UUID, Slot] = {}
    live = {work.run_id for work in works}
    for work in works:
        earliest = _earliest(work, slots, live, now)
        if work.is_paused or earliest is None or not work.hosts:
            continue
        slot = _first_slot(work, free_at, earliest)
        slots[work.run_id] = slot
        for host in work.hosts[slot.agent_id]:
            free_at[host] = slot.ends_at
    return slots


def _earliest(work: Work, slots: Mapping[uuid.UUID, Slot], live: set[uuid.UUID], now: datetime) -> datetime | None:
    if work.waits_for is None or work.waits_for not in live:
        return now
    before = slots.get(work.waits_for)
    return before.ends_at if before else None


def _first_slot(work: Work, free_at: Mapping[str, datetime], earliest: datetime) -> Slot:
    def begin(agent_id: uuid.UUID) -> datetime:
        if work.is_under_way:
            return earliest
        return max([earliest, *(free_at[host] for host in work.hosts[agent_id] if host in free_at)])

    agent_id = min(work.hosts, key=begin)
    starts_at = begin(agent_id)
    return Slot(agent_id, starts_at, starts_at + timedelta(seconds=work.remaining_s))


def correct_estimate(estimated_s: float, past_ratio: float | None) -> tuple[float, Basis]:
    """`past_ratio`: how much longer than their estimates past runs of the same definition took."""
    return (estimated_s, "estimate") if past_ratio is None else (estimated_s * past_ratio, "past_runs")
