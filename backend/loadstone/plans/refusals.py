"""Why a resolved plan cannot run. Pure; every code is part of the public API."""

from collections.abc import Iterable, Iterator

from loadstone_contracts.custom_commands import command_fault
from loadstone_contracts.engine_sizes import UniformSize

from loadstone.plans.axes import AXES, NEEDS, TAKES_KEYS, Axis, Binding
from loadstone.plans.cells import Cells, Entry
from loadstone.plans.durability import durability_refusals
from loadstone.plans.entry_refusals import core_refusals, entry_refusals
from loadstone.plans.findings import finding
from loadstone.plans.replay import Traces, replay_refusals
from loadstone.plans.schemas import Finding, PlanAxis, PlanStop, ResolvedPlan
from loadstone.plans.store_limits import store_limit_refusals
from loadstone.targets.schemas import TargetSnapshot
from loadstone.targets.store_kinds import store_kinds

MAX_TRIALS = 10_000
# The engine's own bound: a day and a half.
MAX_PHASE_S = 130_000


def find_refusals(plan: ResolvedPlan, flush_forbidden: list[int], traces: Traces) -> list[Finding]:
    cells = Cells(plan)
    refusals = [*_axis_refusals(cells), *_count_refusals(cells), *_stop_refusals(plan), *_operation_refusals(cells)]
    refusals += [
        *entry_refusals(plan),
        *core_refusals(plan),
        *durability_refusals(cells),
        *replay_refusals(cells, traces),
        *_reset_refusals(plan, flush_forbidden),
    ]
    # What depends on bound values is asked once the axes themselves are sound.
    return refusals or [*_bound_refusals(cells), *store_limit_refusals(cells)]


def _axis_refusals(cells: Cells) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, axis in enumerate(cells.plan.axes):
        path = f"axes[{index}]"
        known = AXES.get(axis.parameter)
        if known is None:
            message = f"{axis.parameter!r} is not a parameter. Known: {', '.join(AXES)}."
            yield finding("unknown_parameter", f"{path}.parameter", message)
            continue
        if axis.parameter in seen:
            yield finding("duplicate_axis", f"{path}.parameter", f"{axis.parameter} is an axis already.")
        seen.add(axis.parameter)
        yield from _need_refusals(cells, axis.parameter, f"{path}.parameter")
        yield from _value_refusals(path, axis, known)


def _need_refusals(cells: Cells, parameter: str, path: str) -> Iterator[Finding]:
    """Every workload must have use for the axis, or be kept to one of its values."""
    need = NEEDS.get(parameter)
    if need is None:
        return
    for entry in cells.entries:
        if len(entry.only.get(parameter, ())) == 1:
            continue
        if not need.is_met(Binding(entry.workload, entry.load, cells.plan.threads)):
            where = "" if entry.name is None else f" Or keep {entry.name} to one value of the axis with `only`."
            yield finding(need.code, path, need.message + where)
            return


def _value_refusals(path: str, axis: PlanAxis, known: Axis) -> Iterator[Finding]:
    seen: set[float] = set()
    for place, value in enumerate(axis.values):
        if not known.accepts(value):
            what = "a whole number" if known.is_integer else "a number"
            message = f"{axis.parameter} takes {what} from {known.minimum} to {known.maximum}, not {value}."
            yield finding("value_out_of_range", f"{path}.values[{place}]", message)
        elif value in seen:
            yield finding("duplicate_value", f"{path}.values[{place}]", f"{value} stands twice on this axis.")
        seen.add(value)


def _count_refusals(cells: Cells) -> Iterator[Finding]:
    plan = cells.plan
    count = cells.count() * plan.trials_per_point
    if count > MAX_TRIALS or cells.count_settings() > MAX_TRIALS:
        message = f"The plan has {count:,} trials; at most {MAX_TRIALS:,} are allowed. Use fewer values or trials."
        yield finding("too_many_trials", "axes", message)
    if not plan.targets:
        yield finding("no_trials", "targets", "Choose at least one target.")
    if not plan.engines:
        yield finding("no_trials", "engines", "Choose at least one engine.")
    if plan.trials_per_point < 1:
        yield finding("no_trials", "trials_per_point", "Ask for at least one trial per point.")
    empty = [index for index, axis in enumerate(plan.axes) if not axis.values]
    for index in empty:
        parameter = plan.axes[index].parameter
        yield finding("no_trials", f"axes[{index}].values", f"Give {parameter} at least one value.")
    if plan.targets and plan.engines and not empty and not cells.count():
        yield finding("no_trials", "workloads", "No target has a workload: look at what the entries are kept to.")


def _stop_refusals(plan: ResolvedPlan) -> Iterator[Finding]:
    rules: list[tuple[str, PlanStop | None]] = [("stop", plan.stop), ("warmup", plan.warmup)]
    rules += [(f"workloads[{index}].stop", entry.stop) for index, entry in enumerate(plan.workloads)]
    for path, rule in rules:
        if rule is not None:
            yield from _stop_rule_refusals(path, rule)


