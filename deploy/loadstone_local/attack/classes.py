"""The classes of attack, and the one stack that those of them share which need a live one."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import httpx2

from loadstone_local.attack.attack_agent import ORDINARY_UID, attack_agent
from loadstone_local.attack.custom_operations import attack_by_custom_operations
from loadstone_local.attack.direct import attack_directly
from loadstone_local.attack.doorbells import attack_by_doorbells, flood_figure, time_revocation
from loadstone_local.attack.outcome import NotTried, Outcome, Record
from loadstone_local.attack.planted import attack_planted_secrets
from loadstone_local.attack.stage import Stage, set_stage
from loadstone_local.attack.statements import STATEMENTS
from loadstone_local.attack.store_code import attack_with_store_code, nothing_left
from loadstone_local.attack.storm import rage, retry_figure, what_is_wrong
from loadstone_local.attack.typed_words import attack_by_names, attack_by_options
from loadstone_local.paths import REPOSITORY, in_venv


def tell(text: str) -> None:
    """Progress; stdout is for figures."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


OnStage = Callable[[Stage, Record], None]


def _collect(record: Record, what: str, outcomes: Iterable[Outcome]) -> None:
    """An attack that could not be tried is a fault: a green line must mean that it was."""
    try:
        for outcome in outcomes:
            record.outcomes.append(outcome)
            tell(outcome.line())
    except (NotTried, httpx2.HTTPError) as error:
        record.faults.append(f"{what}: not tried: {error}")


def _plans(stage: Stage, record: Record) -> None:
    _collect(record, "custom operations", attack_by_custom_operations(stage))
    _collect(record, "options", attack_by_options(stage))
    _collect(record, "names", attack_by_names(stage))


def _agents_to_try(record: Record) -> list[int]:
    if os.geteuid() != 0:
        record.skipped.append("stores of an agent run as root: this is an ordinary user")
        return [os.geteuid()]
    return [0, ORDINARY_UID]


def _stores(stage: Stage, record: Record) -> None:
    """Of an agent run as root and of one run as an ordinary user."""
    kinds = [kind for kind in stage.offered_kinds() if kind in STATEMENTS]
    record.skipped.extend(f"{kind}: not installed here" for kind in STATEMENTS if kind not in kinds)
    for uid in _agents_to_try(record):
        with_agent = [kind for kind in kinds if kind != "memcached" or uid == 0]
        if not stage.is_full and uid != 0:
            with_agent = [kind for kind in with_agent if kind in ("postgresql", "redis")]
        try:
            with attack_agent(stage, uid) as agent:
                for kind in with_agent:
                    _collect(record, f"{kind} of uid {uid}", attack_directly(stage, agent, kind))
                _collect(record, f"store code of uid {uid}", attack_with_store_code(stage, agent))
                record.faults.extend(f"left behind by uid {uid}: {left}" for left in nothing_left(agent))
        except NotTried as error:
            record.faults.append(f"stores of uid {uid}: not tried: {error}")


def _planted(stage: Stage, record: Record) -> None:
    _collect(record, "planted secrets", attack_planted_secrets(stage))


def _doorbells(stage: Stage, record: Record) -> None:
    uid = os.geteuid()
    try:
        with attack_agent(stage, uid) as agent:
            _collect(record, "forged doorbells", attack_by_doorbells(stage, agent))
            record.figures.append(flood_figure(stage, agent))
        with attack_agent(stage, uid) as agent:
            record.figures.append(time_revocation(stage, agent))
    except NotTried as error:
        record.faults.append(f"forged doorbells: not tried: {error}")


def _storm(stage: Stage, record: Record) -> None:
    storm = rage(stage)
    wrong = list(what_is_wrong(storm))
    struck = Counter(kill.victim for kill in storm.kills)
    told = ", ".join(f"{name} {count}" for name, count in struck.items())
    record.outcomes.append(Outcome("storm", f"{len(storm.kills)} kills", told, bool(wrong), "; ".join(wrong)[:2000]))
    retry = retry_figure(storm)
    if retry is None:
        record.faults.append("storm: no agent died in the middle of a trial that could be attempted again")
    else:
        record.figures.append(retry)
    tell(f"attack: {len(storm.kills)} kills ({told}), {len(storm.runs)} runs")


ON_STAGE: dict[str, OnStage] = {
    "plans": _plans,
    "stores": _stores,
    "planted": _planted,
    "doorbells": _doorbells,
    "storm": _storm,
}
"""The storm is last: what it breaks must not look like another attack's work."""
OF_THE_API = {"other-team": "backend/tests/test_other_team.py", "fuzz": "backend/tests/test_fuzzed_api.py"}
"""Classes that need no live stack: tests of the backend, which append what they tried to a file."""
CLASSES = [*OF_THE_API, *ON_STAGE]


def _attack_api(name: str, seed: int, record: Record, *, is_full: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="loadstone-attack-") as folder:
        told = Path(folder) / "tried.ndjson"
        environment = {**os.environ, "LOADSTONE_ATTACK_RECORD": str(told), "LOADSTONE_ATTACK_SEED": str(seed),
                       "LOADSTONE_ATTACK_FULL": "1" if is_full else "0"}  # fmt: skip
        command = [str(in_venv("python")), "-m", "pytest", "-n", "2", "--dist", "load", "--show-capture", "no",
                   "--timeout", "1800", OF_THE_API[name]]  # fmt: skip
        done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
        for line in told.read_text().splitlines() if told.exists() else []:
            tried = json.loads(line)
            for attack in tried["succeeded"]:
                record.outcomes.append(
                    Outcome(tried["family"], tried["name"], attack, succeeded=True, seen=attack[:300])
                )
            held = tried["tried"] - len(tried["succeeded"])
            record.quiet[tried["family"]] = record.quiet.get(tried["family"], 0) + held
    tell(done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-300:])
    if done.returncode != 0:
        record.faults.append(f"{OF_THE_API[name]} failed:\n{done.stdout[-6000:]}")


def attack_all(classes: list[str], seed: int, *, is_full: bool) -> Record:
    record = Record()
    for name in OF_THE_API:
        if name in classes:
            _attack_api(name, seed, record, is_full=is_full)
    staged = [name for name in ON_STAGE if name in classes]
    if staged:
        with set_stage(seed, is_full=is_full) as stage:
            for name in staged:
                started = time.monotonic()
                try:
                    ON_STAGE[name](stage, record)
                except (NotTried, httpx2.HTTPError, StopIteration) as error:
                    record.faults.append(f"{name}: not tried to the end: {error!r}")
                tell(f"attack: {name} took {time.monotonic() - started:.0f} s")
    return record
