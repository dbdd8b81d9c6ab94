"""The classes of attack, and the one stack that those of them share which need a live one."""

import os
import time
from collections.abc import Callable, Iterable

from loadstone_local.attack.attack_agent import ORDINARY_UID, attack_agent
from loadstone_local.attack.custom_operations import attack_by_custom_operations
from loadstone_local.attack.direct import attack_directly
from loadstone_local.attack.outcome import NotTried, Outcome, Record
from loadstone_local.attack.stage import Stage, set_stage
from loadstone_local.attack.statements import STATEMENTS
from loadstone_local.attack.store_code import attack_with_store_code, nothing_left
from loadstone_local.attack.typed_words import attack_by_names, attack_by_options
from loadstone_local.console import say

OnStage = Callable[[Stage, Record], None]


def _collect(record: Record, what: str, outcomes: Iterable[Outcome]) -> None:
    """An attack that could not be tried is a fault: a green line must mean that it was."""
    try:
        for outcome in outcomes:
            record.outcomes.append(outcome)
            say(outcome.line())
    except NotTried as error:
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
            with attack_agent(stage, uid, is_hostile=False) as agent:
                for kind in with_agent:
                    _collect(record, f"{kind} of uid {uid}", attack_directly(stage, agent, kind))
            with attack_agent(stage, uid, is_hostile=True) as agent:
                _collect(record, f"store code of uid {uid}", attack_with_store_code(stage, agent))
                record.faults.extend(f"left behind by uid {uid}: {left}" for left in nothing_left(agent))
        except NotTried as error:
            record.faults.append(f"stores of uid {uid}: not tried: {error}")


ON_STAGE: dict[str, OnStage] = {"plans": _plans, "stores": _stores}
CLASSES = list(ON_STAGE)


def attack_all(classes: list[str], seed: int, *, is_full: bool) -> Record:
    record = Record()
    staged = [name for name in ON_STAGE if name in classes]
    if staged:
        with set_stage(seed, is_full=is_full) as stage:
            for name in staged:
                started = time.monotonic()
                ON_STAGE[name](stage, record)
                say(f"attack: {name} took {time.monotonic() - started:.0f} s")
    return record
