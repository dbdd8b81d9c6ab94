"""What an editor types elsewhere: hostile options of targets, and names that a shell would obey."""

import json
import time
from collections.abc import Iterator
from typing import Any

from loadstone_local.attack.arming import Armed, arm
from loadstone_local.attack.canaries import Canaries
from loadstone_local.attack.options import EVERYWHERE, HOSTILE_OPTIONS, SHORT_COUNT, Options
from loadstone_local.attack.outcome import NotTried, Outcome
from loadstone_local.attack.stage import Stage, plan_of
from loadstone_local.attack.statements import Statement

SETTLE_S = 0.5
SHELL_NAMES = [
    "$(touch @CANARY@)",
    "`touch @CANARY@`",
    "; touch @CANARY@ ;",
    "| touch @CANARY@",
    "' && touch @CANARY@ && '",
    '" && touch @CANARY@ && "',
    "\n touch @CANARY@ \n",
    "../../@NAME@",
    "--help=@CANARY@",
    "{index} $(touch @CANARY@)",
]


def attack_by_options(stage: Stage) -> Iterator[Outcome]:
    config = stage.canaries.folder / "hostile.conf"
    _write_config(stage.canaries)
    for kind in [kind for kind in stage.offered_kinds() if kind in HOSTILE_OPTIONS]:
        stage.check_plain_plan(kind, {"kind": "get", "weight": 1})
        hostile = [*HOSTILE_OPTIONS.get(kind, []), *EVERYWHERE]
        chosen = hostile if stage.is_full else stage.rng.sample(hostile, SHORT_COUNT)
        submitted = [_submit(stage, kind, number, options, str(config)) for number, options in enumerate(chosen)]
        for armed, run_id, seen in submitted:
            yield _judge(stage, f"options {kind}", armed, run_id, seen)


def _write_config(canaries: Canaries) -> None:
    """One file that would do harm whatever reads it: a line of each server's own language."""
    lines = [
        f"loadmodule {canaries.library}",
        f"shared_preload_libraries = '{canaries.library}'",
        f"[mysqld]\nplugin_load_add=evil={canaries.library}",
        f"SELECT 1 INTO OUTFILE '{canaries.path('init-file')}';",
    ]
    file = canaries.folder / "hostile.conf"
    file.write_text("\n".join(lines) + "\n")
    file.chmod(0o644)


def _submit(stage: Stage, kind: str, number: int, options: Options, config: str) -> tuple[Armed, str | None, str]:
    text = json.dumps(options, ensure_ascii=False).replace("@CONFIG@", config)
    armed = arm(Statement(f"{number} {' '.join(options)}"[:60], text), f"option-{kind}", stage.canaries)
    # A path must not end the canary's file name.
    armed = Armed(armed.statement, f"option-{kind}-{number}", stage.canaries)
    target = stage.target_of(kind, options=json.loads(_in_json(armed)))
    return (armed, *_let_in(stage, plan_of([target], [{"kind": "get", "weight": 1}], name=armed.key)))


def _in_json(armed: Armed) -> str:
    """Paths hold nothing that JSON would have to escape."""
    return armed.text


def _let_in(stage: Stage, plan: dict[str, Any]) -> tuple[str | None, str]:
    answer = stage.submit(plan)
    if answer.status_code == 201:
        return str(answer.json()["id"]), ""
    if answer.status_code >= 500:
        raise NotTried(f"{plan['name']!r}: {answer.status_code} {answer.text[:300]}")
    return None, f"refused with the plan: {answer.json().get('code')}"


def _judge(stage: Stage, family: str, armed: Armed, run_id: str | None, seen: str) -> Outcome:
    told = ""
    if run_id is not None:
        run = stage.wait(run_id, within_s=300)
        trials = stage.trials(run_id)
        told = json.dumps([run, trials])
        codes = {str(trial["error"]["code"]) for trial in trials if trial.get("error")}
        seen = f"ran: {run['status']} {' '.join(sorted(codes))}".strip()
    betrayed = armed.what_betrays_it(told, was_accepted=False)
    # The library's own mark is told by `what_betrays_it`; an init file leaves one too.
    betrayed = betrayed or ("the hostile file was carried out" if stage.canaries.betrayed("init-file") else "")
    stage.canaries.forget("init-file")
    return Outcome(family, armed.statement.name, armed.text, bool(betrayed), betrayed or seen)


def attack_by_names(stage: Stage) -> Iterator[Outcome]:
    """Names of plans, targets, traces, labels and key templates are shown and kept; nothing runs them."""
    names = SHELL_NAMES if stage.is_full else stage.rng.sample(SHELL_NAMES, 3)
    runs = []
    for number, template in enumerate(names):
        armed = Armed(Statement(f"name {number}", template), f"name-{number}", stage.canaries)
        runs.append((armed, *_use_everywhere(stage, armed.text)))
    for armed, run_id, seen in runs:
        yield _judge(stage, "names", armed, run_id, seen)
    time.sleep(SETTLE_S)


def _use_everywhere(stage: Stage, text: str) -> tuple[str | None, str]:
    headers = {"Content-Type": "text/csv"}
    stage.editor.post("/traces", params={"name": text}, content=b"0,get,k,\n", headers=headers)
    stage.editor.post("/targets", json=stage.target_of("redis", name=text, mode="managed"))
    for agent in stage.live.get("/agents")["items"][:1]:
        stage.admin.patch(f"/agents/{agent['id']}", json={"labels": {"role": text[:100]}})
    kind = "redis" if "redis" in stage.offered_kinds() else "memcached"
    plan = plan_of([stage.target_of(kind, name=text[:100])], [{"kind": "get", "weight": 1}], name=text)
    templated = json.loads(json.dumps(plan))
    templated["workload"]["dataset"]["key_template"] = text.replace(" ", "") + "{index:4}"
    run_id, seen = _let_in(stage, templated)
    return (run_id, seen) if run_id is not None else _let_in(stage, plan)
