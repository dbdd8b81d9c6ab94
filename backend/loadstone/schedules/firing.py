"""What happens when a schedule is due. One transaction a schedule: run, firing and next due time stand together."""

import uuid
from collections.abc import Sequence
from datetime import datetime

import structlog

from loadstone.agents import service as agents
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork, unit_of_work
from loadstone.errors import AppError, Conflict, NotFound
from loadstone.models import Run, Schedule, ScheduleFiring
from loadstone.notifications import service as notifications
from loadstone.plans import service as plans
from loadstone.principal import Principal
from loadstone.runs import service as runs
from loadstone.schedules import calendar, repository

log = structlog.get_logger()

BATCH = 100
"""Due schedules looked at in one ring; the next ring comes a second later."""
MISSED_KEPT = 100
"""Of the due times that an outage swallowed, so many are listed one by one; `missed_count` counts them all."""
MAX_QUEUED = 20
"""Runs of one schedule that may wait at once: a plan that takes longer than its interval would pile up for ever."""


class PlanArchived(Conflict):
    code = "plan_archived"
    title = "The plan is archived"


class AuthorGone(Conflict):
    code = "author_gone"
    title = "The schedule has no author any more"


class AgentGone(Conflict):
    code = "agent_gone"
    title = "The schedule's agent is gone"


def fire_due() -> int:
    """Fires what is due, each schedule in a transaction of its own; returns how many firings were recorded.

    Any number of workers may do this at once: a schedule that another one holds is skipped.
    """
    with unit_of_work(every_team=True) as unit:
        due = repository.due_schedules(unit.session, repository.now(unit.session), BATCH)
    return sum(_fire_safely(schedule_id) for schedule_id in due)


def _fire_safely(schedule_id: uuid.UUID) -> bool:
    """A schedule that cannot even be looked at must not keep the others from firing."""
    try:
        with unit_of_work(every_team=True) as unit:
            now = repository.now(unit.session)
            schedule = repository.take_due(unit.session, schedule_id, now)
            if schedule is None:
                return False
            _fire(unit, schedule, now)
            return True
    except Exception:
        log.exception("schedule_not_fired", schedule_id=str(schedule_id))
        return False


def _fire(unit: UnitOfWork, schedule: Schedule, now: datetime) -> None:
    """The latest due time is fired; those before it were missed."""
    unit.bind_team(schedule.team_id)
    assert schedule.next_fire_at is not None, "an active schedule has a next due time"
    late = calendar.overdue(schedule.cron, schedule.time_zone, schedule.next_fire_at, now, schedule.ends_at)
    repository.insert_missed(unit.session, schedule, late[:-1][-MISSED_KEPT:])
    _go_on(schedule, now)
    firing = submit_firing(unit, schedule, late[-1], is_manual=False)
    firing.missed_count = len(late) - 1


def _go_on(schedule: Schedule, now: datetime) -> None:
    schedule.next_fire_at = calendar.next_due(schedule.cron, schedule.time_zone, now, schedule.ends_at)
    if schedule.next_fire_at is None:
        schedule.state = "ended"


def submit_firing(unit: UnitOfWork, schedule: Schedule, due_at: datetime, *, is_manual: bool) -> ScheduleFiring:
    """Records the due time with its run, or with the reason why there is none. The schedule is locked."""
    firing = ScheduleFiring(
        team_id=schedule.team_id, schedule_id=schedule.id, due_at=due_at, is_manual=is_manual, missed_count=0
    )
    try:
        with unit.session.begin_nested():
            _decide(unit, schedule, firing)
    except AppError as error:
        _refuse(firing, *_reason(error))
        _break(unit, schedule, firing)
    except Exception:
        # Not the schedule's fault as far as anybody knows: it stays active, and its next due time tries again.
        log.exception("firing_failed", schedule_id=str(schedule.id))
        _refuse(firing, "internal", "Something went wrong; the fault is logged.")
    unit.session.add(firing)
    unit.session.flush()
    detail = {"name": schedule.name, "due_at": due_at.isoformat(), "outcome": firing.outcome}
    if not is_manual:
        audit.record_for_team(unit, schedule.team_id, "schedule_fired", "schedule", schedule.id, detail)
    return firing


