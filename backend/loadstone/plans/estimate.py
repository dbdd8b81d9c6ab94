"""How long a plan will take. Pure, and meant to be a little too long rather than too short."""

import math

from loadstone_contracts.engine_load import OpenLoad
from loadstone_contracts.engine_plan import Dataset, EngineWork, StopRule
from loadstone_contracts.engine_sizes import (
    FacebookSize,
    FixedSize,
    HistogramSize,
    LogNormalSize,
    NormalSize,
    UniformSize,
)

from loadstone.plans.grid import Grid, GridPoint
from loadstone.plans.schemas import ResolvedPlan

# Claim, start and stop of the engine, and the report, as seen on two cores.
OVERHEAD_S = 0.35
# Start of a managed store until it answers, and its end.
RESTART_S = {"mysql": 5.0, "mariadb": 2.0, "postgresql": 1.5, "mongodb": 1.5}
QUICK_RESTART_S = 0.35
FLUSH_S = 0.05
# Slow for memory stores over loopback, so that other machines are not far off.
PREFILL_KEYS_PER_S = 100_000
# On disk before they are answered, or by SQL.
SLOW_PREFILL_KEYS_PER_S = 5_000
SLOW_OPERATIONS_PER_S = 5_000
SLOW_KINDS = frozenset({"mysql", "mariadb", "postgresql", "mongodb", "ferretdb"})
PREFILL_BYTES_PER_S = 200_000_000
CLOSED_LOOP_OPERATIONS_PER_S = 50_000
FACEBOOK_MEAN_BYTES = 329
"""Of the generalised Pareto distribution of pool ETC: scale 214.476 / (1 - shape 0.348238) (Atikoglu et al. 2012)."""
LOG_SIGMA_MAX = 8.0
"""Beyond it the mean is the upper bound anyhow, and its exponential no number."""


def estimate_s(plan: ResolvedPlan, grid: Grid) -> float:
    by_point = [estimate_trial_s(plan, point) for point in grid.points]
    # Exact, so that the order of the trials, which the seed decides, does not change the sum.
    total = math.fsum(by_point[trial.point_ordinal] for trial in grid.trials)
    if plan.reset != "restart":
        total += sum(_restart_s(plan, index) for index in {point.target_index for point in grid.points})
    return round(total + plan.rest_s * max(0, len(grid.trials) - 1), 1)


def estimate_trial_s(plan: ResolvedPlan, point: GridPoint) -> float:
    """Without the rest before it."""
    is_slow = plan.targets[point.target_index].kind in SLOW_KINDS
    reset_s = {"none": 0.0, "flush": FLUSH_S, "restart": _restart_s(plan, point.target_index)}[plan.reset]
    phases_s = 0.0
    for phase in point.work.phases:
        if phase.stop is None:
            phases_s += _prefill_s(point.work.dataset, is_slow)
        elif phase.name == "measure" and point.kill_after_s is not None:
            # Then the store is started again and its keys are read back.
            phases_s += min(point.kill_after_s, _phase_s(phase.stop, point.work, is_slow))
            phases_s += _restart_s(plan, point.target_index) + _prefill_s(point.work.dataset, is_slow)
        else:
            phases_s += _phase_s(phase.stop, point.work, is_slow)
    return OVERHEAD_S + reset_s + phases_s


def _restart_s(plan: ResolvedPlan, target_index: int) -> float:
    target = plan.targets[target_index]
    return RESTART_S.get(target.kind, QUICK_RESTART_S) if target.mode == "managed" else 0.0


def mean_value_bytes(dataset: Dataset) -> float:
    """Near enough for memory and time: bounds cut the means of the distributions, but do not change them."""
    size = dataset.value_size
    match size:
        case FixedSize():
            return size.bytes
        case UniformSize():
            return (size.min_bytes + size.max_bytes) / 2
        case NormalSize():
            return min(max(size.mean_bytes, size.min_bytes), size.max_bytes)
        case LogNormalSize():
            mean = size.median_bytes * math.exp(min(size.sigma, LOG_SIGMA_MAX) ** 2 / 2)
            return min(max(mean, size.min_bytes), size.max_bytes)
        case HistogramSize():
            total = sum(bucket.weight for bucket in size.buckets)
            return sum(bucket.weight * (bucket.min_bytes + bucket.max_bytes) / 2 for bucket in size.buckets) / total
        case FacebookSize():
            return min(FACEBOOK_MEAN_BYTES, size.max_bytes)


def _prefill_s(dataset: Dataset, is_slow: bool) -> float:
    keys_per_s = SLOW_PREFILL_KEYS_PER_S if is_slow else PREFILL_KEYS_PER_S
    entries = dataset.key_count * dataset.list_length
    item_bytes = dataset.key_size_bytes + mean_value_bytes(dataset)
    return max(entries / keys_per_s, entries * item_bytes / PREFILL_BYTES_PER_S)


def _phase_s(rule: StopRule, work: EngineWork, is_slow: bool) -> float:
    if rule.seconds is not None:
        return rule.seconds
    if rule.steady is not None:
        return rule.steady.max_seconds
    closed_per_s = SLOW_OPERATIONS_PER_S if is_slow else CLOSED_LOOP_OPERATIONS_PER_S
    offered_per_s = _offered_per_s(work.load) if isinstance(work.load, OpenLoad) else None
    return (rule.operations or 0) / (offered_per_s or closed_per_s)


def _offered_per_s(load: OpenLoad) -> float | None:
    """Nothing where arrivals are as they were recorded."""
    return load.rate.mean_per_s() if load.rate is not None else load.rate_per_s
