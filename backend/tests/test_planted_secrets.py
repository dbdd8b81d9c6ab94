"""A marked secret stands in every place that can hold one, and no answer, file, picture, event or log repeats it."""

import io
import json
import logging
import re
import uuid
import zipfile
from collections.abc import Iterator

import pytest
from loadstone.db import unit_of_work
from loadstone.logging import configure_logging
from loadstone.main import create_app
from loadstone.models import NotificationDelivery, Trial
from loadstone.notifications import service as notifications
from loadstone_contracts.agent_calls import CheckFinishRequest, StoreFacts, TrialError
from loadstone_contracts.redaction import HIDDEN, redact_settings, redact_text
from loadstone_testing.callers import Caller
from loadstone_testing.factories import external_target
from loadstone_testing.one_of_each import make_one_of_each
from loadstone_testing.run_factories import plan_body
from loadstone_testing.simulated_agent import SimulatedAgent, sample, summary, totals
from loadstone_testing.simulated_telemetry import event, second
from sqlalchemy import select, text

MARK = "PL4NT3Dsecret"
CONNINFO = f"host=primary port=5432 user=rep password={MARK} sslmode=require"
SETTINGS: dict[str, dict[str, str]] = {
    "postgresql": {
        "primary_conninfo": CONNINFO,
        "ssl_passphrase_command": f"echo {MARK}",
        "archive_command": f"aws s3 cp %p s3://b --key {MARK}",
        "restore_command": f"curl -u u:{MARK} https://b/%f",
        "my_extension.key": MARK,
        "shared_preload_libraries": f"x,https://u:{MARK}@h/x",
    },
    "mysql": {
        "init_connect": f"SET PASSWORD = '{MARK}'",
        "report_password": MARK,
        "authentication_ldap_simple_bind_root_pwd": MARK,
        "keyring_hashicorp_secret_id": MARK,
        "audit_url": f"https://ada:{MARK}@logs.example/x",
    },
    "mariadb": {"wsrep_sst_auth": f"root:{MARK}", "wsrep_provider_options": f"socket.password={MARK}"},
    "mongodb": {
        "parsed.net.tls.certificateKeyFilePassword": MARK,
        "parsed.net.tls.clusterPassword": MARK,
        "parsed.security.ldap.bind.queryPassword": MARK,
        "parsed.storage.url": f"mongodb+srv://ada:{MARK}@cluster.example/db",
    },
    "ferretdb": {"parsed.postgresql-url": f"postgres://ada:p{MARK}@h/db"},
    "redis": {
        "requirepass": MARK,
        "masterauth": MARK,
        "user": f"ada on >{MARK} ~* +@all",
        "tls-key-file-pass": MARK,
        "unknown": f"redis://:{MARK}@10.0.0.1:6379",
    },
    "valkey": {"primaryauth": MARK, "tls-client-key-file-pass": MARK},
    "memcached": {"auth_file": f"/etc/{MARK}", "extension_options": f"secret={MARK}"},
}
LINES = [
    f"FATAL: could not connect: {CONNINFO}",
    f'connection to "postgresql://ada:{MARK}@db.example/x" failed',
    f"redis-cli -h h --pass {MARK} ping",
    f"redis-server --requirepass {MARK} --port 1",
    f"LOADSTONE_PASSWORD={MARK} AWS_SECRET_ACCESS_KEY='{MARK}'",
    f"CREATE USER ada IDENTIFIED BY '{MARK}'",
    f"ALTER ROLE ada PASSWORD '{MARK}'",
    f"user ada on >{MARK} ~* +@all",
    f"Authorization: Bearer {MARK}",
    f'{{"password": "{MARK}", "apiKey": "{MARK}"}}',
    f"-----BEGIN RSA PRIVATE KEY-----\n{MARK}\n-----END RSA PRIVATE KEY-----",
    f"https://hooks.example/a?token={MARK}",
]


@pytest.mark.parametrize("kind", SETTINGS)
def test_no_setting_of_any_kind_shows_it(kind: str) -> None:
    shown = redact_settings(kind, SETTINGS[kind])
    assert MARK not in json.dumps(shown)
    assert shown.keys() == SETTINGS[kind].keys()


def test_what_decides_a_result_stays_readable() -> None:
    plain = {
        "shared_buffers": "16384",
        "password_encryption": "scram-sha-256",
        "fsync": "on",
        "pg_stat_statements.max": "5000",
        "log_line_prefix": "%m [%p] ",
        "archive_command": "",
        "data_directory": "/var/lib/x",
    }
    assert redact_settings("postgresql", plain) == plain
    assert redact_settings("redis", {"requirepass": "x", "maxmemory": "0", "save": ""}) == {
        "requirepass": HIDDEN,
        "maxmemory": "0",
        "save": "",
    }
    mysql = {"validate_password.policy": "MEDIUM", "old_passwords": "0", "innodb_flush_log_at_trx_commit": "1"}
    assert redact_settings("mysql", mysql) == mysql


@pytest.mark.parametrize("line", LINES)
def test_no_line_of_a_log_shows_it(line: str) -> None:
    assert MARK not in redact_text(line)


@pytest.mark.parametrize(
    "line",
    [
        "memcached -l 127.0.0.1 -p 1234 -m 64",
        "initdb -D /x --auth=trust -U postgres",
        "Could not connect to 10.0.0.7:6379: refused",
        "password authentication failed for user ada",
        "https://example.org/a?b=c",
    ],
)
def test_a_line_without_a_secret_stays_as_it_is(line: str) -> None:
    assert redact_text(line) == line


def test_what_is_known_is_found_wherever_it_stands() -> None:
    assert redact_text("x tr0ub4dor y", ["tr0ub4dor"]) == "x *** y"


