"""What the migration to metrics and decisions makes of results that were there before it."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from alembic import command
from loadstone.stats import histogram
from loadstone.stats.metrics import PERCENTILES
from loadstone_testing.database import alembic_config, connect, database_url, make_database
from psycopg.types.json import Jsonb
from uuid_utils.compat import uuid7

BEFORE, AFTER = "2026_11_21_0430", "2026_11_21_0740"
STATUSES = ("queued", "claimed", "running", "cancelling", "succeeded", "failed", "cancelled", "crashed")


@pytest.fixture
def database(postgres_home: Path, worker_id: str) -> Iterator[str]:
    name = f"loadstone_backfill_{worker_id}"
    make_database(postgres_home, name)
    yield database_url(postgres_home, name)
    with connect(postgres_home) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def _insert(connection: psycopg.Connection, table: str, **columns: object) -> object:
    values = {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in columns.items()}
    names = ", ".join(f'"{name}"' for name in values)
    marks = ", ".join(["%s"] * len(values))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})".encode(), list(values.values()))
    return columns.get("id")


def _measured(values: list[int]) -> dict[str, object]:
    built = histogram.empty()
    for value in values:
        built.record_value(value)
    blob, times = histogram.encode(built), dict(histogram.quantiles(built))
    return {
        **{"response_histogram": blob, "service_histogram": blob, "response_time_ns": times, "service_time_ns": times},
        **{"count": len(values), "throughput_per_s": float(len(values)), "elapsed_ns": 10**9, "late": 0},
        **{"error_count": 0, "errors": {}, "hits": 0, "misses": 0, "bytes_sent": 0, "bytes_received": 0, "totals": {}},
    }


def _old_results(url: str) -> tuple[object, object]:
    """A void trial of one operation and a sound one of two; returns their ids."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        team = _insert(connection, "teams", id=uuid7(), name="t")
        agent = {"name": "a", "host_key": "h", "token_hash": "-", "labels": {}, "stores": [], "engines": []}
        agent_id = _insert(connection, "agents", id=uuid7(), team_id=team, is_draining=False, **agent)
        run = {"name": "r", "definition": {}, "definition_hash": "-", "seed": 1, "status": "succeeded", "priority": 0}
        counts = {"point_count": 1, "trial_count": 2, "status_counts": dict.fromkeys(STATUSES, 0), "estimated_s": 1.0}
        run_id = _insert(
            connection, "runs", id=uuid7(), team_id=team, agent_selector={}, last_event_seq=0, **run, **counts
        )
        owner = {"team_id": team, "run_id": run_id}
        point = {"ordinal": 0, "parameters": {}, "target_index": 0, "work": {}, "identity": {}, "identity_hash": "-"}
        point_id = _insert(connection, "points", id=uuid7(), **owner, **point)
        trial = {**owner, "point_id": point_id, "repetition": 0, "block": 0, "seed": 1, "group_size": 1, "attempt": 1}
        told = {"status": "succeeded", "warnings": [], "trust_reasons": [], "command_lines": []}
        void = _insert(connection, "trials", id=uuid7(), ordinal=0, trust="void", **trial, **told)
        sound = _insert(connection, "trials", id=uuid7(), ordinal=1, trust="pass", **trial, **told)
        key = {"agent_id": agent_id, "attempt": 1, "phase": "measure"}
        _insert(connection, "operation_results", trial_id=void, operation="get", **key, **_measured([1_000] * 10))
        _insert(connection, "operation_results", trial_id=sound, operation="get", **key, **_measured([1_000] * 90))
        _insert(connection, "operation_results", trial_id=sound, operation="set", **key, **_measured([9_000] * 10))
    return void, sound


KNOWN_THEN = {"throughput_per_s", "error_share", "elapsed_s", *PERCENTILES}


def test_old_results_get_their_metrics_and_void_trials_do_not_count(database: str) -> None:
    config = alembic_config(database)
    command.upgrade(config, BEFORE)
    void, sound = _old_results(database)
    command.upgrade(config, AFTER)
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        counted = {row[0]: row[1] for row in connection.execute("SELECT id, is_counted FROM trials").fetchall()}
        rows = connection.execute("SELECT trial_id, operation, metric, value FROM trial_metrics").fetchall()
    assert (counted[void], counted[sound]) == (False, True)
    values = {(row[0], row[1], row[2]): row[3] for row in rows}
    assert {row[2] for row in rows} == KNOWN_THEN
    assert {row[1] for row in rows if row[0] == sound} == {"get", "set", "all"}
    assert values[sound, "all", "throughput_per_s"] == 100
    assert values[sound, "all", "response_time_p50_ns"] == pytest.approx(1_000, rel=1e-3)
    assert values[sound, "all", "response_time_p95_ns"] == pytest.approx(9_000, rel=1e-3)
    assert values[void, "all", "response_time_p99_ns"] == values[void, "get", "response_time_p99_ns"]
