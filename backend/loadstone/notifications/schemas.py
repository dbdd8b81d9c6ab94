"""Channels and deliveries as the public API shows them. Times are UTC."""

import uuid
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

ChannelKind = Literal["email", "slack", "teams", "webhook", "other"]
Event = Literal["alert_suspected", "alert_confirmed", "run_failed", "run_succeeded", "schedule_broken", "test"]
Subscribed = Literal["alert_suspected", "alert_confirmed", "run_failed", "run_succeeded", "schedule_broken"]
DeliveryStatus = Literal["queued", "sending", "sent", "failed"]

DEFAULT_EVENTS: list[Subscribed] = ["alert_confirmed", "run_failed", "schedule_broken"]
"""Nobody is told of a suspicion unless they ask for it."""


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CreateChannel(_Written):
    """`address`: one or more e-mail addresses (comma), a service's webhook address, or for `other` an Apprise URL.

    `secret` is the key of a webhook's signature; without one a webhook is given a new one, shown once.
    """

    name: str = Field(min_length=1, max_length=100)
    kind: ChannelKind
    address: SecretStr = Field(min_length=1, max_length=2000)
    secret: SecretStr | None = Field(default=None, min_length=16, max_length=200)
    events: list[Subscribed] = Field(default_factory=lambda: list(DEFAULT_EVENTS), max_length=5)
    is_enabled: bool = True

    @field_validator("events")
    @classmethod
    def _once(cls, events: list[Subscribed]) -> list[Subscribed]:
        return list(dict.fromkeys(events))


class ChangeChannel(_Written):
    """`address` and `secret` stay when left out; the kind of a channel does not change."""

    name: str = Field(min_length=1, max_length=100)
    address: SecretStr | None = Field(default=None, min_length=1, max_length=2000)
    secret: SecretStr | None = Field(default=None, min_length=16, max_length=200)
    events: list[Subscribed] = Field(max_length=5)
    is_enabled: bool = True

    @field_validator("events")
    @classmethod
    def _once(cls, events: list[Subscribed]) -> list[Subscribed]:
        return list(dict.fromkeys(events))


class Delivery(BaseModel):
    """`next_attempt_at` is null once it is sent or given up; `response_excerpt` is what the other side said last."""

    id: uuid.UUID
    channel_id: uuid.UUID
    channel_name: str
    event: Event
    title: str
    status: DeliveryStatus
    attempts: int
    next_attempt_at: datetime | None
    response_excerpt: str | None
    created_at: datetime
    sent_at: datetime | None


class Channel(BaseModel):
    """`address` is masked: enough to tell it, too little to use it."""

    id: uuid.UUID
    name: str
    kind: ChannelKind
    address: str
    has_secret: bool
    events: list[Subscribed]
    is_enabled: bool
    last_delivery: Delivery | None
    created_at: datetime


class CreatedChannel(Channel):
    secret: str | None
    """Of a webhook that came without one: shown this once."""


class Channels(BaseModel):
    items: list[Channel]
    is_mail_configured: bool
    """Whether this installation has a mail server (`LOADSTONE_SMTP_URL`)."""
