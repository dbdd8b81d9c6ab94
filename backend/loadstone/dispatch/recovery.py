"""Doorbells and the sweep, run by `control`. Both may run twice at once: rows are locked or skipped, never awaited."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog

from loadstone.agents import service as agents
from loadstone.db import DATABASE_AWAY, UnitOfWork
from loadstone.dispatch import repository
from loadstone.dispatch.ending import end_attempt
from loadstone.dispatch.repository import WaitingRun
from loadstone.doorbell import doorbell
from loadstone.models import Agent
from loadstone.runs import service as runs
from loadstone.runs.holds import host_resources
from loadstone.runs.states import ACTIVE, Status, has_active
from loadstone.settings import get_settings
from loadstone.targets import service as targets

log = structlog.get_logger()


def dispatch(unit: UnitOfWork) -> int:
    """Rings every idle agent once, for the best run that it can take; returns how many were rung."""
    seen_after = datetime.now(UTC) - timedelta(seconds=get_settings().agent_offline_after_s)
    idle = list(repository.idle_agents(unit.session, seen_after))
    if not idle:
        return 0
    held = repository.held_resources(unit.session)
    rung = 0
    for run in repository.waiting_runs(unit.session, (agent.team_id for agent in idle)):
        try:
            agent = _ring_for(unit, run, idle, held)
        except DATABASE_AWAY:
            raise
        except Exception:
            log.exception("dispatch_failed", run_id=str(run.id))
            continue
        if agent is not None:
            idle.remove(agent)
            rung += 1
        if not idle:
            break
    return rung


def _ring_for(unit: UnitOfWork, run: WaitingRun, idle: list[Agent], held: set[str]) -> Agent | None:
    """Rings the first idle agent that may claim the run's next trial; its hosts count as held from now on."""
    able = [agent for agent in idle if _may_take(run, agent)]
    trial = repository.first_live_trial(unit.session, run.id) if able else None
    if trial is None:
        return None
    target = run.targets[repository.point_target(unit.session, trial)]
    for agent in able:
        needed = host_resources(agent.team_id, agent.host_key, target)
        if not needed & held:
            held |= needed
            unit.after_commit(partial(doorbell().ring_trial, str(agent.id), str(trial.id)))
            return agent
    return None


def _may_take(run: WaitingRun, agent: Agent) -> bool:
    if agent.team_id != run.team_id or run.agent_id not in (None, agent.id):
        return False
    engines = agents.foreign_engines(run.engines)
    return agents.can_take(agent, run.agent_selector, run.targets, engines) is None


def sweep(unit: UnitOfWork) -> None:
    """Recovers what was lost on the way: leases, agents, cancels, checks and doorbells."""
    now = datetime.now(UTC)
    for run_id, trial_id in repository.unheld_trials(unit.session, now):
        _apart(unit, partial(_crash_unheld, unit, run_id, trial_id, now), run_id=str(run_id), trial_id=str(trial_id))
    for run_id in repository.abandoned_runs(unit.session, now - timedelta(seconds=get_settings().agent_lost_after_s)):
        _apart(unit, partial(_fail_abandoned, unit, run_id), run_id=str(run_id))
    _apart(unit, partial(targets.fail_stale_checks, unit))
    dispatch(unit)


def _apart(unit: UnitOfWork, act: Callable[[], object], **ids: str) -> None:
    """A bad row stops nobody: what fails is undone by itself, logged, and tried again by the next sweep."""
    try:
        with unit.session.begin_nested():
            act()
    except DATABASE_AWAY:
        raise
    except Exception:
        log.exception("recovery_failed", **ids)


def _crash_unheld(unit: UnitOfWork, run_id: uuid.UUID, trial_id: uuid.UUID, now: datetime) -> None:
    """Ends the attempt of a trial whose lease ran out, unless that changed before the run was locked."""
    run = repository.try_lock_run(unit.session, run_id)
    if run is None:
        return
    trial = repository.get_trial(unit.session, trial_id)
    lease = repository.trial_lease(unit.session, trial_id)
    if trial.status not in ACTIVE or (lease is not None and lease.expires_at >= now):
        return
    if lease is not None:
        lease.status = "expired"
    # The cancel was asked for and nobody is left to carry it out.
    status = Status.CANCELLED if trial.status == Status.CANCELLING else Status.CRASHED
    message = "The agent was not heard of until its lease ran out. Look at the agent's log, then run it again."
    error = {} if status is Status.CANCELLED else {"error_code": "lease_expired", "error_message": message}
    end_attempt(unit, run, trial, lease, status, dict(error))


def _fail_abandoned(unit: UnitOfWork, run_id: uuid.UUID) -> None:
    run = repository.try_lock_run(unit.session, run_id)
    if run is not None and not has_active(run.status_counts):
        error = "agent_lost", "The run's agent is gone for good or revoked. Submit the run again on another agent."
        runs.end_queued(unit, run, Status.FAILED, error=error)
        runs.settle(unit, run, error)
