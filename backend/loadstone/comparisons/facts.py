"""What each side was measured with and on: plan, engine, store and host."""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from loadstone.comparisons import repository
from loadstone.comparisons.differences import SideFacts, plan_facts
from loadstone.comparisons.measured import Measured
from loadstone.comparisons.sides import ResolvedSide, SidePoint
from loadstone.db import UnitOfWork
from loadstone.models import StoreConfiguration


def side_facts(unit: UnitOfWork, sides: Sequence[ResolvedSide], measured: Measured) -> list[SideFacts]:
    """In the order of the sides."""
    rows = list(measured.trials.values())
    environments = repository.environments(unit.session, _ids(row.environments for row in rows))
    stores = repository.store_configurations(unit.session, _ids(row.configurations for row in rows))
    return [_facts(side, measured, environments, stores) for side in sides]


def _ids(found: Iterable[Sequence[uuid.UUID | None] | None]) -> list[uuid.UUID]:
    return list({one for ids in found for one in ids or () if one is not None})


def _facts(
    side: ResolvedSide,
    measured: Measured,
    environments: dict[uuid.UUID, dict[str, Any]],
    stores: dict[uuid.UUID, StoreConfiguration],
) -> SideFacts:
    facts = SideFacts()
    facts.add("plan", plan_facts(side))
    rows = [(point, row) for point in side.points if (row := measured.facts(point)) is not None]
    for engine in dict.fromkeys(engine for _, row in rows for engine in row.engines or ()):
        facts.add("engine", {"engine": engine})
    for key in dict.fromkeys(key for _, row in rows for key in row.environments or () if key is not None):
        facts.add("environment", environments[key])
    for prefix, key in dict.fromkeys(
        (_prefix(side, point), key) for point, row in rows for key in row.configurations or () if key is not None
    ):
        store = stores[key]
        facts.add("store_version", {f"{prefix}version": f"{store.kind} {store.version}"})
        facts.add("configuration", {f"{prefix}{name}": value for name, value in store.settings.items()})
    return facts


def _prefix(side: ResolvedSide, point: SidePoint) -> str:
    """A side of several targets says whose setting it is."""
    return "" if side.target else f"{point.parameters['target']}."
