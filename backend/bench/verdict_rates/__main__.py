"""How often is a verdict wrong, and what does it see? One JSON line a figure; `make bench-stats`.

    python backend/bench/verdict_rates [--repetitions 2000] [PART ...]

Parts: verdicts families settled sessions planning changes curves. Seeds are none that methods were tuned with. Beside
the figures stand the rules of other systems on the same data (`rivals`).
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "tests" / "support")]

import rivals  # noqa: E402 - the path comes first
from loadstone.stats import planning, sequential, sessions  # noqa: E402
from loadstone.stats.cells import Cell  # noqa: E402
from loadstone.stats.change_points.detector import find_steps  # noqa: E402
from loadstone.stats.change_points.tracking import Tracker  # noqa: E402
from loadstone.stats.compare import compare_cells  # noqa: E402
from loadstone.stats.curves.scalability import fit_scalability  # noqa: E402
from loadstone_testing.noises import NOISES, PERIODIC, split_randomized  # noqa: E402
from scipy import stats  # noqa: E402

SEED = 20_261_123
NO_MARGIN = 1e-6
CALLED = ("better", "worse", "changed")
Draw = np.random.Generator


def report(name: str, value: float, unit: str, limit: float | None, at_most: bool, method: str, n: int) -> None:
    holds = None if limit is None else bool(value <= limit if at_most else value >= limit)
    line = {"name": name, "value": round(value, 4), "unit": unit, "limit": limit, "holds": holds, "method": method}
    print(json.dumps(line | {"n": n}), flush=True)


def called(base: Any, contender: Any, margin: float = NO_MARGIN) -> list[str]:
    """Each row a comparison by itself."""
    return [
        compare_cells([Cell(one, other, "paired", "higher")], margin=margin, confidence=0.95).cells[0].verdict
        for one, other in zip(base, contender, strict=True)
    ]


def share(verdicts: list[str], *wanted: str) -> float:
    return sum(verdict in wanted for verdict in verdicts) / len(verdicts)


def verdicts(draw: Draw, n: int) -> None:
    wrong = []
    for name, noise in {**NOISES, **PERIODIC}.items():
        for members, pairs in ((2, 3), (2, 5), (2, 10), (2, 20), (8, 10)):
            if name in PERIODIC and pairs < 10:
                continue
            base, contender = split_randomized(draw, noise(draw, n, members * pairs), members)
            wrong.append(share(called(base, contender), *CALLED))
            method = f"A/A, {name}, {pairs} pairs in random blocks of {members}"
            report(f"stats.false.{name}.{members}x{pairs}", wrong[-1], "share", 0.065, True, method, n)
            if (members, pairs) == (2, 10):
                for rival, rule in rivals.COMPARISONS.items():
                    found = float(np.mean([rule(one, other) for one, other in zip(base, contender, strict=True)]))
                    report(f"stats.false.{name}.{rival}", found, "share", None, True, f"{method}; {rival}", n)
    report("stats.false.mean", float(np.mean(wrong)), "share", 0.05, True, "mean over all cells", len(wrong))
    logs = draw.normal(0, 0.03, (2, n, 10))
    base, contender = np.exp(logs[0]), 0.97 * np.exp(logs[1])
    ours = share(called(base, contender), "worse")
    theirs = float(np.mean([rivals.welch(one, other) for one, other in zip(base, contender, strict=True)]))
    report("stats.power.behind_welch", theirs - ours, "share", 0.05, True, f"-3 %, CV 3 %, 10 pairs; own {ours:.3f}", n)


def families(draw: Draw, n: int) -> None:
    for size in (30, 400):
        repetitions = max(20, n * 30 // size // 4)
        for pairs in (3, 5, 10):
            alarms = 0
            for _ in range(repetitions):
                base, contender = split_randomized(draw, NOISES["bimodal"](draw, size, 2 * pairs))
                cells = [Cell(*one, "paired", "higher") for one in zip(base, contender, strict=True)]
                found = compare_cells(cells, margin=NO_MARGIN, confidence=0.95).cells
                alarms += any(one.verdict in CALLED for one in found)
            method = f"{size} unchanged bimodal cells, {pairs} pairs: any call"
            report(f"stats.family.{size}x{pairs}", alarms / repetitions, "share", 0.065, True, method, repetitions)
    for size in (1, 30, 400, 4_000):
        repetitions = max(5, min(n // 10, 40_000 // size))
        for pairs in (5, 6, 10):
            hits = 0
            for _ in range(repetitions):
                base, contender = np.exp(draw.normal(0, 0.03, (2, size, pairs)))
                contender[0] *= 0.5
                cells = [Cell(*one, "paired", "higher") for one in zip(base, contender, strict=True)]
                hits += compare_cells(cells, margin=0.02, confidence=0.95).cells[0].verdict == "worse"
            method = f"a lone -50 % among {size} cells, CV 3 %, {pairs} pairs"
            report(f"stats.lone.{size}x{pairs}", hits / repetitions, "share", 1.0, False, method, repetitions)


def settled(draw: Draw, n: int) -> None:
    for name, noise in {**NOISES, **PERIODIC}.items():
        logs = noise(draw, n, 400).reshape(n, 200, 2)
        signs = draw.choice([-1, 1], (n, 200))
        log_e = sequential.log_e_values(signs * (logs[:, :, 0] - logs[:, :, 1]))
        wrong = float((log_e.max(axis=1) >= math.log(20)).mean())
        report(
            f"stats.settled.false.{name}", wrong, "share", 0.065, True, "A/A, a look after each of 4 to 200 pairs", n
        )
    log_e = sequential.log_e_values(math.log(0.97) + draw.normal(0, 0.03 * math.sqrt(2), (n, 60)))
    reached = log_e >= math.log(20)
    power = float(reached.any(axis=1).mean())
    pairs = float(np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 60).mean())
    effect = math.log(1 / 0.97) / (0.03 * math.sqrt(2))
    fixed = next(k for k in range(3, 200) if _t_power(k, effect) >= min(power, 0.999))
    method = (
        f"-3 %, CV 3 %, budget 60: {pairs:.1f} pairs on average against {fixed} fixed ones of equal power {power:.3f}"
    )
    report("stats.settled.cost", pairs / fixed, "ratio", 0.7, True, method, n)


def _t_power(count: int, effect: float) -> float:
    return float(stats.nct.sf(stats.t.ppf(0.975, count - 1), count - 1, effect * math.sqrt(count)))


def between_sessions(draw: Draw, n: int) -> None:
    for tau in (0.0, 0.005, 0.01, 0.02, 0.04):
        spread = math.hypot(tau, 0.015 / math.sqrt(10))
        for count in (1, 3):
            rates = []
            for change, wanted in ((0.0, "confirmed"), (math.log(0.97), "false")):
                found = 0
                for _ in range(n):
                    shift = sessions.new_against_history(draw.normal(change, spread, count), draw.normal(0, spread, 20))
                    found += shift is not None and sessions.answer(shift, is_lower=True) == wanted
                rates.append(found / n)
            method = f"session SD {tau:.1%}, {count} new sessions of 10 trials against 20"
            report(f"stats.confirm.false.{tau}x{count}", rates[0], "share", 0.05, True, method, n)
            report(f"stats.confirm.closed.{tau}x{count}", rates[1], "share", 0.05, True, f"{method}, true -3 %", n)
        levels = draw.normal(0, tau, (2, n, 1))
        sides = np.exp(levels + draw.normal(0, 0.015, (2, n, 10)))
        for rival, rule in rivals.COMPARISONS.items():
            found_rival = float(np.mean([rule(one, other) for one, other in zip(*sides, strict=True)]))
            report(f"stats.sessions.{rival}.{tau}", found_rival, "share", None, True, f"A/A, session SD {tau:.1%}", n)
    for omega in (0.0, 0.01, 0.02):
        spread = math.hypot(omega, 0.015 * math.sqrt(2 / 5))
        means = draw.normal(math.log(0.97), spread, (n, 8))
        shifts = [sessions.side_by_side(row) for row in means]
        seen = sum(one is not None and sessions.answer(one, is_lower=True) == "confirmed" for one in shifts) / n
        method = f"-3 % old against new, 8 sessions of 5 pairs, side-by-session SD {omega:.0%}"
        report(f"stats.confirm.seen.{omega}", seen, "share", 0.8, False, method, n)


def advice(draw: Draw, n: int) -> None:
    effect = 0.7
    for freedom in (9, 19, 39, 99):
        spreads = np.sqrt(draw.chisquare(freedom, n) / freedom)
        counts = [planning.trials_needed(float(one), freedom, effect).trials or planning.MOST for one in spreads]
        powers = np.array([_t_power(count, effect) for count in counts])
        gap = abs(float(powers.mean()) - 0.8)
        report(f"stats.advice.mean.{freedom}", gap, "share", 0.05, True, f"stated 80 %, {freedom} df: mean gap", n)
        near = float((np.abs(powers - 0.8) <= 0.1).mean())
        limit = 0.7 if freedom >= 39 else None
        report(f"stats.advice.single.{freedom}", near, "share", limit, False, "single advice within 10 points", n)


def _ar1(draw: Draw, count: int, phi: float, cv: float) -> Any:
    shocks = draw.normal(size=count + 50) * math.sqrt(1 - phi**2)
    values = np.zeros(count + 50)
    for place in range(1, count + 50):
        values[place] = phi * values[place - 1] + shocks[place]
    return cv * values[50:]


def _outliers(draw: Draw, count: int) -> Any:
    far = np.log1p(draw.choice([-1, 1], count) * draw.uniform(0.1, 0.3, count))
    return draw.normal(0, 0.02, count) + np.where(draw.random(count) < 0.03, far, 0.0)


def _modes(draw: Draw, count: int) -> Any:
    switches = np.cumsum(draw.random(count) < 1 / 20) % 2
    return switches * math.log(0.94) + draw.normal(0, 0.01, count)


SERIES: dict[str, tuple[Callable[[Draw, int], Any], float]] = {
    "iid": (lambda draw, count: _ar1(draw, count, 0.0, 0.02), 0.3),
    "ar_0.5": (lambda draw, count: _ar1(draw, count, 0.5, 0.02), 0.3),
    "t3": (lambda draw, count: 0.02 * draw.standard_t(3, count) / math.sqrt(3), 0.3),
    "outliers": (_outliers, 0.3),
    "ar_0.8": (lambda draw, count: _ar1(draw, count, 0.8, 0.02), 0.8),
    "sticky_modes": (_modes, 1.0),
}


def changes(draw: Draw, n: int) -> None:
    count = max(10, n // 33)
    for name, (make, limit) in SERIES.items():
        alarms, others = 0, {"otava": 0, "perfherder": 0}
        for _ in range(count):
            values = np.exp(make(draw, 200)).tolist()
            tracker = Tracker()
            alarms += sum(tracker.add(value).count("alarm") for value in values)
            others["otava"] += len(rivals.otava(values))
            others["perfherder"] += len(rivals.perfherder(values))
        method = f"{count} series of 200 unchanged runs, a look after each"
        report(f"stats.changes.false.{name}", alarms / count / 2, "per 100 runs", limit, True, method, count)
        for rival, found in others.items():
            report(f"stats.changes.false.{name}.{rival}", found / count / 2, "per 100 runs", None, True,
                   "one look at the end", count)  # fmt: skip
    for history, limit in ((8, 0.85), (12, 0.9), (20, 0.95)):
        delays = [_delay(draw, history, 0.02, 0.95, 40) for _ in range(3 * count)]
        seen = [one for one in delays if one is not None]
        method = f"-5 %, CV 2 %, {history} runs before, within 40; median delay {np.median(seen) if seen else None}"
        report(f"stats.changes.seen.{history}", len(seen) / len(delays), "share", limit, False, method, len(delays))
    delays = [_delay(draw, 40, 0.03, 0.97, 160) for _ in range(count)]
    found = sum(one is not None for one in delays) / count
    report("stats.changes.seen.small", found, "share", 0.75, False, "-3 %, CV 3 %, 40 runs before, within 160", count)
    values = np.exp(_ar1(draw, 200, 0.5, 0.02)).tolist()
    started = time.process_time()
    for _ in range(50):
        find_steps(values)
    report("stats.changes.cost", (time.process_time() - started) * 20, "ms", 5.0, True, "a look at 200 runs", 50)


def _delay(draw: Draw, history: int, cv: float, factor: float, within: int) -> int | None:
    logs = draw.normal(0, cv, history + within)
    logs[history:] += math.log(factor)
    values = np.exp(logs).tolist()
    for end in range(history + 1, len(values) + 1):
        steps = find_steps(values[:end]).steps
        if any(step.change < 0 and abs(step.index - history) <= 6 for step in steps):
            return end - history
    return None


def curves(draw: Draw, n: int) -> None:
    loads = np.repeat(np.array([1, 2, 4, 8, 16, 32, 64, 128], dtype=float), 3)
    count, held, reached = max(50, n // 10), 0, 0
    for _ in range(count):
        a, b = draw.uniform(0.01, 0.15), 10 ** draw.uniform(-3.4, -2.5)
        rates = 1_000 * loads / (1 + a * (loads - 1) + b * loads * (loads - 1))
        found = fit_scalability(loads, rates * np.exp(draw.normal(0, draw.uniform(0.02, 0.1), len(loads))))
        if found is not None and found.peak_load is not None:
            reached += 1
            held += found.peak_load.low <= math.sqrt((1 - a) / b) <= found.peak_load.high
    method = f"random systems, CV 2 to 10 %: the true peak in its 95 % interval; {reached} of {count} had one"
    report("stats.usl.coverage", held / max(reached, 1), "share", 0.9, False, method, reached)


PARTS: dict[str, Callable[[Draw, int], None]] = {
    "verdicts": verdicts,
    "families": families,
    "settled": settled,
    "sessions": between_sessions,
    "planning": advice,
    "changes": changes,
    "curves": curves,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=2_000)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    asked = parser.parse_args()
    for place, (name, part) in enumerate(PARTS.items()):
        if not asked.parts or name in asked.parts:
            part(np.random.default_rng([SEED, place]), asked.repetitions)


if __name__ == "__main__":
    main()
