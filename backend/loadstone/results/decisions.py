"""A person overrules the trust verdict on a trial, by name and with a reason, until somebody undoes it."""

import uuid
from datetime import UTC, datetime

from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import Conflict, NotFound
from loadstone.models import Run, Trial, TrialDecision
from loadstone.principal import Principal
from loadstone.results import repository, schemas, service
from loadstone.runs import service as runs
from loadstone.runs.states import Status


class TrialNotMeasured(Conflict):
    """Only a trial that succeeded has numbers to count or to leave out."""

    code = "trial_not_measured"
    title = "The trial has no result to decide on"


class TrialImported(Conflict):
    code = "trial_imported"
    title = "The trial was measured elsewhere"


class DecisionChangesNothing(Conflict):
    code = "decision_changes_nothing"
    title = "The trial is counted that way already"


class DecisionUndone(Conflict):
    code = "decision_undone"
    title = "The decision was undone before"


def decide(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, body: schemas.DecideTrial) -> schemas.Trial:
    """A decision that stood before is undone with it.

    Raises NotFound, TrialImported, TrialNotMeasured, DecisionChangesNothing.
    """
    run, trial = _lock(unit, principal, trial_id)
    if trial.status != Status.SUCCEEDED:
        raise TrialNotMeasured(f"The trial is {trial.status}. Decide on trials that succeeded.")
    is_included = body.kind == "include"
    if trial.is_counted == is_included:
        state = "enters" if is_included else "is left out of"
        raise DecisionChangesNothing(f"The trial {state} curves, comparisons and series already.")
    standing = repository.standing_decision(unit.session, trial.id)
    if standing is not None:
        _undo(unit, principal, standing)
    made = TrialDecision(
        team_id=trial.team_id, trial_id=trial.id, kind=body.kind, reason=body.reason, created_by=principal.user_id
    )
    unit.session.add(made)
    detail = {"run_id": str(run.id), "ordinal": trial.ordinal, "reason": body.reason}
    audit.record(unit, principal, f"trial_{body.kind}d", "trial", trial.id, detail)
    _count(unit, run, trial, is_counted=is_included)
    return service.get_trial(unit, principal, trial.id)


def undo(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID, decision_id: uuid.UUID) -> schemas.Trial:
    """The trust verdict holds again. Raises NotFound, TrialImported, DecisionUndone."""
    run, trial = _lock(unit, principal, trial_id)
    decision = repository.find_decision(unit.session, principal.team_id, trial.id, decision_id)
    if decision is None:
        raise NotFound("There is no such decision on this trial.")
    if decision.undone_at is not None:
        raise DecisionUndone("Nothing is left to undo. Look at the trial again.")
    _undo(unit, principal, decision)
    detail = {"run_id": str(run.id), "ordinal": trial.ordinal, "kind": decision.kind}
    audit.record(unit, principal, "trial_decision_undone", "trial", trial.id, detail)
    _count(unit, run, trial, is_counted=trial.trust != "void")
    return service.get_trial(unit, principal, trial.id)


def _lock(unit: UnitOfWork, principal: Principal, trial_id: uuid.UUID) -> tuple[Run, Trial]:
    """The trial as it is under its run's lock."""
    found = repository.find_trial(unit.session, principal.team_id, trial_id)
    run = runs.lock_run(unit, found[0].run_id) if found else None
    if found is None or run is None:
        raise NotFound("There is no such trial.")
    if run.origin == "imported":
        raise TrialImported("An imported run stays as it was exported. Decide where it was measured, and export anew.")
    unit.session.refresh(found[0])
    return run, found[0]


def _undo(unit: UnitOfWork, principal: Principal, decision: TrialDecision) -> None:
    decision.undone_by, decision.undone_at = principal.user_id, datetime.now(UTC)
    unit.session.flush()


def _count(unit: UnitOfWork, run: Run, trial: Trial, *, is_counted: bool) -> None:
    if trial.is_counted != is_counted:
        trial.is_counted = is_counted
        # Its series take the run in anew.
        run.analysed_at = None
    unit.session.flush()
    service.refresh_point(unit, run, trial.point_id)
