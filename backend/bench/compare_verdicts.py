"""How often is a verdict wrong, and how fast does it come? One JSON line a figure.

False alarms and power are counted on made-up trials in ABBA order (`loadstone_testing.noises`), each repetition one
comparison of one cell, as the product judges it. Beside them stand two rules that are in use elsewhere, on the same
trials. The time is that of the whole evaluation over a database of its own, on a server of its own.
"""

import json
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.fernet import Fernet
from loadstone.comparisons import service
from loadstone.comparisons.schemas import ComparisonDefinition, Side
from loadstone.db import dispose_engine, unit_of_work
from loadstone.stats.compare import Cell, compare_cells
from loadstone.stats.metrics import Better
from numpy.typing import NDArray
from scipy import stats

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "support"), str(Path(__file__).parents[2] / "deploy")]

from loadstone_testing.compared_runs import fill_runs  # noqa: E402 - the path comes first
from loadstone_testing.database import make_worker_database  # noqa: E402
from loadstone_testing.noises import NOISES, session, split_abba  # noqa: E402
from loadstone_testing.servers import own_redis, shared_postgres  # noqa: E402

Floats = NDArray[np.float64]

REPETITIONS = 2_000
POWER_REPETITIONS = 20_000
PAIRS = (3, 5, 10, 20)
LEVEL = 0.05
ALARM_LIMIT = LEVEL + 2 * math.sqrt(LEVEL * (1 - LEVEL) / REPETITIONS)
"""Two standard errors of a true 5 % counted 2,000 times."""
SECONDS_A_TRIAL = 30
SECOND_CV = 0.03
SECOND_AR = 0.6
RUNS, POINTS, TRIALS = 20, 100, 5
TIME_LIMIT_S = 0.5
ROUNDS = 5


def report(name: str, value: float, unit: str, limit: float | None, holds: bool | None, method: str, n: int) -> None:
    line = {"name": name, "value": value, "unit": unit, "limit": limit, "holds": holds, "method": method, "n": n}
    print(json.dumps(line), flush=True)


NO_MARGIN = 1e-6
"""Equal sides may not hide a false alarm as equivalence."""
MARGIN = 0.02


def verdicts(
    base: Floats, contender: Floats, *, better: Better = "higher", is_paired: bool = True, margin: float = NO_MARGIN
) -> list[str]:
    """Each row a comparison by itself."""
    return [
        compare_cells([Cell(one, other, is_paired, better)], margin=margin, confidence=1 - LEVEL).cells[0].verdict
        for one, other in zip(base, contender, strict=True)
    ]


def share(found: list[str], *wanted: str) -> float:
    return sum(found.count(verdict) for verdict in wanted) / len(found)


def false_alarms(draw: np.random.Generator) -> None:
    for name, noise in NOISES.items():
        for pairs in PAIRS:
            base, contender = split_abba(noise(draw, REPETITIONS, 2 * pairs))
            found = share(verdicts(base, contender), "better", "worse")
            method = f"A/A, {pairs} interleaved pairs, {name}"
            report(
                f"compare.false_alarms.{name}.{pairs}",
                found,
                "share",
                ALARM_LIMIT,
                found <= ALARM_LIMIT,
                method,
                REPETITIONS,
            )
            by_five = np.abs(contender.mean(axis=1) / base.mean(axis=1) - 1) > 0.05
            report(
                f"compare.false_alarms.five_per_cent_rule.{name}.{pairs}",
                float(by_five.mean()),
                "share",
                None,
                None,
                f"{method}; alarm when the means differ by 5 %",
                REPETITIONS,
            )
            seconds = min(REPETITIONS, 500)
            mann_whitney = _mann_whitney(draw, base[:seconds], contender[:seconds])
            report(
                f"compare.false_alarms.mann_whitney_per_second.{name}.{pairs}",
                mann_whitney,
                "share",
                None,
                None,
                f"{method}; {SECONDS_A_TRIAL} seconds a trial taken as independent",
                seconds,
            )


def _mann_whitney(draw: np.random.Generator, base: Floats, contender: Floats) -> float:
    tests = stats.mannwhitneyu(_seconds(draw, base), _seconds(draw, contender), axis=1)
    return float((tests.pvalue < LEVEL).mean())


