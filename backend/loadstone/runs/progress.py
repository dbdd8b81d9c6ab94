"""How far a run is and why it waits: pure, from what the tables say."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from loadstone.models import Run
from loadstone.runs.states import LIVE, TERMINAL


@dataclass(frozen=True)
class AgentView:
    """One agent as a waiting run sees it."""

    id: uuid.UUID
    name: str
    host_key: str
    is_online: bool
    is_draining: bool
    busy_with: uuid.UUID | None
    """The run whose trial it holds a lease on."""
    can_take: bool
    """It has what every target of the run needs, and the run's selector allows it."""


@dataclass(frozen=True)
class Waiting:
    """A live run without a trial under way. `host_resources` are the holds its next trial needs on each agent."""

    agent_id: uuid.UUID | None
    is_behind: bool
    """A run that goes first is waiting too."""
    held_resources: frozenset[str]
    needed_hosts: Mapping[uuid.UUID, frozenset[str]]


Reason = tuple[str, str]


def wait_reason(run: Waiting, agents: Sequence[AgentView]) -> Reason | None:
    """`(code, message)`, or None when an agent may claim it right now."""
    if run.agent_id is not None:
        return _bound_reason(run, next((agent for agent in agents if agent.id == run.agent_id), None))
    if not any(agent.is_online for agent in agents):
        return "no_agent_online", "No agent is online. Start one, or enroll this machine under Agents."
    able = [agent for agent in agents if agent.is_online and agent.can_take]
    if not able:
        return "no_agent_can_take", "No agent that is online can take every target of this run."
    reasons = [_agent_reason(run, agent) for agent in able]
    return None if None in reasons else reasons[0]


def _bound_reason(run: Waiting, agent: AgentView | None) -> Reason | None:
    """The run has begun on one agent: it goes on there or nowhere."""
    if agent is None or not agent.is_online:
        name = agent.name if agent else "this run's agent"
        return "agent_offline", f"{name} is offline; the run goes on when it comes back."
    return _agent_reason(run, agent)


def _agent_reason(run: Waiting, agent: AgentView) -> Reason | None:
    if agent.is_draining:
        return "agent_draining", f"{agent.name} is draining and takes no more trials."
    if agent.busy_with is not None:
        if run.is_behind:
            return "behind_other_runs", f"{agent.name} is busy, and another run goes first."
        return "agent_busy", f"{agent.name} executes another run."
    if run.needed_hosts.get(agent.id, frozenset()) & run.held_resources:
        return "host_held", "Another trial holds the target's host; one measures at a time."
    return None


def progress(counts: Mapping[str, int], trial_count: int) -> float:
    """Share of trials that ended, 0 to 1."""
    return sum(counts[status] for status in TERMINAL) / trial_count if trial_count else 1.0


def eta_s(run: Run, last_finished_at: datetime | None, now: datetime) -> float | None:
    """Seconds to the end, from the real pace of the trials that ended (rest and preparation included).

    Before the first one ended: the estimate less what has passed. None while nothing has begun, or after the end.
    """
    left: int = sum(run.status_counts[status] for status in LIVE)
    if run.started_at is None or run.finished_at is not None or not left:
        return None
    ended = run.trial_count - left
    if not ended or last_finished_at is None:
        return max(0.0, run.estimated_s - (now - run.started_at).total_seconds())
    pace_s = (last_finished_at - run.started_at).total_seconds() / ended
    under_way_s = (now - last_finished_at).total_seconds()
    # The trial under way may be slower than the pace: it then takes no time from those after it.
    return pace_s * (left - 1) + max(0.0, pace_s - under_way_s)
