"""The plans whose history is made up: real definitions, expanded by the product's own code."""

import itertools
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from loadstone.canonical import canonical_hash
from loadstone.plans.grid import Grid
from loadstone.plans.schemas import ResolvedPlan
from loadstone.plans.service import expand
from loadstone.trends.labels import series_labels, series_title
from uuid_utils.compat import uuid7

KINDS = (("memcached", "default", "memcached"), ("redis", "none", "Redis"), ("redis", "aof-everysec", "Redis AOF"))
PAIRS = ((0, 1), (1, 2), (0, 2))
VALUE_SIZES_BYTES = (16, 32, 64, 100, 128, 176, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536)
KEY_COUNTS = (1_000, 10_000, 100_000, 270_000, 1_000_000, 5_000_000)
GET_SHARES = ((9, 1), (1, 0), (1, 1), (0, 1))
CONNECTIONS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
TRIALS_PER_POINT = 3
WIDE_CONNECTIONS = tuple(range(1, 51))
WIDE_TRIALS_PER_POINT = 5
AGENT_CLASS = "Example CPU x8 16 GiB"
SHIFTING_SHARE = 0.1
"""Of the series, those with one step somewhere."""


@dataclass(frozen=True)
class Template:
    """A plan and its grid; `first_run` is the number of the first run that there was of it."""

    number: int
    plan_id: uuid.UUID
    plan: ResolvedPlan
    definition: dict[str, Any]
    grid: Grid
    first_run: int

    @property
    def trial_count(self) -> int:
        return len(self.grid.trials)


def _target(index: int, choice: int) -> dict[str, Any]:
    kind, profile, name = KINDS[choice]
    target: dict[str, Any] = {"mode": "managed", "options": {}, "target_id": None, "host": None, "port": None}
    return target | {"index": index, "name": name, "kind": kind, "profile": profile}


def _definition(name: str, pair: tuple[int, int], size: int, keys: int, shares: tuple[int, int]) -> dict[str, Any]:
    operations = [
        {"kind": kind, "weight": weight} for kind, weight in zip(("get", "set"), shares, strict=True) if weight
    ]
    return {
        "name": name,
        "targets": [_target(index, choice) for index, choice in enumerate(pair)],
        "workload": {
            "dataset": {"key_count": keys, "value_size": {"kind": "fixed", "bytes": size}},
            "operations": operations,
        },
        "load": {"kind": "closed", "connections": 1, "pipeline": 1},
        "axes": [{"parameter": "connections", "values": list(CONNECTIONS)}],
        "trials_per_point": TRIALS_PER_POINT,
        "order": "interleaved",
        "warmup": {"seconds": 1},
        "stop": {"seconds": 10},
        "seed": 1,
    }


def make_templates(plan_count: int, runs_per_plan: int, wide_runs: int) -> Iterator[Template]:
    """`plan_count` plans of 20 points and 60 trials, and one of 100 points and 500 trials for the last `wide_runs`."""
    choices = list(itertools.product(VALUE_SIZES_BYTES, KEY_COUNTS, GET_SHARES))
    assert plan_count <= len(choices), "two plans of one workload would share their series"
    for number, (size, keys, shares) in enumerate(choices[:plan_count]):
        pair = PAIRS[number % len(PAIRS)]
        names = " against ".join(KINDS[choice][2] for choice in pair)
        words = f"{names}: {keys:,} keys, {size} B, {shares[0]}:{shares[1]} get:set"
        yield _template(number, _definition(words, pair, size, keys, shares), 0)
    if wide_runs:
        wide = _definition("Wide sweep", (0, 1), 333, 10_000, (9, 1))
        wide["axes"] = [{"parameter": "connections", "values": list(WIDE_CONNECTIONS)}]
        wide["trials_per_point"] = WIDE_TRIALS_PER_POINT
        yield _template(plan_count, wide, max(0, runs_per_plan - wide_runs))


def _template(number: int, definition: dict[str, Any], first_run: int) -> Template:
    plan = ResolvedPlan.model_validate(definition)
    return Template(number, uuid7(), plan, plan.model_dump(mode="json"), expand(plan), first_run)


def point_rows(template: Template, runs_per_plan: int) -> Iterator[dict[str, Any]]:
    """One a point, with the truth that its made-up measurements scatter around (rates per second, times in ns)."""
    draw = random.Random(template.number)
    operation = template.plan.workload.operations[0].kind
    for point in template.grid.points:
        connections = point.parameters["connections"]
        rate_per_s = _rate_per_s(connections, point.target_index) * draw.uniform(0.8, 1.2)
        labels = series_labels(point.identity, AGENT_CLASS)
        shifts = draw.random() < SHIFTING_SHARE
        yield {
            "plan_no": template.number,
            "ordinal": point.ordinal,
            "parameters": point.parameters,
            "target_index": point.target_index,
            "work": point.work.model_dump(mode="json"),
            "identity": point.identity,
            "identity_hash": canonical_hash(point.identity),
            "series_id": uuid7(),
            "title": series_title(labels),
            "labels": labels,
            "operation": operation,
            "store_kind": template.plan.targets[point.target_index].kind,
            "rate_per_s": rate_per_s,
            "p50_ns": connections / rate_per_s * 1e9,
            "spread": draw.uniform(0.01, 0.04),
            "step_run": draw.randrange(1, max(2, runs_per_plan)) if shifts else runs_per_plan + 1,
            "step": draw.choice((-0.12, -0.08, -0.05, 0.05, 0.10)),
        }


def _rate_per_s(connections: int, target_index: int) -> float:
    """Saturates as connections grow, and falls off a little behind the knee."""
    peak_per_s = 180_000 - 30_000 * target_index
    return float(peak_per_s * connections / (connections + 6) * (1 - 0.0003 * connections))


def trial_rows(template: Template) -> Iterator[dict[str, Any]]:
    for trial in template.grid.trials:
        yield {
            "plan_no": template.number,
            "ordinal": trial.ordinal,
            "point_ordinal": trial.point_ordinal,
            "repetition": trial.repetition,
            "block": trial.block,
            "seed": trial.seed,
        }
