"""External targets: what may be flushed, what is shown, whether they are reachable. Real servers."""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from loadstone_agent.agent import Agent
from loadstone_agent.check import check_target, run_check
from loadstone_agent.errors import FlushRefused, TargetRefused
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.base import MARKER_KEY, Endpoint
from loadstone_agent.stores.launch import LaunchPlan, ManagedStore, launch
from loadstone_agent.stores.mysql_control import MySqlControl
from loadstone_agent.trial.chain import TrialChain
from loadstone_agent.trial.target import ReadyTarget, external_endpoint, flush_external
from loadstone_agent_testing.api_server import ApiInMemory
from loadstone_agent_testing.assignments import assignment, external, work
from loadstone_agent_testing.needs import needs
from loadstone_agent_testing.processes import free_port
from loadstone_agent_testing.trials import carried_out
from loadstone_contracts.agent_calls import AssignedTarget, TargetKind
from loadstone_contracts.engine_plan import Tls
from pymemcache.client.base import Client


@pytest.fixture(params=["memcached", "redis"])
def kind(request: pytest.FixtureRequest) -> TargetKind:
    chosen: TargetKind = request.param
    return chosen


@pytest.fixture
def port(kind: TargetKind, request: pytest.FixtureRequest) -> int:
    return int(request.getfixturevalue(f"{kind}_port"))


def write(kind: TargetKind, port: int, key: str) -> None:
    if kind == "redis":
        with redis.Redis(port=port) as client:
            client.set(key, "1")
    else:
        client = Client(("127.0.0.1", port))
        client.set(key, b"1", noreply=False)
        client.close()


def has(kind: TargetKind, port: int, key: str) -> bool:
    if kind == "redis":
        with redis.Redis(port=port) as client:
            return client.exists(key) == 1
    client = Client(("127.0.0.1", port))
    try:
        return client.get(key) is not None
    finally:
        client.close()


def flush(kind: TargetKind, port: int, *, allowed: bool) -> None:
    with KINDS[kind].control(Endpoint("127.0.0.1", port)) as control:
        flush_external(control, external(kind, port, flush_allowed=allowed))


def test_a_flush_that_the_owner_did_not_allow_is_refused_even_when_empty(kind: TargetKind, port: int) -> None:
    with pytest.raises(FlushRefused, match="allow it on the target's page"):
        flush(kind, port, allowed=False)
    assert not has(kind, port, MARKER_KEY)


def test_an_empty_target_is_marked_as_ours(kind: TargetKind, port: int) -> None:
    flush(kind, port, allowed=True)
    assert has(kind, port, MARKER_KEY)


def test_data_without_our_marker_is_never_flushed(kind: TargetKind, port: int) -> None:
    write(kind, port, "precious")
    with pytest.raises(FlushRefused, match=MARKER_KEY):
        flush(kind, port, allowed=True)
    assert has(kind, port, "precious")


def test_data_with_our_marker_is_flushed_and_marked_again(kind: TargetKind, port: int) -> None:
    write(kind, port, MARKER_KEY)
    write(kind, port, "old")
    flush(kind, port, allowed=True)
    assert not has(kind, port, "old")
    assert has(kind, port, MARKER_KEY)


def test_other_databases_of_a_redis_are_not_flushed(redis_port: int) -> None:
    with redis.Redis(port=redis_port, db=1) as other:
        other.set("precious", "1")
        write("redis", redis_port, MARKER_KEY)
        flush("redis", redis_port, allowed=True)
        assert other.exists("precious") == 1


def test_a_refused_flush_ends_the_trial_before_any_load(
    agent: Agent, api: ApiInMemory, kind: TargetKind, port: int
) -> None:
    write(kind, port, "precious")
    given = assignment(external(kind, port, flush_allowed=True), reset="flush")
    finish = carried_out(agent, api, given)
    assert finish.error is not None
    assert (finish.outcome, finish.error.code, finish.sample_count) == ("failed", "flush_refused", 0)
    assert has(kind, port, "precious")


def test_a_trial_on_an_external_target_succeeds_and_keeps_its_marker(
    agent: Agent, api: ApiInMemory, kind: TargetKind, port: int
) -> None:
    given = assignment(external(kind, port, flush_allowed=True), reset="flush", work=work(0.3))
    api.assign(given)
    TrialChain(agent).execute(given.trial_id)
    assert api.finishes[given.lease_id].outcome == "succeeded"
    assert has(kind, port, MARKER_KEY)


