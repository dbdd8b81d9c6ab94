"""Runs: submit, read, cancel; and the one way in which trials and runs change their status.

Whoever changes a trial holds the lock of its run (`lock_run`). That lock also orders the run's events, so that their
numbers have no gap and commit in order.
"""

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel
from uuid_utils.compat import uuid7

from loadstone.agents import service as agents
from loadstone.audit import service as audit
from loadstone.canonical import canonical_hash
from loadstone.db import UnitOfWork, unit_of_work
from loadstone.doorbell import doorbell
from loadstone.errors import NotFound
from loadstone.models import Run, Trial
from loadstone.notifications import service as notifications
from loadstone.notifications.schemas import Subscribed
from loadstone.paging import InvalidCursor, Page, decode_cursor, decode_id_cursor, make_page
from loadstone.plans import service as plans
from loadstone.plans.recipe_schemas import RunPublished
from loadstone.plans.schemas import RecipeRef, ResolvedPlan
from loadstone.principal import Principal
from loadstone.runs import live, repository, schemas, states, views
from loadstone.runs.expansion import expand_rows
from loadstone.runs.states import LIVE, TERMINAL, Status

ANNOUNCED: Mapping[Status, Subscribed] = {Status.FAILED: "run_failed", Status.SUCCEEDED: "run_succeeded"}


def submit_run(unit: UnitOfWork, principal: Principal, body: schemas.RunSubmit) -> schemas.Run:
    """Raises PlanRefused, and NotFound for a plan, a recipe or an agent that is not there."""
    saved = plans.get_plan(unit, principal, body.plan_id) if body.plan_id else None
    recipe = body.recipe or (saved.recipe if saved else None)
    definition = saved.definition if saved else body.plan
    if recipe is not None:
        definition = definition or plans.recipe_definition(recipe)
        plans.recipe_file(recipe.slug)
    assert definition is not None, "the schema asks for one of the three"
    selector = body.agent_selector.as_json() if body.agent_selector else {}
    if body.agent_selector and body.agent_selector.agent_id:
        agents.find_agent(unit, principal, body.agent_selector.agent_id)
    run = create_run(
        unit,
        principal,
        plans.resolve_plan(unit, principal, definition, body.agent_selector),
        agent_selector=selector,
        priority=body.priority,
        name=body.name,
        recipe=recipe,
        plan_id=saved.id if saved else None,
        plan_version=saved.version if saved else None,
    )
    return views.run_detail(unit, run)


def create_run(
    unit: UnitOfWork,
    principal: Principal,
    plan: ResolvedPlan,
    *,
    agent_selector: dict[str, Any] | None = None,
    priority: int = 0,
    name: str | None = None,
    recipe: RecipeRef | None = None,
    plan_id: uuid.UUID | None = None,
    plan_version: int | None = None,
    schedule_id: uuid.UUID | None = None,
    waits_for_run_id: uuid.UUID | None = None,
) -> Run:
    """Expands a plan that nothing speaks against into points and trials, and rings once they are committed."""
    run_id = uuid7()
    now = datetime.now(UTC)
    grid = plans.expand(plan)
    rows = expand_rows(grid, principal.team_id, run_id)
    definition = plan.model_dump(mode="json")
    run = Run(
        id=run_id,
        team_id=principal.team_id,
        name=name or plan.name,
        plan_id=plan_id,
        plan_version=plan_version,
        recipe_slug=recipe.slug if recipe else None,
        recipe_size=recipe.size if recipe else None,
        definition=definition,
        definition_hash=canonical_hash(definition),
        seed=plan.seed,
        status=Status.QUEUED,
        priority=priority,
        position=now.timestamp(),
        schedule_id=schedule_id,
        waits_for_run_id=waits_for_run_id,
        agent_selector=agent_selector or {},
        point_count=len(rows.points),
        trial_count=len(rows.trials),
        status_counts=states.empty_counts(len(rows.trials)),
        estimated_s=plans.estimate_s(plan, grid),
        created_by=principal.user_id,
        created_at=now,
        last_event_seq=0,
        origin="local",
    )
    repository.insert_run(unit.session, run, rows.points, rows.trials)
    record_event(unit, run, "run", views.run_items(unit, run.team_id, [run])[0])
    detail = {"name": run.name, "plan_id": str(plan_id) if plan_id else None, "trial_count": run.trial_count}
    audit.record(unit, principal, "run_submitted", "run", run.id, detail)
    ring_dispatch(unit)
    return run


