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
    cannot: str | None
    """Why it can never take the run as it is set up now; None when it has what every target needs and is chosen."""


@dataclass(frozen=True)
class Waiting:
    """A live run without a trial under way. `host_resources` are the holds its next trial needs on each agent."""

    agent_id: uuid.UUID | None
    is_behind: bool
    """A run that goes first is waiting too."""
    is_paused: bool
    waits_for_run: bool
    """An earlier firing of its schedule has not ended."""
    held_resources: frozenset[str]
    needed_hosts: Mapping[uuid.UUID, frozenset[str]]


Reason = tuple[str, str]
NAMED_AGENTS = 3


def wait_reason(run: Waiting, agents: Sequence[AgentView]) -> Reason | None:
    """`(code, message)`, or None when an agent may claim it right now."""
    if run.agent_id is not None:
        return _bound_reason(run, next((agent for agent in agents if agent.id == run.agent_id), None))
    if run.is_paused:
        return "paused", "A person paused it; it keeps its place and begins once it is resumed."
    unable = _no_agent_reason(agents)
    if unable is not None:
        return unable
    if run.waits_for_run:
        return "earlier_firing", "An earlier run of its schedule has not ended; the schedule lets them queue up."
    reasons = [_agent_reason(run, agent) for agent in agents if agent.is_online and agent.cannot is None]
    return None if None in reasons else reasons[0]


def _no_agent_reason(agents: Sequence[AgentView]) -> Reason | None:
    """Without an agent, or with none that ever can, waiting helps nobody: that is said before anything else."""
    able = [agent for agent in agents if agent.cannot is None]
    if agents and not able:
        return "no_agent_can_take", "No agent can take this run. " + _refusals(agents)
    if any(agent.is_online for agent in able):
        return None
    if any(agent.is_online for agent in agents):
        names = ", ".join(agent.name for agent in able[:NAMED_AGENTS])
        return "agent_offline", f"Offline now: {names}. No other agent can take this run."
    return "no_agent_online", "No agent is online. Start one, or enroll this machine under Agents."


def _refusals(agents: Sequence[AgentView]) -> str:
    """Each reason once, with the names of those that it holds for."""
    names: dict[str, list[str]] = {}
    for agent in agents:
        names.setdefault(agent.cannot or "", []).append(agent.name)
    return " ".join(f"{_listed(who)}: {reason}" for reason, who in list(names.items())[:NAMED_AGENTS])


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED_AGENTS} more" if len(names) > NAMED_AGENTS else ""
    return ", ".join(names[:NAMED_AGENTS]) + more


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
