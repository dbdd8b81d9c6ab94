"""False alarms, detections and cost of the change points, on series whose truth is known.

A series is one number a run: autocorrelated (first order), with outliers of 10 to 30 % either way. Every run is judged
as it comes, as the product does it. False alarms are counted apart while a series grows to 150 runs and after that:
steps are looked for in grown ones, so both figures must hold there. Detections: the first look after a step, at most 12
runs later, that finds it; the series had 150 unchanged runs before. Kinds of noise and steps that have no limit take a
part of the series. The same series go to the rules of other systems. One JSON line a figure; exits 0 whether or not the
limits hold. The detector was chosen on series of other seeds.

    python backend/bench/change_points.py [--series 600]
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np
from loadstone.stats.change_points import newest_change
from loadstone.trends.analysis import SAME_PLACE, SETTLED_AFTER

UNCHANGED_RUNS = 300
HISTORY_RUNS = 150
SEEN_WITHIN = 12
LOOK_BACK = 14
SEED = 70_405_001

Rule = Callable[[Sequence[float]], bool]


def noise(draw: np.random.Generator, count: int, *, phi: float, cv: float = 0.03, outliers: float = 0.03) -> Any:
    """`cv` is the deviation of the values themselves, whatever `phi` is."""
    steps = draw.normal(size=count + 50) * np.sqrt(1 - phi**2)
    values = np.zeros(count + 50)
    for place in range(1, count + 50):
        values[place] = phi * values[place - 1] + steps[place]
    level = 1 + cv * values[50:]
    far = draw.choice([-1, 1], count) * draw.uniform(0.1, 0.3, count)
    return np.where(draw.random(count) < outliers, level * (1 + far), level)


def bimodal(draw: np.random.Generator, count: int) -> Any:
    """Two modes 5 % apart, the lower one in 30 % of the runs."""
    return np.where(draw.random(count) < 0.3, 0.95, 1.0) * (1 + 0.01 * draw.normal(size=count))


def log_normal(draw: np.random.Generator, count: int) -> Any:
    return np.exp(0.05 * draw.normal(size=count))


NOISES: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "ar_0.5": lambda draw, count: noise(draw, count, phi=0.5),
    "iid": lambda draw, count: noise(draw, count, phi=0.0),
    "ar_0.3": lambda draw, count: noise(draw, count, phi=0.3),
    "ar_0.7": lambda draw, count: noise(draw, count, phi=0.7),
    "bimodal": bimodal,
    "log_normal": log_normal,
}


def alarms(values: Sequence[float]) -> list[int]:
    """After how many runs shifts are found while the series grows, as `trends.analysis` finds them.

    A segment begins at the last find that has a segment of its own behind it; a find beside a known one is the same.
    """
    found: list[int] = []
    found_after: list[int] = []
    for end in range(1, len(values) + 1):
        start = max((place for place in found if end - place >= SETTLED_AFTER), default=0)
        change = newest_change(values[start:end])
        if change is None:
            continue
        place = start + change.index
        known = next((index for index, one in enumerate(found) if abs(one - place) <= SAME_PLACE), None)
        if known is None:
            found.append(place)
            found_after.append(end)
        else:
            found[known] = place
    return found_after


def is_seen(values: Sequence[float]) -> bool:
    """Within 12 runs of a step after the history, by a look that places it after the step or just before."""
    for end in range(HISTORY_RUNS + 1, HISTORY_RUNS + SEEN_WITHIN + 1):
        change = newest_change(values[:end])
        if change is not None and abs(change.index - HISTORY_RUNS) <= SEEN_WITHIN:
            return True
    return False


def against_previous(values: Sequence[float]) -> bool:
    return len(values) > 1 and abs(values[-1] / values[-2] - 1) > 0.05


def against_median(values: Sequence[float]) -> bool:
    return len(values) > LOOK_BACK and abs(values[-1] / median(values[-LOOK_BACK - 1 : -1]) - 1) > 0.05


def against_best(values: Sequence[float]) -> bool:
    return len(values) > 1 and values[-1] < 0.95 * max(values[:-1])


def quartile_fence(values: Sequence[float]) -> bool:
    """Changes from run to run, beyond three times the distance of the quartiles."""
    if len(values) <= LOOK_BACK * 2:
        return False
    changes = np.abs(np.diff(np.asarray(values[-100:])) / np.asarray(values[-100:-1]))
    low, high = np.quantile(changes[:-1], [0.25, 0.75])
    return bool(changes[-1] > high + 3 * (high - low))


def t_interval(values: Sequence[float]) -> bool:
    """Outside the 99 % t interval of a new value, of the last 64."""
    if len(values) <= LOOK_BACK:
        return False
    before = np.asarray(values[-65:-1])
    spread = before.std(ddof=1) * np.sqrt(1 + 1 / len(before))
    return bool(abs(values[-1] - before.mean()) > 2.66 * spread)


RULES: dict[str, Rule] = {
    "5_percent_against_previous": against_previous,
    "5_percent_against_median": against_median,
    "5_percent_against_best": against_best,
    "quartile_fence": quartile_fence,
    "t_interval": t_interval,
}


def report(name: str, value: float, unit: str, limit: float | None, holds: bool | None, method: str, n: int) -> None:
    figure = {"name": name, "value": round(value, 4), "unit": unit, "limit": limit, "holds": holds}
    print(json.dumps(figure | {"method": method, "n": n}), flush=True)


def false_alarms(make: Callable[[np.random.Generator, int], Any], count: int) -> Any:
    """Of every series: those while it grew, and those after."""
    draw = np.random.default_rng(SEED)
    found = [np.array(alarms(make(draw, UNCHANGED_RUNS).tolist())) for _ in range(count)]
    return np.array([[(ends <= HISTORY_RUNS).sum(), (ends > HISTORY_RUNS).sum()] for ends in found])


def stepped(make: Callable[[np.random.Generator, int], Any], count: int, step: float) -> list[list[float]]:
    draw = np.random.default_rng(SEED + 1)
    series = []
    for _ in range(count):
        values = make(draw, HISTORY_RUNS + SEEN_WITHIN)
        values[HISTORY_RUNS:] *= 1 + step
        series.append(values.tolist())
    return series


def measure_false_alarms(count: int) -> None:
    for name, make in NOISES.items():
        share = count if name == "ar_0.5" else max(count // 20, 10)
        found = false_alarms(make, share)
        for part, (alarm_counts, runs) in {
            "": (found.sum(axis=1), UNCHANGED_RUNS),
            ".growing": (found[:, 0], HISTORY_RUNS),
            ".grown": (found[:, 1], UNCHANGED_RUNS - HISTORY_RUNS),
        }.items():
            rates = 100 * alarm_counts / runs
            error = rates.std(ddof=1) / np.sqrt(share)
            method = f"every run judged as it comes, {runs} unchanged runs a series; standard error {error:.3f}"
            limit = 0.5 if name == "ar_0.5" else None
            holds = bool(rates.mean() <= limit) if limit else None
            figure = f"change_points.false_alarms.{name}{part}"
            report(figure, float(rates.mean()), "per 100 runs", limit, holds, method, share)


def measure_detections(count: int) -> None:
    for step in (-0.05, 0.05, -0.1):
        share = count if step == -0.05 else max(count // 4, 25)
        seen = sum(map(is_seen, stepped(NOISES["ar_0.5"], share, step))) / share
        wanted = 0.75 if step == -0.05 else None
        holds = seen >= wanted if wanted else None
        error = np.sqrt(seen * (1 - seen) / share)
        method = (
            f"step of {step:+.0%} after {HISTORY_RUNS} runs, AR(1) 0.5, CV 3 %, 3 % outliers, within {SEEN_WITHIN}; "
            f"standard error {error:.3f}"
        )
        report(f"change_points.seen.{step:+.0%}", seen, "share of series", wanted, holds, method, share)


def measure_rules(count: int) -> None:
    draw = np.random.default_rng(SEED + 2)
    quiet = [NOISES["ar_0.5"](draw, HISTORY_RUNS).tolist() for _ in range(count)]
    shifted = stepped(NOISES["ar_0.5"], count, -0.05)
    for name, rule in RULES.items():
        wrong = sum(rule(values[:end]) for values in quiet for end in range(1, HISTORY_RUNS + 1))
        rate = 100 * wrong / (count * HISTORY_RUNS)
        ends = range(HISTORY_RUNS + 1, HISTORY_RUNS + SEEN_WITHIN + 1)
        seen = sum(any(rule(values[:end]) for end in ends) for values in shifted) / count
        method = "another rule on the same kind of series, for comparison"
        report(f"rules.{name}.false_alarms", rate, "per 100 runs", None, None, method, count)
        report(f"rules.{name}.seen.-5%", seen, "share of series", None, None, method, count)


def measure_cost(count: int) -> None:
    draw = np.random.default_rng(SEED + 3)
    series = [NOISES["ar_0.5"](draw, 200).tolist() for _ in range(count)]
    for values in series:
        newest_change(values)
    costs = []
    for values in series:
        started = time.process_time()
        newest_change(values)
        costs.append(1e3 * (time.process_time() - started))
    cost = sum(costs) / len(costs)
    method = "CPU time, mean of one look at a full window of 200 runs: what a run adds to a series and a metric"
    report("change_points.cost", cost, "ms", 2.0, cost <= 2, method, count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=600)
    count = parser.parse_args().series
    measure_cost(min(count, 200))
    measure_false_alarms(count)
    measure_detections(count)
    measure_rules(min(count, 100))


if __name__ == "__main__":
    main()
