"""Where a managed store runs: written, given to agents, part of a series, and asked of agents."""

from typing import Any

import pytest
from loadstone import models
from loadstone.agents.suitability import can_take
from loadstone.db import unit_of_work
from loadstone.plans.grid import expand
from loadstone.plans.resolve import Lookup, assemble, inline_snapshot
from loadstone.plans.schemas import InlineTarget, PlanDefinition
from loadstone.targets import service
from loadstone.workloads.schemas import WorkloadDefinition
from loadstone_contracts.agent_calls import Placement
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target, managed_target, plan_definition, workload_definition
from sqlalchemy import select

URL = "/api/v1/targets"
PLACED = {"cpus": "0-3,8", "memory_limit_bytes": 2**30, "data_directory": "fast", "drop_page_cache": True}


def test_a_placement_is_kept_and_given_to_the_agent(client: Caller) -> None:
    created = client.post(URL, json=managed_target(placement=PLACED)).json()
    assert created["placement"] == PLACED
    with unit_of_work() as unit:
        row = unit.session.scalars(select(models.Target)).one()
        snapshot = service.take_snapshot(row, 0).model_dump(mode="json")
        assert service.assigned_target(unit, snapshot, "key").placement == Placement.model_validate(PLACED)
    plain = client.put(f"{URL}/{created['id']}", json=managed_target()).json()
    assert plain["placement"] == Placement().model_dump()


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        (managed_target(placement={"cpus": "a-b"}), "placement.cpus", "string_pattern_mismatch"),
        (managed_target(placement={"memory_limit_bytes": 1}), "placement.memory_limit_bytes", "greater_than_equal"),
        (managed_target(placement={"data_directory": "/etc"}), "placement.data_directory", "string_pattern_mismatch"),
        (managed_target(kind="redis", profile="none", protocol="redis_cluster"), "protocol", "external_only"),
        (external_target(placement={"cpus": "0"}), "placement", "not_for_external"),
        (external_target(read_port=6379), "read_port", "value_out_of_range"),
        (external_target(kind="memlink", port=7, read_port=7), "read_port", "value_out_of_range"),
        (external_target(kind="memlink", database="0"), "database", "not_for_memlink"),
        (external_target(kind="valkey", database="x"), "database", "value_out_of_range"),
    ],
)
def test_a_placement_that_cannot_be_is_refused_at_its_field(
    client: Caller, body: dict[str, Any], path: str, code: str
) -> None:
    answer = client.post(URL, json=body)
    assert answer.status_code == 422
    assert (path, code) in {(error["path"], error["code"]) for error in answer.json()["errors"]}


def test_a_memlink_elsewhere_may_name_its_port_for_reads(client: Caller) -> None:
    target = client.post(URL, json=external_target(kind="memlink", port=11002, read_port=11001)).json()
    assert (target["port"], target["read_port"]) == (11002, 11001)


def _identity(**placement: Any) -> dict[str, Any]:
    written = InlineTarget(kind="redis", profile="none", placement=Placement(**placement))
    snapshot = inline_snapshot(Lookup(), written, 0)
    assert snapshot is not None
    definition = PlanDefinition.model_validate(plan_definition(axes=[]))
    plan = assemble(definition, [snapshot], [WorkloadDefinition.model_validate(workload_definition())])
    identity: dict[str, Any] = expand(plan).points[0].identity["target"]
    return identity


def test_another_placement_is_another_series_and_none_is_the_one_from_before() -> None:
    assert "placement" not in _identity()
    assert _identity(cpus="0")["placement"] == {"cpus": "0"}


INVENTORY = {"cpus": "0-7", "data_directories": [{"name": "fast", "filesystem": "ext4"}]}


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ({"placement": {"cpus": "0-7"}}, None),
        ({"placement": {"cpus": "6-9"}}, "It has no CPU 8, 9; it has 0-7."),
        ({"placement": {"data_directory": "fast"}}, None),
        ({"placement": {"data_directory": "slow"}}, "It names no data directory slow."),
        ({"server_version": "8.0.33"}, None),
        (
            {"server_version": "5.6.14"},
            "It cannot start mysql 5.6.14: /opt/agent stores install mysql --version 5.6.14",
        ),
        ({"server_version": "5.7.44"}, "It cannot start mysql 5.7.44: it has 8.0.33"),
    ],
)
def test_an_agent_without_the_place_or_the_version_is_not_suitable(target: dict[str, Any], says: str | None) -> None:
    agent = models.Agent(
        labels={},
        inventory=INVENTORY,
        engines=[{"protocols": ["mysql"]}],
        stores=[
            {"kind": "mysql", "available": True, "version": "8.0.33"},
            {
                "kind": "mysql",
                "available": False,
                "version": "5.6.14",
                "remedy": "/opt/agent stores install mysql --version 5.6.14",
            },
        ],
    )
    assert can_take(agent, {}, [{"kind": "mysql", "mode": "managed", "protocol": "mysql", **target}]) == says
