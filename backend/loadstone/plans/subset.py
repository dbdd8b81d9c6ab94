"""A part of a run's plan as a plan of its own: some targets at some settings, as they were measured. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadstone.plans.cells import ENGINE, WORKLOAD

AS_MEASURED = ("workload", "load", "threads", "prefill", "warmup", "stop", "verify", "timeout_ms", "rest_s", "reset")
NAMED = ("target", WORKLOAD, ENGINE)


def part_of_plan(
    definition: Mapping[str, Any],
    targets: Sequence[tuple[str, Mapping[str, Any]]],
    settings: Mapping[str, Sequence[Any]],
) -> dict[str, Any]:
    """Fields of a `PlanDefinition` but for its name, trials and order.

    `targets`: the name each had, and how it is written now. `settings`: by parameter of the run's points, the values.
    """
    kept = {name: definition[name] for name in AS_MEASURED if definition.get(name) is not None}
    old_names = [name for name, _ in targets]
    renamed = {name: written.get("name", name) for name, written in targets}
    axes = [{"parameter": name, "values": list(values)} for name, values in settings.items() if name not in NAMED]
    entries = [
        _entry(entry, renamed, settings)
        for entry in definition.get("workloads") or []
        if entry["name"] in settings.get(WORKLOAD, [entry["name"]]) and _is_for(entry, old_names)
    ]
    engines = [
        engine | {"targets": _renamed(engine.get("targets"), renamed)}
        for engine in definition.get("engines") or []
        if engine["name"] in settings.get(ENGINE, [engine["name"]]) and _is_for(engine, old_names)
    ]
    return {
        **kept,
        "targets": [written for _, written in targets],
        "axes": axes,
        **({"workloads": entries} if entries else {}),
        **({"engines": engines} if engines else {}),
    }


def _is_for(entry: Mapping[str, Any], targets: Sequence[str]) -> bool:
    return entry.get("targets") is None or any(target in entry["targets"] for target in targets)


def _renamed(targets: Sequence[str] | None, renamed: Mapping[str, str]) -> list[str] | None:
    return None if targets is None else [renamed[target] for target in targets if target in renamed]


def _entry(
    entry: Mapping[str, Any], renamed: Mapping[str, str], settings: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    only = {
        name: [value for value in values if value in settings.get(name, values)]
        for name, values in entry.get("only", {}).items()
        if name in settings
    }
    return dict(entry) | {"targets": _renamed(entry.get("targets"), renamed), "only": only}
