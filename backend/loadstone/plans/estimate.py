"""How long a plan will take. Pure, and meant to be a little too long rather than too short."""

import math

from loadstone_contracts.engine_plan import (
    Dataset,
    EngineWork,
    FacebookSize,
    FixedSize,
    HistogramSize,
    LogNormalSize,
    NormalSize,
    OpenLoad,
    StopRule,
    UniformSize,
)

from loadstone.plans.grid import Grid, GridPoint
from loadstone.plans.schemas import ResolvedPlan

# Claim, start and stop of the engine, and the report, as seen on two cores.
OVERHEAD_S = 0.35
# Start of a managed store until it answers, and its end.
RESTART_S = 0.35
FLUSH_S = 0.05
# Slow for memory stores over loopback, so that other machines are not far off.
PREFILL_KEYS_PER_S = 100_000
PREFILL_BYTES_PER_S = 200_000_000
CLOSED_LOOP_OPERATIONS_PER_S = 50_000
FACEBOOK_MEAN_BYTES = 329
"""Of the generalised Pareto distribution of pool ETC: scale 214.476 / (1 - shape 0.348238) (Atikoglu et al. 2012)."""
LOG_SIGMA_MAX = 8.0
"""Beyond it the mean is the upper bound anyhow, and its exponential no number."""


def estimate_s(plan: ResolvedPlan, grid: Grid) -> float:
    by_point = [estimate_trial_s(plan, point) for point in grid.points]
    total = sum(by_point[trial.point_ordinal] for trial in grid.trials)
    return round(total + plan.rest_s * max(0, len(grid.trials) - 1), 1)


def estimate_trial_s(plan: ResolvedPlan, point: GridPoint) -> float:
    """Without the rest before it."""
    is_managed = plan.targets[point.target_index].mode == "managed"
    reset_s = {"none": 0.0, "flush": FLUSH_S, "restart": RESTART_S if is_managed else 0.0}[plan.reset]
    phases_s = 0.0
    for phase in point.work.phases:
        phases_s += _prefill_s(point.work.dataset) if phase.stop is None else _phase_s(phase.stop, point.work)
    return OVERHEAD_S + reset_s + phases_s


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


def _prefill_s(dataset: Dataset) -> float:
    item_bytes = dataset.key_size_bytes + mean_value_bytes(dataset)
    return max(dataset.key_count / PREFILL_KEYS_PER_S, dataset.key_count * item_bytes / PREFILL_BYTES_PER_S)


def _phase_s(rule: StopRule, work: EngineWork) -> float:
    if rule.seconds is not None:
        return rule.seconds
    per_s = work.load.rate_per_s if isinstance(work.load, OpenLoad) else CLOSED_LOOP_OPERATIONS_PER_S
    return (rule.operations or 0) / per_s
