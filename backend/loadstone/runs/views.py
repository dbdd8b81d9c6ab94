"""Runs and trials as the API shows them, gathered from rows with a fixed number of queries a page."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from loadstone.agents import service as agents
from loadstone.db import UnitOfWork
from loadstone.models import Agent, Run, Trial, TrialDecision
from loadstone.plans import service as plans
from loadstone.runs import progress, repository, schemas
from loadstone.runs.holds import host_resources
from loadstone.runs.states import LIVE, has_active


def run_items(unit: UnitOfWork, team_id: uuid.UUID, runs: Sequence[Run]) -> list[schemas.RunListItem]:
    """All of one team."""
    user_ids = [run.created_by for run in runs if run.created_by]
    agent_ids = [run.agent_id for run in runs if run.agent_id]
    names = repository.names(unit.session, user_ids, agent_ids)
    live = [run for run in runs if run.status in LIVE]
    finished = repository.last_finished(unit.session, [run.id for run in live]) if live else {}
    reasons = _wait_reasons(unit, team_id, [run for run in live if not has_active(run.status_counts)])
    now = datetime.now(UTC)
    return [
        schemas.RunListItem(
            **_columns(run),
            recipe=plans.recipe_ref(run.recipe_slug, run.recipe_size),
            agent=_named(names, run.agent_id),
            created_by=_named(names, run.created_by),
            progress=progress.progress(run.status_counts, run.trial_count),
            eta_s=progress.eta_s(run, finished.get(run.id), now),
            wait_reason=reasons.get(run.id),
            error=error_ref(run.error_code, run.error_detail),
        )
        for run in runs
    ]


SAME_COLUMNS = (
    "id",
    "name",
    "status",
    "status_counts",
    "point_count",
    "trial_count",
    "estimated_s",
    "priority",
    "created_at",
    "started_at",
    "finished_at",
    "cancel_requested_at",
    "plan_id",
    "plan_version",
    "last_event_seq",
    "agent_selector",
    "origin",
    "schedule_id",
    "paused_at",
)


def _columns(run: Run) -> dict[str, Any]:
    return {name: getattr(run, name) for name in SAME_COLUMNS}


def _named(names: dict[uuid.UUID, str], key: uuid.UUID | None) -> schemas.NamedRef | None:
    return schemas.NamedRef(id=key, name=names[key]) if key in names else None


def _wait_reasons(unit: UnitOfWork, team_id: uuid.UUID, runs: Sequence[Run]) -> dict[uuid.UUID, schemas.WaitReason]:
    """By run; those that an agent may claim right now have none."""
    if not runs:
        return {}
    run_ids = [run.id for run in runs]
    needs = repository.run_needs(unit.session, run_ids)
    following = repository.next_targets(unit.session, run_ids)
    rows = agents.team_agents(unit, team_id)
    busy = repository.busy_agents(unit.session, team_id)
    held = repository.held_resources(unit.session)
    first = repository.first_waiting(unit.session, team_id)
    waited_for = repository.still_live(unit.session, [run.waits_for_run_id for run in runs if run.waits_for_run_id])
    reasons: dict[uuid.UUID, schemas.WaitReason] = {}
    for run in runs:
        waiting = progress.Waiting(
            agent_id=run.agent_id,
            is_behind=run.agent_id is None and first is not None and first.id != run.id,
            is_paused=run.paused_at is not None,
            waits_for_run=run.waits_for_run_id in waited_for,
            held_resources=held,
            needed_hosts={row.id: host_resources(row.team_id, row.host_key, following[run.id]) for row in rows},
        )
        found = progress.wait_reason(waiting, [_agent_view(row, busy, run, needs[run.id]) for row in rows])
        if found is not None:
            reasons[run.id] = schemas.WaitReason(code=found[0], message=found[1])
    return reasons


def _agent_view(
    row: Agent, busy: dict[uuid.UUID, uuid.UUID], run: Run, needs: repository.RunNeeds
) -> progress.AgentView:
    return progress.AgentView(
        id=row.id,
        name=row.name,
        host_key=row.host_key,
        is_online=agents.is_online(row),
        is_draining=row.is_draining,
        busy_with=busy.get(row.id),
        cannot=agents.can_take(row, run.agent_selector, needs.targets, agents.foreign_engines(needs.engines)),
    )


def run_detail(unit: UnitOfWork, run: Run) -> schemas.Run:
    active = repository.active_trial(unit.session, run.id)
    current = None
    if active is not None:
        trial, parameters = active
        current = schemas.CurrentTrial(
            id=trial.id,
            point_id=trial.point_id,
            ordinal=trial.ordinal,
            status=trial.status,
            attempt=trial.attempt,
            parameters=parameters,
        )
    item = run_items(unit, run.team_id, [run])[0]
    return schemas.Run(
        **item.model_dump(),
        definition=run.definition,
        axes=_axes(run.definition),
        current_trial=current,
        provenance=schemas.RunProvenance.model_validate(run.provenance) if run.provenance else None,
    )


def _axes(definition: dict[str, Any]) -> list[schemas.RunAxis]:
    """The target is always an axis, the first one; workload and engine are where the plan lists several."""
    axes = [schemas.RunAxis(parameter="target", values=_names(definition["targets"]))]
    if definition.get("workloads"):
        axes.append(schemas.RunAxis(parameter="workload", values=_names(definition["workloads"])))
    if len(definition.get("engines") or []) > 1:
        axes.append(schemas.RunAxis(parameter="engine", values=_names(definition["engines"])))
    return [*axes, *(schemas.RunAxis(**axis) for axis in definition["axes"])]


def _names(entries: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(entry["name"] for entry in entries))


def error_ref(code: str | None, message: str | None, detail: str | None = None) -> schemas.ErrorRef | None:
    return schemas.ErrorRef(code=code, message=message or "", detail=detail) if code else None


def trial_items(unit: UnitOfWork, trials: Sequence[tuple[Trial, dict[str, Any]]]) -> list[schemas.TrialItem]:
    """Each trial with its point's parameters."""
    decisions: dict[uuid.UUID, list[schemas.TrialDecision]] = {}
    rows = repository.decisions_on(unit.session, [trial.id for trial, _ in trials])
    people = [person for row in rows for person in (row.created_by, row.undone_by) if person]
    names = repository.names(unit.session, people, []) if people else {}
    for row in rows:
        decisions.setdefault(row.trial_id, []).append(_decision(row, names))
    return [_trial_item(trial, parameters, decisions.get(trial.id, [])) for trial, parameters in trials]


def _decision(row: TrialDecision, names: dict[uuid.UUID, str]) -> schemas.TrialDecision:
    return schemas.TrialDecision.model_validate(
        {
            **{name: getattr(row, name) for name in ("id", "kind", "reason", "created_at", "undone_at")},
            "created_by": _named(names, row.created_by),
            "undone_by": _named(names, row.undone_by),
        }
    )


def _trial_item(trial: Trial, parameters: dict[str, Any], decisions: list[schemas.TrialDecision]) -> schemas.TrialItem:
    gathered = ("parameters", "error", "decisions")
    return schemas.TrialItem(
        **{name: getattr(trial, name) for name in schemas.TrialItem.model_fields if name not in gathered},
        parameters=parameters,
        error=error_ref(trial.error_code, trial.error_message, trial.error_detail),
        decisions=decisions,
    )


def trial_event(trial: Trial) -> schemas.TrialEvent:
    return schemas.TrialEvent(
        id=trial.id,
        point_id=trial.point_id,
        ordinal=trial.ordinal,
        repetition=trial.repetition,
        status=trial.status,
        attempt=trial.attempt,
        trust=trial.trust,
        error=error_ref(trial.error_code, trial.error_message),
    )
