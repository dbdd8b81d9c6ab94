"""An editor types what a store must not do into custom operations of plans with managed targets."""

import json
from collections.abc import Iterator
from typing import Any

from loadstone_local.attack.arming import Armed, arm
from loadstone_local.attack.outcome import NotTried, Outcome
from loadstone_local.attack.stage import Stage, plan_of
from loadstone_local.attack.statements import SHORT, STATEMENTS

HARMLESS = {"postgresql": "SELECT 1", "mariadb": "SELECT 1", "mysql": "SELECT 1", "redis": "GET {key}",
            "valkey": "GET {key}"}  # fmt: skip
REFUSED_AT_SUBMIT = {400, 409, 422}


def attack_by_custom_operations(stage: Stage) -> Iterator[Outcome]:
    """Layer one: what is typed passes every check that a person's plan passes."""
    for kind in stage.offered_kinds():
        # memcached has no custom operations.
        statements = STATEMENTS.get(kind, []) if kind in HARMLESS else []
        chosen = [one for one in statements if stage.is_full or one.name in SHORT.get(kind, [])]
        if chosen:
            stage.check_plain_plan(kind, {"kind": "custom", "weight": 1, "command": HARMLESS[kind]})
            yield from _attack_kind(stage, kind, [arm(one, f"plan-{kind}", stage.canaries) for one in chosen])


def _attack_kind(stage: Stage, kind: str, armed: list[Armed]) -> Iterator[Outcome]:
    """All are queued first; a run of each that was let in is then waited for."""
    answers = [(one, _submit(stage, kind, one)) for one in armed]
    for one, answer in answers:
        family, name = f"custom operations {kind}", one.statement.name
        if isinstance(answer, str):
            yield Outcome(family, name, one.text, succeeded=False, seen=answer)
            continue
        run = stage.wait(answer["id"], within_s=300)
        trials = stage.trials(run["id"])
        told = json.dumps([run, trials])
        seen = one.what_betrays_it(told, was_accepted=_was_carried_out(trials))
        yield Outcome(family, name, one.text, bool(seen), seen or _why_not(run, trials))


def _submit(stage: Stage, kind: str, one: Armed) -> dict[str, Any] | str:
    operations = [{"kind": "custom", "weight": 1, "command": one.text}]
    plan = plan_of([stage.target_of(kind)], operations, name=one.key[:200], timeout_ms=2000, stop={"seconds": 0.3})
    answer = stage.submit(plan)
    if answer.status_code in REFUSED_AT_SUBMIT:
        return f"refused with the plan: {_codes(answer.json())}"
    if answer.status_code != 201:
        raise NotTried(f"{kind}: {one.statement.name}: {answer.status_code} {answer.text[:300]}")
    run: dict[str, Any] = answer.json()
    return run


def _codes(problem: dict[str, Any]) -> str:
    details = [str(error.get("code", "")) for error in problem.get("errors", []) if isinstance(error, dict)]
    return " ".join(dict.fromkeys([str(problem.get("code")), *details]))


def _was_carried_out(trials: list[dict[str, Any]]) -> bool:
    """The store answered at least one of them without an error."""
    rows = [row for trial in trials for phase in trial["phases"] for row in phase["operations"]]
    return any(row["operation"] == "custom" and row["count"] > _errors(row) for row in rows)


def _errors(row: dict[str, Any]) -> int:
    counted = row.get("errors", 0)
    return sum(counted.values()) if isinstance(counted, dict) else int(counted)


def _why_not(run: dict[str, Any], trials: list[dict[str, Any]]) -> str:
    errors = [trial["error"]["code"] for trial in trials if trial.get("error")]
    return f"ran and was powerless: {run['status']} {' '.join(errors)}".strip()
