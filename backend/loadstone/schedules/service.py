"""Schedules: preview, save, pause, resume, fire."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from loadstone import models
from loadstone.accounts import service as accounts
from loadstone.accounts.schemas import UserRef
from loadstone.agents import service as agents
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import Conflict, InvalidInput, NotFound
from loadstone.paging import InvalidCursor, Page, decode_cursor, decode_id_cursor, encode_cursor, make_page
from loadstone.plans import service as plans
from loadstone.principal import Principal
from loadstone.schedules import calendar, firing, repository, schemas

FIRINGS_SHOWN = 5
fire_due = firing.fire_due
"""For the control worker."""


class ScheduleChanged(Conflict):
    """Carries the newest `version`."""

    code = "schedule_changed"
    title = "Somebody else has saved this schedule"


class ScheduleEnded(Conflict):
    code = "schedule_ended"
    title = "The schedule has ended"


def preview_schedule(wanted: schemas.PreviewSchedule) -> schemas.SchedulePreview:
    """The next five due times; raises CronInvalid, TimeZoneUnknown, InvalidInput, ScheduleNeverFires."""
    fields = calendar.five_fields(wanted.cron)
    _check_span(wanted.starts_at, wanted.ends_at)
    found = calendar.upcoming(fields, wanted.time_zone, _from(wanted.starts_at), wanted.ends_at, FIRINGS_SHOWN)
    if not found:
        raise _never(wanted.ends_at)
    zone = calendar.find_zone(wanted.time_zone)
    return schemas.SchedulePreview(
        cron=fields,
        description=calendar.describe(fields),
        firings=[schemas.DueTime(at=at, local=at.astimezone(zone).isoformat()) for at in found],
    )


def _from(starts_at: datetime | None) -> datetime:
    """Due times are later than this; one at the very start counts."""
    now = datetime.now(UTC)
    return max(now, starts_at - calendar.RESOLUTION) if starts_at else now


def _check_span(starts_at: datetime | None, ends_at: datetime | None) -> None:
    if starts_at and ends_at and ends_at < starts_at:
        raise InvalidInput("The end lies before the start.", path="ends_at")


def _never(ends_at: datetime | None) -> calendar.ScheduleNeverFires:
    if ends_at is not None:
        return calendar.ScheduleNeverFires("It is not due again before its end. Choose a later end.", path="ends_at")
    return calendar.ScheduleNeverFires("No date matches the expression within fifty years.", path="cron")


def list_schedules(
    unit: UnitOfWork,
    principal: Principal,
    *,
    text: str | None,
    plan_id: uuid.UUID | None,
    states: Sequence[schemas.State],
    cursor: str | None,
    limit: int,
) -> Page[schemas.Schedule]:
    """Newest first; raises InvalidCursor."""
    rows = repository.list_schedules(
        unit.session,
        principal.team_id,
        text=text,
        plan_id=plan_id,
        states=states,
        before=decode_id_cursor(cursor),
        limit=limit + 1,
    )
    items = _render_all(unit, rows)
    return make_page(items, limit, key=lambda item: item.id, render=lambda item: item)


def get_schedule(unit: UnitOfWork, principal: Principal, schedule_id: uuid.UUID) -> schemas.Schedule:
    """Raises NotFound."""
    return _render_all(unit, [_find(unit, principal, schedule_id)])[0]


def create_schedule(unit: UnitOfWork, principal: Principal, wanted: schemas.WriteSchedule) -> schemas.Schedule:
    """Raises NotFound for plan and agent, CronInvalid, TimeZoneUnknown, InvalidInput, ScheduleNeverFires."""
    row = models.Schedule(team_id=principal.team_id, created_by=principal.user_id, version=1)
    _write(unit, principal, row, wanted)
    unit.session.add(row)
    unit.session.flush()
    _record(unit, principal, row, "schedule_created")
    return get_schedule(unit, principal, row.id)


def change_schedule(
    unit: UnitOfWork, principal: Principal, schedule_id: uuid.UUID, wanted: schemas.ChangeSchedule
) -> schemas.Schedule:
    """A paused schedule stays paused; any other is active again. Raises as creating does, and ScheduleChanged."""
    row = _lock(unit, principal, schedule_id)
    if row.version != wanted.version:
        message = f"It is at version {row.version} now; yours was made from {wanted.version}. Open it again."
        raise ScheduleChanged(message, path="version", version=row.version)
    was_paused = row.state == "paused"
    row.version += 1
    row.created_by = row.created_by or principal.user_id
    _write(unit, principal, row, wanted)
    if was_paused:
        row.state, row.next_fire_at = "paused", None
    _record(unit, principal, row, "schedule_changed")
    return _answer(unit, principal, row)


def _write(unit: UnitOfWork, principal: Principal, row: models.Schedule, wanted: schemas.WriteSchedule) -> None:
    plans.get_plan(unit, principal, wanted.plan_id, wanted.plan_version)
    if wanted.agent_selector and wanted.agent_selector.agent_id:
        agents.find_agent(unit, principal, wanted.agent_selector.agent_id)
    _check_span(wanted.starts_at, wanted.ends_at)
    row.name = wanted.name
    row.plan_id = wanted.plan_id
    row.plan_version = wanted.plan_version
    row.cron = calendar.five_fields(wanted.cron)
    row.time_zone = wanted.time_zone
    row.overlap_policy = wanted.overlap_policy
    row.starts_at, row.ends_at = wanted.starts_at, wanted.ends_at
    row.agent_selector = wanted.agent_selector.as_json() if wanted.agent_selector else {}
    row.priority = wanted.priority
    _activate(row)


def _activate(row: models.Schedule) -> None:
    """From now on: what was due meanwhile is not made up for. Raises ScheduleNeverFires."""
    next_fire_at = calendar.next_due(row.cron, row.time_zone, _from(row.starts_at), row.ends_at)
    if next_fire_at is None:
        raise _never(row.ends_at)
    row.state, row.next_fire_at = "active", next_fire_at
    row.error_code = row.error_message = None
    row.updated_at = datetime.now(UTC)


def delete_schedule(unit: UnitOfWork, principal: Principal, schedule_id: uuid.UUID) -> None:
    """With the list of its firings; its runs stay. Raises NotFound."""
    row = _lock(unit, principal, schedule_id)
    _record(unit, principal, row, "schedule_deleted")
    unit.session.delete(row)


def pause_schedule(unit: UnitOfWork, principal: Principal, schedule_id: uuid.UUID) -> schemas.Schedule:
    """May be repeated. Raises NotFound, ScheduleEnded."""
    row = _lock(unit, principal, schedule_id)
    if row.state == "ended":
        raise ScheduleEnded("There is nothing left to pause. Give it a later end to start it again.")
    if row.state != "paused":
        row.state, row.next_fire_at = "paused", None
        _record(unit, principal, row, "schedule_paused")
    return _answer(unit, principal, row)


def resume_schedule(unit: UnitOfWork, principal: Principal, schedule_id: uuid.UUID) -> schemas.Schedule:
    """Also a broken one, once what broke it is mended. May be repeated. Raises NotFound, ScheduleNeverFires."""
    row = _lock(unit, principal, schedule_id)
    if row.state != "active":
        _activate(row)
        _record(unit, principal, row, "schedule_resumed")
    return _answer(unit, principal, row)


def run_now(unit: UnitOfWork, principal: Principal, schedule_id: uuid.UUID) -> schemas.Firing:
    """Fires at once, whatever the state, by the same rules of overlap. Its due times stay as they are.

    Raises NotFound. A refusal is an answer here: the firing says why.
    """
    row = _lock(unit, principal, schedule_id)
    state, next_fire_at = row.state, row.next_fire_at
    made = firing.submit_firing(unit, row, repository.now(unit.session), is_manual=True)
    if made.outcome != "refused" and state == "broken":
        _activate(row)
    elif state != "active" and made.outcome == "refused":
        row.state, row.next_fire_at = state, next_fire_at
    _record(unit, principal, row, "schedule_run_now", outcome=made.outcome)
    return _render_firing(repository.last_firings(unit.session, [row.id])[row.id])


def list_firings(
    unit: UnitOfWork, principal: Principal, schedule_id: uuid.UUID, cursor: str | None, limit: int
) -> Page[schemas.Firing]:
    """The latest due time first; raises NotFound, InvalidCursor."""
    _find(unit, principal, schedule_id)
    rows = repository.list_firings(unit.session, schedule_id, _instant(cursor), limit + 1)
    shown = rows[:limit]
    following = encode_cursor(shown[-1].firing.due_at.isoformat()) if len(rows) > limit else None
    return Page(items=[_render_firing(row) for row in shown], next_cursor=following)


def _instant(cursor: str | None) -> datetime | None:
    if cursor is None:
        return None
    try:
        instant = datetime.fromisoformat(decode_cursor(cursor)[0])
    except ValueError as error:
        raise InvalidCursor("Start again from the first page.", path="cursor") from error
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _find(unit: UnitOfWork, principal: Principal, schedule_id: uuid.UUID) -> repository.ScheduleRow:
    row = repository.find_schedule(unit.session, principal.team_id, schedule_id)
    if row is None:
        raise NotFound("There is no such schedule.")
    return row


def _lock(unit: UnitOfWork, principal: Principal, schedule_id: uuid.UUID) -> models.Schedule:
    row = repository.lock_schedule(unit.session, principal.team_id, schedule_id)
    if row is None:
        raise NotFound("There is no such schedule.")
    return row


def _answer(unit: UnitOfWork, principal: Principal, row: models.Schedule) -> schemas.Schedule:
    unit.session.flush()
    return get_schedule(unit, principal, row.id)


def _record(unit: UnitOfWork, principal: Principal, row: models.Schedule, action: str, **detail: str) -> None:
    audit.record(unit, principal, action, "schedule", row.id, {"name": row.name, **detail})


def _render_all(unit: UnitOfWork, rows: Sequence[repository.ScheduleRow]) -> list[schemas.Schedule]:
    names = accounts.user_refs(unit, {row.schedule.created_by for row in rows})
    last = repository.last_firings(unit.session, [row.schedule.id for row in rows])
    return [_render(row, names, last.get(row.schedule.id)) for row in rows]


GATHERED = frozenset({"plan_name", "description", "error", "last_firing", "created_by"})


def _render(
    row: repository.ScheduleRow, names: dict[uuid.UUID, UserRef], last: repository.FiringRow | None
) -> schemas.Schedule:
    schedule = row.schedule
    return schemas.Schedule(
        **{name: getattr(schedule, name) for name in schemas.Schedule.model_fields if name not in GATHERED},
        plan_name=row.plan_name,
        description=calendar.describe(schedule.cron),
        error=_error(schedule.error_code, schedule.error_message),
        last_firing=_render_firing(last) if last else None,
        created_by=names.get(schedule.created_by) if schedule.created_by else None,
    )


def _render_firing(row: repository.FiringRow) -> schemas.Firing:
    made = row.firing
    columns = ("id", "due_at", "fired_at", "is_manual", "outcome", "run_id", "missed_count")
    return schemas.Firing(
        **{name: getattr(made, name) for name in columns},
        run_name=row.run_name,
        run_status=row.run_status,
        error=_error(made.error_code, made.error_message),
    )


def _error(code: str | None, message: str | None) -> schemas.ScheduleError | None:
    return schemas.ScheduleError(code=code, message=message or "") if code else None
