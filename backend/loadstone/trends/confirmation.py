"""Confirming an alert: new trials in new sessions, and one of three answers once they have ended.

Old and new run side by side, interleaved, inside each session, where both can be had: that is so when a setting of the
store changed and is one that a plan may set, so that the old value can be brought back. What differs between sessions
then cancels, and the session's mean difference is the unit. A store's older version or an older machine can't be had
again; then the present is measured in sessions of its own and held against the sessions recorded before the
shift, whose spread says how much sessions differ. That is weaker: it can't tell the store from whatever else has
changed on the machine since, and says so.

Each run is one session. An answer that is still open says how many more it takes; confirming again adds a session.
"""

import math
import uuid
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
from loadstone.stats import sessions
from loadstone.stats.sessions import PAIRS_A_SESSION
from loadstone.targets.store_kinds import store_kinds
from loadstone.trends import conclusion
from loadstone.trends.alert_changes import add_event, announce, change_state
from loadstone.trends.repository import alerts as repository
from loadstone.trends.repository import series as series_repository
from loadstone.trends.states import AlertState, check_alert

EXPLANATIONS = {
    "paired": (
        "Both sides run interleaved: as now, and with the settings of before the shift ({names}). Two to eight "
        "sessions on different days decide."
    ),
    "sessions": (
        "The store as it was before can't be run again, so only the present is measured, in new sessions, and held "
        "against the sessions before the shift. Weaker: the machine may have changed with the store."
    ),
}
NO_VALUES = (
    "The run has fewer than two trials a side that count, or a value of zero. Look at its trials, then try again."
)
SHORT_HISTORY = (
    "There are {found} sessions before the shift; {needed} are needed to know how much sessions differ. Decide by "
    "hand, or exclude the runs that are off."
)
TRIALS = {"paired": PAIRS_A_SESSION, "sessions": 10}


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
    method = "paired" if restored else "sessions"
    submitted = runs.submit_run(
        unit,
        principal,
        run_schemas.RunSubmit(
            plan=_plan(run, point.parameters, _sides(target, restored), TRIALS[method]),
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
        "sessions": _sessions_of(alert, method),
    }
    add_event(
        unit, alert, "confirmation", principal.user_id, text="Queued a run.", detail={"run_id": str(submitted.id)}
    )
    audit.record(unit, principal, "alert_confirmation_queued", "alert", alert.id, {"run_id": str(submitted.id)})
    return submitted


def _sessions_of(alert: Alert, method: str) -> list[dict[str, Any]]:
    """What earlier runs of the same kind measured: evidence adds up."""
    before = alert.confirmation or {}
    found: list[dict[str, Any]] = before.get("sessions", []) if before.get("method") == method else []
    return found


def _leading_change(unit: UnitOfWork, alert: Alert) -> ChangePoint:
    changes = repository.changes_of_alerts(unit.session, [alert.id]).get(alert.id)
    if not changes or all(change.withdrawn_at for change in changes):
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


def _plan(run: Run, parameters: Mapping[str, Any], targets: list[dict[str, Any]], trials: int) -> PlanDefinition:
    """The very point, more often."""
    sides = [(str(parameters["target"]), target) for target in targets]
    settings = {name: [value] for name, value in parameters.items()}
    return PlanDefinition.model_validate(
        {
            **plans.part_of_plan(run.definition, sides, settings),
            "name": f"Confirm: {run.definition['name']}"[:200],
            "trials_per_point": trials,
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
    kept = alert.confirmation or {}
    is_paired = kept["method"] == "paired"
    session = _session(unit, alert, change, run, is_paired)
    if session is not None:
        kept = {**kept, "sessions": [*kept.get("sessions", []), session]}
        alert.confirmation = kept
    shift, reason = _shift(unit, change, kept.get("sessions", []), is_paired)
    if session is None or shift is None:
        text = reason if session is not None else NO_VALUES
        alert.confirmation = {**kept, "refusal": text}
        add_event(unit, alert, "confirmation", None, text=text)
        return
    numbers = conclusion.numbers(change, shift, kept["sessions"], is_paired)
    alert.confirmation = {**kept, "result": numbers.model_dump(mode="json")}
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


def _session(unit: UnitOfWork, alert: Alert, change: ChangePoint, run: Run, is_paired: bool) -> dict[str, Any] | None:
    """What the run adds: its mean difference over pairs, or its mean; logarithms. None without two trials a side."""
    rows = repository.trial_values(unit.session, run.id, change.metric, change.operation)
    if any(row.value <= 0 for row in rows):
        return None
    if is_paired:
        before = {row.block: row.value for row in rows if row.target_index == 0}
        after = {row.block: row.value for row in rows if row.target_index == 1}
        logs = [math.log(after[block] / before[block]) for block in sorted(before.keys() & after.keys())]
    else:
        # A target that was changed since makes points of another series: they say nothing about this one.
        logs = [math.log(row.value) for row in rows if row.series_id == alert.series_id]
    if len(logs) < 2:
        return None
    at = (run.started_at or datetime.now(UTC)).timestamp()
    return {"run_id": str(run.id), "at": at, "mean": float(np.mean(logs)), "trials": len(logs)}


def _shift(
    unit: UnitOfWork, change: ChangePoint, measured: list[dict[str, Any]], is_paired: bool
) -> tuple[sessions.Shift | None, str]:
    """Return the shift that all sessions show, or why there is none yet."""
    means = sessions.sittings([one["at"] for one in measured], np.array([one["mean"] for one in measured]))
    if is_paired:
        found = sessions.side_by_side(means)
        return found, conclusion.one_session_text(change, float(means[-1])) if len(means) else ""
    points = change.inputs["points"][change.inputs.get("from", 0) : change.inputs["index"]]
    rows = repository.session_log_means(
        unit.session, [uuid.UUID(point) for point in points], change.metric, change.operation
    )
    history = sessions.sittings([row.at.timestamp() for row in rows], np.array([row.value for row in rows]))
    return conclusion.against_history(means, history, is_lower=change.change < 0), SHORT_HISTORY.format(
        found=len(history), needed=sessions.HISTORY_MIN
    )
