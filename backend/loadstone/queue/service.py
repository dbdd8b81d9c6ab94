"""The queue, gathered from runs, agents and past durations with a fixed number of queries."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from loadstone.agents import service as agents
from loadstone.db import UnitOfWork
from loadstone.models import Agent, Run
from loadstone.paging import InvalidCursor, Page, decode_cursor, encode_cursor
from loadstone.principal import Principal
from loadstone.queue import repository, schemas
from loadstone.queue.forecast import Basis, Slot, Work, correct_estimate, forecast
from loadstone.queue.repository import LiveRun, WaitingTrial
from loadstone.runs import service as runs
from loadstone.runs.holds import host_resources
from loadstone.runs.progress import eta_s
from loadstone.runs.schemas import NamedRef, RunListItem, WaitReason
from loadstone.runs.states import TERMINAL, Status, has_active

SHOWN_RUNS = 200
PLANNED_SLOTS = 20
RECENT_SPAN = timedelta(hours=6)


@dataclass(frozen=True)
class Outlook:
    """All live runs in the dispatcher's order, and when each will begin and end."""

    now: datetime
    agents: list[Agent]
    live: list[LiveRun]
    slots: dict[uuid.UUID, Slot]
    bases: dict[uuid.UUID, Basis]

    def agent_ref(self, agent_id: uuid.UUID | None) -> NamedRef | None:
        return next((NamedRef(id=row.id, name=row.name) for row in self.agents if row.id == agent_id), None)


def look_out(unit: UnitOfWork, team_id: uuid.UUID) -> Outlook:
    now = datetime.now(UTC)
    rows = agents.team_agents(unit, team_id)
    live = repository.live_runs(unit.session, team_id)
    begun = [run.id for run in live if run.started_at is not None]
    finished = repository.last_finished(unit.session, begun) if begun else {}
    by_plan, by_definition = repository.past_ratios(
        unit.session,
        team_id,
        {run.plan_id for run in live if run.plan_id},
        {run.definition_hash for run in live},
    )
    works: list[Work] = []
    bases: dict[uuid.UUID, Basis] = {}
    for run in live:
        ratio = by_definition.get(run.definition_hash) or (by_plan.get(run.plan_id) if run.plan_id else None)
        remaining_s, bases[run.id] = _remaining_s(run, finished.get(run.id), ratio, now)
        works.append(_work(run, rows, remaining_s))
    return Outlook(now=now, agents=rows, live=live, slots=forecast(works, now), bases=bases)


def _remaining_s(
    run: LiveRun, last_finished_at: datetime | None, ratio: float | None, now: datetime
) -> tuple[float, Basis]:
    """A run that has ended a trial has a pace of its own."""
    estimated_s, basis = correct_estimate(run.estimated_s, ratio)
    if run.started_at is None:
        return estimated_s, basis
    if any(run.status_counts[status] for status in TERMINAL):
        basis = "own_pace"
    stand_in = Run(
        status_counts=run.status_counts,
        trial_count=run.trial_count,
        estimated_s=estimated_s,
        started_at=run.started_at,
        finished_at=None,
    )
    return eta_s(stand_in, last_finished_at, now) or 0.0, basis


def _work(run: LiveRun, rows: Sequence[Agent], remaining_s: float) -> Work:
    is_under_way = has_active(run.status_counts)
    hosts = {
        row.id: frozenset[str]().union(*(host_resources(row.team_id, row.host_key, target) for target in run.targets))
        for row in rows
        if run.agent_id in (None, row.id) and (is_under_way or _will_take(row, run))
    }
    return Work(
        run_id=run.id,
        remaining_s=remaining_s,
        hosts=hosts,
        is_under_way=is_under_way,
        is_paused=run.paused_at is not None and run.agent_id is None,
        waits_for=run.waits_for_run_id if run.agent_id is None else None,
    )


def _will_take(row: Agent, run: LiveRun) -> bool:
    engines = agents.foreign_engines(run.engines)
    return agents.why_not_now(row, run.agent_selector, run.targets, engines) is None


