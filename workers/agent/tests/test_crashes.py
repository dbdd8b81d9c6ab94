"""Stores killed on purpose and started again on their data."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import redis
from loadstone_agent.errors import StoreMissing
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent_testing.processes import is_alive
from loadstone_contracts.agent_calls import TargetKind


def never_interrupted() -> None:
    """Nobody cancels."""


@pytest.fixture
def stores(passable_dir: Path) -> Iterator[list[ManagedStore]]:
    started: list[ManagedStore] = []
    yield started
    for store in started:
        store.stop()
    assert list((passable_dir / "stores").iterdir()) == []


def started(stores: list[ManagedStore], root: Path, kind: TargetKind, options: Mapping[str, str]) -> ManagedStore:
    plan = LaunchPlan(
        kind=KINDS[kind], options=options, connections=4, cpus=[], data_root=root / "stores", user="nobody"
    )
    stores.append(launch(plan, never_interrupted))
    return stores[-1]


@pytest.mark.parametrize(("appendonly", "kept"), [("no", None), ("yes", b"here")])
def test_a_killed_redis_comes_back_with_what_it_had_on_disk(
    stores: list[ManagedStore], passable_dir: Path, appendonly: str, kept: bytes | None
) -> None:
    options = {"save": "", "appendonly": appendonly, "appendfsync": "always"}
    store = started(stores, passable_dir, "redis", options)
    client = redis.Redis(port=store.endpoint.port)
    client.set("k", "here")
    first = store.process_id
    assert first is not None
    store.kill()
    assert not is_alive(first)
    assert not store.has_died()
    store.start_again(never_interrupted)
    assert store.process_id not in (None, first)
    assert client.get("k") == kept


@pytest.mark.parametrize("kind", ["mariadb", "postgresql", "mysql"])
def test_a_killed_store_of_sql_keeps_its_tables(
    stores: list[ManagedStore], passable_dir: Path, kind: TargetKind
) -> None:
    try:
        store = started(stores, passable_dir, kind, {})
    except StoreMissing as missing:
        pytest.skip(str(missing))
    with KINDS[kind].control(store.endpoint) as control:
        control.write_marker()
    store.kill()
    store.start_again(never_interrupted)
    with KINDS[kind].control(store.endpoint) as control:
        assert control.has_marker()
