"""Do lists and run pages stay fast as results pile up? One JSON line a figure, on servers and databases of its own.

Two databases, with 1,000 and with 100,000 trials of like-shaped runs, each behind an api process of its own. Every page
is asked for alternately from both, and what `/healthz` takes on the same way is subtracted: what is left is the time
that the server spends on the page.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import psycopg
from cryptography.fernet import Fernet
from loadstone.stats import histogram
from loadstone.tokens import new_token, token_hash
from psycopg.types.json import Jsonb
from uuid_utils.compat import uuid7

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "support"), str(Path(__file__).parents[2] / "deploy")]

from loadstone_local.secrets_file import free_port  # noqa: E402 - the path comes first
from loadstone_testing.database import make_worker_database  # noqa: E402
from loadstone_testing.servers import own_redis, shared_postgres  # noqa: E402

SIZES = {"small": 1_000, "large": 100_000}
TRIALS_PER_RUN = (24, 24, 24, 24, 48, 96)
TRIALS_PER_POINT = 3
LIVE_RUNS = 3
"""Queued ones, as many in both: a waiting run costs more to show than one that has ended."""
PAGE = 20
"""Runs of a list page; both databases have more."""
ROUNDS = 60
LIMIT_RATIO = 1.5
START_TIMEOUT_S = 60.0

STATUSES = ("queued", "claimed", "running", "cancelling", "succeeded", "failed", "cancelled", "crashed")
TIMES = {"p50": 60_000, "p90": 90_000, "p95": 120_000, "p99": 200_000, "p999": 900_000, "max": 4_000_000}
NUMBERS = {"count": 1_000_000, "error_count": 0, "errors": {}, "response_time_ns": TIMES, "service_time_ns": TIMES}
BAND = {name: {"low": value, "high": value} for name, value in TIMES.items()}


class Filling:
    """Rows by table, of one team with one person and one agent."""

    def __init__(self) -> None:
        self.token = new_token("lst_")
        self.run_ids: list[str] = []
        """Runs of 24 trials that have ended: like is compared with like."""
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._histogram = histogram.unpack(histogram.empty().encode().decode())
        self._team = self._add("teams", id=uuid7(), name="bench")
        self._user = self._add(
            "users", id=uuid7(), email="b@example.org", name="Bench", password_hash="!", is_instance_admin=False
        )
        self._add("memberships", team_id=self._team, user_id=self._user, role="admin")
        token = {"name": "bench", "token_hash": token_hash(self.token)}
        self._add("api_tokens", id=uuid7(), team_id=self._team, user_id=self._user, **token)
        agent = {"name": "bench-1", "host_key": "h", "token_hash": "-", "labels": {}, "stores": [], "engines": []}
        seen = {"is_draining": False, "last_heartbeat_at": datetime.now(UTC)}
        self._agent = self._add("agents", id=uuid7(), team_id=self._team, **agent, **seen)

    def _add(self, table: str, **columns: Any) -> Any:
        """The row's id, if it has one."""
        row = {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in columns.items()}
        self._rows.setdefault(table, []).append(row)
        return columns.get("id")

    def add_run(self, number: int, trial_count: int, status: str) -> None:
        is_over = status == "succeeded"
        at = datetime.now(UTC) if is_over else None
        point_count = trial_count // TRIALS_PER_POINT
        run = self._add(
            "runs",
            id=uuid7(),
            team_id=self._team,
            name=f"run {number}",
            definition=_definition(point_count),
            definition_hash="-",
            seed=1,
            status=status,
            priority=0,
            agent_selector={},
            agent_id=self._agent if is_over else None,
            point_count=point_count,
            trial_count=trial_count,
            status_counts=dict.fromkeys(STATUSES, 0) | {status: trial_count},
            estimated_s=600.0,
            last_event_seq=100,
            created_by=self._user,
            started_at=at,
            finished_at=at,
        )
        for ordinal in range(point_count):
            self._add_point(run, ordinal, status)
        if is_over and trial_count == TRIALS_PER_RUN[0]:
            self.run_ids.append(str(run))

    def _add_point(self, run: Any, ordinal: int, status: str) -> None:
        owner = {"team_id": self._team, "run_id": run}
        parameters = {"target": f"target {ordinal % 2}", "connections": 2 ** (ordinal // 2 % 8)}
        bound = {"target_index": 0, "work": {"load": {}}, "identity": {}, "identity_hash": str(ordinal)}
        point = self._add("points", id=uuid7(), **owner, ordinal=ordinal, parameters=parameters, **bound)
        for repetition in range(TRIALS_PER_POINT):
            self._add_trial(owner, point, ordinal * TRIALS_PER_POINT + repetition, status)
        if status == "succeeded":
            band = {"throughput_per_s": {"low": 1, "high": 2}, "response_time_ns": BAND, "service_time_ns": BAND}
            found = {"trials_counted": 3, "throughput_per_s": 100_000.0, "band": band, **NUMBERS}
            for operation in ("all", "get", "set"):
                self._add("point_operations", point_id=point, run_id=run, operation=operation, **found)

    def _add_trial(self, owner: dict[str, Any], point: Any, ordinal: int, status: str) -> None:
        is_over = status == "succeeded"
        at = datetime.now(UTC) - timedelta(hours=1) + timedelta(seconds=ordinal) if is_over else None
        place = {"ordinal": ordinal, "repetition": ordinal % TRIALS_PER_POINT, "block": 0, "seed": ordinal}
        state = {"status": status, "attempt": int(is_over), "trust": "pass" if is_over else None, "group_size": 1}
        times = {"claimed_at": at, "started_at": at, "finished_at": at}
        notes: dict[str, Any] = {"warnings": [], "trust_reasons": [], "command_lines": []}
        trial = self._add("trials", id=uuid7(), **owner, point_id=point, **place, **state, **times, **notes)
        if is_over:
            attempt = {"trial_id": trial, "agent_id": self._agent, "attempt": 1, "phase": "measure", "totals": {}}
            histograms = {"response_histogram": self._histogram, "service_histogram": self._histogram}
            counts = {"late": 0, "hits": 1, "misses": 0, "bytes_sent": 1, "bytes_received": 1, "elapsed_ns": 10**10}
            rate = {"throughput_per_s": 50_000.0}
            for operation in ("get", "set"):
                row = {**attempt, **NUMBERS, **counts, **rate, **histograms}
                self._add("operation_results", operation=operation, **row)

    def copy_into(self, connection: psycopg.Connection) -> None:
        for table, rows in self._rows.items():
            names = ", ".join(rows[0])
            with connection.cursor().copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(tuple(row.values()))
        self._rows.clear()


def _definition(point_count: int) -> dict[str, Any]:
    """A resolved plan as it is stored."""
    target: dict[str, Any] = {"mode": "managed", "options": {}, "target_id": None, "host": None, "port": None}
    return {
        "name": "bench",
        "targets": [
            target | {"index": 0, "name": "target 0", "kind": "memcached", "profile": "default"},
            target | {"index": 1, "name": "target 1", "kind": "redis", "profile": "none"},
        ],
        "workload": {
            "dataset": {"key_count": 1_000, "value_size": {"kind": "fixed", "bytes": 100}},
            "operations": [{"kind": "get", "weight": 9}, {"kind": "set", "weight": 1}],
        },
        "load": {"kind": "closed", "connections": 1, "pipeline": 1},
        "axes": [{"parameter": "connections", "values": list(range(1, point_count // 2 + 1))}],
        "trials_per_point": TRIALS_PER_POINT,
        "stop": {"seconds": 10},
        "seed": 1,
    }


def fill(database_url: str, trial_count: int) -> Filling:
    """Until there are at least `trial_count` trials; the newest runs are the live ones."""
    filling = Filling()
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        trials = number = 0
        while trials < trial_count:
            size = TRIALS_PER_RUN[number % len(TRIALS_PER_RUN)]
            filling.add_run(number, size, "succeeded")
            trials, number = trials + size, number + 1
            if number % 200 == 0:
                filling.copy_into(connection)
        for live in range(LIVE_RUNS):
            filling.add_run(number + live, TRIALS_PER_RUN[0], "queued")
        filling.copy_into(connection)
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as connection:
        # What autovacuum does within a minute.
        connection.execute("VACUUM ANALYZE")
    return filling


@contextmanager
def served(database_url: str, broker_url: str, token: str) -> Iterator[httpx2.Client]:
    """A client of an api process on that database."""
    port = free_port()
    environment = {
        **os.environ,
        "LOADSTONE_DATABASE_URL": database_url,
        "LOADSTONE_BROKER_URL": broker_url,
        "LOADSTONE_SECRET_KEYS": Fernet.generate_key().decode(),
        "LOADSTONE_PORT": str(port),
    }
    process = subprocess.Popen([sys.executable, "-m", "loadstone.main"], env=environment, stderr=subprocess.DEVNULL)
    headers = {"Authorization": f"Bearer {token}"}
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False) as client:
            _wait_until_ready(client)
            yield client
    finally:
        process.terminate()
        process.wait(20)


def _wait_until_ready(client: httpx2.Client) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            client.get("/readyz").raise_for_status()
        except httpx2.HTTPError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def round_trip_ms(client: httpx2.Client, path: str) -> float:
    started_at = time.perf_counter()
    client.get(path).raise_for_status()
    return (time.perf_counter() - started_at) * 1e3


def compare(name: str, clients: dict[str, httpx2.Client], paths: dict[str, list[str]]) -> None:
    """Asks both sides in turn, and prints the ratio of their medians."""
    seen: dict[str, list[float]] = {side: [] for side in clients}
    draw = random.Random(1)
    bare: list[float] = []
    for turn in range(ROUNDS + 5):
        for side, client in clients.items():
            elapsed_ms = round_trip_ms(client, draw.choice(paths[side]))
            bare_ms = round_trip_ms(client, "/healthz")
            # The first rounds open connections and warm caches.
            if turn >= 5:
                seen[side].append(elapsed_ms)
                bare.append(bare_ms)
    way_ms = statistics.median(bare)
    small_ms, large_ms = (statistics.median(seen[side]) - way_ms for side in ("small", "large"))
    ratio = large_ms / small_ms
    method = (
        f"median server time at {SIZES['large']:,} trials ({large_ms:.1f} ms) over that at {SIZES['small']:,} "
        f"({small_ms:.1f} ms), asked in turn; the round trip of /healthz ({way_ms:.1f} ms) is subtracted"
    )
    figure = {"name": name, "value": round(ratio, 3), "unit": "ratio", "limit": LIMIT_RATIO}
    print(json.dumps(figure | {"holds": ratio <= LIMIT_RATIO, "method": method, "n": ROUNDS}), flush=True)


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="loadstone-bench-")))
        home = stack.enter_context(shared_postgres(folder))
        broker_url = stack.enter_context(own_redis())
        clients, fillings = {}, {}
        for side, trial_count in SIZES.items():
            url = make_worker_database(home, side)
            fillings[side] = fill(url, trial_count)
            clients[side] = stack.enter_context(served(url, broker_url, fillings[side].token))
        for name, page in PAGES.items():
            paths = {side: [page.format(id=run) for run in filling.run_ids] for side, filling in fillings.items()}
            compare(name, clients, paths)


PAGES = {
    "run_list_at_scale": f"/api/v1/runs?limit={PAGE}",
    "run_list_filtered_at_scale": f"/api/v1/runs?limit={PAGE}&status=succeeded",
    "run_page_at_scale": "/api/v1/runs/{id}",
    "run_points_at_scale": "/api/v1/runs/{id}/points",
    "run_trials_at_scale": "/api/v1/runs/{id}/trials",
}

if __name__ == "__main__":
    main()
