"""Channels, and deliveries to real receivers: signed, once, again after a failure, never into the own network."""

import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from loadstone.db import unit_of_work
from loadstone.models import NotificationChannel, NotificationDelivery
from loadstone.notifications import addresses, sending, service
from loadstone.settings import get_settings
from loadstone_testing.callers import Caller
from loadstone_testing.receivers import WebReceiver, mail_receiver, web_receiver
from loadstone_testing.run_factories import first_trial, make_run
from loadstone_testing.simulated_agent import SimulatedAgent
from sqlalchemy import select, update

CHANNELS = "/api/v1/notification-channels"
Set = Callable[..., None]


@pytest.fixture
def setting(client: Caller, monkeypatch: pytest.MonkeyPatch) -> Iterator[Set]:
    """`setting(SMTP_URL=...)`: as if the installation had been started with it."""

    def change(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(f"LOADSTONE_{name}", value)
        get_settings.cache_clear()

    yield change
    monkeypatch.undo()
    get_settings.cache_clear()


@pytest.fixture
def receiver(setting: Set) -> Iterator[WebReceiver]:
    setting(NOTIFY_PRIVATE_ADDRESSES="true")
    with web_receiver(WebReceiver()) as receiver:
        yield receiver


def make_channel(client: Caller, address: str, kind: str = "webhook", **fields: Any) -> dict[str, Any]:
    response = client.post(CHANNELS, json={"name": kind, "kind": kind, "address": address} | fields)
    assert response.status_code == 201, response.text
    channel: dict[str, Any] = response.json()
    return channel


def announce(client: Caller, key: str = "one") -> None:
    with unit_of_work() as unit:
        service.notify(unit, client.principal.team_id, "run_failed", "A run", "It failed.", "/runs/1", key)


def deliver_due() -> int:
    """As control does it, but one after the other."""
    with unit_of_work() as unit:
        due = service.claim_due(unit, 20)
    for delivery_id in due:
        service.deliver(delivery_id)
    return len(due)


def log(client: Caller) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/api/v1/notification-deliveries").json()["items"]
    return items


def test_a_webhook_is_signed_and_tells_what_happened(client: Caller, receiver: WebReceiver) -> None:
    channel = make_channel(client, receiver.url)
    announce(client)
    assert deliver_due() == 1
    [got] = receiver.received
    stamp = got.headers["loadstone-timestamp"]
    expected = hmac.new(channel["secret"].encode(), f"{stamp}.".encode() + got.body, hashlib.sha256).hexdigest()
    assert got.headers["loadstone-signature"] == f"sha256={expected}"
    assert abs(int(stamp) - time.time()) < 30
    assert got.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert got.path == "/hook?key=1"
    body = json.loads(got.body)
    assert (body["event"], body["title"], body["text"]) == ("run_failed", "A run", "It failed.")
    assert body["link"].endswith("/runs/1")
    [entry] = log(client)
    assert (entry["status"], entry["attempts"], entry["response_excerpt"]) == ("sent", 1, "HTTP 200 thanks")
    assert entry["id"] == got.headers["loadstone-delivery"]


def test_what_was_announced_twice_is_told_once(client: Caller, receiver: WebReceiver) -> None:
    make_channel(client, receiver.url)
    announce(client)
    announce(client)
    assert deliver_due() == 1
    assert deliver_due() == 0
    assert len(receiver.received) == 1


def test_a_failed_attempt_is_made_again_after_a_pause_until_it_is_given_up(
    client: Caller, receiver: WebReceiver
) -> None:
    receiver.answers = [500, 503, 200]
    make_channel(client, receiver.url)
    announce(client)
    for attempt, status in ((1, "queued"), (2, "queued"), (3, "sent")):
        assert deliver_due() == 1
        [entry] = log(client)
        assert (entry["attempts"], entry["status"]) == (attempt, status)
        assert deliver_due() == 0, "the pause has not passed"
        _let_pauses_pass()
    receiver.answers = [500]
    announce(client, "two")
    for _ in range(len(service.RETRY_AFTER) + 1):
        assert deliver_due() == 1
        _let_pauses_pass()
    assert deliver_due() == 0
    assert (log(client)[0]["status"], log(client)[0]["next_attempt_at"]) == ("failed", None)


def _let_pauses_pass() -> None:
    with unit_of_work() as unit:
        unit.session.execute(update(NotificationDelivery).values(next_attempt_at=datetime.now(UTC)))


def test_a_delivery_is_claimed_by_one_and_taken_up_again_when_it_got_lost(
    client: Caller, receiver: WebReceiver
) -> None:
    make_channel(client, receiver.url)
    announce(client)
    with unit_of_work() as first, unit_of_work() as second:
        assert len(service.claim_due(first, 8)) == 1
        assert service.claim_due(second, 8) == []
    assert deliver_due() == 0
    with unit_of_work() as unit:
        lost = datetime.now(UTC) - timedelta(seconds=1)
        unit.session.execute(update(NotificationDelivery).values(next_attempt_at=lost))
    assert deliver_due() == 1
    assert log(client)[0]["attempts"] == 2


def test_a_receiver_that_hangs_costs_an_attempt_and_no_more(
    client: Caller, receiver: WebReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT_S", 0.3)
    receiver.answers = [0]
    make_channel(client, receiver.url)
    announce(client)
    started = time.monotonic()
    deliver_due()
    # The receiver would hang for a minute.
    assert time.monotonic() - started < 30
    [entry] = log(client)
    assert (entry["status"], entry["attempts"]) == ("queued", 1)
    assert "Timeout" in entry["response_excerpt"]


def test_a_redirect_is_not_followed(client: Caller, receiver: WebReceiver) -> None:
    receiver.answers, receiver.redirect_to = [302], receiver.url
    make_channel(client, receiver.url)
    announce(client)
    deliver_due()
    assert len(receiver.received) == 1
    assert log(client)[0]["response_excerpt"].startswith("HTTP 302")


def test_of_an_endless_answer_the_beginning_is_kept(client: Caller, receiver: WebReceiver) -> None:
    receiver.text = b"<script>alert(1)</script>\x00" + b"x" * 5_000_000
    make_channel(client, receiver.url)
    announce(client)
    deliver_due()
    excerpt = log(client)[0]["response_excerpt"]
    assert excerpt.startswith("HTTP 200 <script>")
    assert len(excerpt) <= sending.EXCERPT_MAX


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/",
        "http://localhost:6379/",
        "http://10.1.2.3/",
        "http://192.168.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://0.0.0.0/",
        "http://2130706433/",
    ],
)
def test_addresses_of_the_own_network_are_refused(client: Caller, address: str) -> None:
    response = client.post(CHANNELS, json={"name": "in", "kind": "webhook", "address": address})
    assert (response.status_code, response.json()["code"]) == (422, "address_refused")


