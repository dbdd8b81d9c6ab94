"""The lines of a trace, `time,operation,key,size`, as the engine reads them. Pure."""

import hashlib
import re
from collections import Counter
from typing import get_args

from loadstone_contracts.engine_plan import OperationKind

from loadstone.traces.schemas import TraceFacts

HEAD = b"time,operation,key,size"
MAX_LINE_BYTES = 1024
MAX_VALUE_BYTES = 64 * 1024 * 1024
OF_SEVERAL_KEYS = frozenset({"multi_get", "multi_set", "scan", "insert", "incr", "custom"})
"""What no line can say with one key and one size; lists have no lines either."""
OF_ONE_KEY = frozenset(
    kind for kind in get_args(OperationKind) if kind not in OF_SEVERAL_KEYS and not kind.startswith(("list_", "range"))
)
_LINE = re.compile(rb"([0-9]*\.?[0-9]+|[0-9]+\.),([a-z_]+),([!-+\--~]{1,250})(?:,([0-9]{0,8}))?\r?")


class TraceFault(ValueError):
    """Where a file is no trace, and why."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"Line {line}: {message}")


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_facts(content: bytes) -> TraceFacts:
    """What is in the file; raises TraceFault at the first line that the engine would refuse."""
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    has_head = bool(lines) and lines[0].rstrip(b"\r") == HEAD
    operations: Counter[bytes] = Counter()
    keys: set[bytes] = set()
    last_s, largest = 0.0, 0
    for number, line in enumerate(lines[has_head:], start=1 + has_head):
        found = _LINE.fullmatch(line) if len(line) < MAX_LINE_BYTES else None
        if found is None:
            raise TraceFault(number, _fault_of(line))
        time_s, operation, key, size = float(found[1]), found[2], found[3], int(found[4] or 0)
        if time_s < last_s:
            raise TraceFault(number, f"the time {time_s:g} lies before that of the line before: sort by time.")
        if size > MAX_VALUE_BYTES:
            raise TraceFault(number, f"{size:,} is no size in bytes up to {MAX_VALUE_BYTES:,}.")
        if operation not in operations and operation.decode() not in OF_ONE_KEY:
            known = ", ".join(sorted(OF_ONE_KEY))
            raise TraceFault(number, f"{operation.decode()} is no operation of a trace. Known: {known}.")
        operations[operation] += 1
        keys.add(key)
        last_s, largest = time_s, max(largest, size)
    if not operations:
        raise TraceFault(1, "there is nothing in the file.")
    return TraceFacts(
        line_count=operations.total(),
        key_count=len(keys),
        duration_s=last_s,
        largest_value_bytes=largest,
        operations={name.decode(): count for name, count in operations.most_common()},
    )


def _fault_of(line: bytes) -> str:
    shown = line[:80].decode("utf-8", "replace")
    return (
        f"{shown!r} is not of the form time,operation,key,size: seconds from 0, a name such as get, a key of 1 to 250 "
        "printable characters without spaces and commas, and the value's bytes or nothing."
    )