def _decide(unit: UnitOfWork, schedule: Schedule, firing: ScheduleFiring) -> None:
    earlier = repository.live_runs(unit.session, schedule.id)
    skipped = _why_skipped(schedule, earlier)
    if skipped is not None:
        firing.outcome = "skipped"
        firing.error_code, firing.error_message = skipped
        return
    principal = _author(schedule)
    if schedule.overlap_policy == "cancel":
        for run in earlier:
            runs.cancel_run(unit, principal, run.id)
    waits_for = earlier[-1].id if earlier and schedule.overlap_policy == "queue" else None
    firing.run_id = _submit(unit, principal, schedule, waits_for).id
    firing.outcome = "submitted"


def _why_skipped(schedule: Schedule, earlier: Sequence[Run]) -> tuple[str, str] | None:
    if schedule.overlap_policy == "skip" and earlier:
        return "earlier_run_live", f"{earlier[-1].name} has not ended; the schedule skips what would overlap."
    if schedule.overlap_policy == "queue" and len(earlier) >= MAX_QUEUED:
        return "too_many_queued", f"{len(earlier)} runs of this schedule have not ended: it fires faster than they run."
    return None


def _submit(unit: UnitOfWork, principal: Principal, schedule: Schedule, waits_for: uuid.UUID | None) -> Run:
    """Raises PlanArchived, PlanRefused, AgentGone."""
    try:
        plan = plans.get_plan(unit, principal, schedule.plan_id, schedule.plan_version)
    except NotFound as error:
        raise PlanArchived("Restore the plan, or choose another one for this schedule.") from error
    _check_agent(unit, principal, schedule)
    return runs.create_run(
        unit,
        principal,
        plans.resolve_plan(unit, principal, plan.definition),
        recipe=plan.recipe,
        agent_selector=schedule.agent_selector,
        priority=schedule.priority,
        plan_id=plan.id,
        plan_version=plan.version,
        schedule_id=schedule.id,
        waits_for_run_id=waits_for,
    )


def _check_agent(unit: UnitOfWork, principal: Principal, schedule: Schedule) -> None:
    agent_id = schedule.agent_selector.get("agent_id")
    if agent_id is None:
        return
    try:
        agents.find_agent(unit, principal, uuid.UUID(agent_id))
    except NotFound as error:
        raise AgentGone("It was revoked. Choose other agents for this schedule.") from error


def _author(schedule: Schedule) -> Principal:
    """Runs belong to whoever wrote the schedule, also after they left: it is the team's. Raises AuthorGone."""
    if schedule.created_by is None:
        raise AuthorGone("Its author's account was deleted. Save the schedule to become its author.")
    return Principal(
        user_id=schedule.created_by,
        user_name=f"schedule {schedule.name}",
        email="",
        team_id=schedule.team_id,
        team_name="",
        role="editor",
    )


def _reason(error: AppError) -> tuple[str, str]:
    """A refused plan is told by its first refusal."""
    findings = error.extra.get("errors") or []
    return (findings[0]["code"] if findings else error.code), error.detail


def _refuse(firing: ScheduleFiring, code: str, message: str) -> None:
    firing.outcome = "refused"
    firing.run_id = None
    firing.error_code, firing.error_message = code, message


def _break(unit: UnitOfWork, schedule: Schedule, firing: ScheduleFiring) -> None:
    """It would be refused again each time: it rests until somebody has mended it, and the channels hear of it."""
    schedule.state = "broken"
    schedule.next_fire_at = None
    schedule.error_code, schedule.error_message = firing.error_code, firing.error_message
    notifications.notify(
        unit,
        schedule.team_id,
        "schedule_broken",
        title=f"The schedule {schedule.name} is broken",
        text=f"It starts nothing until it is mended. {firing.error_message}",
        link=f"/schedules?history={schedule.id}",
        dedupe_key=f"{schedule.id}:{firing.due_at.isoformat()}",
    )
    log.warning("schedule_broken", schedule_id=str(schedule.id), code=firing.error_code)
