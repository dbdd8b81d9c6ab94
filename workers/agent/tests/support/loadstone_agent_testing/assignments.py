"""Small assignments that take a second or two."""

import itertools
import uuid
from typing import Any

from loadstone_contracts.agent_calls import AssignedTarget, Assignment
from loadstone_contracts.engine_load import ClosedLoad
from loadstone_contracts.engine_plan import Dataset, EnginePhase, EngineWork, Operation, StopRule
from loadstone_contracts.engine_sizes import FixedSize

_numbers = itertools.count(1)


def work(seconds: float = 1.0, *, prefill: bool = True, **changes: Any) -> EngineWork:
    phases = [EnginePhase(name="prefill")] if prefill else []
    measured = EnginePhase(name="measure", stop=StopRule(seconds=seconds))
    fields: dict[str, Any] = {
        "dataset": Dataset(key_count=1000, value_size=FixedSize(bytes=100)),
        "operations": [Operation(kind="get", weight=9), Operation(kind="set", weight=1)],
        "load": ClosedLoad(connections=4),
        "phases": [*phases, measured],
        "seed": 1,
    }
    return EngineWork(**{**fields, **changes})


def managed(kind: str = "memcached", **changes: Any) -> AssignedTarget:
    options = {"memory_mb": "64", "threads": "1"} if kind == "memcached" else {"save": "", "appendonly": "no"}
    fields = {"target_name": kind, "kind": kind, "mode": "managed", "profile": "default", "options": options}
    return AssignedTarget.model_validate({**fields, "instance_key": kind, **changes})


def external(kind: str, port: int, **changes: Any) -> AssignedTarget:
    fields = {"target_name": f"our {kind}", "kind": kind, "mode": "external", "host": "127.0.0.1", "port": port}
    return AssignedTarget.model_validate({**fields, "instance_key": "x", **changes})


def assignment(target: AssignedTarget, **changes: Any) -> Assignment:
    number = next(_numbers)
    fields: dict[str, Any] = {
        "lease_id": f"lease-{number}",
        "fence": number,
        "trial_id": str(uuid.UUID(int=number)),
        "run_id": "run-1",
        "attempt": 1,
        "lease_ttl_s": 120.0,
        "renew_every_s": 0.2,
        "not_before_unix_ns": None,
        "reset": "restart",
        "keep_store": False,
        "target": target,
        "work": work(),
    }
    return Assignment(**{**fields, **changes})
