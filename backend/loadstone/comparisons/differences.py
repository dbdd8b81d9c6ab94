"""What else differs between the sides, most telling first. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadstone.comparisons.schemas import Difference, DifferenceKind
from loadstone.comparisons.sides import ResolvedSide

VARIES = "varies"

WEIGHTS: Mapping[DifferenceKind, int] = {
    "store_version": 100,
    "engine": 95,
    "environment": 70,
    "plan": 60,
    "configuration": 50,
}
HEAVIER: Mapping[str, int] = {
    "target.kind": 98,
    "target.profile": 90,
    "workload": 92,
    "load": 92,
    "stop": 80,
    "agent_class": 96,
    "cpu_model": 90,
    "cpu_count": 90,
    "memory_bytes": 80,
    "kernel": 75,
    "hostname": 85,
}
LIGHTER: Mapping[str, int] = {"trials_per_point": 20, "rest_s": 30, "python_version": 10, "seed": 5}
"""By the first part of the path, or all of it: what changes numbers most stands first."""

AXIS_PATHS: Mapping[str, tuple[str, ...]] = {
    "connections": ("load.connections",),
    "pipeline": ("load.pipeline",),
    "rate_per_s": ("load.rate_per_s",),
    "threads": ("threads",),
    "value_size_bytes": ("workload.dataset.value_size.kind", "workload.dataset.value_size.bytes"),
    "key_count": ("workload.dataset.key_count",),
    "key_size_bytes": ("workload.dataset.key_size_bytes",),
    "zipf_exponent": ("workload.access.exponent",),
}
"""An axis overrides these fields of the plan."""

PLAN_FIELDS = (
    *("workload", "workloads", "load", "threads", "trials_per_point", "order", "rest_s", "reset", "prefill", "warmup"),
    *("stop", "verify", "timeout_ms", "seed"),
)
TARGET_FIELDS = ("kind", "mode", "profile", "protocol", "options", "host", "port")


@dataclass
class SideFacts:
    """By kind and path, every value that the side's trials had."""

    values: dict[tuple[DifferenceKind, str], set[str]] = field(default_factory=dict)

    def add(self, kind: DifferenceKind, facts: Mapping[str, Any]) -> None:
        for path, value in _flat(facts):
            self.values.setdefault((kind, path), set()).add(_text(value))


def plan_facts(side: ResolvedSide) -> dict[str, Any]:
    """The plan as this side had it: an axis's field says its one value, or that it varies."""
    definition = side.run.definition
    facts = dict(_flat({name: definition[name] for name in PLAN_FIELDS if definition.get(name) not in (None, [])}))
    for parameter in side.points[0].parameters:
        for path in AXIS_PATHS.get(parameter, ()):
            facts.pop(path, None)
        if parameter != "target":
            values = side.values(parameter)
            path = (AXIS_PATHS.get(parameter) or (parameter,))[-1]
            facts[path] = next(iter(values)) if len(values) == 1 else VARIES
    if side.target is not None:
        facts |= _flat({"target": {name: side.target.get(name) for name in TARGET_FIELDS}})
    return facts


def rank_differences(sides: Sequence[SideFacts]) -> list[Difference]:
    """Everything that is not the same on all sides."""
    keys = dict.fromkeys(key for side in sides for key in side.values)
    found = []
    for kind, path in keys:
        values = [_joined(side.values.get((kind, path))) for side in sides]
        if len(set(values)) > 1 and not _is_other_kind(kind, sides, path):
            found.append(Difference(kind=kind, path=path, values=values, weight=_weight(kind, path)))
    return sorted(found, key=lambda one: (-one.weight, one.kind, one.path))


def _is_other_kind(kind: DifferenceKind, sides: Sequence[SideFacts], path: str) -> bool:
    """Settings of stores of different kinds have nothing to do with each other."""
    return kind == "configuration" and any((kind, path) not in side.values for side in sides) and _kinds(sides) > 1


def _kinds(sides: Sequence[SideFacts]) -> int:
    return len({_joined(side.values.get(("plan", "target.kind"))) for side in sides})


def _weight(kind: DifferenceKind, path: str) -> int:
    for table in (HEAVIER, LIGHTER):
        for prefix, weight in table.items():
            if path == prefix or path.startswith(f"{prefix}."):
                return weight
    return WEIGHTS[kind]


def _joined(values: set[str] | None) -> str | None:
    return " | ".join(sorted(values)) if values else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "none" if value is None else str(value)


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, part in value.items():
        if isinstance(part, Mapping):
            yield from _flat(part, f"{prefix}{name}.")
        elif isinstance(part, list) and part and isinstance(part[0], Mapping):
            yield from _flat({str(index): item for index, item in enumerate(part)}, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", part
