"""Saved targets: what may be written, what is never shown, what agents are given."""

from typing import Any

import pytest
from loadstone import models
from loadstone.db import unit_of_work
from loadstone.settings import get_settings
from loadstone.targets import service
from loadstone.targets.store_kinds import find_option_faults, store_kinds
from loadstone.vault import SecretUnreadable, new_key
from loadstone_contracts.agent_calls import AssignedTarget
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target, managed_target
from sqlalchemy import select

URL = "/api/v1/targets"
TLS = {"server_name": "store.example", "ca_pem": None, "verify_certificate": True}


def create(caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    response = caller.post(URL, json=body)
    assert response.status_code == 201, response.text
    found: dict[str, Any] = response.json()
    return found


def assignment(caller: Caller, target_id: str) -> AssignedTarget:
    with unit_of_work() as unit:
        row = unit.session.scalars(select(models.Target).where(models.Target.id == target_id)).one()
        return service.assigned_target(unit, service.take_snapshot(row, 0).model_dump(mode="json"), "key")


def test_a_target_is_created_changed_and_archived(client: Caller) -> None:
    target = create(client, managed_target(options={"threads": "2"}))
    assert (target["mode"], target["options"], target["has_password"]) == ("managed", {"threads": "2"}, False)
    changed = client.put(f"{URL}/{target['id']}", json=managed_target(name="renamed")).json()
    assert (changed["name"], changed["options"]) == ("renamed", {})
    assert changed["updated_at"] > target["updated_at"]
    assert client.delete(f"{URL}/{target['id']}").status_code == 204
    assert client.get(f"{URL}/{target['id']}").status_code == 404
    assert client.get(URL).json()["items"] == []


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        (managed_target(profile=None), "profile", "unknown_profile"),
        (managed_target(profile="turbo"), "profile", "unknown_profile"),
        (managed_target(options={"u": "root"}), "options.u", "unknown_option"),
        (managed_target(options={"threads": "many"}), "options.threads", "value_out_of_range"),
        (managed_target(port=11211), "port", "not_for_managed"),
        (external_target(host=None), "host", "missing"),
        (external_target(port=None), "port", "missing"),
        (external_target(profile="none"), "profile", "not_for_external"),
        (external_target(username="me"), "password", "missing"),
        (external_target(kind="memcached", password="secret"), "username", "missing"),
        (external_target(tls={"server_name": ""}), "tls.server_name", "missing"),
        (external_target(host="a b"), "host", "string_pattern_mismatch"),
        (external_target(kind="abacus"), "kind", "literal_error"),
        (external_target(plugin_port=11211), "plugin_port", "not_for_this_kind"),
        (external_target(kind="mysql", protocol="memcached", port=3306), "plugin_port", "missing"),
        (external_target(kind="mysql", port=3306, plugin_port=3306), "plugin_port", "value_out_of_range"),
        (managed_target(plugin_port=11211), "plugin_port", "not_for_managed"),
    ],
)
def test_a_fault_is_told_at_its_field(client: Caller, body: dict[str, Any], path: str, code: str) -> None:
    response = client.post(URL, json=body)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")
    assert (path, code) in [(error["path"], error["code"]) for error in response.json()["errors"]]


def test_a_password_is_stored_encrypted_and_never_shown(client: Caller) -> None:
    body = external_target(username="bench", password="hunter2", tls=TLS)
    target = create(client, body)
    assert target["has_password"] is True
    assert "hunter2" not in client.get(f"{URL}/{target['id']}").text
    with unit_of_work() as unit:
        row = unit.session.scalars(select(models.Target)).one()
        assert row.password_encrypted is not None
        assert "hunter2" not in row.password_encrypted
    given = assignment(client, target["id"])
    assert (given.username, given.password, given.flush_allowed) == ("bench", "hunter2", False)
    assert given.tls is not None
    assert given.tls.server_name == "store.example"


def test_a_password_left_out_stays_and_null_removes_it(client: Caller) -> None:
    target = create(client, external_target(password="hunter2"))
    kept = client.put(f"{URL}/{target['id']}", json=external_target(name="renamed")).json()
    assert kept["has_password"] is True
    removed = client.put(f"{URL}/{target['id']}", json=external_target(password=None)).json()
    assert removed["has_password"] is False


