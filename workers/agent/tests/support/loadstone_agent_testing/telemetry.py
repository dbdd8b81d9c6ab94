"""What a collector wrote, as it writes it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from loadstone_agent.stores.launch import ManagedStore
from loadstone_agent.telemetry.collector import TelemetryCollector
from loadstone_contracts.telemetry import TELEMETRY_RECORD, TelemetryEvent, TelemetrySecond

WITHIN_S = 60.0
"""Tells a busy machine from what never comes."""


@dataclass
class Told:
    """What a collector wrote."""

    lines: list[bytes] = field(default_factory=list)

    @property
    def seconds(self) -> list[TelemetrySecond]:
        records = map(TELEMETRY_RECORD.validate_json, self.lines)
        return [one for one in records if isinstance(one, TelemetrySecond)]

    @property
    def events(self) -> list[TelemetryEvent]:
        records = map(TELEMETRY_RECORD.validate_json, self.lines)
        return [one for one in records if isinstance(one, TelemetryEvent)]

    @property
    def events_of_store(self) -> list[TelemetryEvent]:
        """Without what the kernel did to processes of other tests."""
        return [event for event in self.events if "kernel" not in event.detail]

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def await_seconds(self, is_wanted: Callable[[TelemetrySecond], object], count: int = 1) -> list[TelemetrySecond]:
        """Those that are wanted, as soon as there are `count`: a busy machine may skip some, or read nothing in one."""
        give_up_at = time.monotonic() + WITHIN_S
        while len(found := [one for one in self.seconds if is_wanted(one)]) < count:
            assert time.monotonic() < give_up_at, f"not {count} such seconds within {WITHIN_S} s: {self.seconds[-3:]}"
            time.sleep(0.05)
        return found

    def await_second(self) -> None:
        """From now on what the store counts lies between two readings."""
        self.await_seconds(lambda one: one.store)

    def await_event(self, kind: str) -> TelemetryEvent:
        give_up_at = time.monotonic() + WITHIN_S
        while time.monotonic() < give_up_at:
            found = [event for event in self.events_of_store if event.kind == kind]
            if found:
                return found[0]
            time.sleep(0.05)
        raise AssertionError(f"no {kind} within {WITHIN_S} s, but {self.kinds()}")


@contextmanager
def collecting(store: ManagedStore) -> Iterator[Told]:
    told = Told()
    with TelemetryCollector(store.kind, store.endpoint, store, told.lines.append):
        yield told