def test_restarting_an_external_target_is_a_bad_plan(agent: Agent, api: ApiInMemory, redis_port: int) -> None:
    given = assignment(external("redis", redis_port), reset="restart")
    error = carried_out(agent, api, given).error
    assert error is not None
    assert error.code == "bad_plan"


def test_a_reachable_target_is_reported_with_version_and_round_trip(
    agent: Agent, api: ApiInMemory, kind: TargetKind, port: int
) -> None:
    api.checks["c1"] = external(kind, port)
    run_check(agent, "c1")
    result = api.check_results["c1"]
    assert result.reachable
    assert result.version
    assert result.round_trip_ms is not None
    assert 0 < result.round_trip_ms < 1000


def test_a_check_that_is_not_ours_is_left_alone(agent: Agent, api: ApiInMemory) -> None:
    run_check(agent, "c1")
    assert api.check_results == {}


def test_nothing_listening_is_target_unreachable(kind: TargetKind) -> None:
    result = check_target(external(kind, free_port()))
    assert not result.reachable
    assert result.error is not None
    assert result.error.code == "target_unreachable"


def test_a_wrong_password_is_target_refused_and_the_right_one_works(start_server: Callable[..., int]) -> None:
    port = start_server("redis-server", "--bind", "127.0.0.1", "--port", "{port}", "--requirepass", "s3cret")
    refused = check_target(external("redis", port, password="wrong"))
    assert refused.error is not None
    assert refused.error.code == "target_refused"
    assert check_target(external("redis", port, password="s3cret")).reachable
    with KINDS["redis"].control(Endpoint("127.0.0.1", port, password="s3cret")) as control:
        assert control.facts().settings["requirepass"] == "(set)"


