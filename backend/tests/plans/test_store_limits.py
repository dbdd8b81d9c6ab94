"""What a store would cut, refuse or not have is refused before anything runs, at the field that asks for it."""

from typing import Any

import pytest
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target, plan_definition, workload_definition

LISTS = [{"kind": "list_insert_tail", "weight": 1}]
MANY = [{"kind": "multi_set", "weight": 1, "keys_per_request": 100}]
KEY_PATH = "workload.dataset.key_size_bytes"
VALUE_PATH = "workload.dataset.value_size"


def sized(value_bytes: int, key_bytes: int = 16, **fields: Any) -> dict[str, Any]:
    dataset = {
        "key_count": 10,
        "key_size_bytes": key_bytes,
        "value_size": {"kind": "fixed", "bytes": value_bytes},
    }
    return workload_definition(dataset=dataset, **fields)


def managed(kind: str, profile: str, **fields: Any) -> dict[str, Any]:
    return {"targets": [{"kind": kind, "profile": profile, **fields}], "axes": []}


def refusals(caller: Caller, **fields: Any) -> list[tuple[str, str]]:
    response = caller.post("/api/v1/plans/preview", json=plan_definition(**fields))
    assert response.status_code == 200, response.text
    return [(item["code"], item["path"]) for item in response.json()["refusals"]]


MEMLINK = managed("memlink", "default")
MIB = 1024**2
CASES: list[tuple[dict[str, Any], str, str]] = [
    (managed("memcached", "default") | {"workload": sized(MIB)}, "item_too_large", VALUE_PATH),
    (
        managed("memcached", "default", options={"max_item_size": "4m"}) | {"workload": sized(4 * MIB)},
        "item_too_large",
        VALUE_PATH,
    ),
    (
        managed("memcached", "default", options={"disable_cas": "true"})
        | {"workload": sized(10, operations=[{"kind": "compare_and_set", "weight": 1}])},
        "cas_disabled",
        "targets[0].options.disable_cas",
    ),
    (
        managed("redis", "none", options={"proto-max-bulk-len": "1mb"}) | {"workload": sized(2 * MIB)},
        "value_too_large",
        VALUE_PATH,
    ),
    (managed("mongodb", "default") | {"workload": sized(16 * MIB)}, "value_too_large", VALUE_PATH),
    (
        managed("ferretdb", "durable") | {"workload": sized(MIB, operations=MANY)},
        "message_too_large",
        "workload.operations",
    ),
    (managed("mysql", "5.6-innodb-durable") | {"workload": sized(4 * MIB)}, "packet_too_large", VALUE_PATH),
    (
        managed("mysql", "8.0-innodb-durable", protocol="memcached") | {"workload": sized(MIB)},
        "item_too_large",
        VALUE_PATH,
    ),
    (
        managed("mariadb", "innodb-durable", options={"default_storage_engine": "MEMORY"}) | {"workload": sized(10)},
        "table_format_not_possible",
        "targets[0].options.default_storage_engine",
    ),
    (MEMLINK | {"workload": sized(256, operations=LISTS)}, "value_too_large", VALUE_PATH),
    (
        MEMLINK
        | {
            "workload": sized(10, operations=LISTS),
            "axes": [{"parameter": "value_size_bytes", "values": [12, 255, 256]}],
        },
        "value_too_large",
        "axes[0].values",
    ),
    (
        MEMLINK
        | {
            "workload": sized(12, operations=LISTS),
            "load": {"kind": "closed", "connections": 1, "pipeline": 2},
        },
        "no_pipelining",
        "load.pipeline",
    ),
    (
        managed("mariadb", "innodb-durable", options={"max_connections": "100"})
        | {"axes": [{"parameter": "connections", "values": [50, 100]}]},
        "too_many_connections",
        "axes[0].values",
    ),
    (
        managed("memcached", "memory-2048", placement={"memory_limit_bytes": 1024 * MIB}),
        "memory_limit_too_low",
        "targets[0].options.memory_mb",
    ),
    (managed("redis", "none", protocol="redis_cluster"), "external_only", "targets[0].protocol"),
    (
        managed("mysql", "8.0-innodb-durable", protocol="memcached")
        | {"workload": sized(10, operations=[{"kind": "touch", "weight": 1}])},
        "operation_not_supported",
        "workload.operations[0]",
    ),
    (
        MEMLINK | {"workload": sized(10, operations=[{"kind": "multi_get", "weight": 1}])},
        "operation_not_supported",
        "workload.operations[0]",
    ),
    (managed("mysql", "8.0-innodb-durable", protocol="memcached_meta"), "unknown_protocol", "targets[0].protocol"),
]


@pytest.mark.parametrize(("fields", "code", "path"), CASES, ids=[f"{code}-{path}" for _, code, path in CASES])
def test_what_would_falsify_is_refused_at_its_field(
    client: Caller, fields: dict[str, Any], code: str, path: str
) -> None:
    assert (code, path) in refusals(client, **fields)


FITS: list[dict[str, Any]] = [
    managed("memcached", "default") | {"workload": sized(MIB - 200)},
    managed("memcached", "default", options={"max_item_size": "4m"}) | {"workload": sized(2 * MIB)},
    managed("mongodb", "default") | {"workload": sized(15 * MIB)},
    managed("mysql", "8.0-innodb-durable") | {"workload": sized(8 * MIB, 250)},
    managed("mysql", "8.0-innodb-durable", protocol="memcached") | {"workload": sized(100_000, 250)},
    MEMLINK | {"workload": sized(255, operations=LISTS)},
    managed("mariadb", "innodb-durable", options={"max_connections": "300"})
    | {"axes": [{"parameter": "connections", "values": [50, 200]}]},
]


@pytest.mark.parametrize("fields", FITS, ids=[str(fields["targets"][0]["kind"]) for fields in FITS])
def test_what_just_fits_is_not_refused(client: Caller, fields: dict[str, Any]) -> None:
    assert refusals(client, **fields) == []


def test_a_cluster_is_not_flushed_by_one_of_its_nodes(client: Caller) -> None:
    body = external_target(protocol="redis_cluster", flush_allowed=True)
    target = client.post("/api/v1/targets", json=body).json()
    plan = {"targets": [{"target_id": target["id"]}], "axes": []}
    assert refusals(client, **plan, reset="flush") == [("cluster_not_flushed", "reset")]
    assert refusals(client, **plan, reset="none") == []


def test_the_plugins_demonstration_table_elsewhere_cuts_unless_values_are_verified(client: Caller) -> None:
    body = external_target(kind="mysql", protocol="memcached", port=3306, plugin_port=11211)
    target = client.post("/api/v1/targets", json=body).json()
    plan = {"targets": [{"target_id": target["id"]}], "axes": [], "reset": "none", "workload": sized(1025, 33)}
    assert refusals(client, **plan) == [
        ("plugin_table_cuts_keys", KEY_PATH),
        ("plugin_table_cuts_values", VALUE_PATH),
    ]
    assert refusals(client, **plan, verify=True) == []
    assert refusals(client, **plan | {"workload": sized(1024, 32)}) == []
