"""Do lists, filters, trends and comparisons stay fast as results pile up? One JSON line a figure.

Two databases with the same shapes of runs and series, of 10,000 and of 1,000,000 trials, each behind an api process of
its own. Every page is asked for alternately from both, and what `/healthz` takes on the same way is subtracted: what is
left is the time that the server spends on the page, of which the lower quartile is told. The statements that a page
makes are recorded and then sent by themselves, over one connection, to say what the rest of the server adds.
"""

import logging
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx2
import psycopg
import structlog
from fastapi.testclient import TestClient
from fill_database import Filled, Size, fill
from loadstone.db import dispose_engine
from loadstone.main import create_app
from loadstone.settings import get_settings
from serving import Api, Servers, own_servers, report, served
from sqlalchemy import Engine, event

SMALL = Size(trials=10_000, series=60)
LARGE = Size(trials=1_000_000, series=5_000)
ROUNDS = 40
WARM_UPS = 6
LIMIT_RATIO = 1.5
LIMIT_OVER_SQL = 2.0
WIDE_LIMIT_S = 0.5
FILL_LIMIT_S = 600.0
MANY_SERIES = 20

Draw = Callable[[Filled, random.Random], tuple[str, Any]]
"""The path of a page and the body to post, if it is a post."""


def page(path: str) -> Draw:
    """Of a run, a series or a trial of the ones there are; the same choice at the same turn on both sides."""

    def choose(filled: Filled, draw: random.Random) -> tuple[str, Any]:
        return path.format(
            run=draw.choice(filled.run_ids[:100]),
            series=draw.choice(filled.series_ids[:50]),
            trial=draw.choice(filled.sampled_trial_ids),
            many="&series_id=".join(draw.sample(filled.series_ids[:50], MANY_SERIES)),
        ), None

    return choose


def comparison(filled: Filled, draw: random.Random) -> tuple[str, Any]:
    base, contender = draw.sample(filled.run_ids_of_one_plan, 2)
    return "/comparisons/evaluate", {"base": {"run_id": base}, "contenders": [{"run_id": contender}]}


def wide_comparison(filled: Filled, _draw: random.Random) -> tuple[str, Any]:
    base, *contenders = ({"run_id": run} for run in filled.wide_run_ids)
    return "/comparisons/evaluate", {"base": base, "contenders": contenders}


PAGES: dict[str, Draw] = {
    "run_list": page("/runs?limit=20"),
    "run_list_by_status": page("/runs?limit=20&status=failed"),
    "run_list_by_name": page("/runs?limit=20&q=1024 B"),
    "run_list_by_name_of_none": page("/runs?limit=20&q=nothing has it"),
    "run": page("/runs/{run}"),
    "run_points": page("/runs/{run}/points"),
    "run_trials": page("/runs/{run}/trials"),
    "trial": page("/trials/{trial}"),
    "trial_samples": page("/trials/{trial}/samples"),
    "plan_list": page("/plans?limit=3"),
    "series_list": page("/series?limit=20"),
    "series_list_by_label": page("/series?limit=20&label=target_kind:redis"),
    "series_list_by_text": page("/series?limit=20&q=redis"),
    "series_facets": page("/series/facets"),
    "series_values": page("/series/values?series_id={series}"),
    "series_values_of_20": page("/series/values?series_id={many}"),
    "comparison": comparison,
}


@dataclass(frozen=True)
class Side:
    api: Api
    filled: Filled
    database_url: str

    def ask(self, draw: Draw, turn: int) -> None:
        send(self.api.client, *draw(self.filled, random.Random(turn)))

    def server_ms(self, draw: Draw, turn: int) -> float:
        """Without what any answer takes on its way."""
        page_ms = elapsed_ms(lambda: self.ask(draw, turn))
        return page_ms - elapsed_ms(lambda: self.api.client.get("/healthz").raise_for_status())


def send(client: httpx2.Client | TestClient, path: str, body: Any) -> None:
    url = f"/api/v1{path}"
    response = client.get(url) if body is None else client.post(url, json=body)
    if response.status_code >= 300:
        raise SystemExit(f"{url}: {response.status_code} {response.text[:500]}")


def elapsed_ms(act: Callable[[], object]) -> float:
    started_at = time.perf_counter()
    act()
    return (time.perf_counter() - started_at) * 1e3


def undisturbed(times: Sequence[float]) -> float:
    """The lower quartile: a machine that is shared with other work makes some turns longer, and none shorter."""
    return statistics.quantiles(times, n=4)[0]