def list_runs(
    unit: UnitOfWork,
    principal: Principal,
    *,
    statuses: Sequence[Status],
    text: str | None,
    created_by: uuid.UUID | None,
    recipe: str | None,
    cursor: str | None,
    limit: int,
) -> Page[schemas.RunListItem]:
    """Newest first; raises InvalidCursor."""
    runs = repository.list_runs(
        unit.session,
        principal.team_id,
        statuses=statuses,
        text=text,
        created_by=created_by,
        recipe=recipe,
        before=decode_id_cursor(cursor),
        limit=limit + 1,
    )
    items = views.run_items(unit, principal.team_id, runs)
    return make_page(items, limit, key=lambda item: item.id, render=lambda item: item)


def describe_runs(unit: UnitOfWork, team_id: uuid.UUID, runs: Sequence[Run]) -> list[schemas.RunListItem]:
    """Rows of one team as lists show them, in the same order."""
    return views.run_items(unit, team_id, runs)


def get_run(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> schemas.Run:
    """Raises NotFound."""
    return views.run_detail(unit, find_run(unit, principal, run_id))


def published_figures(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> RunPublished:
    """Raises NotFound."""
    run = find_run(unit, principal, run_id)
    return plans.figures_for_run(run.recipe_slug, run.definition)


def find_run(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> Run:
    """Raises NotFound, also for another team's run."""
    run = repository.find_run(unit.session, principal.team_id, run_id)
    if run is None:
        raise NotFound("There is no such run.")
    return run


def list_trials(
    unit: UnitOfWork,
    principal: Principal,
    run_id: uuid.UUID,
    *,
    statuses: Sequence[Status],
    cursor: str | None,
    limit: int,
) -> Page[schemas.TrialItem]:
    """In execution order; raises NotFound, InvalidCursor."""
    run = find_run(unit, principal, run_id)
    rows = repository.list_trials(unit.session, run.id, statuses, _ordinal(cursor), limit + 1)
    items = views.trial_items(unit, rows)
    return make_page(items, limit, key=lambda item: item.ordinal, render=lambda item: item)


def _ordinal(cursor: str | None) -> int:
    if cursor is None:
        return -1
    key = decode_cursor(cursor)[0]
    if not key.isdecimal():
        raise InvalidCursor("Start again from the first page.", path="cursor")
    return int(key)


def cancel_run(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> schemas.Run:
    """Queued trials end at once; the agent of the one under way hears it with its next renewal.

    A run that has ended stays as it is, so a second click does no harm. Raises NotFound.
    """
    find_run(unit, principal, run_id)
    run = lock_run(unit, run_id)
    assert run is not None, "runs are never deleted"
    if run.status in LIVE and run.status != Status.CANCELLING:
        run.cancel_requested_at = datetime.now(UTC)
        audit.record(unit, principal, "run_cancelled", "run", run.id, {"name": run.name})
        active = repository.active_trial(unit.session, run.id)
        if active is not None:
            _set_run_status(run, Status.CANCELLING)
            change_trial(unit, run, active[0], Status.CANCELLING)
        end_queued(unit, run, Status.CANCELLED)
        settle(unit, run)
    return views.run_detail(unit, run)


def lock_run(unit: UnitOfWork, run_id: uuid.UUID) -> Run | None:
    """Reads the run afresh and keeps everyone else from changing it, its trials and its events until the commit."""
    return repository.lock_run(unit.session, run_id)


def change_trial(unit: UnitOfWork, run: Run, trial: Trial, status: Status, **values: Any) -> None:
    """Moves one trial along the table, keeps the run's counts and tells the listeners. The run is locked.

    Raises IllegalTransition, also when the trial is no longer what the caller saw.
    """
    before = trial.status
    states.check_trial(before, status)
    if not repository.move_trial(unit.session, trial, status, values):
        raise states.IllegalTransition(f"The trial is no longer {before}.")
    _count(run, before, status, 1)
    record_event(unit, run, "trial", views.trial_event(trial))


def end_queued(
    unit: UnitOfWork,
    run: Run,
    status: Status,
    *,
    target_index: int | None = None,
    error: tuple[str, str] | None = None,
) -> int:
    """Ends all queued trials of the locked run (of one target, if given) in one statement; returns how many.

    Ten thousand events would say no more than the run's own one, so only that is told (`settle`).
    """
    states.check_trial(Status.QUEUED, status)
    values: dict[str, Any] = {"finished_at": datetime.now(UTC)}
    if error is not None:
        values |= {"error_code": error[0], "error_message": error[1]}
    ended = repository.end_queued(unit.session, run.id, status, target_index, values)
    _count(run, Status.QUEUED, status, ended)
    return ended


def _count(run: Run, before: str, after: str, trials: int) -> None:
    # A new dict: SQLAlchemy does not see changes inside a JSON value.
    run.status_counts = {
        **run.status_counts,
        before: run.status_counts[before] - trials,
        after: run.status_counts[after] + trials,
    }


def settle(unit: UnitOfWork, run: Run, error: tuple[str, str] | None = None) -> None:
    """Derives the locked run's status from its trials and tells the listeners; the last thing a change does.

    `error` is `(code, sentence)` where the run itself failed; else a failed run names its first failed trial.
    """
    status = states.run_status(run.status, run.status_counts)
    if status != run.status:
        _set_run_status(run, status)
        if status is Status.FAILED:
            run.error_code, run.error_detail = error or _failure(unit, run)
        if status in TERMINAL:
            _tell_of_end(unit, run)
    record_event(unit, run, "run", views.run_items(unit, run.team_id, [run])[0])


def _set_run_status(run: Run, status: Status) -> None:
    states.check_run(run.status, status)
    run.status = status
    now = datetime.now(UTC)
    if status is Status.CLAIMED:
        run.started_at = now
    if status in TERMINAL:
        run.finished_at = now


def _tell_of_end(unit: UnitOfWork, run: Run) -> None:
    """Rings for the analysis, and tells the team's channels that listen for it."""
    unit.after_commit(lambda: doorbell().ring_analysis(str(run.id)))
    event = ANNOUNCED.get(Status(run.status))
    if event is not None:
        title = f"Run {run.status}: {run.name}"
        text = run.error_detail or f"All {run.trial_count} trials have ended."
        notifications.notify(unit, run.team_id, event, title, text, f"/runs/{run.id}", f"{event}:{run.id}")


def _failure(unit: UnitOfWork, run: Run) -> tuple[str, str]:
    trial = repository.first_failure(unit.session, run.id)
    assert trial is not None, "a run fails by its trials"
    lost = run.status_counts[Status.FAILED] + run.status_counts[Status.CRASHED]
    message = f"{lost} of {run.trial_count} trials failed; the first one: {trial.error_message}"
    return trial.error_code or "trial_failed", message


def record_event(unit: UnitOfWork, run: Run, kind: str, payload: BaseModel) -> None:
    """Adds to the live stream of the locked run; its readers are woken once the commit stands."""
    run.last_event_seq += 1
    content = payload.model_dump(mode="json")
    if kind == "run":
        content["last_event_seq"] = run.last_event_seq
    repository.insert_event(unit.session, run.id, run.last_event_seq, kind, content)
    unit.after_commit(lambda: live.publisher().wake(run.id))


def stream_position(principal: Principal, run_id: uuid.UUID) -> tuple[Status, int]:
    """Status and newest event of a run, for a listener about to join; raises NotFound."""
    with unit_of_work() as unit:
        run = find_run(unit, principal, run_id)
        return Status(run.status), run.last_event_seq


def read_frames(run_id: uuid.UUID, after: int) -> list[live.Frame]:
    """The next page of the run's events after `after`, from the table.

    One feed serves listeners of several requests, so it is bound to none of them; `stream_position` let each one in.
    """
    with unit_of_work(every_team=True) as unit:
        events = repository.events_after(unit.session, run_id, after)
        return [live.make_frame(event.seq, event.kind, event.payload) for event in events]


def forget_sample_events(unit: UnitOfWork, created_before: datetime) -> int:
    """Deletes live samples of runs that have ended; the samples themselves stay. Returns how many."""
    return repository.delete_sample_events(unit.session, created_before)


def trial_item(unit: UnitOfWork, trial: Trial, parameters: dict[str, Any]) -> schemas.TrialItem:
    """A trial as lists show it."""
    return views.trial_items(unit, [(trial, parameters)])[0]


def ring_dispatch(unit: UnitOfWork) -> None:
    """After the commit: something may be claimed now."""
    unit.after_commit(doorbell().ring_dispatch)
