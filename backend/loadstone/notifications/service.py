"""Channels, and telling them: `notify` is for every domain above."""

import secrets
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from loadstone import models
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork, unit_of_work
from loadstone.doorbell import doorbell
from loadstone.errors import AppError, Conflict, NotFound
from loadstone.notifications import addresses, repository, schemas, sending
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal
from loadstone.settings import get_settings
from loadstone.vault import decrypt, encrypt

log = structlog.get_logger()

RETRY_AFTER = [timedelta(seconds=seconds) for seconds in (10, 60, 300, 1800, 7200, 21600)]
"""Then it is given up: after about eight and a half hours."""
LOST_AFTER = timedelta(seconds=90)
"""Longer than any attempt takes."""
TEXT_MAX = 4_000


class ChannelNameTaken(Conflict):
    code = "channel_name_taken"
    title = "Another channel has this name"


class TooManyChannels(Conflict):
    code = "too_many_channels"
    title = "The team has as many channels as it may have"


def notify(
    unit: UnitOfWork,
    team_id: uuid.UUID,
    event: schemas.Subscribed,
    title: str,
    text: str,
    link: str | None,
    dedupe_key: str,
) -> None:
    """Queues one delivery for each channel that listens; the same `dedupe_key` again tells nobody twice.

    `link` is a path of this installation, such as `/runs/...`. Sent after the commit, by control.
    """
    channels = repository.listening_channels(unit.session, team_id, event)
    if channels:
        _queue(unit, team_id, channels, event, title, text, link, dedupe_key)


def _queue(
    unit: UnitOfWork,
    team_id: uuid.UUID,
    channel_ids: Sequence[uuid.UUID],
    event: str,
    title: str,
    text: str,
    link: str | None,
    dedupe_key: str,
) -> list[uuid.UUID]:
    now = datetime.now(UTC)
    common = {
        "team_id": team_id,
        "event": event,
        "title": title[:200],
        "text": text[:TEXT_MAX],
        "link": f"{get_settings().public_url.rstrip('/')}{link}" if link else None,
        "dedupe_key": dedupe_key,
        "status": "queued",
        "attempts": 0,
        "next_attempt_at": now,
        "created_at": now,
    }
    made = repository.insert_deliveries(unit.session, [{**common, "channel_id": one} for one in channel_ids])
    unit.after_commit(lambda: doorbell().ring_deliver())
    return made


def list_channels(unit: UnitOfWork, principal: Principal) -> schemas.Channels:
    rows = repository.list_channels(unit.session, principal.team_id)
    last = repository.last_deliveries(unit.session, [row.id for row in rows])
    return schemas.Channels(
        items=[_channel(row, last.get(row.id)) for row in rows],
        is_mail_configured=get_settings().smtp_url is not None,
    )


def _channel(row: models.NotificationChannel, last: models.NotificationDelivery | None) -> schemas.Channel:
    return schemas.Channel(
        id=row.id,
        name=row.name,
        kind=row.kind,
        address=row.address_masked,
        has_secret=row.secret_encrypted is not None,
        events=row.events,
        is_enabled=row.is_enabled,
        last_delivery=_delivery(last, row.name) if last else None,
        created_at=row.created_at,
    )


def _delivery(row: models.NotificationDelivery, channel_name: str) -> schemas.Delivery:
    is_open = row.status in ("queued", "sending")
    return schemas.Delivery(
        id=row.id,
        channel_id=row.channel_id,
        channel_name=channel_name,
        event=row.event,
        title=row.title,
        status=row.status,
        attempts=row.attempts,
        next_attempt_at=row.next_attempt_at if is_open else None,
        response_excerpt=row.response_excerpt,
        created_at=row.created_at,
        sent_at=row.sent_at,
    )


def create_channel(unit: UnitOfWork, principal: Principal, body: schemas.CreateChannel) -> schemas.CreatedChannel:
    """Raises BadAddress, AddressRefused, MailNotConfigured, ChannelNameTaken, TooManyChannels."""
    address = body.address.get_secret_value()
    addresses.check_address(body.kind, address)
    _check_name(unit, principal, body.name, None)
    if repository.count_channels(unit.session, principal.team_id) >= repository.CHANNELS_MAX:
        raise TooManyChannels(f"It has {repository.CHANNELS_MAX}. Delete one first.")
    given = body.secret.get_secret_value() if body.secret else None
    made = secrets.token_urlsafe(32) if body.kind == "webhook" and given is None else None
    secret = given or made
    row = models.NotificationChannel(
        team_id=principal.team_id,
        name=body.name,
        kind=body.kind,
        address_encrypted=encrypt(address),
        address_masked=addresses.masked(body.kind, address),
        secret_encrypted=encrypt(secret) if secret else None,
        events=list(body.events),
        is_enabled=body.is_enabled,
        created_by=principal.user_id,
        created_at=datetime.now(UTC),
    )
    unit.session.add(row)
    unit.session.flush()
    audit.record(unit, principal, "channel_created", "notification_channel", row.id, {"name": row.name})
    return schemas.CreatedChannel(**_channel(row, None).model_dump(), secret=made)


