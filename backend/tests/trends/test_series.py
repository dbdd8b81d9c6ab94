"""Series as the api shows them: lists, filters, values, neighbours, exclusions, annotations."""

from typing import Any

import pytest
from loadstone_testing.callers import Caller
from loadstone_testing.trend_factories import History, steady


def all_series(caller: Caller, query: str = "") -> list[dict[str, Any]]:
    response = caller.get(f"/api/v1/series{query}")
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


def values(caller: Caller, series_id: str, query: str = "") -> dict[str, Any]:
    response = caller.get(f"/api/v1/series/values?series_id={series_id}{query}")
    assert response.status_code == 200, response.text
    line: dict[str, Any] = response.json()["items"][0]
    return line


def test_points_of_one_identity_form_one_series_in_the_order_of_time(client: Caller) -> None:
    history = History(client.principal)
    history.add(*steady(3))
    [series] = all_series(client)
    assert (series["value_count"], series["store_versions"]) == (3, ["1.6.18"])
    assert series["labels"]["target_kind"] == "memcached"
    assert series["labels"]["connections"] == "4"
    line = values(client, series["id"])
    assert [one["value"] for one in line["values"]] == pytest.approx(steady(3))
    first = line["values"][0]
    assert first["low"] < first["value"] < first["high"]
    assert first["trials_counted"] == 3
    assert first["run_name"] == "nightly 1"
