"""Why a resolved plan cannot run. Pure; every code is part of the public API."""

from collections.abc import Iterator

from loadstone_contracts.engine_plan import StopRule, UniformSize

from loadstone.plans.axes import AXES, NEEDS, Axis, Binding
from loadstone.plans.grid import count_trials
from loadstone.plans.schemas import Finding, PlanAxis, ResolvedPlan
from loadstone.targets.store_kinds import store_kinds

MAX_TRIALS = 10_000
# The engine's own bound: a day and a half.
MAX_PHASE_S = 130_000


def find_refusals(plan: ResolvedPlan, flush_forbidden: list[int]) -> list[Finding]:
    refusals = [*_axis_refusals(plan), *_count_refusals(plan), *_stop_refusals(plan), *_operation_refusals(plan)]
    refusals += _reset_refusals(plan, flush_forbidden)
    # What depends on bound values is asked once the axes themselves are sound.
    return refusals or [*_key_refusals(plan), *_thread_refusals(plan)]


def _finding(code: str, path: str, message: str) -> Finding:
    return Finding(code=code, path=path, message=message)


def _axis_refusals(plan: ResolvedPlan) -> Iterator[Finding]:
    binding = Binding(plan.workload, plan.load, plan.threads)
    seen: set[str] = set()
    for index, axis in enumerate(plan.axes):
        path = f"axes[{index}]"
        known = AXES.get(axis.parameter)
        if known is None:
            message = f"{axis.parameter!r} is not a parameter. Known: {', '.join(AXES)}."
            yield _finding("unknown_parameter", f"{path}.parameter", message)
            continue
        if axis.parameter in seen:
            yield _finding("duplicate_axis", f"{path}.parameter", f"{axis.parameter} is an axis already.")
        seen.add(axis.parameter)
        need = NEEDS.get(axis.parameter)
        if need is not None and not need.is_met(binding):
            yield _finding(need.code, f"{path}.parameter", need.message)
        yield from _value_refusals(path, axis, known)


def _value_refusals(path: str, axis: PlanAxis, known: Axis) -> Iterator[Finding]:
    seen: set[float] = set()
    for place, value in enumerate(axis.values):
        if not known.accepts(value):
            what = "a whole number" if known.is_integer else "a number"
            message = f"{axis.parameter} takes {what} from {known.minimum} to {known.maximum}, not {value}."
            yield _finding("value_out_of_range", f"{path}.values[{place}]", message)
        elif value in seen:
            yield _finding("duplicate_value", f"{path}.values[{place}]", f"{value} stands twice on this axis.")
        seen.add(value)


def _count_refusals(plan: ResolvedPlan) -> Iterator[Finding]:
    count = count_trials(plan)
    if count > MAX_TRIALS:
        message = f"The plan has {count:,} trials; at most {MAX_TRIALS:,} are allowed. Use fewer values or trials."
        yield _finding("too_many_trials", "axes", message)
    if not plan.targets:
        yield _finding("no_trials", "targets", "Choose at least one target.")
    if plan.trials_per_point < 1:
        yield _finding("no_trials", "trials_per_point", "Ask for at least one trial per point.")
    for index, axis in enumerate(plan.axes):
        if not axis.values:
            yield _finding("no_trials", f"axes[{index}].values", f"Give {axis.parameter} at least one value.")


def _stop_refusals(plan: ResolvedPlan) -> Iterator[Finding]:
    for path, rule in (("stop", plan.stop), ("warmup", plan.warmup)):
        if rule is not None:
            yield from _stop_rule_refusals(path, rule)


def _stop_rule_refusals(path: str, rule: StopRule) -> Iterator[Finding]:
    if (rule.seconds is None) == (rule.operations is None):
        yield _finding("no_stop_rule", path, "Say either how many seconds or how many operations.")
    elif rule.seconds is not None and not rule.seconds <= MAX_PHASE_S:
        yield _finding("value_out_of_range", f"{path}.seconds", f"A phase lasts at most {MAX_PHASE_S:,} seconds.")


def _operation_refusals(plan: ResolvedPlan) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, operation in enumerate(plan.workload.operations):
        path = f"workload.operations[{index}]"
        for target in plan.targets:
            spoken = store_kinds()[target.kind].spoken(target.protocol)
            if spoken is None or operation.kind not in spoken.operations:
                yield _finding("operation_not_supported", path, f"{target.name} has no operation {operation.kind}.")
        if operation.kind in seen:
            yield _finding("duplicate_value", f"{path}.kind", f"{operation.kind} stands twice in the mix.")
        seen.add(operation.kind)
        if operation.kind not in ("multi_get", "multi_set") and operation.keys_per_request > 1:
            message = "Only multi_get and multi_set take several keys at once."
            yield _finding("value_out_of_range", f"{path}.keys_per_request", message)
    size = plan.workload.dataset.value_size
    if isinstance(size, UniformSize) and size.min_bytes > size.max_bytes:
        message = "The largest value must not be smaller than the smallest."
        yield _finding("value_out_of_range", "workload.dataset.value_size.max_bytes", message)


def _reset_refusals(plan: ResolvedPlan, flush_forbidden: list[int]) -> Iterator[Finding]:
    for target in plan.targets:
        if plan.reset == "flush" and target.index in flush_forbidden:
            message = f"{target.name} may not be flushed. Allow it on the target's page, or choose another reset."
            yield _finding("flush_not_allowed", f"targets[{target.index}]", message)
        if plan.reset == "restart" and target.mode == "external":
            message = f"{target.name} was not started by an agent, so it cannot be restarted: choose flush or no reset."
            yield _finding("restart_not_possible", f"targets[{target.index}]", message)


def _key_refusals(plan: ResolvedPlan) -> Iterator[Finding]:
    dataset = plan.workload.dataset
    most_keys = int(max(axis_values(plan, "key_count") or [dataset.key_count]))
    shortest = int(min(axis_values(plan, "key_size_bytes") or [dataset.key_size_bytes]))
    needed = len(dataset.key_prefix) + len(str(most_keys - 1))
    if shortest < needed:
        message = f"{most_keys:,} keys with the prefix {dataset.key_prefix!r} need {needed} bytes each, not {shortest}."
        yield _finding("key_too_short", _axis_path(plan, "key_size_bytes", "workload.dataset.key_size_bytes"), message)


def _thread_refusals(plan: ResolvedPlan) -> Iterator[Finding]:
    most_threads = max(axis_values(plan, "threads") or [plan.threads])
    fewest = min(axis_values(plan, "connections") or [plan.load.connections])
    if most_threads > fewest:
        message = f"{most_threads} threads need at least as many connections; the fewest here are {fewest}."
        yield _finding("value_out_of_range", _axis_path(plan, "threads", "threads"), message)


def axis_values(plan: ResolvedPlan, parameter: str) -> list[int | float]:
    return next((axis.values for axis in plan.axes if axis.parameter == parameter), [])


def _axis_path(plan: ResolvedPlan, parameter: str, otherwise: str) -> str:
    places = (f"axes[{index}].values" for index, axis in enumerate(plan.axes) if axis.parameter == parameter)
    return next(places, otherwise)
