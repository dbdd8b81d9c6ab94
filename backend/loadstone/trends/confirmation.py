"""Confirming an alert: new trials in a new session, and the verdict once they have ended.

Both sides are run again, interleaved and compared as pairs, where both can be: that is so when a setting of the store
changed and is one that a plan may set, so that the old value can be brought back. A store's older version or an
older machine cannot be had again; then only the present is measured, in a session of its own, and held against the
sessions recorded before the shift by Welch's test. That is weaker: it cannot tell the store from whatever else has
changed on the machine since, and says so.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from loadstone.agents import service as agents
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import Conflict, NotFound
from loadstone.models import Alert, ChangePoint, Run
from loadstone.plans import service as plans
from loadstone.plans.schemas import AgentSelector, PlanDefinition
from loadstone.principal import Principal
from loadstone.runs import schemas as run_schemas
from loadstone.runs import service as runs
from loadstone.runs.states import TERMINAL
from loadstone.stats import compare
from loadstone.stats.metrics import METRICS
from loadstone.targets.store_kinds import store_kinds
from loadstone.trends import schemas
from loadstone.trends.alert_changes import add_event, announce, change_state
from loadstone.trends.repository import alerts as repository
from loadstone.trends.repository import series as series_repository
from loadstone.trends.states import AlertState, check_alert

TRIALS = 10
CONFIDENCE = 0.95
EXPLANATIONS = {
    "paired": "Both sides run interleaved: as now, and with the settings of before the shift ({names}).",
    "welch": (
        "The store as it was before cannot be run again, so only the present is measured, in a new session, and held "
        "against the sessions before the shift. Weaker: the machine may have changed with the store."
    ),
}


class ConfirmationUnderWay(Conflict):
    code = "confirmation_under_way"
    title = "A run is confirming this alert already"


class NothingToConfirm(Conflict):
    code = "nothing_to_confirm"
    title = "The alert's change is no longer seen"


def confirm(unit: UnitOfWork, principal: Principal, alert: Alert) -> run_schemas.Run:
    """Queues the run; the locked alert moves when it has ended.

    Raises IllegalAlertState, ConfirmationUnderWay, NothingToConfirm, and PlanRefused where the plan
    can no longer be run.
    """
    check_alert(alert.state, AlertState.CONFIRMED)
    if alert.confirmation_run_id and runs.find_run(unit, principal, alert.confirmation_run_id).status not in TERMINAL:
        raise ConfirmationUnderWay("Wait for it to end, or cancel it.")
    point, run = repository.point_and_run(unit.session, alert.point_id)
    target = run.definition["targets"][point.target_index]
    restored = _restorable_options(unit, alert, target)
    method = "paired" if restored else "welch"
    submitted = runs.submit_run(
        unit,
        principal,
        run_schemas.RunSubmit(
            plan=_plan(run, point.parameters, _sides(target, restored)),
            agent_selector=_selector(unit, principal, run),
            name=f"Confirm: {run.name}"[:200],
        ),
    )
    change = _leading_change(unit, alert)
    alert.confirmation_run_id = submitted.id
    alert.confirmation = {
        "method": method,
        "explanation": EXPLANATIONS[method].format(names=", ".join(sorted(restored))),
        "metric": change.metric,
        "operation": change.operation,
    }
    add_event(
        unit, alert, "confirmation", principal.user_id, text="Queued a run.", detail={"run_id": str(submitted.id)}
    )
    audit.record(unit, principal, "alert_confirmation_queued", "alert", alert.id, {"run_id": str(submitted.id)})
    return submitted


def _leading_change(unit: UnitOfWork, alert: Alert) -> ChangePoint:
    changes = repository.changes_of_alerts(unit.session, [alert.id]).get(alert.id)
    if not changes:
        raise NothingToConfirm("The series was judged anew without it. Mark the alert as false or fixed.")
    return changes[0]


def _restorable_options(unit: UnitOfWork, alert: Alert, target: Mapping[str, Any]) -> dict[str, str]:
    """Settings that changed with the shift and that a plan can set back: their values before it."""
    after = repository.place_of(unit.session, alert.series_id, alert.point_id)
    before = repository.last_before(unit.session, after) if after else None
    if target["mode"] != "managed" or after is None or before is None:
        return {}
    sides = [series_repository.store_settings(unit.session, one.store_configuration_id) for one in (before, after)]
    old, new = sides
    return {
        option.name: str(old[option.name])
        for option in store_kinds()[target["kind"]].options
        if option.name in old
        and option.name in new
        and old[option.name] != new[option.name]
        and option.accepts(str(old[option.name]))
    }


def _sides(target: Mapping[str, Any], restored: Mapping[str, str]) -> list[dict[str, Any]]:
    """As now; and first, where it can be had, as before."""
    if target["target_id"] and not restored:
        return [{"target_id": target["target_id"]}]
    if target["mode"] == "external":
        return [{"target_id": target["target_id"]}]
    now = {name: target[name] for name in ("kind", "profile", "options", "protocol") if target.get(name) is not None}
    if not restored:
        return [now | {"name": target["name"]}]
    before = now | {"options": {**target["options"], **restored}, "name": "as before"}
    return [before, now | {"name": "as now"}]


def _plan(run: Run, parameters: Mapping[str, Any], targets: list[dict[str, Any]]) -> PlanDefinition:
    """The very point, more often. Restarted stores are as near to sessions of their own as one run can get."""
    sides = [(str(parameters["target"]), target) for target in targets]
    settings = {name: [value] for name, value in parameters.items()}
    return PlanDefinition.model_validate(
        {
            **plans.part_of_plan(run.definition, sides, settings),
            "name": f"Confirm: {run.definition['name']}"[:200],
            "trials_per_point": TRIALS,
            "order": "interleaved",
        }
    )


def _selector(unit: UnitOfWork, principal: Principal, run: Run) -> AgentSelector | None:
    """The same machine, as long as it is there."""
    try:
        if run.agent_id is not None:
            agents.find_agent(unit, principal, run.agent_id)
            return AgentSelector(agent_id=run.agent_id)
    except NotFound:
        pass
    return AgentSelector.model_validate(run.agent_selector) if run.agent_selector else None


def conclude(unit: UnitOfWork, run: Run) -> None:
    """Moves the alerts that waited for this run, which has ended and is in its series."""
    for alert in repository.alerts_awaiting(unit.session, run.id):
        if alert.state == AlertState.SUSPECTED and alert.confirmation and not alert.confirmation.get("result"):
            _conclude(unit, alert, run)


def _conclude(unit: UnitOfWork, alert: Alert, run: Run) -> None:
    change = _leading_change(unit, alert)
    is_paired = (alert.confirmation or {})["method"] == "paired"
    base, contender = _measured(unit, alert, change, run, is_paired)
    cell = compare.Cell(base, contender, is_paired, METRICS[change.metric].better)
    found = compare.compare_cells([cell], margin=abs(change.change) / 2, confidence=CONFIDENCE).cells[0]
    if found.refusal or found.ratio is None or found.low is None or found.high is None or found.p_value is None:
        text = f"The run says nothing: {_refusal_text(found.refusal, len(base), len(contender))}"
        alert.confirmation = {**(alert.confirmation or {}), "refusal": text}
        add_event(unit, alert, "confirmation", None, text=text)
        return
    numbers = _numbers(alert, change, found, (len(base), len(contender)), is_paired)
    alert.confirmation = {**(alert.confirmation or {}), "result": numbers.model_dump(mode="json")}
    add_event(unit, alert, "confirmation", None, text=numbers.sentence)
    if numbers.verdict != "undecided":
        change_state(unit, alert, AlertState(numbers.verdict), None, text=numbers.sentence)
    if numbers.verdict == "confirmed":
        announce_confirmed(unit, alert, numbers.sentence)


def announce_confirmed(unit: UnitOfWork, alert: Alert, text: str) -> None:
    """Nobody is told of an alert that they put to sleep."""
    if alert.snoozed_until is None or alert.snoozed_until <= datetime.now(UTC):
        series = series_repository.find_series(unit.session, alert.team_id, alert.series_id)
        announce(unit, alert, "alert_confirmed", series.title if series else "", text)


def _measured(unit: UnitOfWork, alert: Alert, change: ChangePoint, run: Run, is_paired: bool) -> tuple[Any, Any]:
    """Values of both sides: of the same blocks where paired, else recorded sessions and new trials."""
    rows = repository.trial_values(unit.session, run.id, change.metric, change.operation)
    if not is_paired:
        recorded = change.inputs["values"][: change.inputs["index"]]
        # A target that was changed since makes points of another series: they say nothing about this one.
        return np.array(recorded), np.array([row.value for row in rows if row.series_id == alert.series_id])
    before = {row.block: row.value for row in rows if row.target_index == 0}
    after = {row.block: row.value for row in rows if row.target_index == 1}
    blocks = sorted(before.keys() & after.keys())
    return np.array([before[one] for one in blocks]), np.array([after[one] for one in blocks])


def _refusal_text(refusal: str | None, n_before: int, n_after: int) -> str:
    if refusal == "zero_variance":
        return "all trials gave the very same number."
    if refusal == "zero_values":
        return "a value is zero."
    return f"it has {n_before} values of before and {n_after} of after that count. Look at its trials, then try again."


def _numbers(
    alert: Alert, change: ChangePoint, found: compare.CellResult, counts: tuple[int, int], is_paired: bool
) -> schemas.ConfirmationNumbers:
    """Confirmed: shifted the same way, beyond chance. False: less than half of what was found, surely or likely."""
    assert found.ratio is not None
    assert found.low is not None
    assert found.high is not None
    assert found.p_value is not None
    same_way = (found.ratio > 1) == (change.change > 0)
    share = math.log(found.ratio) / math.log1p(change.change)
    if same_way and found.p_value <= 1 - CONFIDENCE and found.verdict == alert.direction:
        verdict = "confirmed"
    elif share < 0.5:
        verdict = "false"
    else:
        verdict = "undecided"
    against = "interleaved pairs" if is_paired else "a new session against the recorded ones (weaker)"
    said = {"confirmed": "It is there", "false": "It is not there", "undecided": "It cannot be told yet"}[verdict]
    title = METRICS[change.metric].title
    sentence = (
        f"{said}: {title} {found.ratio - 1:+.1%} ({found.low - 1:+.1%} to {found.high - 1:+.1%}), "
        f"{counts[0]} and {counts[1]} values, {against}; found was {change.change:+.1%}."
    )
    return schemas.ConfirmationNumbers(
        verdict=verdict,
        method="paired" if is_paired else "welch",
        change=found.ratio - 1,
        low=found.low - 1,
        high=found.high - 1,
        p_value=found.p_value,
        n_before=counts[0],
        n_after=counts[1],
        algorithm_version=compare.ALGORITHM_VERSION,
        sentence=sentence,
    )