def compare_sizes(name: str, draw: Draw, small: Side, large: Side) -> None:
    """Asks both sides in turn and prints the ratio of their medians."""
    seen: dict[str, list[float]] = {"small": [], "large": []}
    for turn in range(ROUNDS + WARM_UPS):
        for label, side in (("small", small), ("large", large)):
            server_ms = side.server_ms(draw, turn)
            if turn >= WARM_UPS:
                seen[label].append(server_ms)
    small_ms, large_ms = (undisturbed(times) for times in seen.values())
    method = (
        f"server time at {LARGE.trials:,} trials ({large_ms:.1f} ms) over that at {SMALL.trials:,} "
        f"({small_ms:.1f} ms), asked in turn; the round trip of /healthz is subtracted"
    )
    report(f"{name}_at_scale", large_ms / small_ms, "ratio", LIMIT_RATIO, method, ROUNDS)


class Statements:
    """What the api says to the database, recorded by an app in this process."""

    def __init__(self, side: Side, servers: Servers) -> None:
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
        os.environ.update(servers.environment(side.database_url))
        get_settings.cache_clear()
        self._side = side
        self._said: list[tuple[str, Any]] = []
        self._connection = psycopg.connect(side.database_url.replace("+psycopg", ""))
        headers = {"Authorization": f"Bearer {side.filled.token}"}
        self._client = TestClient(create_app(), base_url="http://127.0.0.1:8080", headers=headers)

    def __enter__(self) -> "Statements":
        event.listen(Engine, "before_cursor_execute", self._record)
        return self

    def __exit__(self, *_: object) -> None:
        event.remove(Engine, "before_cursor_execute", self._record)
        self._connection.close()
        dispose_engine(close=True)

    def _record(self, _connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        self._said.append((statement, parameters))

    def of(self, draw: Draw, turn: int) -> Sequence[tuple[str, Any]]:
        self._said.clear()
        send(self._client, *draw(self._side.filled, random.Random(turn)))
        return list(self._said)

    def raw_ms(self, said: Sequence[tuple[str, Any]]) -> float:
        """The same statements, their rows fetched, in one transaction that is rolled back."""
        return elapsed_ms(lambda: self._execute(said))

    def _execute(self, said: Sequence[tuple[str, Any]]) -> None:
        with self._connection.cursor() as cursor:
            for statement, parameters in said:
                cursor.execute(statement, parameters)
                if cursor.description:
                    cursor.fetchall()
        self._connection.rollback()


def compare_with_sql(name: str, draw: Draw, statements: Statements, side: Side) -> None:
    """Asks the api and sends its statements in turn, so that both meet the same machine."""
    pages_ms, raws_ms = [], []
    count = 0
    for turn in range(ROUNDS + WARM_UPS):
        said = statements.of(draw, turn)
        raw_ms, page_ms = statements.raw_ms(said), side.server_ms(draw, turn)
        count = len(said)
        if turn >= WARM_UPS:
            pages_ms.append(page_ms)
            raws_ms.append(raw_ms)
    page_ms, raw_ms = undisturbed(pages_ms), undisturbed(raws_ms)
    method = (
        f"server time ({page_ms:.1f} ms) over that of its {count} statements sent by themselves with their "
        f"rows fetched ({raw_ms:.1f} ms), in turn, at {LARGE.trials:,} trials"
    )
    report(f"{name}_over_sql", page_ms / raw_ms, "ratio", LIMIT_OVER_SQL, method, ROUNDS)


def bench_wide_comparison(large: Side) -> None:
    large.ask(wide_comparison, 0)
    used_s = large.api.cpu_s()
    times = [large.server_ms(wide_comparison, turn) / 1e3 for turn in range(7)]
    cpu_s = (large.api.cpu_s() - used_s) / len(times)
    method = (
        f"server time of one comparison at {LARGE.trials:,} trials, of which {cpu_s:.2f} s are CPU time of the "
        f"api; slowest {max(times):.2f} s"
    )
    report("comparing_20_runs_of_100_points", undisturbed(times), "s", WIDE_LIMIT_S, method, len(times))


def bench_filling(filled: Filled) -> None:
    method = f"{LARGE.trials:,} trials, ten times as many metrics and {LARGE.series:,} series into an empty database"
    report("filling_the_database", filled.seconds, "s", FILL_LIMIT_S, method, 1)


def sides(stack: ExitStack, servers: Servers) -> Iterator[Side]:
    for name, size in (("small", SMALL), ("large", LARGE)):
        url = servers.make_database(name)
        filled = fill(url, size)
        yield Side(stack.enter_context(served(servers, url, filled.token)), filled, url)


def main(names: list[str]) -> None:
    with ExitStack() as stack:
        servers = stack.enter_context(own_servers())
        small, large = sides(stack, servers)
        bench_filling(large.filled)
        chosen = {name: draw for name, draw in PAGES.items() if not names or name in names}
        for name, draw in chosen.items():
            compare_sizes(name, draw, small, large)
        bench_wide_comparison(large)
        with Statements(large, servers) as statements:
            for name, draw in chosen.items():
                compare_with_sql(name, draw, statements, large)


if __name__ == "__main__":
    main(sys.argv[1:])