@pytest.fixture
def planted(client: Caller) -> dict[str, str]:
    known = make_one_of_each(client)
    agent = SimulatedAgent(client.http, known["agent_id"], known["agent_token"], broker_url="", broker_user="")
    body = external_target(kind="postgresql", port=5432, username="ada", password=MARK)
    target = client.post("/api/v1/targets", json=body).json()["id"]
    agent.heartbeat()
    check = client.post(f"/api/v1/targets/{target}/checks", json={}).json()["id"]
    assert agent.call(f"checks/{check}/claim", "{}").json()["target"]["password"] == MARK
    error = TrialError(code="target_refused", message=f"Refused: {LINES[0]}", detail="\n".join(LINES))
    told = CheckFinishRequest(reachable=False, error=error)
    assert agent.call(f"checks/{check}/finish", told).status_code == 204
    ids = known | {"target_id": target, "check_id": check}
    client.post("/api/v1/runs/" + known["waiting_run_id"] + "/cancel")
    for outcome in ("succeeded", "failed"):
        ids |= _ran(client, agent, outcome, error)
    hook = f"https://example.com/hook?key={MARK}"
    channel = {"name": "planted", "kind": "webhook", "address": hook, "secret": f"{MARK} of a webhook"}
    made = client.post("/api/v1/notification-channels", json=channel)
    if made.status_code == 201:
        ids["channel_id"] = made.json()["id"]
    return ids


def _ran(client: Caller, agent: SimulatedAgent, outcome: str, error: TrialError) -> dict[str, str]:
    """A run whose agent is an old one: it hides nothing."""
    plan = plan_body(targets=[{"kind": "redis", "profile": "none"}], trials_per_point=1)
    plan["axes"] = []
    run = client.post("/api/v1/runs", json={"plan": plan}).json()["id"]
    agent.heartbeat()
    trial = client.get(f"/api/v1/runs/{run}/trials").json()["items"][0]["id"]
    held = agent.claim(trial)
    agent.renew(held)
    agent.send(held, sample(0))
    agent.tell(held, second(0), event(0).model_copy(update={"detail": LINES[0]}))
    agent.finish(
        held,
        outcome,
        error=error if outcome == "failed" else None,
        warnings=[error],
        store=StoreFacts(kind="postgresql", version="16", settings=SETTINGS["postgresql"]),
        command_lines=LINES,
        summary=summary(held, totals(1, 1_000)) if outcome == "succeeded" else None,
        sample_count=1,
    )
    point = client.get(f"/api/v1/runs/{run}/points").json()["items"][0]["id"]
    share = client.post("/api/v1/shares", json={"kind": "run", "subject": {"run_id": run}}).json()
    return {"run_id": run, "trial_id": trial, "point_id": point, "share_token": share["url"].rsplit("/", 1)[-1]}


def readable(content: bytes) -> bytes:
    """With what a zip file holds."""
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def get_routes() -> list[str]:
    return [path for path, operations in create_app().openapi()["paths"].items() if "get" in operations]


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What the api would log, as it would log it, debug lines too."""
    kept = io.StringIO()
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    configure_logging("DEBUG")
    stream = root.handlers[0]
    assert isinstance(stream, logging.StreamHandler)
    stream.setStream(kept)
    yield kept
    root.handlers = handlers
    root.setLevel(level)


@pytest.mark.timeout(240)
def test_no_answer_shows_a_planted_secret(client: Caller, viewer: Caller, planted: dict[str, str]) -> None:
    answered = 0
    for path in get_routes():
        if path.startswith("/agent/"):
            continue
        ids = planted | {"token": planted["share_token"] if "/shared/" in path else planted["invitation_token"]}
        ids |= {"form": "json", "curve": "throughput"}
        address = re.sub(r"\{(\w+)\}", lambda name: ids.get(name[1], "json"), path)  # noqa: B023 - used at once
        for caller in (client, viewer):
            answer = caller.get(address)
            assert answer.status_code < 500, f"{address}: {answer.text[:300]}"
            answered += answer.status_code == 200
            assert MARK.encode() not in readable(answer.content), address
    assert answered > 60


def test_nothing_that_is_stored_in_the_clear_holds_it(client: Caller, planted: dict[str, str]) -> None:
    """Whatever a later reader shows of it."""
    with unit_of_work() as unit:
        names = unit.session.scalars(
            text("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        ).all()
        found = [
            name
            for name in names
            if unit.session.scalar(
                text(f'SELECT count(*) FROM "{name}" AS row WHERE row::text LIKE :mark'),
                {"mark": f"%{MARK}%"},
            )
        ]
        assert unit.session.scalars(select(Trial.error_detail).where(Trial.error_detail.is_not(None))).first()
    assert found == []


def test_a_log_line_does_not_repeat_it(lines: io.StringIO) -> None:
    log = logging.getLogger("anything")
    for line in LINES:
        log.warning(line)
    try:
        raise RuntimeError(CONNINFO)
    except RuntimeError:
        log.exception("it failed with %s", CONNINFO)
    assert len(lines.getvalue()) > 500
    assert MARK not in lines.getvalue()


def test_a_delivery_does_not_show_its_channels_address(client: Caller, planted: dict[str, str]) -> None:
    if "channel_id" not in planted:
        pytest.skip("no name can be resolved here")
    client.post(f"/api/v1/notification-channels/{planted['channel_id']}/test")
    with unit_of_work() as unit:
        for delivery_id in unit.session.scalars(select(NotificationDelivery.id)).all():
            assert isinstance(delivery_id, uuid.UUID)
            notifications.deliver(delivery_id)
    shown = client.get("/api/v1/notification-deliveries")
    assert shown.status_code == 200
    assert MARK not in shown.text
