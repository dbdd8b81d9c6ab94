"""This process's doorbell. Ring it through `unit.after_commit`: before the commit there is nothing to find."""

from functools import cache

from loadstone_contracts.tasks import Doorbell

from loadstone.settings import get_settings


@cache
def doorbell() -> Doorbell:
    return Doorbell(get_settings().broker_url)