def test_an_address_is_judged_again_when_it_is_used(client: Caller, receiver: WebReceiver, setting: Set) -> None:
    """A name that meant a public address when it was saved may mean another one by now."""
    make_channel(client, receiver.url)
    announce(client)
    setting(NOTIFY_PRIVATE_ADDRESSES="false")
    deliver_due()
    assert receiver.received == []
    assert "private or reserved network" in log(client)[0]["response_excerpt"]


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("webhook", "ftp://example.org/"),
        ("webhook", "http://user:password@example.org/"),
        ("webhook", "http://"),
        ("webhook", "nonsense"),
        ("webhook", "http://example.org:99999/"),
        ("slack", "https://example.org/services/1/2/3"),
        ("teams", "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"),
        ("other", "dbus://"),
        ("other", "syslog://localhost"),
        ("other", "mailto://user:pass@example.org"),
        ("other", "no-such-service://x"),
    ],
)
def test_what_is_no_address_is_refused(client: Caller, kind: str, address: str) -> None:
    response = client.post(CHANNELS, json={"name": "x", "kind": kind, "address": address})
    assert (response.status_code, response.json()["code"]) == (422, "bad_address"), response.text


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("slack", "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"),
        (
            "teams",
            "https://prod-00.westus.logic.azure.com:443/workflows/643e69f83c8944438d68119179a10a64/triggers/manual/paths/"
            "invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=KODuebWbDGYFr0z0eu",
        ),
    ],
)
def test_addresses_of_slack_and_teams_are_known(client: Caller, kind: str, address: str) -> None:
    channel = make_channel(client, address, kind)
    assert channel["secret"] is None
    assert channel["address"].endswith("/***")


def test_secrets_are_encrypted_and_never_answered(client: Caller, receiver: WebReceiver) -> None:
    channel = make_channel(client, receiver.url + "&token=hush", secret="a secret of my own")
    assert channel["secret"] is None, "only one that was made here is shown"
    with unit_of_work() as unit:
        row = unit.session.scalars(select(NotificationChannel)).one()
    assert "hush" not in row.address_encrypted + row.address_masked
    assert "secret" not in (row.secret_encrypted or "")
    for text in (client.get(CHANNELS).text, client.get("/api/v1/audit").text):
        assert "hush" not in text
        assert "a secret of my own" not in text