def get_queue(unit: UnitOfWork, principal: Principal) -> schemas.Queue:
    outlook = look_out(unit, principal.team_id)
    waiting = [run for run in outlook.live if not has_active(run.status_counts)]
    shown = repository.rows_of(unit.session, [run.id for run in waiting[:SHOWN_RUNS]])
    items = runs.describe_runs(unit, principal.team_id, shown)
    return schemas.Queue(
        now=outlook.now,
        agents=_timelines(unit, principal, outlook),
        runs=[_queued_run(outlook, place, item) for place, item in enumerate(items, start=1)],
        waiting_run_count=len(waiting),
        waiting_trial_count=sum(run.status_counts[Status.QUEUED] for run in outlook.live),
    )


def _queued_run(outlook: Outlook, place: int, item: RunListItem) -> schemas.QueuedRun:
    slot = outlook.slots.get(item.id)
    return schemas.QueuedRun(
        place=place,
        run=item,
        agent=outlook.agent_ref(slot.agent_id) if slot else None,
        starts_at=slot.starts_at if slot else None,
        ends_at=slot.ends_at if slot else None,
        basis=outlook.bases[item.id],
        reason=item.wait_reason or _in_front(outlook, slot),
    )


def _in_front(outlook: Outlook, slot: Slot | None) -> WaitReason | None:
    """An agent is idle, but for runs that go first."""
    if slot is None or slot.starts_at <= outlook.now:
        return None
    return WaitReason(code="behind_other_runs", message="Runs in front of it take the agents first.")


def _timelines(unit: UnitOfWork, principal: Principal, outlook: Outlook) -> list[schemas.QueueAgent]:
    agent_ids = [row.id for row in outlook.agents]
    recent = repository.recent_runs(unit.session, principal.team_id, agent_ids, outlook.now - RECENT_SPAN)
    states = repository.lease_states(unit.session, agent_ids)
    return [
        schemas.QueueAgent(
            id=row.id,
            name=row.name,
            state=agents.agent_state(row, is_working=row.id in states),
            is_draining=row.is_draining,
            labels=row.labels,
            lease_state=states.get(row.id),
            recent=[_past_slot(run) for run in reversed(recent) if run.agent_id == row.id],
            current=next((_live_slot(outlook, run) for run in _ahead(outlook, row.id, is_under_way=True)), None),
            planned=[_live_slot(outlook, run) for run in _ahead(outlook, row.id, is_under_way=False)[:PLANNED_SLOTS]],
        )
        for row in outlook.agents
    ]


def _ahead(outlook: Outlook, agent_id: uuid.UUID, *, is_under_way: bool) -> list[LiveRun]:
    return [
        run
        for run in outlook.live
        if run.id in outlook.slots
        and outlook.slots[run.id].agent_id == agent_id
        and has_active(run.status_counts) == is_under_way
    ]


def _past_slot(run: Run) -> schemas.TimelineSlot:
    assert run.finished_at is not None, "recent runs have ended"
    return schemas.TimelineSlot(
        run_id=run.id,
        run_name=run.name,
        status=Status(run.status),
        trial_count=run.trial_count,
        starts_at=run.started_at or run.created_at,
        ends_at=run.finished_at,
    )


def _live_slot(outlook: Outlook, run: LiveRun) -> schemas.TimelineSlot:
    slot = outlook.slots[run.id]
    is_under_way = has_active(run.status_counts)
    return schemas.TimelineSlot(
        run_id=run.id,
        run_name=run.name,
        status=Status(run.status),
        trial_count=run.trial_count,
        starts_at=run.started_at if is_under_way and run.started_at else slot.starts_at,
        ends_at=slot.ends_at,
    )


def list_trials(unit: UnitOfWork, principal: Principal, cursor: str | None, limit: int) -> Page[schemas.QueuedTrial]:
    """Every waiting trial in the order in which they will be executed; raises InvalidCursor."""
    outlook = look_out(unit, principal.team_id)
    waiting = [run for run in outlook.live if run.status_counts[Status.QUEUED] and run.status != Status.CANCELLING]
    after = _after(cursor)
    first = 0 if after is None else _index(waiting, after[0])
    page = _runs_of_page(waiting[first:], limit + 1, after)
    rows = repository.waiting_trials(unit.session, [run.id for run in page], after, limit + 1) if page else []
    items = _render_trials(unit, principal, outlook, waiting, rows[:limit])
    last = rows[limit - 1].trial if len(rows) > limit else None
    return Page(items=items, next_cursor=encode_cursor(last.run_id, last.ordinal) if last else None)