def _seconds(draw: np.random.Generator, trials: Floats) -> Floats:
    """Each trial's seconds around its own value, correlated from second to second as throughput is."""
    shocks = draw.normal(0, SECOND_CV * math.sqrt(1 - SECOND_AR**2), (*trials.shape, SECONDS_A_TRIAL))
    logs = np.zeros_like(shocks)
    logs[..., 0] = shocks[..., 0] / math.sqrt(1 - SECOND_AR**2)
    for second in range(1, SECONDS_A_TRIAL):
        logs[..., second] = SECOND_AR * logs[..., second - 1] + shocks[..., second]
    seconds: Floats = (trials[..., None] * np.exp(logs)).reshape(len(trials), -1)
    return seconds


def power(draw: np.random.Generator) -> None:
    base, contender = split_abba(session(draw, POWER_REPETITIONS, 20))
    setting = "-3 %, 10 interleaved pairs, session SD 2 %, within 1.5 %, drift 2 %"
    for better, right in (("higher", "worse"), ("lower", "better")):
        found = verdicts(base, contender * 0.97, better=better, margin=MARGIN)  # type: ignore[arg-type]
        seen = share(found, right)
        report(f"compare.power.{better}_is_better", seen, "share", 0.95, seen >= 0.95, setting, POWER_REPETITIONS)
        wrong = share(found, "worse" if right == "better" else "better")
        report(
            f"compare.wrong_direction.{better}_is_better", wrong, "share", 0.0, wrong == 0, setting, POWER_REPETITIONS
        )
    by_five = float((contender.mean(axis=1) * 0.97 / base.mean(axis=1) < 0.95).mean())
    report(
        "compare.power.five_per_cent_rule",
        by_five,
        "share",
        None,
        None,
        f"{setting}; alarm when the mean falls by 5 %",
        POWER_REPETITIONS,
    )


def between_sessions(draw: np.random.Generator) -> None:
    """Why Welch between two runs is labelled as weaker: every session has its own level."""
    base, contender = (np.exp(session(draw, REPETITIONS, 10)) for _ in range(2))
    found = share(verdicts(base, contender, is_paired=False), "better", "worse")
    report(
        "compare.false_alarms.two_sessions",
        found,
        "share",
        None,
        None,
        "A/A, 10 trials in each of two sessions, Welch; labelled as weaker",
        REPETITIONS,
    )


def evaluation_time() -> None:
    """The service's whole answer, JSON included, for 20 runs of 100 points with five trials and two metrics."""
    with tempfile.TemporaryDirectory(prefix="loadstone-bench-") as folder, own_redis() as redis_url:
        Path(folder).chmod(0o755)
        with shared_postgres(Path(folder)) as home:
            url = make_worker_database(home, "compare")
            os.environ |= {
                "LOADSTONE_DATABASE_URL": url,
                "LOADSTONE_BROKER_URL": redis_url,
                "LOADSTONE_SECRET_KEYS": Fernet.generate_key().decode(),
            }
            taken = sorted(_evaluations())
    median = statistics.median(taken)
    method = f"{RUNS} runs x {POINTS} points x {TRIALS} trials, 2 metrics, evaluated and written as JSON; median"
    report("compare.time", median, "s", TIME_LIMIT_S, median <= TIME_LIMIT_S, method, ROUNDS)


def _evaluations() -> Iterator[float]:
    principal, run_ids = fill_runs(RUNS, POINTS, TRIALS)
    definition = ComparisonDefinition(
        base=Side(run_id=run_ids[0]), contenders=[Side(run_id=run_id) for run_id in run_ids[1:]]
    )
    for turn in range(ROUNDS + 1):
        started = time.perf_counter()
        with unit_of_work() as unit:
            found = service.evaluate(unit, principal, definition)
        text = found.model_dump_json()
        if turn:
            yield time.perf_counter() - started
    assert len(found.cells) == (RUNS - 1) * POINTS * 2, text[:500]
    dispose_engine(close=True)


def main() -> None:
    draw: Any = np.random.default_rng(20_261_121)
    evaluation_time()
    power(draw)
    between_sessions(draw)
    false_alarms(draw)


if __name__ == "__main__":
    main()
