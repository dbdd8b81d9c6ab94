"""What does storing samples once, however often they are sent, cost over a bare COPY of the same rows?

Both sides write the same rows with the same constraints, each batch in a transaction of its own, in turn. Rows are
made beforehand: what is measured is the way from rows in Python to a commit.
"""

import json
import os
import random
import statistics
import time
import uuid
from collections.abc import Callable
from typing import Any

import psycopg
from loadstone.db import dispose_engine, unit_of_work
from loadstone.models import Agent, Trial
from loadstone.results.repository import insert_samples
from loadstone.results.rows import Attempt, sample_rows
from loadstone_testing.factories import make_principal, make_team
from loadstone_testing.run_factories import make_run, resolved_plan
from loadstone_testing.simulated_agent import measured, sample
from serving import own_servers, report
from sqlalchemy import select

BATCHES = 40
SECONDS = {"second": 1, "minute": 60}
"""As an agent sends them: one by one while all is well, many at once after an outage."""
LIMIT_RATIO = 3.0

Rows = list[dict[str, Any]]


def make_attempts() -> list[Attempt]:
    """Of trials that are there: foreign keys are checked on both sides."""
    principal = make_principal(make_team("bench"))
    # Two batches of each size, and the first few that warm up.
    make_run(principal, resolved_plan(trials_per_point=BATCHES * len(SECONDS)))
    with unit_of_work() as unit:
        row = Agent(team_id=principal.team_id, name="bench-1", host_key="h", token_hash="-")
        unit.session.add(row)
        unit.session.flush()
        return [Attempt(trial_id, row.id, 1) for trial_id in unit.session.scalars(select(Trial.id))]


def make_rows(attempt: Attempt, seconds: int) -> Rows:
    draw = random.Random(str(attempt.trial_id))
    events = [sample(seq, 50_000, seed=draw.randrange(1000)) for seq in range(seconds)]
    writes = measured("set", 5_000, draw=draw)
    both = [event.model_copy(update={"operations": [*event.operations, writes]}) for event in events]
    return sample_rows(attempt, both)


def store(rows: Rows) -> None:
    with unit_of_work() as unit:
        key = {name: rows[0][name] for name in ("trial_id", "agent_id", "attempt")}
        assert insert_samples(unit.session, key, rows), "all of them are new"


def bare_copy(connection: psycopg.Connection[Any]) -> Callable[[Rows], None]:
    def copy_rows(rows: Rows) -> None:
        names = ", ".join(rows[0])
        with connection.transaction(), connection.cursor().copy(f"COPY samples ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row([_written(value) for value in row.values()])

    return copy_rows


def _written(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict) else value


def elapsed_ms(act: Callable[[Rows], None], rows: Rows) -> float:
    started_at = time.perf_counter()
    act(rows)
    return (time.perf_counter() - started_at) * 1e3


def compare(name: str, seconds: int, attempts: list[Attempt], copy_rows: Callable[[Rows], None]) -> None:
    stored_ms, copied_ms = [], []
    for turn in range(BATCHES):
        rows = make_rows(attempts.pop(), seconds)
        stored_ms.append(elapsed_ms(store, rows))
        copied_ms.append(elapsed_ms(copy_rows, [{**row, "attempt": 2} for row in rows]))
        if turn < 5:
            stored_ms.clear()
            copied_ms.clear()
    stored, copied = statistics.median(stored_ms), statistics.median(copied_ms)
    method = (
        f"median of storing {seconds} seconds of two operations once ({stored:.2f} ms) over a bare COPY of the same "
        f"rows ({copied:.2f} ms), each committed, in turn"
    )
    report(f"ingest_over_copy_a_{name}", stored / copied, "ratio", LIMIT_RATIO, method, len(stored_ms))


def main() -> None:
    with own_servers() as servers:
        url = servers.make_database(f"ingest_{uuid.uuid4().hex[:8]}")
        os.environ.update(servers.environment(url))
        attempts = make_attempts()
        with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
            for name, seconds in SECONDS.items():
                compare(name, seconds, attempts, bare_copy(connection))
        dispose_engine(close=True)


if __name__ == "__main__":
    main()
