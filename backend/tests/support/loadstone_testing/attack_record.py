"""Counts of attacks that tests replay, for `make bench-security`; without a file to write into, nothing happens."""

import json
import os
from pathlib import Path

IS_FULL = os.environ.get("LOADSTONE_ATTACK_FULL") == "1"
"""`make attack`: more callers, more examples, new seeds."""


def record_attack(family: str, name: str, tried: int, succeeded: list[str]) -> None:
    """One line; several test workers may append to the file at once."""
    file = os.environ.get("LOADSTONE_ATTACK_RECORD")
    if file:
        line = {"family": family, "name": name, "tried": tried, "succeeded": succeeded}
        with Path(file).open("a") as record:
            record.write(json.dumps(line) + "\n")