def test_credentials_go_only_to_the_address_they_were_saved_for(client: Caller) -> None:
    target = create(client, external_target(password="hunter2", flush_allowed=True))
    with unit_of_work() as unit:
        row = unit.session.scalars(select(models.Target)).one()
        snapshot = service.take_snapshot(row, 0).model_dump(mode="json")
    client.put(f"{URL}/{target['id']}", json=external_target(host="10.9.9.9", password="other"))
    with unit_of_work() as unit:
        given = service.assigned_target(unit, snapshot, "key")
    assert (given.host, given.password, given.flush_allowed) == ("10.0.0.7", None, False)


def test_another_port_of_the_plugin_is_another_address(client: Caller) -> None:
    body = external_target(kind="mysql", port=3306, plugin_port=11211, protocol="memcached", password="hunter2")
    target = create(client, body)
    assert target["plugin_port"] == 11211
    with unit_of_work() as unit:
        snapshot = service.take_snapshot(unit.session.scalars(select(models.Target)).one(), 0).model_dump(mode="json")
        given = service.assigned_target(unit, snapshot, "key")
    assert (given.port, given.plugin_port, given.password) == (3306, 11211, "hunter2")
    client.put(f"{URL}/{target['id']}", json=body | {"plugin_port": 11212})
    with unit_of_work() as unit:
        given = service.assigned_target(unit, snapshot, "key")
    assert (given.plugin_port, given.password) == (11211, None)