def test_memcached_with_ascii_authentication_is_signed_in_to(start_server: Callable[..., int], tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.write_text("ann:s3cret\n")
    port = start_server("memcached", "-l", "127.0.0.1", "-p", "{port}", "-u", "root", "-Y", str(users))
    assert check_target(external("memcached", port, username="ann", password="s3cret")).reachable
    refused = check_target(external("memcached", port, username="ann", password="wrong"))
    assert refused.error is not None
    assert refused.error.code == "target_refused"


def test_a_store_that_hides_its_configuration_is_measured_with_a_warning(
    agent: Agent, api: ApiInMemory, redis_port: int
) -> None:
    with redis.Redis(port=redis_port) as admin:
        admin.execute_command("ACL", "SETUSER", "bench", "on", ">pw", "~*", "+@all", "-config")
    target = external("redis", redis_port, username="bench", password="pw")
    given = assignment(target, reset="none", work=work(0.3))
    finish = carried_out(agent, api, given)
    assert finish.outcome == "succeeded"
    assert "settings_unreadable" in [warning.code for warning in finish.warnings]
    assert finish.store is not None
    assert finish.store.settings == {}


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """For the name store.example, not for the address it is reached at."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "store.example")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("store.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate, private = tmp_path / "cert.pem", tmp_path / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, private


def test_tls_is_checked_against_the_server_name_and_not_the_address(
    start_server: Callable[..., int], certificate: tuple[Path, Path]
) -> None:
    cert, key = map(str, certificate)
    options = ["--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert, "--tls-auth-clients", "no"]
    port = start_server("redis-server", "--bind", "127.0.0.1", "--port", "0", "--tls-port", "{port}", *options)
    good = Tls(server_name="store.example", ca_pem=certificate[0].read_text())
    assert check_target(external("redis", port, tls=good)).reachable
    for bad in (good.model_copy(update={"server_name": "other.example"}), Tls(server_name="store.example")):
        result = check_target(external("redis", port, tls=bad))
        assert result.error is not None
        assert result.error.code == "target_unreachable"
        assert "certificate" in result.error.detail.lower()
    unchecked = Tls(server_name="other.example", verify_certificate=False)
    assert check_target(external("redis", port, tls=unchecked)).reachable
    assert not check_target(external("redis", port)).reachable


@pytest.fixture(params=[offer.version for offer in KINDS["mysql"].offers() if offer.available] or [""])
def mysql(request: pytest.FixtureRequest, passable_dir: Path) -> Iterator[ManagedStore]:
    """Somebody else's, as far as the agent is told."""
    options = {"server_version": request.param}
    store = launch(LaunchPlan(KINDS["mysql"], options, 8, [], passable_dir / "elsewhere", "nobody"), lambda: None)
    yield store
    store.stop()


def plugin_of(store: ManagedStore, **changes: Any) -> AssignedTarget:
    sql, plugin = (endpoint.port for endpoint in store.endpoints)
    admin = {"username": store.endpoint.username, "password": store.endpoint.password}
    return external("mysql", sql, plugin_port=plugin, protocol="memcached", **admin, **changes)


@needs("mysql")
def test_a_trial_on_the_plugin_of_an_external_mysql_is_set_up_by_sql(
    agent: Agent, api: ApiInMemory, mysql: ManagedStore
) -> None:
    write("memcached", mysql.endpoints[1].port, "precious")
    precious = assignment(plugin_of(mysql, flush_allowed=True), reset="flush", work=work(0.3))
    finish = carried_out(agent, api, precious)
    assert finish.error is not None
    assert finish.error.code == "flush_refused"
    assert has("memcached", mysql.endpoints[1].port, "precious")
    with KINDS["mysql"].control(mysql.endpoint) as control:
        control.write_marker()
    allowed = assignment(plugin_of(mysql, flush_allowed=True), reset="flush", work=work(0.3))
    finish = carried_out(agent, api, allowed)
    assert (finish.outcome, finish.error) == ("succeeded", None)
    assert not has("memcached", mysql.endpoints[1].port, "precious")
    with KINDS["mysql"].control(mysql.endpoint) as control:
        assert control.has_marker()
        assert not control.is_empty()


def test_the_plugin_is_told_nothing_of_the_credentials_of_sql() -> None:
    secret = {"username": "ann", "password": "hunter2", "tls": Tls(server_name="db.example")}
    target = external("mysql", 3306, plugin_port=11211, **secret)
    for protocol, port, username in (("mysql", 3306, "ann"), ("memcached", 11211, None)):
        ready = ReadyTarget(KINDS["mysql"], external_endpoint(target), None, False, protocol)
        told = ready.for_engine()
        assert (told.address.port, told.username) == (port, username)
        assert (told.password is None, told.tls is None) == (username is None, username is None)


@needs("mysql")
def test_the_plugins_own_table_is_emptied_wherever_it_is_and_never_dropped(mysql: ManagedStore) -> None:
    """The demonstration table lies in a database of its own."""
    elsewhere = replace(mysql.endpoint, plugin_port=mysql.endpoints[1].port)
    with KINDS["mysql"].control(elsewhere) as control, KINDS["mysql"].control(mysql.endpoint) as by_sql_alone:
        assert isinstance(control, MySqlControl)
        control._rows("UPDATE innodb_memcache.containers SET db_schema = 'test', db_table = 'demo_test'")
        control._rows("REPLACE INTO test.demo_test VALUES ('a', 'b', 0, 0, 0)")
        assert not control.is_empty()
        control.flush()
        assert control.is_empty()
        assert control._rows("SELECT COUNT(*) FROM test.demo_test") == [(0,)]
        control._rows("INSERT INTO test.demo_test VALUES ('a', 'b', 0, 0, 0)")
        by_sql_alone.flush()
        assert control._rows("SELECT COUNT(*) FROM test.demo_test") == [(1,)]
        control._rows("DELETE FROM innodb_memcache.containers")
        with pytest.raises(TargetRefused, match="no container"):
            control.flush()


@needs("mysql")
def test_a_check_of_the_plugin_asks_both_ports(mysql: ManagedStore) -> None:
    assert check_target(plugin_of(mysql)).reachable
    closed = check_target(plugin_of(mysql).model_copy(update={"plugin_port": free_port()}))
    assert closed.error is not None
    assert closed.error.code == "target_unreachable"


def test_the_plugin_of_an_external_mysql_needs_its_port(memcached_port: int) -> None:
    result = check_target(external("mysql", memcached_port, protocol="memcached"))
    assert result.error is not None
    assert (result.error.code, "plugin's port" in result.error.message) == ("bad_plan", True)