def test_mail_goes_through_the_installations_server(client: Caller, setting: Set) -> None:
    body = {"name": "us", "kind": "email", "address": "one@example.org, two@example.org"}
    assert client.post(CHANNELS, json=body).json()["code"] == "mail_not_configured"
    with mail_receiver() as mail:
        setting(SMTP_URL=f"mailto://127.0.0.1:{mail.port}?from=loadstone@example.org")
        channel = make_channel(client, body["address"], "email")
        assert channel["address"] == "o***@example.org, t***@example.org"
        announce(client)
        deliver_due()
    assert log(client)[0]["status"] == "sent", log(client)[0]
    assert sorted(mail.recipients) == ["one@example.org", "two@example.org"]
    assert "A run" in mail.mails[0]


@pytest.mark.parametrize("address", ["nobody", "a@b", "a@example.org?smtp=10.0.0.1", "", ",", "a@example.org&x=1"])
def test_a_mail_address_cannot_bring_options_along(client: Caller, setting: Set, address: str) -> None:
    setting(SMTP_URL="mailto://127.0.0.1:25?from=loadstone@example.org")
    response = client.post(CHANNELS, json={"name": "x", "kind": "email", "address": address})
    assert response.status_code == 422


def test_any_service_of_the_library_can_be_used(client: Caller, receiver: WebReceiver) -> None:
    make_channel(client, f"json://127.0.0.1:{receiver.port}/there", "other")
    announce(client)
    deliver_due()
    assert log(client)[0]["status"] == "sent", log(client)[0]
    assert json.loads(receiver.received[0].body)["title"] == "A run"


def test_the_test_button_sends_once_and_says_how_it_went(client: Caller, receiver: WebReceiver) -> None:
    receiver.answers = [410]
    channel = make_channel(client, receiver.url, is_enabled=False)
    response = client.post(f"{CHANNELS}/{channel['id']}/test")
    assert (response.status_code, response.json()["status"]) == (202, "queued")
    deliver_due()
    last = client.get(CHANNELS).json()["items"][0]["last_delivery"]
    assert (last["status"], last["event"], last["response_excerpt"]) == ("failed", "test", "HTTP 410 thanks")


def test_only_channels_that_listen_are_told(client: Caller, receiver: WebReceiver, other_team: Caller) -> None:
    make_channel(client, receiver.url, name="deaf", events=["alert_confirmed"])
    make_channel(client, receiver.url, name="off", events=["run_failed"], is_enabled=False)
    make_channel(other_team, receiver.url, name="theirs", events=["run_failed"])
    announce(client)
    assert deliver_due() == 0
    assert log(client) == []


def test_a_run_that_fails_is_told(client: Caller, receiver: WebReceiver) -> None:
    make_channel(client, receiver.url)
    agent = SimulatedAgent.enroll(client)
    run = make_run(client.principal)
    held = agent.claim(first_trial(client, run))
    agent.fail(held, "store_start_failed")
    while trial := client.get(f"/api/v1/runs/{run.id}/trials?status=queued").json()["items"]:
        agent.fail(agent.claim(trial[0]["id"]), "store_start_failed")
    assert deliver_due() == 1
    body = json.loads(receiver.received[0].body)
    assert body["event"] == "run_failed"
    assert body["link"].endswith(f"/runs/{run.id}")


def test_channels_are_changed_and_deleted_by_their_team_only(
    client: Caller, receiver: WebReceiver, other_team: Caller
) -> None:
    channel = make_channel(client, receiver.url)
    url = f"{CHANNELS}/{channel['id']}"
    body = {"name": "renamed", "events": ["run_succeeded"]}
    for call in (lambda: other_team.put(url, json=body), lambda: other_team.delete(url)):
        assert call().status_code == 404
    changed = client.put(url, json=body).json()
    assert (changed["name"], changed["events"], changed["address"]) == (
        "renamed",
        ["run_succeeded"],
        channel["address"],
    )
    make_channel(client, receiver.url, name="second")
    taken = client.put(url, json=body | {"name": "second"})
    assert (taken.status_code, taken.json()["code"]) == (409, "channel_name_taken")
    assert client.delete(url).status_code == 204
    assert [one["name"] for one in client.get(CHANNELS).json()["items"]] == ["second"]


def test_a_delivery_of_a_channel_that_is_gone_is_no_error(client: Caller) -> None:
    service.deliver(uuid.uuid4())
    assert log(client) == []


def test_public_addresses_are_public(client: Caller) -> None:
    assert addresses.resolve("93.184.216.34") == "93.184.216.34"
