"""`make attack`: replays every attack on a live stack of its own and says which succeeded.

`python -m loadstone_local.attack [--short] [--seed N] [--json FILE] [CLASS ...]`. The exit code is 0 when none did.
"""

import argparse
import json
import secrets
import sys
import time
from pathlib import Path

from loadstone_local.attack.classes import CLASSES, attack_all
from loadstone_local.attack.outcome import Record
from loadstone_local.console import StepFailed, say


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make attack", description=__doc__)
    parser.add_argument("classes", nargs="*", metavar="CLASS", help=f"some of {', '.join(CLASSES)}; all by default")
    parser.add_argument("--short", action="store_true", help="a few of each, for every build")
    parser.add_argument("--seed", type=int, default=None, help="repeats the choices of an earlier call")
    parser.add_argument("--json", type=Path, help="writes everything that was tried into this file")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.classes) - set(CLASSES)
    if unknown:
        parser.error(f"there is no class {', '.join(sorted(unknown))}; there are {', '.join(CLASSES)}")
    seed = chosen.seed if chosen.seed is not None else secrets.randbelow(2**32)
    say(f"attack: seed {seed}")
    started = time.monotonic()
    try:
        record = attack_all(chosen.classes or list(CLASSES), seed, is_full=not chosen.short)
    except StepFailed as error:
        say(f"error: {error}")
        return 1
    if chosen.json:
        chosen.json.write_text(json.dumps(record.as_json(), indent=1))
    _summarize(record, time.monotonic() - started, seed)
    return 0 if record.holds() else 1


def _summarize(record: Record, seconds: float, seed: int) -> None:
    for reason in record.skipped:
        say(f"not tried here: {reason}")
    for fault in record.faults:
        say(f"FAULT  {fault}")
    for figure in record.figures:
        say(figure.line())
    succeeded = [outcome for outcome in record.outcomes if outcome.succeeded]
    for outcome in succeeded:
        say(outcome.line())
    say(f"attack: {record.tried()} tried, {len(succeeded)} succeeded, {len(record.faults)} faults"
        f" in {seconds:.0f} s (seed {seed})")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
