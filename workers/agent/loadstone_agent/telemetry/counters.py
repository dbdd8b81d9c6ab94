"""A store's own counters: read over a connection beside the load, and turned into rates."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import structlog
from loadstone_contracts.store_counters import STORE_COUNTERS

from loadstone_agent.errors import AgentError
from loadstone_agent.stores.base import Endpoint, StoreControl, StoreKind
from loadstone_agent.telemetry.events import watched_sources
from loadstone_agent.telemetry.host import LEAST_SPAN_S

log = structlog.get_logger()

ANSWER_WITHIN_S = 0.5
"""A store that is stalled for longer has a gap here, and must not hold up the readings of the host."""


class CounterReader:
    """Connects when it is first asked, and anew after a fault. Never raises."""

    def __init__(self, kind: StoreKind, endpoint: Endpoint) -> None:
        self._kind = kind
        self._endpoint = replace(endpoint, answer_timeout_s=ANSWER_WITHIN_S)
        self._control: StoreControl | None = None
        table = STORE_COUNTERS.get(kind.kind, ())
        self._wanted = sorted({source for counter in table for source in counter.sources} | watched_sources(kind.kind))
        self._has_failed = False

    def read(self) -> Mapping[str, float]:
        """By the store's own names; empty when it did not answer, or tells nothing of itself."""
        if not self._wanted:
            return {}
        try:
            if self._control is None:
                self._control = self._kind.connect(self._endpoint)
            return _derived(self._control.counters(self._wanted))
        except AgentError as fault:
            if not self._has_failed:
                log.info("store_counters_unread", store=str(self._endpoint), error=f"{fault}: {fault.detail}")
            self._has_failed = True
            self.close()
            return {}

    def close(self) -> None:
        control, self._control = self._control, None
        if control is not None:
            # A connection that is broken may say so once more.
            with suppress(Exception):
                control.close()


def _derived(raw: Mapping[str, float]) -> Mapping[str, float]:
    """MySQL from 8.0.30 on tells two positions in the redo log where MariaDB tells their distance."""
    current, saved = raw.get("Innodb_redo_log_current_lsn"), raw.get("Innodb_redo_log_checkpoint_lsn")
    if current is None or saved is None:
        return raw
    return {**raw, "Innodb_checkpoint_age": current - saved}


class CounterRates:
    """From readings of raw counters to what is kept."""

    def __init__(self, kind: str) -> None:
        self._table = STORE_COUNTERS.get(kind, ())
        self._before: Mapping[str, float] = {}
        self._before_at_s = 0.0

    def take(self, raw: Mapping[str, float], at_s: float) -> dict[str, float]:
        """Rates since the reading before, gauges as they are; a counter that was set back has no rate."""
        span_s = at_s - self._before_at_s
        has_rates = bool(self._before) and span_s >= LEAST_SPAN_S
        found = {}
        for counter in self._table:
            if not all(source in raw for source in counter.sources):
                continue
            value = sum(raw[source] for source in counter.sources)
            if not counter.is_rate:
                found[counter.name] = value * counter.scale
            elif has_rates and all(source in self._before for source in counter.sources):
                rise = value - sum(self._before[source] for source in counter.sources)
                if rise >= 0:
                    found[counter.name] = rise * counter.scale / span_s
        if raw and (has_rates or not self._before):
            self._before, self._before_at_s = raw, at_s
        return found
