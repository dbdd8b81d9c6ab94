"""Fills a migrated database with one team's history; for benchmarks, demos and screenshots.

`python backend/bench/fill_database.py --database-url postgresql+psycopg://... [--trials 1000000] [--series 5000]`
prints an API token for what it made. The definitions, grids and identities are the product's own; the figures scatter
around known truths, some of which shift. Rows are inserted round by round, as a fleet of schedules would have.
"""

import argparse
import json
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from filling import statements
from filling.templates import AGENT_CLASS, Template, make_templates, point_rows, trial_rows
from loadstone.canonical import canonical_hash
from loadstone.stats import histogram
from loadstone.tokens import new_token, token_hash
from psycopg.types.json import Jsonb
from uuid_utils.compat import uuid7

POINTS_PER_PLAN, TRIALS_PER_PLAN = 20, 60
RELEASES = {"memcached": ("1.6.18", "1.6.21", "1.6.29", "1.6.31"), "redis": ("7.0.15", "7.2.4", "7.4.1", "8.0.0")}
ROUND_EVERY = timedelta(days=1)


@dataclass(frozen=True)
class Size:
    """`wide_runs` of 100 points x 5 trials come on top; `sampled_rounds` of the newest keep their seconds."""

    trials: int
    series: int
    wide_runs: int = 20
    sampled_rounds: int = 1

    @property
    def plans(self) -> int:
        return max(1, self.series // POINTS_PER_PLAN)

    @property
    def rounds(self) -> int:
        """Runs of each plan."""
        return max(1, -(-self.trials // (self.plans * TRIALS_PER_PLAN)))


@dataclass(frozen=True)
class Filled:
    """What a caller needs to look at it: a token, and ids of runs by kind, newest first."""

    token: str
    team_id: uuid.UUID
    run_ids: list[str]
    run_ids_of_one_plan: list[str]
    wide_run_ids: list[str]
    series_ids: list[str]
    sampled_trial_ids: list[str]
    seconds: float


@dataclass
class _Filling:
    connection: psycopg.Connection[Any]
    size: Size
    ids: dict[str, Any] = field(default_factory=dict)
    token: str = field(default_factory=lambda: new_token("lst_"))

    def execute(self, statement: str, **values: Any) -> None:
        # Bound by the client: several commands in one text cannot be bound by the server.
        psycopg.ClientCursor(self.connection).execute(statement, {**self.ids, **values})

    def insert(self, table: str, **columns: Any) -> None:
        self.copy(table, [columns])

    def copy(self, table: str, rows: Iterable[dict[str, Any]]) -> None:
        rows = list(rows)
        with self.connection.cursor().copy(f"COPY {table} ({', '.join(rows[0])}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row([Jsonb(value) if isinstance(value, dict | list) else value for value in row.values()])

    def rows(self, query: str, **values: Any) -> list[str]:
        return [str(row[0]) for row in self.connection.execute(query, {**self.ids, **values})]


def fill(database_url: str, size: Size) -> Filled:
    """One more team with its own history; what is there already stays."""
    started_at = time.monotonic()
    url = database_url.replace("+psycopg", "")
    with psycopg.connect(url) as connection:
        filling = _Filling(connection, size)
        with _without_reference_checks(connection):
            _add_team(filling)
            _add_templates(filling)
            _add_history(filling)
    with psycopg.connect(url, autocommit=True) as connection:
        # What autovacuum does within minutes.
        connection.execute("VACUUM ANALYZE")
    with psycopg.connect(url) as connection:
        filling.connection = connection
        return _describe(filling, time.monotonic() - started_at)


@contextmanager
def _without_reference_checks(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Every reference is right by construction; asking for each of ten million rows doubles the time.

    Needs a superuser; for anyone else the checks stay on.
    """
    try:
        with connection.transaction():
            connection.execute("SET session_replication_role = replica")
    except psycopg.errors.InsufficientPrivilege:
        yield
        return
    yield
    connection.execute("SET session_replication_role = DEFAULT")


def _add_team(filling: _Filling) -> None:
    ids = {name: uuid7() for name in ("team", "user", "agent", "environment", "token")}
    filling.ids |= ids
    now = datetime.now(UTC)
    inventory = {
        **{"hostname": "bench-1", "cpu_model": "Example CPU", "cpu_count": 8, "cpu_governor": "performance"},
        **{"memory_bytes": 16 << 30, "kernel": "6.1.0", "operating_system": "Debian GNU/Linux 12"},
        **{"python_version": "3.11.7", "agent_class": AGENT_CLASS},
    }
    email = f"bench-{ids['user'].hex[-8:]}@example.org"
    filling.insert("teams", id=ids["team"], name="Bench")
    person = {"name": "Bench", "password_hash": "!", "is_instance_admin": False}
    filling.insert("users", id=ids["user"], email=email, **person)
    filling.insert("memberships", team_id=ids["team"], user_id=ids["user"], role="admin")
    token = {"name": "bench", "token_hash": token_hash(filling.token)}
    filling.insert("api_tokens", id=ids["token"], team_id=ids["team"], user_id=ids["user"], **token)
    host = {"host_key": "bench", "token_hash": str(ids["agent"]), "labels": {}, "stores": [], "engines": []}
    state = {"inventory": inventory, "is_draining": False, "last_heartbeat_at": now}
    filling.insert("agents", id=ids["agent"], team_id=ids["team"], name="bench-1", **host, **state)
    found = {"fingerprint": canonical_hash(inventory), "inventory": inventory}
    filling.insert("environments", id=ids["environment"], team_id=ids["team"], **found)


def _add_templates(filling: _Filling) -> None:
    filling.execute(statements.PREPARE)
    filling.execute("SELECT setseed(0.5)")
    size = filling.size
    templates = list(make_templates(size.plans, size.rounds, size.wide_runs))
    filling.copy("template_plans", map(_plan_row, templates))
    filling.copy("template_points", (row for one in templates for row in point_rows(one, size.rounds)))
    filling.copy("template_trials", (row for one in templates for row in trial_rows(one)))
    filling.copy("template_stores", _store_rows(filling))
    plans = "SELECT plan_id, %(team)s, name, 1, %(user)s FROM template_plans"
    filling.execute(f"INSERT INTO plans (id, team_id, name, current_version, created_by) {plans}")
    versions = "SELECT plan_id, 1, definition - 'targets' || jsonb_build_object('targets', targets), definition_hash"
    inline = (
        "(SELECT jsonb_agg(jsonb_build_object('kind', t ->> 'kind', 'profile', t ->> 'profile', 'name', t ->> 'name')) "
        "AS targets FROM jsonb_array_elements(definition -> 'targets') AS t) AS w"
    )
    filling.execute(
        f"INSERT INTO plan_versions (plan_id, version, definition, definition_hash, created_by) "
        f"{versions}, %(user)s FROM template_plans CROSS JOIN LATERAL {inline}"
    )
    filling.execute(statements.SERIES, agent_class=AGENT_CLASS, at=datetime.now(UTC) - size.rounds * ROUND_EVERY)


def _plan_row(template: Template) -> dict[str, Any]:
    return {
        "plan_no": template.number,
        "plan_id": template.plan_id,
        "name": template.plan.name,
        "definition": template.definition,
        "definition_hash": canonical_hash(template.definition),
        "first_run": template.first_run,
        "point_count": len(template.grid.points),
        "trial_count": template.trial_count,
    }


def _store_rows(filling: _Filling) -> Iterator[dict[str, Any]]:
    for kind, versions in RELEASES.items():
        for release, version in enumerate(versions):
            facts = {"kind": kind, "version": version, "settings": {"maxmemory": "0", "threads": "4"}}
            row = {"id": uuid7(), "fingerprint": canonical_hash(facts), **facts}
            filling.insert("store_configurations", team_id=filling.ids["team"], **row)
            yield {"store_kind": kind, "release": release, "id": row["id"], "version": version}


def _add_history(filling: _Filling) -> None:
    rounds = filling.size.rounds
    first_at = datetime.now(UTC) - rounds * ROUND_EVERY
    packed = histogram.unpack(histogram.empty().encode().decode())
    for number in range(rounds):
        release = number * len(RELEASES["redis"]) // rounds
        filling.execute(statements.ROUND_TABLES, round=number, at=first_at + number * ROUND_EVERY, release=release)
        filling.execute("ANALYZE round_points; ANALYZE round_trials")
        is_sampled = number >= rounds - filling.size.sampled_rounds
        for statement in statements.ROUND:
            filling.execute(statement)
        for statement in statements.SAMPLED if is_sampled else ():
            filling.execute(f"{statement} AND t.run_id IN (SELECT id FROM round_runs ORDER BY at DESC LIMIT 20)",
                            histogram=packed)  # fmt: skip
        if number % 5 == 4:
            # In between, as a database that grows has been analysed all along.
            filling.execute("ANALYZE points; ANALYZE series_points")
    filling.execute(statements.SERIES_SUMS)
    filling.execute(statements.SERIES_FACETS)


def _describe(filling: _Filling, seconds: float) -> Filled:
    runs = "SELECT id FROM runs WHERE team_id = %(team)s AND status = 'succeeded' AND trial_count {} ORDER BY id DESC"
    sampled = "SELECT trial_id FROM samples JOIN trials t ON t.id = trial_id WHERE team_id = %(team)s GROUP BY 1"
    series = "SELECT id FROM series WHERE team_id = %(team)s ORDER BY last_at DESC, id LIMIT 1000"
    one_plan = "SELECT id FROM runs WHERE plan_id = (SELECT id FROM plans WHERE team_id = %(team)s ORDER BY id LIMIT 1)"
    return Filled(
        token=filling.token,
        team_id=filling.ids["team"],
        run_ids=filling.rows(f"{runs.format('= 60')} LIMIT 1000"),
        run_ids_of_one_plan=filling.rows(f"{one_plan} ORDER BY id DESC LIMIT 20"),
        wide_run_ids=filling.rows(f"{runs.format('> 60')} LIMIT 20"),
        series_ids=filling.rows(series),
        sampled_trial_ids=filling.rows(f"{sampled} LIMIT 200"),
        seconds=seconds,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--database-url", required=True)
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--series", type=int, default=5_000)
    arguments = parser.parse_args()
    filled = fill(arguments.database_url, Size(arguments.trials, arguments.series))
    print(json.dumps({"api_token": filled.token, "seconds": round(filled.seconds, 1)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
