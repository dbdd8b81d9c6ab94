"""Can an engine do a piece of work? By the table of engines, which is served from here too."""

import re
from collections.abc import Iterator

from loadstone_contracts.engine_events import MissingMetric
from loadstone_contracts.engine_plan import EngineWork, StoreProtocol
from loadstone_contracts.engine_table import CUSTOM_PREFIX, ENGINES, NATIVE, NATIVE_PROGRAM, EngineInfo

__all__ = ["CUSTOM_PREFIX", "ENGINES", "NATIVE", "NATIVE_PROGRAM", "EngineInfo", "MissingMetric", "engine_faults"]

TOOL_PREFIX = re.compile(r"[A-Za-z0-9_:][A-Za-z0-9_:-]*")
Fault = tuple[str, str]
"""Where in the work, such as `operations[0]` or `load.pipeline`, and the sentence for a person."""


def is_custom(engine: str) -> bool:
    """Defined in an agent's own configuration file: only that agent knows what it can do."""
    return engine.startswith(CUSTOM_PREFIX) and len(engine) > len(CUSTOM_PREFIX)


def engine_faults(engine: str, work: EngineWork, protocol: StoreProtocol | None = None) -> list[Fault]:
    """Why this engine cannot do this work (over this protocol); empty when it can.

    The native engine is asked nothing here: its own refusals are the plan's. An unknown name is a fault.
    """
    if engine == NATIVE:
        return []
    if is_custom(engine):
        return list(_prefix_faults("A program of the agent's own", work))
    info = ENGINES.get(engine)
    if info is None:
        return [("engine", f"There is no engine {engine!r}. Known: {', '.join(ENGINES)}.")]
    faults = [*_protocol_faults(info, protocol), *_operation_faults(info, work), *_data_faults(info, work)]
    return [*faults, *_load_faults(info, work), *_stop_faults(info, work), *_native_faults(info, work)]


def _native_faults(info: EngineInfo, work: EngineWork) -> Iterator[Fault]:
    """What the native engine alone can do."""
    load, dataset = work.load, work.dataset
    asked: dict[str, object] = {
        "load.churn_per_s": load.churn_per_s,
        "load.retries": load.retries,
        "dataset.key_template": dataset.key_template,
        "dataset.key_sizes": dataset.key_sizes,
        "trace": work.trace,
        "replica_lag": work.replica_lag,
    }
    if load.kind == "open":
        asked |= {"load.rate": load.rate, "load.burst_size": load.burst_size}
    else:
        asked |= {"load.connection_steps": load.connection_steps or None}
    for index, operation in enumerate(work.operations):
        asked[f"operations[{index}].entries_min"] = operation.entries_min
    for index, phase in enumerate(work.phases):
        asked[f"phases[{index}].stop.steady"] = phase.stop.steady if phase.stop is not None else None
    for path, value in asked.items():
        if value is not None:
            yield path, f"{info.title} knows nothing of it: leave it out, or take the native engine."


def _protocol_faults(info: EngineInfo, protocol: StoreProtocol | None) -> Iterator[Fault]:
    if protocol is not None and protocol not in info.protocols:
        yield "protocol", f"{info.title} does not speak {protocol}, only {', '.join(info.protocols)}."


def _operation_faults(info: EngineInfo, work: EngineWork) -> Iterator[Fault]:
    if len(work.operations) > 1 and "mix" not in info.features:
        yield "operations", f"{info.title} sends one kind of operation at a time: leave only one in the workload."
    for index, operation in enumerate(work.operations):
        path = f"operations[{index}]"
        if operation.kind not in info.operations:
            yield path, f"{info.title} has no operation {operation.kind}, only {', '.join(info.operations)}."
        if operation.keys_per_request > 1:
            yield f"{path}.keys_per_request", f"{info.title} takes one key a request."
        if operation.expire_s and "expire" not in info.features:
            yield f"{path}.expire_s", f"{info.title} writes without a time to live."


def _data_faults(info: EngineInfo, work: EngineWork) -> Iterator[Fault]:
    dataset = work.dataset
    if work.access.kind not in info.access:
        yield "access.kind", f"{info.title} cannot draw keys by {work.access.kind}, only {', '.join(info.access)}."
    if dataset.value_size.kind not in info.value_sizes:
        sizes = ", ".join(info.value_sizes)
        yield "dataset.value_size", f"{info.title} cannot write sizes of {dataset.value_size.kind}, only {sizes}."
    digits = dataset.key_size_bytes - len(dataset.key_prefix)
    if digits < info.min_key_digits:
        needed = len(dataset.key_prefix) + info.min_key_digits
        yield "dataset.key_size_bytes", f"{info.title} writes {info.min_key_digits} digits: give keys {needed} bytes."
    if dataset.hit_ratio < 1 and "hit_ratio" not in info.features:
        yield "dataset.hit_ratio", f"{info.title} cannot miss on purpose: set the hit ratio to 1."
    if info.kind == "tool":
        yield from _prefix_faults(info.title, work)
    if work.verify and "verify" not in info.features:
        yield "verify", f"{info.title} does not compare what it reads: switch verification off."


def _prefix_faults(title: str, work: EngineWork) -> Iterator[Fault]:
    """It stands in a command line or in a statement there: no option, no file, no format, no quote."""
    if not TOOL_PREFIX.fullmatch(work.dataset.key_prefix):
        message = f"{title} takes a prefix of letters, digits, '-', '_' and ':' only, and no '-' in front."
        yield "dataset.key_prefix", message


def _load_faults(info: EngineInfo, work: EngineWork) -> Iterator[Fault]:
    load = work.load
    if load.kind not in info.loads:
        yield "load.kind", f"{info.title} has no {load.kind} loop."
    if load.pipeline > 1 and "pipeline" not in info.features:
        yield "load.pipeline", f"{info.title} sends one request at a time: set the pipeline to 1."
    if load.kind == "closed" and load.think_time_us and "think_time" not in info.features:
        yield "load.think_time_us", f"{info.title} has no think time."
    every = load.requests_per_connection
    is_each = every == 1 and "connection_per_request" in info.features
    if every is not None and "reconnect" not in info.features and not is_each:
        allowed = "1 or left out" if "connection_per_request" in info.features else "left out"
        yield "load.requests_per_connection", f"{info.title} keeps its connections: this must be {allowed}."


def _stop_faults(info: EngineInfo, work: EngineWork) -> Iterator[Fault]:
    for index, phase in enumerate(work.phases):
        if phase.stop is None or phase.stop.steady is not None:
            continue
        asked = "seconds" if phase.stop.seconds is not None else "operations"
        if asked not in info.stops:
            path = f"phases[{index}].stop"
            yield path, f"{info.title} cannot stop after {asked}: give the phase a number of {info.stops[0]}."