def test_a_key_ring_reads_old_passwords_and_a_lost_key_is_said(client: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    target = create(client, external_target(password="hunter2"))
    old_key = get_settings().secret_keys.get_secret_value()
    for keys in (f"{new_key()},{old_key}", new_key()):
        monkeypatch.setenv("LOADSTONE_SECRET_KEYS", keys)
        get_settings.cache_clear()
        if old_key in keys:
            assert assignment(client, target["id"]).password == "hunter2"
        else:
            with pytest.raises(SecretUnreadable):
                assignment(client, target["id"])
    monkeypatch.undo()
    get_settings.cache_clear()


def test_an_agent_gets_the_profiles_options_with_the_overrides_over_them(client: Caller) -> None:
    target = create(client, managed_target(kind="redis", profile="aof-always", options={"maxmemory": "100mb"}))
    assert assignment(client, target["id"]).options == {
        "save": "",
        "appendonly": "yes",
        "appendfsync": "always",
        "no-appendfsync-on-rewrite": "no",
        "auto-aof-rewrite-percentage": "100",
        "auto-aof-rewrite-min-size": "64mb",
        "maxmemory": "100mb",
    }


def test_every_profile_and_option_of_the_data_file_is_sound(client: Caller) -> None:
    shown = client.get("/api/v1/store-kinds").json()["items"]
    profiles = {kind["kind"]: [profile["name"] for profile in kind["profiles"]] for kind in shown}
    innodb = ["innodb-durable", "innodb-os-buffered", "innodb-buffered"]
    persistence = ["none", "rdb", "aof-no", "aof-everysec", "aof-always"]
    plugin = ["plugin-reads-batched", "plugin-writes-batched"]
    assert profiles == {
        "memcached": ["default", "memory-2048"],
        "redis": persistence,
        "valkey": persistence,
        "mysql": [f"{version}-{name}" for version in ("8.0", "5.6") for name in (*innodb, "myisam", *plugin)],
        "mariadb": [*innodb, "aria", "myisam"],
        "postgresql": ["durable", "asynchronous", "not-forced"],
        "mongodb": ["default", "journal-2ms"],
        "ferretdb": ["durable", "os-buffered"],
        "memlink": ["default", "synced"],
    }
    for kind in store_kinds().values():
        for option in kind.options:
            ways = [option.values, option.integer, option.pattern]
            assert sum(way is not None for way in ways) == 1, option.name
        for profile in kind.profiles:
            overridable = {name: value for name, value in profile.options.items() if kind.option(name)}
            assert find_option_faults(kind, overridable) == []


def test_targets_are_paged_newest_first(client: Caller) -> None:
    names = [create(client, managed_target(name=f"t{number}"))["name"] for number in range(5)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        query = "?limit=2" + (f"&cursor={cursor}" if cursor else "")
        page = client.get(URL + query).json()
        seen += [item["name"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
        assert len(page["items"]) == 2
    assert seen == names[::-1]


@pytest.mark.parametrize("cursor", ["x", "!!!", "bm90LWFuLWlk", "a\u00e4"])
def test_an_invented_cursor_is_refused(client: Caller, cursor: str) -> None:
    response = client.get(URL, params={"cursor": cursor})
    assert (response.status_code, response.json()["code"]) == (422, "invalid_cursor")


def test_targets_of_another_team_are_not_found(client: Caller, other_team: Caller) -> None:
    url = f"{URL}/{create(client, managed_target())['id']}"
    answers = [
        other_team.get(url),
        other_team.put(url, json=managed_target()),
        other_team.delete(url),
        other_team.post(f"{url}/checks", json={}),
        other_team.get(f"{url}/checks/0190a000-0000-7000-8000-000000000000"),
    ]
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(404, "not_found")}
    assert other_team.get(URL).json()["items"] == []


SAVED: dict[str, Any] = {"host": "db.example.org", "port": 6380, "username": "ada", "password": "marked"} | {
    "tls": {"server_name": "db"}
}
ELSEWHERE: list[dict[str, Any]] = [
    {"host": "evil.example.org"},
    {"port": 6381},
    {"read_host": "evil.example.org"},
    {"read_port": 6382},
    {"username": "eve"},
    {"tls": None},
    {"tls": {"server_name": "evil"}},
    {"tls": {"server_name": "db", "verify_certificate": False}},
    {"tls": {"server_name": "db", "ca_pem": "-----BEGIN CERTIFICATE-----"}},
    {"protocol": "redis_cluster"},
    {"kind": "valkey"},
]


@pytest.mark.parametrize("change", ELSEWHERE, ids=str)
def test_a_stored_password_is_sent_nowhere_but_where_it_was_saved_for(client: Caller, change: dict[str, Any]) -> None:
    body = external_target(**SAVED)
    target = client.post("/api/v1/targets", json=body).json()
    kept = {name: value for name, value in body.items() if name != "password"}
    refused = client.put(f"/api/v1/targets/{target['id']}", json=kept | change)
    assert (refused.status_code, refused.json()["code"], refused.json()["path"]) == (422, "invalid_input", "password")
    assert refused.json()["errors"][0]["code"] == "password_needed"
    with unit_of_work() as unit:
        row = unit.session.get_one(models.Target, target["id"])
        assert (row.host, row.port, row.kind) == ("db.example.org", 6380, "redis")
    assert assignment(client, target["id"]).password == "marked"
    entered = client.put(f"/api/v1/targets/{target['id']}", json=kept | change | {"password": "another"})
    assert entered.status_code in (200, 422), entered.text
    if entered.status_code == 422:
        assert "password" not in [error["path"] for error in entered.json()["errors"]]
    removed = client.put(f"/api/v1/targets/{target['id']}", json=kept | change | {"password": None})
    assert removed.status_code == 422 or removed.json()["has_password"] is False


@pytest.mark.parametrize("change", [{}, {"name": "renamed"}, {"database": "3"}, {"protocol": "redis"}], ids=str)
def test_a_password_stays_where_only_the_rest_changes(client: Caller, change: dict[str, Any]) -> None:
    body = external_target(**SAVED)
    target = client.post("/api/v1/targets", json=body).json()
    kept = {name: value for name, value in body.items() if name != "password"}
    changed = client.put(f"/api/v1/targets/{target['id']}", json=kept | change)
    assert (changed.status_code, changed.json().get("has_password")) == (200, True)


def test_a_password_does_not_survive_a_turn_as_a_managed_target(client: Caller) -> None:
    target = client.post("/api/v1/targets", json=external_target(**SAVED)).json()
    url = f"/api/v1/targets/{target['id']}"
    assert client.put(url, json=managed_target(kind="redis", profile="none")).json()["has_password"] is False
    back = client.put(url, json=external_target(host="evil.example.org"))
    assert (back.status_code, back.json()["has_password"]) == (200, False)