def _check_name(unit: UnitOfWork, principal: Principal, name: str, but: uuid.UUID | None) -> None:
    if repository.is_name_taken(unit.session, principal.team_id, name, but):
        raise ChannelNameTaken("Choose another name.", path="name")


def change_channel(
    unit: UnitOfWork, principal: Principal, channel_id: uuid.UUID, body: schemas.ChangeChannel
) -> schemas.Channel:
    """Raises NotFound, BadAddress, AddressRefused, MailNotConfigured, ChannelNameTaken."""
    row = _find_channel(unit, principal, channel_id)
    _check_name(unit, principal, body.name, row.id)
    if body.address is not None:
        address = body.address.get_secret_value()
        addresses.check_address(row.kind, address)
        row.address_encrypted, row.address_masked = encrypt(address), addresses.masked(row.kind, address)
    if body.secret is not None:
        row.secret_encrypted = encrypt(body.secret.get_secret_value())
    row.name, row.events, row.is_enabled = body.name, list(body.events), body.is_enabled
    audit.record(unit, principal, "channel_changed", "notification_channel", row.id, {"name": row.name})
    return _channel(row, repository.last_deliveries(unit.session, [row.id]).get(row.id))


def _find_channel(unit: UnitOfWork, principal: Principal, channel_id: uuid.UUID) -> models.NotificationChannel:
    row = repository.find_channel(unit.session, principal.team_id, channel_id)
    if row is None:
        raise NotFound("There is no such channel.")
    return row


def delete_channel(unit: UnitOfWork, principal: Principal, channel_id: uuid.UUID) -> None:
    """With its deliveries; raises NotFound."""
    row = _find_channel(unit, principal, channel_id)
    audit.record(unit, principal, "channel_deleted", "notification_channel", row.id, {"name": row.name})
    unit.session.delete(row)


def test_channel(unit: UnitOfWork, principal: Principal, channel_id: uuid.UUID) -> schemas.Delivery:
    """Queues a message that says that it is a test, also to a channel that is switched off; raises NotFound."""
    row = _find_channel(unit, principal, channel_id)
    text = f"{principal.user_name} of {principal.team_name} tests this channel. It works."
    key = f"test:{uuid.uuid4()}"
    [delivery_id] = _queue(unit, row.team_id, [row.id], "test", "Loadstone: a test", text, "/notifications", key)
    found = repository.find_delivery(unit.session, delivery_id)
    assert found is not None, "it was inserted just now"
    return _delivery(found[0], row.name)


def list_deliveries(
    unit: UnitOfWork, principal: Principal, channel_id: uuid.UUID | None, cursor: str | None, limit: int
) -> Page[schemas.Delivery]:
    """Newest first; raises InvalidCursor."""
    before = decode_id_cursor(cursor)
    rows = repository.list_deliveries(unit.session, principal.team_id, channel_id, before, limit + 1)
    return make_page(rows, limit, key=lambda row: row[0].id, render=lambda row: _delivery(*row))


def claim_due(unit: UnitOfWork, limit: int) -> list[uuid.UUID]:
    """Deliveries to send now, claimed once the transaction stands."""
    return repository.claim_due(unit.session, datetime.now(UTC), LOST_AFTER, limit)


def deliver(delivery_id: uuid.UUID) -> None:
    """Sends a claimed delivery, in no transaction: what is waited for is the other side."""
    with unit_of_work(every_team=True) as unit:
        found = repository.find_delivery(unit.session, delivery_id)
    if found is None:
        return
    delivery, channel = found
    outcome = _attempt(delivery, channel)
    with unit_of_work(every_team=True) as unit:
        values = _sent(outcome) if outcome.is_sent else _not_sent(delivery, outcome)
        repository.note_attempt(unit.session, delivery.id, delivery.attempts, values)
    log.info("notification_attempted", delivery_id=str(delivery.id), sent=outcome.is_sent, attempt=delivery.attempts)


def _attempt(delivery: models.NotificationDelivery, channel: models.NotificationChannel) -> sending.Outcome:
    message = sending.Message(
        delivery.id, delivery.event, delivery.title, delivery.text, delivery.link, delivery.created_at
    )
    try:
        secret = decrypt(channel.secret_encrypted) if channel.secret_encrypted else None
        return sending.send(channel.kind, decrypt(channel.address_encrypted), secret, message)
    except AppError as error:
        return sending.Outcome(False, f"{error.title}: {error.detail}")
    except Exception as error:
        log.exception("notification_broke", delivery_id=str(delivery.id))
        return sending.Outcome(False, type(error).__name__)


def _sent(outcome: sending.Outcome) -> dict[str, Any]:
    return {"status": "sent", "sent_at": datetime.now(UTC), "response_excerpt": outcome.excerpt[: sending.EXCERPT_MAX]}


def _not_sent(delivery: models.NotificationDelivery, outcome: sending.Outcome) -> dict[str, Any]:
    excerpt = outcome.excerpt[: sending.EXCERPT_MAX]
    if delivery.attempts > len(RETRY_AFTER) or delivery.event == "test":
        # A person looks at a test right now: they press again.
        return {"status": "failed", "response_excerpt": excerpt}
    wait = RETRY_AFTER[delivery.attempts - 1]
    return {"status": "queued", "next_attempt_at": datetime.now(UTC) + wait, "response_excerpt": excerpt}