def _after(cursor: str | None) -> tuple[uuid.UUID, int] | None:
    if cursor is None:
        return None
    run_id, ordinal = decode_cursor(cursor, keys=2)
    try:
        return uuid.UUID(run_id), int(ordinal)
    except ValueError as error:
        raise InvalidCursor("Start again from the first page.", path="cursor") from error


def _index(waiting: Sequence[LiveRun], run_id: uuid.UUID) -> int:
    for index, run in enumerate(waiting):
        if run.id == run_id:
            return index
    raise InvalidCursor("The queue has moved on meanwhile: start again from the first page.", path="cursor")


def _runs_of_page(waiting: Sequence[LiveRun], wanted: int, after: tuple[uuid.UUID, int] | None) -> Sequence[LiveRun]:
    """As many runs as the page's trials can come from; the first one may be half read already."""
    counts = [0 if after and index == 0 else run.status_counts[Status.QUEUED] for index, run in enumerate(waiting)]
    for index, total in enumerate(accumulate(counts)):
        if total >= wanted:
            return waiting[: index + 1]
    return waiting


def _render_trials(
    unit: UnitOfWork,
    principal: Principal,
    outlook: Outlook,
    waiting: Sequence[LiveRun],
    rows: Sequence[WaitingTrial],
) -> list[schemas.QueuedTrial]:
    if not rows:
        return []
    by_id = {run.id: run for run in waiting}
    shown = repository.rows_of(unit.session, list(dict.fromkeys(row.trial.run_id for row in rows)))
    reasons = {item.id: item.wait_reason for item in runs.describe_runs(unit, principal.team_id, shown)}
    states = repository.lease_states(unit.session, [row.id for row in outlook.agents])
    first = rows[0].trial
    index = repository.waiting_before(unit.session, first.run_id, first.ordinal)
    place = sum(run.status_counts[Status.QUEUED] for run in waiting[: _index(waiting, first.run_id)]) + index
    items: list[schemas.QueuedTrial] = []
    run_id = first.run_id
    for row in rows:
        run = by_id[row.trial.run_id]
        index = index if run.id == run_id else 0
        run_id = run.id
        place += 1
        waits = reasons.get(run.id)
        if waits is None and not has_active(run.status_counts):
            waits = _in_front(outlook, outlook.slots.get(run.id))
        reason = _reason(outlook, run, index, waits, states)
        items.append(_queued_trial(outlook, run, row, place, index, reason))
        index += 1
    return items


def _queued_trial(
    outlook: Outlook, run: LiveRun, row: WaitingTrial, place: int, index: int, reason: WaitReason | None
) -> schemas.QueuedTrial:
    slot = outlook.slots.get(run.id)
    starts_at = ends_at = None
    if slot is not None:
        active = 1 if has_active(run.status_counts) else 0
        pace = (slot.ends_at - slot.starts_at) / (run.status_counts[Status.QUEUED] + active)
        starts_at = slot.starts_at + pace * (index + active)
        ends_at = starts_at + pace
    trial = row.trial
    return schemas.QueuedTrial(
        place=place,
        id=trial.id,
        run_id=run.id,
        run_name=run.name,
        point_id=trial.point_id,
        ordinal=trial.ordinal,
        repetition=trial.repetition,
        attempt=trial.attempt,
        parameters=row.parameters,
        agent=outlook.agent_ref(slot.agent_id if slot else run.agent_id),
        starts_at=starts_at,
        ends_at=ends_at,
        reason=reason,
    )


def _reason(
    outlook: Outlook, run: LiveRun, index: int, run_reason: WaitReason | None, states: dict[uuid.UUID, str]
) -> WaitReason | None:
    """A trial waits for what its run waits for, and then for the trials before it."""
    if run_reason is not None:
        return run_reason
    if not has_active(run.status_counts):
        ahead = index
    elif run.agent_id and states.get(run.agent_id) == "resting":
        agent = outlook.agent_ref(run.agent_id)
        message = f"{agent.name if agent else 'The agent'} rests before the trial in front, as the plan says."
        return WaitReason(code="resting", message=message)
    else:
        ahead = index + 1
    if not ahead:
        return None
    return WaitReason(code="earlier_trials", message=f"Trials of a run go one after another; {ahead} before this one.")
