"""`/api/v1/notification-channels` and what was sent to them."""

import uuid

from fastapi import APIRouter

from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Admin, Reader
from loadstone.http.problems import problems
from loadstone.notifications import schemas, service
from loadstone.notifications.addresses import AddressRefused, BadAddress, MailNotConfigured
from loadstone.paging import InvalidCursor, Page

router = APIRouter(prefix="/api/v1", tags=["notifications"])

WRITING = (Unauthenticated, Forbidden, BadAddress, AddressRefused, MailNotConfigured, service.ChannelNameTaken)


@router.get("/notification-channels", responses=problems(Unauthenticated))
def list_channels(principal: Reader) -> schemas.Channels:
    """By name. Addresses are masked."""
    with unit_of_work() as unit:
        return service.list_channels(unit, principal)


@router.post("/notification-channels", status_code=201, responses=problems(*WRITING, service.TooManyChannels))
def create_channel(body: schemas.CreateChannel, principal: Admin) -> schemas.CreatedChannel:
    with unit_of_work() as unit:
        return service.create_channel(unit, principal, body)


@router.put("/notification-channels/{channel_id}", responses=problems(*WRITING, NotFound))
def change_channel(channel_id: uuid.UUID, body: schemas.ChangeChannel, principal: Admin) -> schemas.Channel:
    with unit_of_work() as unit:
        return service.change_channel(unit, principal, channel_id, body)


@router.delete(
    "/notification-channels/{channel_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound)
)
def delete_channel(channel_id: uuid.UUID, principal: Admin) -> None:
    with unit_of_work() as unit:
        service.delete_channel(unit, principal, channel_id)


@router.post(
    "/notification-channels/{channel_id}/test",
    status_code=202,
    responses=problems(Unauthenticated, Forbidden, NotFound),
)
def test_channel(channel_id: uuid.UUID, principal: Admin) -> schemas.Delivery:
    """Sends a message that says that it is a test, once; the delivery log tells how it went."""
    with unit_of_work() as unit:
        return service.test_channel(unit, principal, channel_id)


@router.get("/notification-deliveries", responses=problems(Unauthenticated, InvalidCursor))
def list_deliveries(
    principal: Reader, channel_id: uuid.UUID | None = None, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.Delivery]:
    """Newest first."""
    with unit_of_work() as unit:
        return service.list_deliveries(unit, principal, channel_id, cursor, limit)
