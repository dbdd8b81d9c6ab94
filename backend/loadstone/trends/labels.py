"""What a series is called and filtered by, from its identity. Pure.

An identity is JSON that an older version of the product may have written: what is not there gives no label.
"""

from collections.abc import Mapping
from typing import Any

from loadstone.targets.store_kinds import effective_options

TEXT_MAX = 200


def series_labels(identity: Mapping[str, Any], agent_class: str) -> dict[str, str]:
    """Flat texts by name; of a managed target's options only those that differ from the profile's."""
    labels = {
        **_target_labels(identity.get("target", {})),
        **_workload_labels(identity.get("workload", {})),
        **_load_labels(identity.get("load", {})),
        "threads": identity.get("threads"),
        "agent_class": agent_class,
    }
    return {name: str(value)[:TEXT_MAX] for name, value in labels.items() if value not in (None, "")}


def series_title(labels: Mapping[str, str]) -> str:
    """One line, such as `redis aof-always, 90 % get 10 % set of 100 B, 16 connections`."""
    target = " ".join(labels[name] for name in ("target_kind", "profile", "address") if name in labels)
    options = " ".join(f"{name.removeprefix('option.')}={labels[name]}" for name in labels if "option." in name)
    parts = [target, options, labels.get("workload", ""), _load_text(labels)]
    return ", ".join(part for part in parts if part)


def _target_labels(target: Mapping[str, Any]) -> dict[str, Any]:
    kind = target.get("kind")
    labels = {"target_kind": kind, "mode": target.get("mode"), "profile": target.get("profile")}
    if target.get("mode") == "external":
        return labels | {"address": f"{target.get('host')}:{target.get('port')}"}
    own = effective_options(str(kind), str(target.get("profile") or ""), {})
    changed = {name: value for name, value in target.get("options", {}).items() if own.get(name) != value}
    return labels | {f"option.{name}": value for name, value in sorted(changed.items())}


def _workload_labels(workload: Mapping[str, Any]) -> dict[str, Any]:
    dataset = workload.get("dataset", {})
    operations = _operations_text(workload.get("operations", []))
    size = _size_text(dataset.get("value_size", {}))
    access = workload.get("access", {"kind": "uniform"})
    return {
        "workload": f"{operations} of {size}" if size else operations,
        "operations": operations,
        "value_size": size,
        "key_count": dataset.get("key_count"),
        "access": " ".join(str(access[name]) for name in ("kind", "exponent") if name in access),
    }


def _operations_text(operations: list[Mapping[str, Any]]) -> str:
    total = sum(one.get("weight", 0) for one in operations) or 1
    if len(operations) == 1:
        return _operation_text(operations[0])
    return " ".join(f"{100 * one.get('weight', 0) / total:.3g} % {_operation_text(one)}" for one in operations)


def _operation_text(operation: Mapping[str, Any]) -> str:
    keys = operation.get("keys_per_request", 1)
    return f"{operation.get('kind')} x{keys}" if keys != 1 else str(operation.get("kind"))


def _size_text(size: Mapping[str, Any]) -> str:
    if "bytes" in size:
        return f"{size['bytes']} B"
    return f"{size['min_bytes']}-{size['max_bytes']} B" if "min_bytes" in size else str(size.get("kind", ""))


def _load_labels(load: Mapping[str, Any]) -> dict[str, Any]:
    named = {"load": load.get("kind"), "pipeline": 1}
    return named | {
        name: value for name, value in load.items() if name != "kind" and isinstance(value, int | float | str)
    }


def _load_text(labels: Mapping[str, str]) -> str:
    parts = [f"{labels['connections']} connections"] if "connections" in labels else []
    if "rate_per_s" in labels:
        parts.append(f"{labels['rate_per_s']} ops/s")
    if labels.get("pipeline", "1") != "1":
        parts.append(f"pipeline {labels['pipeline']}")
    return " ".join(parts)
