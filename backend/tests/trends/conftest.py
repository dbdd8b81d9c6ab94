"""A history that lies in one series, and ways to look at what became of it."""

from collections.abc import Callable
from typing import Any

import pytest
from loadstone_testing.callers import Caller
from loadstone_testing.trend_factories import History

Get = Callable[..., Any]


@pytest.fixture
def history(client: Caller) -> History:
    return History(client.principal)


@pytest.fixture
def get(client: Caller) -> Get:
    """The body of a page that must be there."""

    def get(url: str, **parameters: Any) -> Any:
        response = client.get(f"/api/v1/{url}", params=parameters)
        assert response.status_code == 200, response.text
        return response.json()

    return get
