"""A command that is more than data is refused beside its field, whoever started the target."""

from typing import Any

import pytest
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target, plan_definition, workload_definition


def commanded(command: str | None, targets: list[dict[str, Any]]) -> dict[str, Any]:
    operation = {"kind": "custom", "weight": 1, "command": command}
    return plan_definition(targets=targets, axes=[], workload=workload_definition(operations=[operation]))


def findings(client: Caller, definition: dict[str, Any]) -> list[dict[str, str]]:
    response = client.post("/api/v1/plans/preview", json=definition)
    assert response.status_code == 200, response.text
    return [item for item in response.json()["refusals"] if item["code"] == "command_not_allowed"]


POSTGRES = {"kind": "postgresql", "profile": "durable"}
MARIADB = {"kind": "mariadb", "profile": "innodb-durable"}
REDIS = {"kind": "redis", "profile": "none"}
MEMCACHED = {"kind": "memcached", "profile": "default"}


@pytest.mark.parametrize(
    ("target", "command"),
    [
        (POSTGRES, "COPY (SELECT 1) TO PROGRAM 'touch /tmp/made'"),
        (POSTGRES | {"protocol": "postgres_simple"}, "SELECT 1; DROP TABLE loadstone"),
        (MARIADB, "SELECT v FROM loadstone INTO OUTFILE '/tmp/made'"),
        (MARIADB | {"protocol": "mysql_text"}, "SELECT /*!50000 LOAD_FILE('/etc/passwd') */"),
        (REDIS, "REPLICAOF 127.0.0.1 6379"),
        (MEMCACHED, "get x\r\nshutdown"),
        (REDIS, None),
    ],
)
def test_a_command_that_is_no_data_is_refused_at_its_field(
    client: Caller, target: dict[str, Any], command: str | None
) -> None:
    (found,) = findings(client, commanded(command, [target]))
    assert found["path"] == "workload.operations[0].command"
    assert found["message"].endswith(".")


def test_external_targets_are_held_to_the_same_list(client: Caller) -> None:
    saved = client.post("/api/v1/targets", json=external_target()).json()
    (found,) = findings(client, commanded("CONFIG SET dir /tmp", [{"target_id": saved["id"]}]))
    assert saved["name"] in found["message"]


@pytest.mark.parametrize(
    ("target", "command"),
    [
        (POSTGRES, "SELECT length(v) FROM loadstone WHERE k = {key}"),
        (MARIADB, "REPLACE INTO loadstone (k, v) VALUES ({key}, {value})"),
        (REDIS, "HSET h:{key} field {value}"),
        (MEMCACHED, "set x{key} 0 0 {value_size}\r\n{value}"),
    ],
)
def test_what_a_workload_sends_is_not_refused(client: Caller, target: dict[str, Any], command: str) -> None:
    assert findings(client, commanded(command, [target])) == []


@pytest.mark.parametrize(
    ("kind", "profile", "option"),
    [
        *(("postgresql", "durable", name) for name in ("archive_command", "Fsync", "jit_provider", "hba_file")),
        *(("mariadb", "innodb-durable", name) for name in ("loose_plugin_load", "plugin-load", "skip_grant_tables")),
        *(("redis", "none", name) for name in ("dir", "loadmodule", "aclfile", "SAVE", "replicaof")),
        *(("memcached", "default", name) for name in ("ext_path", "-u", "memory_file")),
    ],
)
def test_a_target_with_an_option_off_the_list_is_not_saved(
    client: Caller, kind: str, profile: str, option: str
) -> None:
    wanted = {"name": "mine", "kind": kind, "mode": "managed", "profile": profile, "options": {option: "1"}}
    response = client.post("/api/v1/targets", json=wanted)
    assert response.status_code == 422, response.text
    assert option in response.text
