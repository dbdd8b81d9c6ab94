"""The parameters that can be an axis: their ranges, and how a value is bound into the work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from loadstone_contracts.engine_load import ClosedLoad, EngineLoad, OpenLoad
from loadstone_contracts.engine_plan import Operation, ZipfAccess
from loadstone_contracts.engine_sizes import FixedSize

from loadstone.workloads.schemas import WorkloadDefinition

Number = int | float

SERVER_CPUS = "server_cpus"
GET_AND_SET = {"get", "set"}
TAKES_KEYS = frozenset({"multi_get", "multi_set"})
TAKES_ENTRIES = frozenset({"range_first", "range_last", "range", "scan"})
USES_LISTS = frozenset(
    {"list_insert_head", "list_insert_tail", "range_first", "range_last", "range", "list_length", "custom"}
)


@dataclass(frozen=True)
class Binding:
    """The part of the work that axes change."""

    workload: WorkloadDefinition
    load: EngineLoad
    threads: int
    server_cpus: int | None = None
    """How many cores a managed store gets; None is what its target says."""


@dataclass(frozen=True)
class Axis:
    minimum: Number
    maximum: Number
    is_integer: bool
    bind: Callable[[Binding, Any], Binding]

    def accepts(self, value: Number) -> bool:
        if self.is_integer and value != int(value):
            return False
        return self.minimum <= value <= self.maximum

    def normalise(self, value: Number) -> Number:
        """4.0 and 4 are one value."""
        return int(value) if self.is_integer else float(value)


def _load(field: str) -> Callable[[Binding, Any], Binding]:
    """A load without the field stays as it is: where that is no choice of the plan's, `NEEDS` refuses it."""

    def bind(binding: Binding, value: Any) -> Binding:
        if field not in type(binding.load).model_fields:
            return binding
        return replace(binding, load=binding.load.model_copy(update={field: value}))

    return bind


def _dataset(field: str) -> Callable[[Binding, Any], Binding]:
    def bind(binding: Binding, value: Any) -> Binding:
        dataset = binding.workload.dataset.model_copy(update={field: value})
        return replace(binding, workload=binding.workload.model_copy(update={"dataset": dataset}))

    return bind


def _value_size(binding: Binding, value: int) -> Binding:
    return _dataset("value_size")(binding, FixedSize(bytes=value))


def _threads(binding: Binding, value: int) -> Binding:
    return replace(binding, threads=value)


def _server_cpus(binding: Binding, value: int) -> Binding:
    return replace(binding, server_cpus=value)


def _zipf_exponent(binding: Binding, value: float) -> Binding:
    if not isinstance(binding.workload.access, ZipfAccess):
        return binding
    return replace(binding, workload=binding.workload.model_copy(update={"access": ZipfAccess(exponent=value)}))


def _each_operation(kinds: frozenset[str], field: str) -> Callable[[Binding, Any], Binding]:
    def bind(binding: Binding, value: Any) -> Binding:
        operations = [
            operation.model_copy(update={field: value}) if operation.kind in kinds else operation
            for operation in binding.workload.operations
        ]
        return _operations(binding, operations)

    return bind


def _get_share(binding: Binding, value: float) -> Binding:
    if _kinds(binding) != GET_AND_SET:
        return binding
    shares = [Operation(kind=kind, weight=share) for kind, share in (("get", value), ("set", 1 - value)) if share > 0]
    return _operations(binding, shares)


def _operations(binding: Binding, operations: list[Operation]) -> Binding:
    return replace(binding, workload=binding.workload.model_copy(update={"operations": operations}))


AXES: Mapping[str, Axis] = {
    "connections": Axis(1, 100_000, True, _load("connections")),
    "pipeline": Axis(1, 1000, True, _load("pipeline")),
    "rate_per_s": Axis(0.001, 100_000_000, False, _load("rate_per_s")),
    "threads": Axis(1, 256, True, _threads),
    SERVER_CPUS: Axis(1, 4096, True, _server_cpus),
    "value_size_bytes": Axis(1, 64 * 1024 * 1024, True, _value_size),
    "key_count": Axis(1, 10_000_000_000, True, _dataset("key_count")),
    "key_size_bytes": Axis(1, 250, True, _dataset("key_size_bytes")),
    "keys_per_request": Axis(1, 1000, True, _each_operation(TAKES_KEYS, "keys_per_request")),
    "list_length": Axis(1, 1_000_000_000, True, _dataset("list_length")),
    "entries": Axis(1, 1_000_000, True, _each_operation(TAKES_ENTRIES, "entries")),
    "hit_ratio": Axis(0, 1, False, _dataset("hit_ratio")),
    "compressible_share": Axis(0, 1, False, _dataset("compressible_share")),
    "think_time_us": Axis(0, 3_600_000_000, True, _load("think_time_us")),
    "requests_per_connection": Axis(1, 2**32 - 1, True, _load("requests_per_connection")),
    "churn_per_s": Axis(0.001, 100_000, False, _load("churn_per_s")),
    "zipf_exponent": Axis(0.001, 10, False, _zipf_exponent),
    "get_share": Axis(0, 1, False, _get_share),
}


@dataclass(frozen=True)
class Need:
    """What an axis asks of the rest of the plan; `code` is the refusal when it is not so."""

    code: str
    message: str
    is_met: Callable[[Binding], bool]


def _kinds(binding: Binding) -> set[str]:
    return {operation.kind for operation in binding.workload.operations}


NEEDS: Mapping[str, Need] = {
    "rate_per_s": Need(
        "axis_needs_open_loop",
        "A rate varies in an open loop of one constant rate only: choose it as load.",
        lambda binding: isinstance(binding.load, OpenLoad) and binding.load.rate_per_s is not None,
    ),
    "zipf_exponent": Need(
        "axis_needs_zipf",
        "The exponent varies with Zipf access only: choose Zipf in the workload.",
        lambda binding: isinstance(binding.workload.access, ZipfAccess),
    ),
    "keys_per_request": Need(
        "axis_needs_operation",
        "Only multi_get and multi_set take several keys at once: add one of them to the workload's operations.",
        lambda binding: bool(_kinds(binding) & TAKES_KEYS),
    ),
    "list_length": Need(
        "axis_needs_operation",
        "Lists have a length only where operations work on lists: add a range or a list insert to the workload.",
        lambda binding: bool(_kinds(binding) & USES_LISTS),
    ),
    "entries": Need(
        "axis_needs_operation",
        "Only ranges and scans ask for entries: add one to the workload's operations.",
        lambda binding: bool(_kinds(binding) & TAKES_ENTRIES),
    ),
    "think_time_us": Need(
        "axis_needs_closed_loop",
        "Only a closed loop pauses between a reply and the next request: choose the closed loop as load.",
        lambda binding: isinstance(binding.load, ClosedLoad),
    ),
    "get_share": Need(
        "axis_needs_operation",
        "A share of gets divides gets and sets: the workload's operations must be get and set.",
        lambda binding: _kinds(binding) == GET_AND_SET,
    ),
}