def _stop_rule_refusals(path: str, rule: PlanStop) -> Iterator[Finding]:
    if rule.steady is not None and path == "stop":
        yield finding("no_stop_rule", f"{path}.steady", "Only a warmup ends when it is steady: say how many seconds.")
    elif [rule.seconds, rule.operations, rule.operations_per_connection, rule.steady].count(None) != 3:
        yield finding("no_stop_rule", path, "Say either how many seconds or how many operations.")
    elif rule.seconds is not None and not rule.seconds <= MAX_PHASE_S:
        yield finding("value_out_of_range", f"{path}.seconds", f"A phase lasts at most {MAX_PHASE_S:,} seconds.")


def _operation_refusals(cells: Cells) -> Iterator[Finding]:
    for entry in cells.entries:
        targets = [target for target in cells.plan.targets if entry.is_for(target.name)]
        seen: set[str] = set()
        for index, operation in enumerate(entry.workload.operations):
            path = f"{entry.path}.operations[{index}]"
            yield from _support_refusals(targets, operation.kind, path)
            if operation.kind == "custom":
                yield from _command_refusals(targets, operation.command or "", f"{path}.command")
            if operation.kind in seen:
                yield finding("duplicate_value", f"{path}.kind", f"{operation.kind} stands twice in the mix.")
            seen.add(operation.kind)
            if operation.kind not in TAKES_KEYS and operation.keys_per_request > 1:
                message = "Only multi_get and multi_set take several keys at once."
                yield finding("value_out_of_range", f"{path}.keys_per_request", message)
        size = entry.workload.dataset.value_size
        if isinstance(size, UniformSize) and size.min_bytes > size.max_bytes:
            message = "The largest value must not be smaller than the smallest."
            yield finding("value_out_of_range", f"{entry.path}.dataset.value_size.max_bytes", message)


def _support_refusals(targets: Iterable[TargetSnapshot], operation: str, path: str) -> Iterator[Finding]:
    for target in targets:
        spoken = store_kinds()[target.kind].spoken(target.protocol)
        if spoken is None or operation not in spoken.operations:
            yield finding("operation_not_supported", path, f"{target.name} has no operation {operation}.")


def _command_refusals(targets: Iterable[TargetSnapshot], command: str, path: str) -> Iterator[Finding]:
    """The same of external targets: a store of somebody's own may give its user more than a workload needs."""
    for target in targets:
        spoken = store_kinds()[target.kind].spoken(target.protocol)
        fault = command_fault(spoken.protocol, command) if spoken is not None else None
        if fault is not None:
            yield finding("command_not_allowed", path, f"{target.name}: {fault}")


def _reset_refusals(plan: ResolvedPlan, flush_forbidden: list[int]) -> Iterator[Finding]:
    for target in plan.targets:
        if plan.reset == "flush" and target.index in flush_forbidden:
            message = f"{target.name} may not be flushed. Allow it on the target's page, or choose another reset."
            yield finding("flush_not_allowed", f"targets[{target.index}]", message)
        if plan.reset == "restart" and target.mode == "external":
            message = f"{target.name} was not started by an agent, so it cannot be restarted: choose flush or no reset."
            yield finding("restart_not_possible", f"targets[{target.index}]", message)


def _bound_refusals(cells: Cells) -> Iterator[Finding]:
    """Each fault once, at the axis that brings it about or where the plan says the value."""
    told: set[tuple[str, str]] = set()
    for entry, setting, binding in cells.bindings():
        for code, parameter, otherwise, message in _binding_faults(entry, binding):
            path = _axis_path(cells.plan, parameter, otherwise) if parameter in setting else otherwise
            if (code, path) not in told:
                told.add((code, path))
                yield finding(code, path, message)


def _binding_faults(entry: Entry, binding: Binding) -> Iterator[tuple[str, str, str, str]]:
    """Code, parameter, where it stands when that is no axis, message."""
    dataset = binding.workload.dataset
    needed = len(dataset.key_prefix) + len(str(dataset.key_count - 1))
    if dataset.key_size_bytes < needed:
        what = f"{dataset.key_count:,} keys with the prefix {dataset.key_prefix!r}"
        message = f"{what} need {needed} bytes each, not {dataset.key_size_bytes}."
        yield "key_too_short", "key_size_bytes", f"{entry.path}.dataset.key_size_bytes", message
    if binding.threads > binding.load.connections:
        count = binding.load.connections
        message = f"{binding.threads} threads need at least as many connections; here are {count}."
        yield "value_out_of_range", "threads", "threads", message


def axis_values(plan: ResolvedPlan, parameter: str) -> list[int | float]:
    return next((axis.values for axis in plan.axes if axis.parameter == parameter), [])


def _axis_path(plan: ResolvedPlan, parameter: str, otherwise: str) -> str:
    places = (f"axes[{index}].values" for index, axis in enumerate(plan.axes) if axis.parameter == parameter)
    return next(places, otherwise)
